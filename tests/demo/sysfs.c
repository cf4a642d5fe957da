// SPDX-License-Identifier: Apache-2.0
#include "sysfs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int check_file(const char *card, unsigned partition, const char *counter, uint64_t expected, char *reason,
		      size_t reason_bytes)
{
	char path[256];
	uint64_t value;
	FILE *file;
	int got;

	snprintf(path, sizeof(path), "/sys/class/gpulink/%.32s/partitions/%u/counters/%s", card, partition, counter);
	file = fopen(path, "r");
	if (!file) {
		snprintf(reason, reason_bytes, "%s: %s", path, strerror(errno));
		return -1;
	}
	got = fscanf(file, "%" SCNu64, &value);
	fclose(file);
	if (got != 1) {
		snprintf(reason, reason_bytes, "%s: no number", path);
		return -1;
	}
	if (value != expected) {
		snprintf(reason, reason_bytes, "%s is %" PRIu64 ", the library's counter %" PRIu64, path, value, expected);
		return -1;
	}
	return 0;
}

int sysfs_check(const char *name, unsigned partition, const struct gpulink_counters *counters, char *reason,
		size_t reason_bytes)
{
	const char *slash = strrchr(name, '/'), *card = slash ? slash + 1 : name;

	if (check_file(card, partition, "stores", counters->stores, reason, reason_bytes) ||
	    check_file(card, partition, "packets", counters->packets, reason, reason_bytes) ||
	    check_file(card, partition, "wire_bytes", counters->wire_bytes, reason, reason_bytes))
		return -1;
	return 0;
}
