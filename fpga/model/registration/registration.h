/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registrations: host memory that ring entries name by handle, accessed through a list of pages or of tables. Internal to the
 * model.
 */
#ifndef GLK_REGISTRATION_H
#define GLK_REGISTRATION_H

#include "base/common.h"

struct glk_registrations {
	struct glk_common *common;
	struct glk_entry entries[GLK_REGISTRATION_COUNT];
};

/* Sets a register of an entry. Returns 0, or -EINVAL if the entry may not take the value. */
int glk_registration_set(struct glk_registrations *registrations, unsigned index, unsigned word, uint64_t value);
/* Checks a range, named by handle, against context, bounds and all of `rights`. Returns GLK_ST_... */
unsigned glk_registration_check(const struct glk_registrations *registrations, unsigned context, unsigned handle,
				uint64_t offset, uint64_t len, uint64_t rights);
/* Copy between a checked range and `data`. Return 0, or -EIO if host memory could not be accessed. */
int glk_registration_read(struct glk_registrations *registrations, unsigned handle, uint64_t offset, void *data, size_t len);
int glk_registration_write(struct glk_registrations *registrations, unsigned handle, uint64_t offset, const void *data,
			   size_t len);
/* Where a checked range can be read without a copy, *len bytes, which becomes less if that is only up to the end of a page.
 * NULL: nowhere. */
const uint8_t *glk_registration_view(struct glk_registrations *registrations, unsigned handle, uint64_t offset, uint32_t *len);

#endif /* GLK_REGISTRATION_H */
