// SPDX-License-Identifier: Apache-2.0
#include "window/access.h"

void glk_store(struct glk_windows *windows, const struct glk_target *target, const void *data, size_t len)
{
	const struct glk_card_config *config = &windows->common->config;
	struct glk_endpoints *endpoints = windows->endpoints;
	struct glk_endpoint *endpoint = &endpoints->of[target->partition];
	struct glk_context *context = &windows->contexts[target->context];

	windows->counters[target->context].value[GLK_CONTEXT_COUNTER(STORES)]++;
	windows->counters[target->context].value[GLK_CONTEXT_COUNTER(STORE_BYTES)] += len;
	if (glk_endpoint_is_link(endpoints, target->partition))
		endpoints->ops->make_way(endpoints->user, target->partition);
	if (glk_context_enabled(context))
		context->touched |= 1u << target->partition;
	if (endpoint->kind == GLK_EP_BUS && config->ops->endpoint_store) {
		config->ops->endpoint_store(config->platform, target->partition, endpoint->base + target->offset, data, len);
		return;
	}
	glk_partition_store(&endpoints->partitions[target->partition], glk_link_address(target->partition, target->offset),
			    data, len, target->context, windows->common->now_ns);
}

void glk_store_range(struct glk_windows *windows, unsigned window, uint64_t offset, const uint8_t *data, size_t len)
{
	while (len) {
		struct glk_target target;
		size_t part = glk_window_part(windows, window, offset, len, &target);

		glk_store(windows, &target, data, part);
		data += part;
		offset += part;
		len -= part;
	}
}

void glk_flush_hit(struct glk_windows *windows, const struct glk_target *target, size_t len, unsigned reason)
{
	glk_partition_flush_hit(&windows->endpoints->partitions[target->partition],
				glk_link_address(target->partition, target->offset), len, reason);
}

int glk_load(struct glk_windows *windows, const struct glk_target *target, void *data, size_t len, unsigned reason)
{
	glk_flush_hit(windows, target, len, reason);
	return glk_endpoint_read(windows->endpoints, target->partition, target->offset, data, len);
}
