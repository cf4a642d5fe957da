// SPDX-License-Identifier: Apache-2.0
#include "admin_folder.h"

#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <gpulink_admin.h>
#include <gpulink_tables.h>
#include <temporary.h>

/* Replaces read() and write(): kernel attributes fail in ways that plain files do not. */
int folder_read_error, folder_write_error;
size_t folder_write_most = SIZE_MAX;
bool folder_lost;

ssize_t __real_read(int fd, void *data, size_t bytes);
ssize_t __wrap_read(int fd, void *data, size_t bytes);
ssize_t __real_write(int fd, const void *data, size_t bytes);
ssize_t __wrap_write(int fd, const void *data, size_t bytes);

/* As the driver does it: what it knows itself stays readable, and a reset is tried. */
static int lost_error(int fd)
{
	static const char *const without[] = { "/state", "/serial", "/hw_version", "/driver_version", "/generation", "/contexts",
					       "/queue_entries", "/reset" };
	char link[64], path[256];
	const char *card;
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = folder_lost ? readlink(link, path, sizeof(path) - 1) : -1;
	path[length < 0 ? 0 : length] = '\0';
	card = strstr(path, "/gpulink");
	card = card ? strstr(card + 1, "/gpulink") : NULL; /* behind the folder of the test */
	for (unsigned i = 0; card && i < sizeof(without) / sizeof(without[0]); i++)
		if (!strcmp(strchr(card + 1, '/'), without[i]))
			return 0;
	return card ? ENODEV : 0;
}

ssize_t __wrap_read(int fd, void *data, size_t bytes)
{
	errno = folder_read_error ? folder_read_error : lost_error(fd);
	return errno ? -1 : __real_read(fd, data, bytes);
}

ssize_t __wrap_write(int fd, const void *data, size_t bytes)
{
	errno = folder_write_error ? folder_write_error : lost_error(fd);
	return errno ? -1 : __real_write(fd, data, bytes < folder_write_most ? bytes : folder_write_most);
}

static char folder[TEMPORARY_ROOM];
static int lowest; /* descriptor that was free before the test */

/* The number that the next open file gets. */
static int next_descriptor(void)
{
	int fd = dup(STDOUT_FILENO);

	close(fd);
	return fd;
}

int folder_make(void **state)
{
	(void)state;
	folder_lost = false;
	lowest = next_descriptor();
	if (!mkdtemp(temporary_template(folder, "gpulink-admin-test")) || chmod(folder, 0755) || chdir(folder) ||
	    mkdir("devices", 0755))
		return -1;
	return mkdir(GLK_SYSFS, 0755);
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
	(void)about;
	(void)kind;
	(void)where;
	return remove(path);
}

int folder_remove(void **state)
{
	(void)state;
	return chdir("/") || nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS) || next_descriptor() != lowest;
}

__attribute__((format(printf, 3, 4))) static void write_value(const char *where, const char *name, const char *format, ...)
{
	char path[256];
	va_list arguments;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", where, name);
	file = fopen(path, "we");
	assert_non_null(file);
	va_start(arguments, format);
	assert_true(vfprintf(file, format, arguments) >= 0);
	va_end(arguments);
	assert_int_equal(fclose(file), 0);
}

