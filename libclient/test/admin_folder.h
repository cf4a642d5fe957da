/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder that looks like /sys/class/gpulink (docs/sysfs.md), for the administrator's half, which is compiled to look
 * there: GLK_SYSFS is relative, and the test works in a folder of its own. Files are plain ones: what is written to one
 * is what is read from it. All calls check.
 */
#ifndef GLK_ADMIN_FOLDER_H
#define GLK_ADMIN_FOLDER_H

/** Setup and teardown of a test: makes a folder without cards and goes there; removes it with all that is in it,
 *  and fails when a file was left open. */
int folder_make(void **state);
int folder_remove(void **state);

/** Makes card N, as a link like the kernel, with so many partitions. Values differ between cards and partitions. */
void folder_add_card(unsigned number, unsigned partitions);

/** Gives card N a link, down, whose setting s is s + 1 and whose counter i is 7000 + i. */
void folder_add_link(unsigned number);

/** Makes, writes, reads or removes a file below GLK_SYSFS. What is read is the first line without its end, valid until
 *  the next call. */
void folder_write(const char *file, const char *text);
const char *folder_read(const char *file);
void folder_remove_file(const char *file);

#endif /* GLK_ADMIN_FOLDER_H */
