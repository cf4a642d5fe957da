// SPDX-License-Identifier: Apache-2.0
/* The card's files in sysfs and debugfs, which programs write and read; restored after each program. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

enum { LINK_TRIES = 1000, READS_MAX = 1000 };
#define LINK_TIMEOUT_NS "1000000000"

static const char *sysfs_path, *debugfs_path = "/sys/kernel/debug/gpulink/gpulink0";
static bool linked;

void settings_init(const char *sysfs, bool link)
{
	sysfs_path = sysfs;
	linked = link;
}

static int open_setting(const char *file, int flags)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", sysfs_path, file);
	return open(path, flags | O_CLOEXEC);
}

static void put_setting(const char *file, const char *text)
{
	int fd = open_setting(file, O_WRONLY);

	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		errno = 0; /* any result will do; but see execute_card_works() */
	close(fd);
}

/* Waits for the link to come up; returns whether it did. */
bool link_up(void)
{
	for (unsigned i = 0; i < LINK_TRIES; i++) {
		char text[8] = "";
		int fd = open_setting("link_state", O_RDONLY);
		bool up = fd >= 0 && read(fd, text, sizeof(text)) > 0 && !strncmp(text, "up", 2);

		if (fd >= 0)
			close(fd);
		if (up)
			return true;
		usleep(10000);
	}
	return false;
}

/* Restores settings that execute_card_works() relies on, or that slow down every program. */
void restore_settings(void)
{
	put_setting("partitions/0/endpoint", "0000:00:08.0 0");
	put_setting("partitions/1/endpoint", "0000:00:09.0 0");
	put_setting("partitions/7/endpoint", "none");
	put_setting("pool/read_lease", "10");
	if (!linked)
		return;
	put_setting("link/enable", "1");
	put_setting("link/timeout_ns", LINK_TIMEOUT_NS);
	if (link_up())
		put_setting("partitions/2/endpoint", "link 2");
}

void do_sysfs(const struct op *op)
{
	unsigned files = 0, values = 0;

	while (sysfs_files[files])
		files++;
	while (sysfs_values[values])
		values++;
	put_setting(sysfs_files[op->values[0].v % files], sysfs_values[op->values[1].v % values]);
}

void do_look(const struct op *op)
{
	unsigned files = 0, which;
	char path[256], text[512];
	int fd;

	while (looked_files[files])
		files++;
	which = (unsigned)(op->values[0].v % files);
	snprintf(path, sizeof(path), "%s/%s", which < LOOKED_IN_DEBUGFS ? debugfs_path : sysfs_path, looked_files[which]);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	for (unsigned i = 0; fd >= 0 && i < READS_MAX && read(fd, text, sizeof(text)) > 0; i++)
		;
	if (fd >= 0)
		close(fd);
}
