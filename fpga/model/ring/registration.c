// SPDX-License-Identifier: Apache-2.0
/* Registrations: host memory that ring entries name by handle, found page by page through a page list. */
#include <errno.h>

#include "base/bytes.h"
#include "card/state.h"

#define Q0_DEFINED                                                                                         \
	(GLK_REGISTRATION_Q0_VALID_MASK | GLK_REGISTRATION_Q0_READ_MASK | GLK_REGISTRATION_Q0_WRITE_MASK | \
	 GLK_REGISTRATION_Q0_CONTEXT_MASK)
#define BYTES_MAX (1ULL << 40)

static bool may_become_valid(const struct glk_card *card, const struct glk_entry *entry, uint64_t q0)
{
	return !(q0 & ~Q0_DEFINED) && (q0 & GLK_REGISTRATION_Q0_VALID_MASK) &&
	       (q0 & (GLK_REGISTRATION_Q0_READ_MASK | GLK_REGISTRATION_Q0_WRITE_MASK)) &&
	       GLK_FIELD(q0, GLK_REGISTRATION_Q0_CONTEXT) < card->config.contexts && entry->q[1];
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

int glk_registration_set(struct glk_card *card, unsigned index, unsigned word, uint64_t value)
{
	struct glk_entry *entry = &card->registrations[index];

	if (word == 0 && value == 0) {
		entry->q[0] = 0;
		return 0;
	}
	if (entry->q[0] || !(word == 0 ? may_become_valid(card, entry, value) : word_allowed(word, value)))
		return -EINVAL;
	entry->q[word] = value;
	return 0;
}

unsigned glk_registration_check(const struct glk_card *card, unsigned context, unsigned handle, uint64_t offset,
				uint64_t len, uint64_t right)
{
	const struct glk_entry *entry;

	if (handle >= card->config.registrations)
		return GLK_ST_REGISTRATION;
	entry = &card->registrations[handle];
	if (!entry->q[0] || GLK_FIELD(entry->q[0], GLK_REGISTRATION_Q0_CONTEXT) != context)
		return GLK_ST_REGISTRATION;
	if (len > entry->q[1] || offset > entry->q[1] - len)
		return GLK_ST_REGISTRATION_BOUNDS;
	return entry->q[0] & right ? GLK_ST_OK : GLK_ST_PERMISSION;
}

static int dma_failed(struct glk_card *card)
{
	glk_count(card, GLK_CARD_COUNTER(ERR_DMA));
	glk_note_error(card, GLK_CARD_ERROR_CAUSE_DMA_MASK);
	return -EIO;
}

int glk_dma_read(struct glk_card *card, uint64_t address, void *data, size_t len)
{
	return card->config.ops->dma_read(card->config.platform, address, data, len) ? dma_failed(card) : 0;
}

int glk_dma_write(struct glk_card *card, uint64_t address, const void *data, size_t len)
{
	return card->config.ops->dma_write(card->config.platform, address, data, len) ? dma_failed(card) : 0;
}

/* Where the byte at `offset` of a registration is, and how many follow it on its page. */
static int locate(struct glk_card *card, unsigned handle, uint64_t offset, uint64_t *address, size_t *room)
{
	const struct glk_entry *entry = &card->registrations[handle];
	uint64_t at = entry->q[3] + offset;
	uint8_t page[8];

	if (glk_dma_read(card, entry->q[2] + at / GLK_PAGE_SIZE * 8, page, sizeof(page)))
		return -EIO;
	*address = (glk_get_le64(page) & ~(uint64_t)(GLK_PAGE_SIZE - 1)) | at % GLK_PAGE_SIZE;
	*room = GLK_PAGE_SIZE - at % GLK_PAGE_SIZE;
	return 0;
}

int glk_registration_read(struct glk_card *card, unsigned handle, uint64_t offset, void *data, size_t len)
{
	for (uint8_t *to = data; len;) {
		uint64_t address;
		size_t room;

		if (locate(card, handle, offset, &address, &room))
			return -EIO;
		if (room > len)
			room = len;
		if (glk_dma_read(card, address, to, room))
			return -EIO;
		to += room;
		offset += room;
		len -= room;
	}
	return 0;
}

int glk_registration_write(struct glk_card *card, unsigned handle, uint64_t offset, const void *data, size_t len)
{
	for (const uint8_t *from = data; len;) {
		uint64_t address;
		size_t room;

		if (locate(card, handle, offset, &address, &room))
			return -EIO;
		if (room > len)
			room = len;
		if (glk_dma_write(card, address, from, room))
			return -EIO;
		from += room;
		offset += room;
		len -= room;
	}
	return 0;
}