/* Counter i of partition k of card n is n * 1000000 + k * 1000 + i. */
static void add_partition(const char *card, unsigned number, unsigned k)
{
	static const struct glk_counter_row counters[] = { GLK_PARTITION_COUNTER_ROWS };
	char where[128], inner[160];

	snprintf(where, sizeof(where), "%s/partitions/%u", card, k);
	assert_int_equal(mkdir(where, 0755), 0);
	write_value(where, "subheader_bytes", "%u\n", 2 + k % 5);
	write_value(where, "max_payload_bytes", "%u\n", 128u << k % 6);
	write_value(where, "flush_timeout_ns", "%u\n", 1000 * (number + 1));
	write_value(where, "coalesce", "%u\n", k % 2);
	write_value(where, "endpoint", "0000:00:%02x.0 %u\n", 8 + k, number);
	write_value(where, "endpoint_bytes", "%u\n", 65536 * (k + 1));
	snprintf(inner, sizeof(inner), "%s/ranges", where);
	assert_int_equal(mkdir(inner, 0755), 0);
	write_value(inner, "add", "%s", "");
	write_value(inner, "remove", "%s", "");
	snprintf(inner, sizeof(inner), "%s/counters", where);
	assert_int_equal(mkdir(inner, 0755), 0);
	for (unsigned i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		write_value(inner, counters[i].name, "%u\n", number * 1000000 + k * 1000 + i);
}

void folder_add_card(unsigned number, unsigned partitions)
{
	char function[64], card[96], path[128], target[128];

	snprintf(function, sizeof(function), "devices/0000:00:%02x.0", 4 + number % 200);
	assert_int_equal(mkdir(function, 0755), 0);
	snprintf(card, sizeof(card), "%s/gpulink%u", function, number);
	assert_int_equal(mkdir(card, 0755), 0);
	snprintf(path, sizeof(path), "%s/device", card);
	snprintf(target, sizeof(target), "../../0000:00:%02x.0", 4 + number % 200);
	assert_int_equal(symlink(target, path), 0);
	write_value(card, "serial", "%016x\n", 0xabc000 + number);
	write_value(card, "hw_version", "1.0.%u\n", number);
	write_value(card, "driver_version", "0.1.%u\n", number);
	write_value(card, "link_state", "loopback\n");
	write_value(card, "state", "live\n");
	write_value(card, "generation", "%u\n", number + 7);
	write_value(card, "features", "15\n");
	write_value(card, "contexts", "%u\n", 32 + number);
	write_value(card, "queue_entries", "64\n");
	write_value(card, "reset", "%s", "");
	snprintf(path, sizeof(path), "%s/counters", card);
	assert_int_equal(mkdir(path, 0755), 0);
	for (unsigned i = 0; gpulink_card_counter_name(i); i++)
		write_value(path, gpulink_card_counter_name(i), "%u\n", 5000 + i);
	snprintf(path, sizeof(path), "%s/partitions", card);
	assert_int_equal(mkdir(path, 0755), 0);
	for (unsigned k = 0; k < partitions; k++)
		add_partition(card, number, k);
	snprintf(path, sizeof(path), "%s/gpulink%u", GLK_SYSFS, number);
	snprintf(target, sizeof(target), "../%s", card);
	assert_int_equal(symlink(target, path), 0);
}

void folder_add_settings(const char *where)
{
	static const struct glk_setting_row rows[] = { GLK_PARTITION_SETTING_ROWS };
	char path[96];

	for (unsigned s = 0; s < sizeof(rows) / sizeof(rows[0]); s++) {
		snprintf(path, sizeof(path), "%s/%s", where, rows[s].name);
		if (rows[s].features)
			folder_write(path, "0\n");
	}
}

void folder_add_link(unsigned number)
{
	char path[128], where[160];

	for (unsigned i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/gpulink%u/%s", GLK_SYSFS, number, i ? "link_counters" : "link");
		assert_int_equal(mkdir(path, 0755), 0);
	}
	for (unsigned i = 0; gpulink_link_counter_name(i); i++)
		write_value(path, gpulink_link_counter_name(i), "%u\n", 7000 + i);
	snprintf(where, sizeof(where), "%s/gpulink%u/link", GLK_SYSFS, number);
	for (unsigned s = 0; s < GPULINK_LINK_SETTINGS; s++)
		write_value(where, gpulink_link_setting_name(s), "%u\n", s + 1);
	write_value(where, "state", "down\n");
	write_value(where, "peer_cluster", "none\n");
	write_value(where, "peer_serial", "none\n");
	write_value(where, "peer_compact", "1\n");
	write_value(where, "cluster", "3\n");
	write_value(where, "queue_flits", "1024\n");
	write_value(where, "queued_flits", "17\n");
}

void folder_add_pool(unsigned number)
{
	static const char *const files[] = {
		"pool/bytes", "pool/free", "usage/pool_objects", "pool/read_lease", "pool/write_lease", "pool/adapt", "pool/epoch",
		"pool/clock",
	};
	static const char *const folders[] = { "pool", "pool_counters", "usage" };
	char path[128];

	for (unsigned i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, sizeof(path), "%s/gpulink%u/%s", GLK_SYSFS, number, folders[i]);
		assert_int_equal(mkdir(path, 0755), 0);
	}
	snprintf(path, sizeof(path), "%s/gpulink%u", GLK_SYSFS, number);
	for (unsigned i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		write_value(path, files[i], "%u\n", 11 + i);
	write_value(path, "pool/partition", "5\n");
	snprintf(path, sizeof(path), "%s/gpulink%u/pool_counters", GLK_SYSFS, number);
	for (unsigned i = 0; gpulink_pool_counter_name(i); i++)
		write_value(path, gpulink_pool_counter_name(i), "%u\n", 8000 + i);
}

void folder_add_range(const char *where, const char *offset, const char *bytes, const char *user, const char *group,
		      const char *rights)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/%s", GLK_SYSFS, where);
	assert_int_equal(mkdir(path, 0755), 0);
	write_value(path, "offset", "%s\n", offset);
	write_value(path, "bytes", "%s\n", bytes);
	write_value(path, "user", "%s\n", user);
	write_value(path, "group", "%s\n", group);
	write_value(path, "rights", "%s\n", rights);
}

void folder_write(const char *file, const char *text)
{
	write_value(GLK_SYSFS, file, "%s", text);
}

const char *folder_read(const char *name)
{
	static char text[256];
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", GLK_SYSFS, name);
	file = fopen(path, "re");
	assert_non_null(file);
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	text[strcspn(text, "\n")] = '\0';
	return text;
}

void folder_remove_file(const char *file)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", GLK_SYSFS, file);
	assert_int_equal(remove(path), 0);
}
