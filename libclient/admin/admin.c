// SPDX-License-Identifier: Apache-2.0
/* Cards, partitions and their settings: the files of docs/sysfs.md as calls. */
#include "../gpulink_admin.h"

#include "../copy_struct.h"
#include "admin_files.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct glk_setting_row settings[] = { GLK_PARTITION_SETTING_ROWS };
static const struct glk_setting_text texts[] = { GLK_PARTITION_SETTING_TEXTS };
#define SETTINGS (sizeof(settings) / sizeof(settings[0]))
_Static_assert(SETTINGS == GPULINK_SETTINGS, "every setting has a name");
_Static_assert(SETTINGS <= sizeof(((struct gpulink_admin_partition *)NULL)->settings) / sizeof(uint64_t), "all have room");

static const struct glk_counter_row counters_of_partition[] = { GLK_PARTITION_COUNTER_ROWS };
#define COUNTERS (sizeof(counters_of_partition) / sizeof(counters_of_partition[0]))
_Static_assert(COUNTERS == sizeof(struct gpulink_counters) / sizeof(uint64_t), "a name for every counter");

static bool known(enum gpulink_setting setting)
{
	return (unsigned)setting < SETTINGS;
}

const char *gpulink_setting_name(enum gpulink_setting setting)
{
	return known(setting) ? settings[setting].name : NULL;
}

const char *gpulink_setting_allowed(enum gpulink_setting setting)
{
	return known(setting) ? texts[setting].allowed : NULL;
}

int gpulink_setting_valid(enum gpulink_setting setting, uint64_t value)
{
	return known(setting) && glk_setting_allows(&settings[setting], value);
}

/* --- cards --- */

static int by_number(const void *a, const void *b)
{
	unsigned long na, nb;

	if (!glk_admin_is_card_name(a, &na) || !glk_admin_is_card_name(b, &nb))
		abort(); /* only such are sorted */
	return na < nb ? -1 : na > nb;
}

int gpulink_admin_list(char (*names)[16], unsigned room)
{
	DIR *folder = opendir(GLK_SYSFS);
	char (*all)[16] = NULL, (*more)[16];
	unsigned count = 0;
	unsigned long number;
	struct dirent *entry;

	if (!folder)
		return errno == ENOENT ? 0 : glk_admin_code_of(errno); /* no driver, no card */
	while ((entry = readdir(folder))) {
		if (!glk_admin_is_card_name(entry->d_name, &number))
			continue;
		more = realloc(all, (count + 1) * sizeof(*all));
		if (!more) {
			free(all);
			closedir(folder);
			return -GPULINK_ENOMEM;
		}
		all = more;
		strcpy(all[count++], entry->d_name);
	}
	closedir(folder);
	if (count)
		qsort(all, count, sizeof(*all), by_number);
	for (unsigned i = 0; i < count && i < room; i++)
		strcpy(names[i], all[i]);
	free(all);
	return (int)count;
}

static int pci_address(const char *card, char *out, size_t room)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *last;
	ssize_t length;

	snprintf(path, sizeof(path), "%s/%s/device", GLK_SYSFS, card);
	length = readlink(path, target, sizeof(target) - 1);
	if (length < 0 && errno == ENOENT) {
		strcpy(out, "unknown");
		return 0;
	}
	if (length < 0)
		return glk_admin_code_of(errno);
	target[length] = '\0';
	last = strrchr(target, '/');
	last = last ? last + 1 : target;
	if (strlen(last) >= room)
		return -GPULINK_EPROTO;
	strcpy(out, last);
	return 0;
}

/* Partition numbers have no gaps. */
static uint32_t count_partitions(const char *card)
{
	char path[PATH_MAX];
	uint32_t count = 0;

	do
		snprintf(path, sizeof(path), "%s/%s/partitions/%" PRIu32, GLK_SYSFS, card, count);
	while (!access(path, F_OK) && ++count < 1024);
	return count;
}

/* The only property that the card itself is asked for: it has none while it is reset, suspended or lost. */
static int read_link_state(const char *card, char *text, size_t room)
{
	int error = glk_admin_show_text(card, "link_state", text, room);

	if (error != -GPULINK_EBUSY && error != -GPULINK_EIO && error != -GPULINK_ENODEV)
		return error;
	snprintf(text, room, "unknown");
	return glk_admin_is_there(card) ? 0 : -GPULINK_ENODEV;
}

