/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fake /sys/class/gpulink (docs/sysfs.md) of plain files for the administration functions, which are compiled with a
 * relative GLK_SYSFS; the test runs in a temporary directory. All calls assert success.
 */
#ifndef GLK_ADMIN_FOLDER_H
#define GLK_ADMIN_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/** Setup and teardown of a test: makes a folder without cards and goes there; removes it with all that is in it,
 *  and fails when a file was left open. */
int folder_make(void **state);
int folder_remove(void **state);

/** Creates card N, as a symbolic link like the kernel, with this many partitions. Values differ between cards and partitions.
 */
void folder_add_card(unsigned number, unsigned partitions);

/** Gives a partition, "gpulink0/partitions/1", the settings that only some cards have. */
void folder_add_settings(const char *where);

/** Gives card N a link, down, whose setting s is s + 1 and whose counter i is 7000 + i. */
void folder_add_link(unsigned number);

/** Gives card N a pool with leases, whose partition is 5, whose numbers are 11 to 18, and whose counter i is 8000 + i. */
void folder_add_pool(unsigned number);

/** Makes the directory of a range below GLK_SYSFS. */
void folder_add_range(const char *where, const char *offset, const char *bytes, const char *user, const char *group,
		      const char *rights);

/** Makes, writes, reads or removes a file below GLK_SYSFS. What is read is the first line without its end, valid until
 *  the next call. */
void folder_write(const char *file, const char *text);
const char *folder_read(const char *file);
void folder_remove_file(const char *file);

/**
 * How read() and write() fail, which kernel attributes do in ways that plain files do not: errno values, or 0; and how much a
 * write takes at most. For programs linked with --wrap=read and --wrap=write.
 */
extern int folder_read_error, folder_write_error;
extern size_t folder_write_most;

/** Whether cards are lost: what needs one fails, from now to the end of the test. Their state is a file as any other. */
extern bool folder_lost;

#endif /* GLK_ADMIN_FOLDER_H */
