// SPDX-License-Identifier: Apache-2.0
/* The link of a card: /sys/class/gpulink/gpulinkN/link and link_counters. */
#include "../gpulink_admin.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../copy_struct.h"
#include "admin_files.h"

static const struct glk_setting_row settings[] = { GLK_LINK_SETTING_ROWS };
static const struct glk_setting_text texts[] = { GLK_LINK_SETTING_TEXTS };
_Static_assert(sizeof(settings) / sizeof(settings[0]) == GPULINK_LINK_SETTINGS, "every setting has a name");

static const struct glk_counter_row counters[] = { GLK_LINK_COUNTER_ROWS };
_Static_assert(sizeof(counters) / sizeof(counters[0]) == GPULINK_LINK_COUNTERS, "a name for every counter");

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
	return known(setting) ? texts[setting].allowed : NULL;
}

int gpulink_link_setting_valid(enum gpulink_link_setting setting, uint64_t value)
{
	return known(setting) && glk_setting_allows(&settings[setting], value);
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
	return index < GPULINK_LINK_COUNTERS ? counters[index].name : NULL;
}

int gpulink_admin_get_link_counters(const char *card, uint64_t *values, unsigned count)
{
	uint64_t own[GPULINK_LINK_COUNTERS];
	int error;

	if (!card || !values)
		return -GPULINK_EINVAL;
	error = glk_admin_read_values(card, "link_counters", counters, GPULINK_LINK_COUNTERS, own);
	if (!error)
		glk_copy_out(values, count * sizeof(*values), own, sizeof(own));
	return error;
}
