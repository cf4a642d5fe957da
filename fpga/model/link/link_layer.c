// SPDX-License-Identifier: Apache-2.0
#include "link/link_layer.h"

#include <errno.h>
#include <stdlib.h>

#include "link/link_state.h"

void glk_link_layer_config_default(struct glk_link_layer_config *config)
{
	*config = (struct glk_link_layer_config){
		.self = { .version = GLK_LINK_VERSION, .session = 1, .credits = { 1024, 1024, 1024 } },
		.replay_frames = 64,
		.replay_cycles = 1024,
		.ack_cycles = 16,
		.hello_cycles = 4096,
	};
}

static bool valid(const struct glk_link_layer_config *config)
{
	unsigned frames = config->replay_frames;

	return frames >= 2 && frames <= GLK_LINK_REPLAY_FRAMES_MAX && (frames & (frames - 1)) == 0 && config->replay_cycles &&
	       config->ack_cycles && config->hello_cycles && config->self.version >= GLK_LINK_VERSION &&
	       config->self.version <= GLK_LINK_VERSION_LEASES && config->self.session &&
	       glk_link_credits_valid(config->self.version, config->self.credits) && config->ops;
}

int glk_link_layer_create(const struct glk_link_layer_config *config, struct glk_link_layer **link)
{
	struct glk_link_layer *made;

	if (!valid(config))
		return -EINVAL;
	made = calloc(1, sizeof(*made));
	if (!made)
		return -ENOMEM;
	made->sender.frames = calloc(config->replay_frames, sizeof(*made->sender.frames));
	if (!made->sender.frames) {
		free(made);
		return -ENOMEM;
	}
	made->config = *config;
	made->session.own = config->self.session;
	made->session.version = config->self.version;
	glk_crc32c_init(&made->crc);
	glk_link_send_reset(made);
	glk_link_receive_reset(made);
	*link = made;
	return 0;
}

void glk_link_layer_destroy(struct glk_link_layer *link)
{
	if (!link)
		return;
	free(link->sender.frames);
	free(link);
}

unsigned *glk_link_layer_credits(struct glk_link_layer *link)
{
	return link->sender.credits;
}

void glk_link_layer_stalled(struct glk_link_layer *link, uint64_t clocks)
{
	link->counters.credit_stalls += clocks;
}

const struct glk_link_layer_counters *glk_link_layer_counters(const struct glk_link_layer *link)
{
	return &link->counters;
}
