// SPDX-License-Identifier: Apache-2.0
/*
 * Fake cards: replaces the administration functions of libgpulink. The environment variable MADE_UP_CARDS names a directory
 * with a directory per card and a file per value, like sysfs. Tests link this file before the library, add and remove cards
 * by creating and removing directories, and check the files. A file "broken" in a partition's directory makes changes of
 * that partition fail. A card with a directory "link" has a link; one with a directory "pool" has
 * leases. A file "state" is the card's state, "live" without one; if it is "lost", everything but properties and a reset fails, and
 * a reset makes it live unless there is a file "dead".
 */
#include <gpulink_admin.h>
#include <gpulink_tables.h>

#include <dirent.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_lost(const char *card)
{
	char path[512], state[8] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s/state", getenv("MADE_UP_CARDS"), card);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(state, sizeof(state), file))
		state[0] = 0;
	fclose(file);
	return !strncmp(state, "lost", 4);
}

__attribute__((format(printf, 3, 4))) static int read_value(char *out, size_t room, const char *format, ...)
{
	char path[512], inner[256];
	va_list arguments;
	FILE *file;
	size_t got;

	va_start(arguments, format);
	vsnprintf(inner, sizeof(inner), format, arguments);
	va_end(arguments);
	snprintf(path, sizeof(path), "%s/%s", getenv("MADE_UP_CARDS"), inner);
	file = fopen(path, "re");
	if (!file)
		return -GPULINK_ENODEV;
	got = fread(out, 1, room - 1, file);
	fclose(file);
	out[got] = 0;
	out[strcspn(out, "\n")] = 0;
	return 0;
}

static int write_file(const char *path, const char *value)
{
	FILE *file = fopen(path, "r+e");

	if (!file)
		return access(path, F_OK) ? -GPULINK_ENODEV : -GPULINK_EACCES;
	fprintf(file, "%s\n", value);
	if (ftruncate(fileno(file), ftell(file)))
		abort();
	fclose(file);
	return 0;
}

static int write_value(const char *card, unsigned partition, const char *name, const char *value)
{
	char path[512];

	if (is_lost(card))
		return -GPULINK_EIO;
	snprintf(path, sizeof(path), "%s/%s/partitions/%u/broken", getenv("MADE_UP_CARDS"), card, partition);
	if (!access(path, F_OK))
		return -GPULINK_EIO;
	snprintf(path, sizeof(path), "%s/%s/partitions/%u/%s", getenv("MADE_UP_CARDS"), card, partition, name);
	if (access(path, F_OK))
		return -GPULINK_ENOTSUP; /* an older card */
	return write_file(path, value);
}

static int is_card(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "gpulink", 7);
}