static int read_info(const char *card, struct gpulink_admin_info *info)
{
	int error;

	error = glk_admin_show_text(card, "serial", info->serial, sizeof(info->serial));
	if (!error)
		error = pci_address(card, info->pci_address, sizeof(info->pci_address));
	if (!error)
		error = glk_admin_show_text(card, "hw_version", info->hw_version, sizeof(info->hw_version));
	if (!error)
		error = glk_admin_show_text(card, "driver_version", info->driver_version, sizeof(info->driver_version));
	if (!error)
		error = read_link_state(card, info->link_state, sizeof(info->link_state));
	if (!error) /* after what fails in some states: explains it */
		error = glk_admin_show_text(card, "state", info->state, sizeof(info->state));
	if (!error)
		error = glk_admin_show_number(card, "generation", &info->generation);
	if (!error)
		error = glk_admin_show_u32(card, "queue_entries", &info->queue_entries);
	if (!error)
		error = glk_admin_show_u32(card, "contexts", &info->contexts);
	if (error)
		return error;
	strcpy(info->name, card);
	info->partitions = count_partitions(card);
	return 0;
}

static int read_partition(const char *card, unsigned partition, struct gpulink_admin_partition *out)
{
	char file[64];
	int error = 0;

	for (unsigned s = 0; s < SETTINGS && !error; s++) {
		error = glk_admin_partition_file(card, partition, settings[s].name, file, sizeof(file));
		if (!error)
			error = glk_admin_show_number(card, file, &out->settings[s]);
		if (!error && settings[s].features && out->settings[s] == GPULINK_UNKNOWN)
			out->settings[s] = 0;
	}
	if (!error)
		error = glk_admin_partition_file(card, partition, "endpoint", file, sizeof(file));
	if (!error)
		error = glk_admin_show_text(card, file, out->endpoint, sizeof(out->endpoint));
	if (!error)
		error = glk_admin_partition_file(card, partition, "endpoint_bytes", file, sizeof(file));
	if (!error)
		error = glk_admin_show_number(card, file, &out->endpoint_bytes);
	return error;
}

static int read_counters(const char *card, unsigned partition, struct gpulink_counters *counters)
{
	uint64_t values[COUNTERS];
	char folder[96];
	int error;

	error = glk_admin_partition_file(card, partition, "counters", folder, sizeof(folder));
	if (!error)
		error = glk_admin_read_values(card, folder, counters_of_partition, COUNTERS, values);
	if (!error)
		memcpy(counters, values, sizeof(values));
	return error;
}

int gpulink_admin_set(const char *card, unsigned partition, enum gpulink_setting setting, uint64_t value)
{
	char file[64], text[32];
	int error;

	if (!known(setting) || !gpulink_setting_valid(setting, value))
		return -GPULINK_EINVAL;
	error = glk_admin_partition_file(card, partition, settings[setting].name, file, sizeof(file));
	if (error)
		return error;
	snprintf(text, sizeof(text), "%" PRIu64 "\n", value);
	return glk_admin_write_text(card, file, text);
}

int gpulink_admin_set_endpoint(const char *card, unsigned partition, const char *endpoint)
{
	char file[64], text[72];
	int error;

	if (!endpoint || !*endpoint || strlen(endpoint) > sizeof(text) - 2 || strchr(endpoint, '\n'))
		return -GPULINK_EINVAL;
	error = glk_admin_partition_file(card, partition, "endpoint", file, sizeof(file));
	if (error)
		return error;
	snprintf(text, sizeof(text), "%s\n", endpoint);
	return glk_admin_write_text(card, file, text);
}

int gpulink_admin_reset(const char *card)
{
	return glk_admin_write_text(card, "reset", "1\n");
}

/* --- to structures of the program --- */

int gpulink_admin_get_info(const char *card, struct gpulink_admin_info *info, size_t size)
{
	struct gpulink_admin_info own = { 0 };
	int error = card && info && size ? read_info(card, &own) : -GPULINK_EINVAL;

	if (!error)
		glk_copy_out(info, size, &own, sizeof(own));
	return error;
}

int gpulink_admin_get_partition(const char *card, unsigned partition, struct gpulink_admin_partition *out, size_t size)
{
	struct gpulink_admin_partition own = { 0 };
	int error = out && size ? read_partition(card, partition, &own) : -GPULINK_EINVAL;

	if (!error)
		glk_copy_out(out, size, &own, sizeof(own));
	return error;
}

int gpulink_admin_get_counters(const char *card, unsigned partition, struct gpulink_counters *counters, size_t size)
{
	struct gpulink_counters own;
	int error = counters && size ? read_counters(card, partition, &own) : -GPULINK_EINVAL;

	if (!error)
		glk_copy_out(counters, size, &own, sizeof(own));
	return error;
}
