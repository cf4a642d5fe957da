// SPDX-License-Identifier: Apache-2.0
#include "ring/registration.h"

#include <errno.h>

#include "base/bytes.h"

#define Q0_DEFINED                                                                                         \
	(GLK_REGISTRATION_Q0_VALID_MASK | GLK_REGISTRATION_Q0_READ_MASK | GLK_REGISTRATION_Q0_WRITE_MASK | \
	 GLK_REGISTRATION_Q0_CONTEXT_MASK)
#define BYTES_MAX (1ULL << 40)

static bool may_become_valid(const struct glk_registrations *registrations, const struct glk_entry *entry, uint64_t q0)
{
	return !(q0 & ~Q0_DEFINED) && (q0 & GLK_REGISTRATION_Q0_VALID_MASK) &&
	       (q0 & (GLK_REGISTRATION_Q0_READ_MASK | GLK_REGISTRATION_Q0_WRITE_MASK)) &&
	       GLK_FIELD(q0, GLK_REGISTRATION_Q0_CONTEXT) < registrations->common->config.contexts && entry->q[1];
}

static bool word_allowed(unsigned word, uint64_t value)
{
	switch (word) {
	case 1:
		return value >= 1 && value <= BYTES_MAX;
	case 2:
		return value % 8 == 0;
	default:
		return value < GLK_PAGE_SIZE;
	}
}

int glk_registration_set(struct glk_registrations *registrations, unsigned index, unsigned word, uint64_t value)
{
	struct glk_entry *entry = &registrations->entries[index];

	if (word == 0 && value == 0) {
		entry->q[0] = 0;
		return 0;
	}
	if (entry->q[0] || !(word == 0 ? may_become_valid(registrations, entry, value) : word_allowed(word, value)))
		return -EINVAL;
	entry->q[word] = value;
	return 0;
}

unsigned glk_registration_check(const struct glk_registrations *registrations, unsigned context, unsigned handle,
				uint64_t offset, uint64_t len, uint64_t right)
{
	const struct glk_entry *entry;

	if (handle >= registrations->common->config.registrations)
		return GLK_ST_REGISTRATION;
	entry = &registrations->entries[handle];
	if (!entry->q[0] || GLK_FIELD(entry->q[0], GLK_REGISTRATION_Q0_CONTEXT) != context)
		return GLK_ST_REGISTRATION;
	if (len > entry->q[1] || offset > entry->q[1] - len)
		return GLK_ST_REGISTRATION_BOUNDS;
	return entry->q[0] & right ? GLK_ST_OK : GLK_ST_PERMISSION;
}

/* DMA address of the byte at `offset` of a registration, and the bytes from there to the end of its page. */
static int locate(struct glk_registrations *registrations, unsigned handle, uint64_t offset, uint64_t *address, size_t *room)
{
	const struct glk_entry *entry = &registrations->entries[handle];
	uint64_t at = entry->q[3] + offset;
	uint8_t page[8];

	if (glk_dma_read(registrations->common, entry->q[2] + at / GLK_PAGE_SIZE * 8, page, sizeof(page)))
		return -EIO;
	*address = (glk_get_le64(page) & ~(uint64_t)(GLK_PAGE_SIZE - 1)) | at % GLK_PAGE_SIZE;
	*room = GLK_PAGE_SIZE - at % GLK_PAGE_SIZE;
	return 0;
}

int glk_registration_read(struct glk_registrations *registrations, unsigned handle, uint64_t offset, void *data, size_t len)
{
	for (uint8_t *to = data; len;) {
		uint64_t address;
		size_t room;

		if (locate(registrations, handle, offset, &address, &room))
			return -EIO;
		if (room > len)
			room = len;
		if (glk_dma_read(registrations->common, address, to, room))
			return -EIO;
		to += room;
		offset += room;
		len -= room;
	}
	return 0;
}

int glk_registration_write(struct glk_registrations *registrations, unsigned handle, uint64_t offset, const void *data,
			   size_t len)
{
	for (const uint8_t *from = data; len;) {
		uint64_t address;
		size_t room;

		if (locate(registrations, handle, offset, &address, &room))
			return -EIO;
		if (room > len)
			room = len;
		if (glk_dma_write(registrations->common, address, from, room))
			return -EIO;
		from += room;
		offset += room;
		len -= room;
	}
	return 0;
}