int gpulink_admin_list(char (*names)[16], unsigned room)
{
	struct dirent **entries;
	int count = scandir(getenv("MADE_UP_CARDS"), &entries, is_card, versionsort);

	if (count < 0)
		return 0;
	for (int i = 0; i < count; i++) {
		if ((unsigned)i < room)
			snprintf(names[i], sizeof(names[i]), "%.15s", entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return count;
}

int gpulink_admin_get_info(const char *card, struct gpulink_admin_info *info, size_t size)
{
	char text[32];

	memset(info, 0, size);
	if (strncmp(card, "gpulink", 7) || strchr(card, '/') ||
	    read_value(info->serial, sizeof(info->serial), "%s/serial", card))
		return -GPULINK_ENODEV;
	snprintf(info->name, sizeof(info->name), "%s", card);
	strcpy(info->pci_address, "0000:00:04.0");
	strcpy(info->hw_version, "1.0.0");
	strcpy(info->driver_version, "0.1.0");
	if (read_value(info->state, sizeof(info->state), "%s/state", card))
		strcpy(info->state, "live");
	strcpy(info->link_state, is_lost(card) ? "unknown" : "loopback");
	if (!read_value(text, sizeof(text), "%s/generation", card))
		info->generation = strtoull(text, NULL, 10);
	while (!read_value(text, sizeof(text), "%s/partitions/%u/endpoint", card, info->partitions))
		info->partitions++;
	info->queue_entries = 64;
	info->contexts = 8;
	return 0;
}

int gpulink_admin_get_partition(const char *card, unsigned partition, struct gpulink_admin_partition *out,
				size_t size)
{
	static const struct glk_setting_row rows[] = {GLK_PARTITION_SETTING_ROWS};
	char text[32];

	memset(out, 0, size);
	if (is_lost(card))
		return -GPULINK_EIO;
	for (unsigned s = 0; s < GPULINK_SETTINGS; s++) {
		if (read_value(text, sizeof(text), "%s/partitions/%u/%s", card, partition,
			       gpulink_setting_name((enum gpulink_setting)s))) {
			if (!rows[s].features)
				return -GPULINK_ENODEV;
			strcpy(text, "0");
		}
		out->settings[s] = strtoull(text, NULL, 10);
	}
	out->endpoint_bytes = 67108864;
	return read_value(out->endpoint, sizeof(out->endpoint), "%s/partitions/%u/endpoint", card, partition);
}

int gpulink_admin_get_counters(const char *card, unsigned partition, struct gpulink_counters *counters, size_t size)
{
	char text[32];

	memset(counters, 0, size);
	if (is_lost(card))
		return -GPULINK_EIO;
	if (read_value(text, sizeof(text), "%s/partitions/%u/stores", card, partition))
		return -GPULINK_ENODEV;
	counters->stores = strtoull(text, NULL, 10);
	counters->packets = counters->stores / 7;
	counters->wire_bytes = counters->stores * 10;
	counters->raw_wire_bytes = counters->stores * 40;
	/* The largest number there is must come through; a driver without a counter is one, too. */
	counters->err_endpoint = counters->stores ? UINT64_MAX - 1 : 0;
	counters->region_bytes = counters->stores ? 5 : 0;
	if (!read_value(text, sizeof(text), "%s/partitions/%u/old", card, partition))
		counters->flush_region = counters->region_bytes = GPULINK_UNKNOWN;
	return 0;
}

int gpulink_admin_set(const char *card, unsigned partition, enum gpulink_setting setting, uint64_t value)
{
	char text[24];

	if (!gpulink_setting_valid(setting, value))
		return -GPULINK_EINVAL;
	snprintf(text, sizeof(text), "%" PRIu64, value);
	return write_value(card, partition, gpulink_setting_name(setting), text);
}

/* Slot 1e is empty, and BARs from 3 are not memory. */
int gpulink_admin_set_endpoint(const char *card, unsigned partition, const char *endpoint)
{
	if (!strncmp(endpoint, "0000:00:1e", 10))
		return -GPULINK_ENODEV;
	if (strlen(endpoint) == 14 && endpoint[13] > '2')
		return -GPULINK_EINVAL;
	return write_value(card, partition, "endpoint", endpoint);
}

/* Ranges: lines "NAME OFFSET BYTES RIGHTS USER GROUP" of a partition's file "ranges"; memory is 64 MiB. */
int gpulink_admin_list_ranges(const char *card, unsigned partition, struct gpulink_admin_range *ranges, unsigned room)
{
	char path[512];
	struct gpulink_admin_range r = {0};
	unsigned count = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s/partitions/%u/ranges", getenv("MADE_UP_CARDS"), card, partition);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (fscanf(file, "%31s %" SCNu64 " %" SCNu64 " %" SCNu32 " %" SCNu32 " %" SCNu32, r.name, &r.offset, &r.bytes, &r.rights,
		      &r.user, &r.group) == 6) {
		if (count < room)
			ranges[count] = r;
		count++;
	}
	fclose(file);
	return (int)count;
}

static int write_ranges(const char *card, unsigned partition, const struct gpulink_admin_range *ranges, unsigned count)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s/partitions/%u/ranges", getenv("MADE_UP_CARDS"), card, partition);
	file = fopen(path, "we");
	if (!file)
		return -GPULINK_EACCES;
	for (unsigned i = 0; i < count; i++)
		fprintf(file, "%s %" PRIu64 " %" PRIu64 " %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", ranges[i].name, ranges[i].offset,
			ranges[i].bytes, ranges[i].rights, ranges[i].user, ranges[i].group);
	fclose(file);
	return 0;
}

int gpulink_admin_add_range(const char *card, unsigned partition, const struct gpulink_admin_range *range)
{
	struct gpulink_admin_range ranges[64], new = *range;
	struct gpulink_admin_partition now;
	int count = gpulink_admin_list_ranges(card, partition, ranges, 64);

	if (gpulink_admin_get_partition(card, partition, &now, sizeof(now)))
		return -GPULINK_ENODEV;
	if (!strcmp(now.endpoint, "none"))
		return -GPULINK_ENOENDPOINT;
	for (int i = 0; i < count; i++)
		if (!strcmp(ranges[i].name, range->name))
			return -GPULINK_EBUSY;
	if (new.bytes == GPULINK_RANGE_ALL)
		new.bytes = now.endpoint_bytes - new.offset;
	if (new.offset + new.bytes > now.endpoint_bytes)
		return -GPULINK_EINVAL;
	ranges[count] = new;
	return write_ranges(card, partition, ranges, (unsigned)count + 1);
}

