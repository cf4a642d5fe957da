// SPDX-License-Identifier: Apache-2.0
/* The link of a card: /sys/class/gpulink/gpulinkN/link and link_counters. */
#include "../gpulink_admin.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../copy_struct.h"
#include "admin_files.h"

static const struct {
	const char *name, *allowed;
	uint64_t least, most;
} settings[GPULINK_LINK_SETTINGS] = {
	[GPULINK_LINK_ENABLE] = { "enable", "0 or 1", 0, 1 },
	[GPULINK_LINK_STITCHING] = { "stitching", "0 or 1", 0, 1 },
	[GPULINK_LINK_POOLING] = { "pooling", "0 or 1", 0, 1 },
	[GPULINK_LINK_SELECTIVE_POOLING] = { "selective_pooling", "0 or 1", 0, 1 },
	[GPULINK_LINK_YIELDING] = { "yielding", "0 or 1", 0, 1 },
	[GPULINK_LINK_SEQUENCING] = { "sequencing", "0 or 1", 0, 1 },
	[GPULINK_LINK_TRIMMING] = { "trimming", "0 or 1", 0, 1 },
	[GPULINK_LINK_POOL_CYCLES] = { "pool_cycles", "0 to 128", 0, 128 },
	[GPULINK_LINK_BURST] = { "burst", "1 to 255", 1, 255 },
	[GPULINK_LINK_TRIM_BYTES] = { "trim_bytes", "4, 8, 16 or 32", 4, 32 },
	[GPULINK_LINK_TIMEOUT_NS] = { "timeout_ns", "1000 to 10000000000", 1000, 10000000000 },
};

/* In the order of the registers. */
static const char *const counter_names[] = {
	"flits_in", "flits_out", "flits_padded", "parents", "stitched", "partial", "pooled", "pool_stitched",
	"pool_timed_out", "queue_full", "trimmed_bytes", "flits_received", "frames_sent", "frames_received", "replays",
	"frames_replayed", "frames_repeated", "crc_errors", "sequence_errors", "protocol_errors", "version_errors",
	"credit_stalls", "ups", "downs", "strays", "timeouts", "lost_packets", "served", "denied", "packets_read_request",
	"packets_read_response", "packets_write_request", "packets_write_response", "packets_translation_request",
	"packets_translation_response", "packets_finepack", "packets_release", "packets_released", "packets_atomic_request",
	"packets_atomic_response", "flits_read_request", "flits_read_response", "flits_write_request",
	"flits_write_response", "flits_translation_request", "flits_translation_response", "flits_finepack",
	"flits_release", "flits_released", "flits_atomic_request", "flits_atomic_response", "waited_read_request",
	"waited_read_response", "waited_write_request", "waited_write_response", "waited_translation_request",
	"waited_translation_response", "waited_finepack", "waited_release", "waited_released", "waited_atomic_request",
	"waited_atomic_response",
};
_Static_assert(sizeof(counter_names) / sizeof(counter_names[0]) == GPULINK_LINK_COUNTERS, "a name for every counter");

static int known(enum gpulink_link_setting setting)
{
	return (unsigned)setting < GPULINK_LINK_SETTINGS;
}

const char *gpulink_link_setting_name(enum gpulink_link_setting setting)
{
	return known(setting) ? settings[setting].name : NULL;
}

const char *gpulink_link_setting_allowed(enum gpulink_link_setting setting)
{
	return known(setting) ? settings[setting].allowed : NULL;
}

int gpulink_link_setting_valid(enum gpulink_link_setting setting, uint64_t value)
{
	if (!known(setting) || value < settings[setting].least || value > settings[setting].most)
		return 0;
	return setting != GPULINK_LINK_TRIM_BYTES || (value & (value - 1)) == 0;
}

static int read_link(const char *card, struct gpulink_admin_link *link)
{
	char file[64];
	int error = glk_admin_read_text(card, "link/state", link->state, sizeof(link->state));

	if (!error)
		error = glk_admin_show_text(card, "link/peer_cluster", link->peer_cluster, sizeof(link->peer_cluster));
	if (!error)
		error = glk_admin_show_text(card, "link/peer_serial", link->peer_serial, sizeof(link->peer_serial));
	if (!error)
		error = glk_admin_show_u32(card, "link/cluster", &link->cluster);
	if (!error)
		error = glk_admin_show_u32(card, "link/queue_flits", &link->queue_flits);
	if (!error)
		error = glk_admin_show_u32(card, "link/queued_flits", &link->queued_flits);
	if (!error) {
		error = glk_admin_read_u32(card, "link/peer_compact", &link->peer_compact);
		if (error == -GPULINK_ENOTSUP) /* a driver without it: the remote card is not sent any */
			error = 0;
	}
	for (unsigned s = 0; s < GPULINK_LINK_SETTINGS && !error; s++) {
		snprintf(file, sizeof(file), "link/%s", settings[s].name);
		error = glk_admin_show_number(card, file, &link->settings[s]);
	}
	return error;
}

int gpulink_admin_get_link(const char *card, struct gpulink_admin_link *link, size_t size)
{
	struct gpulink_admin_link own = { 0 };
	int error = card && link && size ? read_link(card, &own) : -GPULINK_EINVAL;

	if (!error)
		glk_copy_out(link, size, &own, sizeof(own));
	return error;
}

int gpulink_admin_set_link(const char *card, enum gpulink_link_setting setting, uint64_t value)
{
	char file[64], text[32];

	if (!card || !gpulink_link_setting_valid(setting, value))
		return -GPULINK_EINVAL;
	snprintf(file, sizeof(file), "link/%s", settings[setting].name);
	snprintf(text, sizeof(text), "%" PRIu64 "\n", value);
	return glk_admin_write_text(card, file, text);
}

const char *gpulink_link_counter_name(unsigned index)
{
	return index < GPULINK_LINK_COUNTERS ? counter_names[index] : NULL;
}

int gpulink_admin_get_link_counters(const char *card, uint64_t *values, unsigned count)
{
	uint64_t own[GPULINK_LINK_COUNTERS];
	int error;

	if (!card || !values)
		return -GPULINK_EINVAL;
	error = glk_admin_read_values(card, "link_counters", counter_names, GPULINK_LINK_COUNTERS, own);
	if (!error)
		glk_copy_out(values, count * sizeof(*values), own, sizeof(own));
	return error;
}
