// SPDX-License-Identifier: Apache-2.0
#include "registration/registration.h"

#include <errno.h>

#include "base/bytes.h"

#define Q0_DEFINED                                                                                         \
	(GLK_REGISTRATION_Q0_VALID_MASK | GLK_REGISTRATION_Q0_READ_MASK | GLK_REGISTRATION_Q0_WRITE_MASK | \
	 GLK_REGISTRATION_Q0_CONTEXT_MASK)
#define Q3_DEFINED \
	(GLK_REGISTRATION_Q3_OFFSET_MASK | GLK_REGISTRATION_Q3_LARGE_MASK | GLK_REGISTRATION_Q3_TABLES_MASK)
#define BYTES_MAX     (1ULL << 40)
#define TABLE_ENTRIES (GLK_PAGE_SIZE / 8)

static uint64_t page_bytes(uint64_t q3)
{
	return q3 & GLK_REGISTRATION_Q3_LARGE_MASK ? GLK_LARGE_PAGE_SIZE : GLK_PAGE_SIZE;
}

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
		return !(value & ~Q3_DEFINED) && GLK_FIELD(value, GLK_REGISTRATION_Q3_OFFSET) < page_bytes(value);
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
				uint64_t offset, uint64_t len, uint64_t rights)
{
	const struct glk_entry *entry;

	if (handle >= registrations->common->config.registrations)
		return GLK_ST_REGISTRATION;
	entry = &registrations->entries[handle];
	if (!entry->q[0] || GLK_FIELD(entry->q[0], GLK_REGISTRATION_Q0_CONTEXT) != context)
		return GLK_ST_REGISTRATION;
	if (len > entry->q[1] || offset > entry->q[1] - len)
		return GLK_ST_REGISTRATION_BOUNDS;
	return (entry->q[0] & rights) == rights ? GLK_ST_OK : GLK_ST_PERMISSION;
}

/* The address in entry `index` of a list at `list`, of pages or tables of `bytes` bytes. */
static int list_entry(struct glk_common *common, uint64_t list, uint64_t index, uint64_t bytes, uint64_t *address)
{
	uint8_t entry[8];

	if (glk_dma_read(common, list + index * 8, entry, sizeof(entry)))
		return -EIO;
	*address = glk_get_le64(entry) & ~(bytes - 1);
	return 0;
}

/* DMA address of the byte at `offset` of a registration, and the bytes from there to the end of its page. */
static int locate(struct glk_registrations *registrations, unsigned handle, uint64_t offset, uint64_t *address, size_t *room)
{
	const struct glk_entry *entry = &registrations->entries[handle];
	uint64_t at = GLK_FIELD(entry->q[3], GLK_REGISTRATION_Q3_OFFSET) + offset, bytes = page_bytes(entry->q[3]);
	uint64_t list = entry->q[2], index = at / bytes;

	if (entry->q[3] & GLK_REGISTRATION_Q3_TABLES_MASK) {
		if (list_entry(registrations->common, list, index / TABLE_ENTRIES, GLK_PAGE_SIZE, &list))
			return -EIO;
		index %= TABLE_ENTRIES;
	}
	if (list_entry(registrations->common, list, index, bytes, address))
		return -EIO;
	*address |= at % bytes;
	*room = (size_t)(bytes - at % bytes);
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

const uint8_t *glk_registration_view(struct glk_registrations *registrations, unsigned handle, uint64_t offset, uint32_t *len)
{
	const struct glk_card_config *config = &registrations->common->config;
	uint64_t address;
	size_t room;

	if (!config->ops->dma_view || locate(registrations, handle, offset, &address, &room))
		return NULL;
	if (room < *len)
		*len = (uint32_t)room;
	return config->ops->dma_view(config->platform, address, *len);
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