int gpulink_admin_remove_range(const char *card, unsigned partition, const char *name)
{
	struct gpulink_admin_range ranges[64];
	int count = gpulink_admin_list_ranges(card, partition, ranges, 64);

	for (int i = 0; i < count; i++)
		if (!strcmp(ranges[i].name, name)) {
			memmove(&ranges[i], &ranges[i + 1], (unsigned)(count - i - 1) * sizeof(*ranges));
			return write_ranges(card, partition, ranges, (unsigned)count - 1);
		}
	return -GPULINK_EINVAL;
}

static int no_link(const char *card)
{
	char serial[24];

	if (is_lost(card))
		return -GPULINK_EIO;
	return read_value(serial, sizeof(serial), "%s/serial", card) ? -GPULINK_ENODEV : -GPULINK_ENOTSUP;
}

/* Counter i is 2000 + i. */
int gpulink_admin_get_card_counters(const char *card, uint64_t *values, unsigned count)
{
	char serial[24];

	if (is_lost(card))
		return -GPULINK_EIO;
	for (unsigned i = 0; i < count; i++)
		values[i] = 2000 + i;
	for (unsigned i = 0; i < count && !read_value(serial, sizeof(serial), "%s/old", card); i++)
		if (!strcmp(gpulink_card_counter_name(i), "err_arrive"))
			values[i] = GPULINK_UNKNOWN;
	return read_value(serial, sizeof(serial), "%s/serial", card) ? -GPULINK_ENODEV : 0;
}

/* Counter i is 1000 + i. */
int gpulink_admin_get_link_counters(const char *card, uint64_t *values, unsigned count)
{
	char text[32];

	if (is_lost(card) || read_value(text, sizeof(text), "%s/link/state", card))
		return no_link(card);
	for (unsigned i = 0; i < count; i++)
		values[i] = 1000 + i;
	return 0;
}

/* Counter i is 3000 + i. */
int gpulink_admin_get_pool_counters(const char *card, uint64_t *values, unsigned count)
{
	char text[32];

	if (is_lost(card) || read_value(text, sizeof(text), "%s/pool/partition", card))
		return no_link(card);
	for (unsigned i = 0; i < count; i++)
		values[i] = 3000 + i;
	return 0;
}

int gpulink_admin_get_pool(const char *card, struct gpulink_admin_pool *pool, size_t size)
{
	memset(pool, 0, size);
	if (is_lost(card) || read_value(pool->partition, sizeof(pool->partition), "%s/pool/partition", card))
		return no_link(card);
	pool->bytes = 1 << 24;
	pool->free = 1 << 20;
	pool->objects = 3;
	pool->read_lease = 10;
	return 0;
}

int gpulink_admin_get_link(const char *card, struct gpulink_admin_link *link, size_t size)
{
	char text[32];

	memset(link, 0, size);
	if (is_lost(card) || read_value(link->state, sizeof(link->state), "%s/link/state", card))
		return no_link(card);
	strcpy(link->peer_cluster, "1");
	strcpy(link->peer_serial, "00000000000000b2");
	link->queue_flits = 1024;
	for (unsigned s = 0; s < GPULINK_LINK_SETTINGS; s++)
		if (!read_value(text, sizeof(text), "%s/link/%s", card, gpulink_link_setting_name((enum gpulink_link_setting)s)))
			link->settings[s] = strtoull(text, NULL, 10);
	return 0;
}

int gpulink_admin_set_link(const char *card, enum gpulink_link_setting setting, uint64_t value)
{
	char path[512], text[24];
	struct gpulink_admin_link link;
	int code = gpulink_admin_get_link(card, &link, sizeof(link));

	if (code)
		return code;
	snprintf(path, sizeof(path), "%s/%s/link/%s", getenv("MADE_UP_CARDS"), card, gpulink_link_setting_name(setting));
	snprintf(text, sizeof(text), "%" PRIu64, value);
	return write_file(path, text);
}

int gpulink_admin_reset(const char *card)
{
	struct gpulink_admin_info info;
	char path[512];
	FILE *file;
	int code = gpulink_admin_get_info(card, &info, sizeof(info));

	if (code)
		return code;
	snprintf(path, sizeof(path), "%s/%s/dead", getenv("MADE_UP_CARDS"), card);
	if (!access(path, F_OK))
		return -GPULINK_EIO;
	snprintf(path, sizeof(path), "%s/%s/state", getenv("MADE_UP_CARDS"), card);
	if (is_lost(card) && unlink(path))
		return -GPULINK_EACCES;
	snprintf(path, sizeof(path), "%s/%s/generation", getenv("MADE_UP_CARDS"), card);
	file = fopen(path, "we");
	if (!file)
		return -GPULINK_EACCES;
	fprintf(file, "%" PRIu64 "\n", info.generation + 1);
	fclose(file);
	return 0;
}
