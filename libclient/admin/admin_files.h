/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Access to the files of /sys/class/gpulink (docs/sysfs.md), one value each. All return 0 or a negative GPULINK_E code: ENODEV
 * if the card is not there, ENOTSUP if it is but has no such file, EIO if it is lost and the file needs it.
 */
#ifndef GLK_ADMIN_FILES_H
#define GLK_ADMIN_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gpulink_tables.h>

#ifndef GLK_SYSFS
#define GLK_SYSFS "/sys/class/gpulink"
#endif

/** Whether the name is "gpulink" and a number, which excludes paths. */
bool glk_admin_is_card_name(const char *name, unsigned long *number);

bool glk_admin_is_there(const char *card);

/** The code of a missing file: ENOTSUP, or ENODEV if the card is not there. */
int glk_admin_missing(const char *card);

/** Converts an errno value of such a file to a GPULINK_E code. */
int glk_admin_code_of(int error);

/** The path of a partition's file. ENODEV: no such card, EINVAL: no such partition. */
int glk_admin_partition_file(const char *card, unsigned partition, const char *name, char *file, size_t room);

/** Reads one value of GLK_SYSFS/card/file, without its newline. */
int glk_admin_read_text(const char *card, const char *file, char *text, size_t room);
int glk_admin_read_number(const char *card, const char *file, uint64_t *value);
int glk_admin_read_u32(const char *card, const char *file, uint32_t *value);

/** The same, but a missing file is a value: "unknown", GPULINK_UNKNOWN, UINT32_MAX. */
int glk_admin_show_text(const char *card, const char *file, char *text, size_t room);
int glk_admin_show_number(const char *card, const char *file, uint64_t *value);
int glk_admin_show_u32(const char *card, const char *file, uint32_t *value);

/** Reads the counters in a folder as glk_admin_show_number() does. ENOTSUP: there is none of them. */
int glk_admin_read_values(const char *card, const char *folder, const struct glk_counter_row *counters, unsigned count,
			  uint64_t *values);

int glk_admin_write_text(const char *card, const char *file, const char *text);

#endif /* GLK_ADMIN_FILES_H */
