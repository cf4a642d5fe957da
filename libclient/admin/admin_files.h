/* SPDX-License-Identifier: Apache-2.0 */
/* Access to the files of /sys/class/gpulink (docs/sysfs.md), one value each. All return 0 or a negative GPULINK_E code. */
#ifndef GLK_ADMIN_FILES_H
#define GLK_ADMIN_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef GLK_SYSFS
#define GLK_SYSFS "/sys/class/gpulink"
#endif

/** Whether the name is "gpulink" and a number, which excludes paths. */
bool glk_admin_is_card_name(const char *name, unsigned long *number);

/** Converts an errno value of such a file to a GPULINK_E code. */
int glk_admin_code_of(int error);

/** The path of a partition's file. ENODEV: no such card, EINVAL: no such partition. */
int glk_admin_partition_file(const char *card, unsigned partition, const char *name, char *file, size_t room);

/** Reads one value of GLK_SYSFS/card/file, without its newline. */
int glk_admin_read_text(const char *card, const char *file, char *text, size_t room);
int glk_admin_read_number(const char *card, const char *file, uint64_t *value);
int glk_admin_read_u32(const char *card, const char *file, uint32_t *value);

int glk_admin_write_text(const char *card, const char *file, const char *text);

/** The error of reading files that only some cards have: ENOTSUP instead of ENODEV if the card is there. */
int glk_admin_without(const char *card, int error);

#endif /* GLK_ADMIN_FILES_H */
