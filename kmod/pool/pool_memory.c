// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pool's memory: which pages belong to objects, the grain of each slot, and the registers that
 * a reset clears.
 *
 * A slot's grain changes only while it has no pages in use. Memory is cleared by the card before an
 * object gets it. Pages that the card may still write to, because a drain or a clear did not
 * complete, are in quarantine until the card has no stores under way, or is reset.
 */
#include <linux/bitmap.h>
#include <linux/iopoll.h>
#include <linux/mm.h>

#include "core/card.h"
#include "core/part.h"
#include "pool/pool.h"

/* Where the kernel's pages are larger than the card's, objects must not share one. */
#define UNIT_PAGES	(PAGE_SIZE / GLK_PAGE_SIZE)

static unsigned long pool_slot_pages(const struct glk_pool *pool)
{
	return BIT(pool->slot_shift) / GLK_PAGE_SIZE;
}

static unsigned int pool_slot_of(const struct glk_pool *pool, unsigned long page)
{
	return page / pool_slot_pages(pool);
}

const struct glk_setting_row glk_pool_settings[] = { GLK_POOL_SETTING_ROWS };
static const struct glk_setting_register setting_registers[] = { GLK_POOL_SETTING_REGISTERS };

static void pool_init(struct glk_card *card)
{
	struct glk_pool *pool = &card->pool;
	unsigned int i;

	INIT_LIST_HEAD(&pool->objects);
	pool->partition = -1;
	for (i = 0; i < ARRAY_SIZE(setting_registers); i++)
		pool->settings[i] = setting_registers[i].reset;
}

/* The pool of a card without leases stays empty. */
static int pool_identify(struct glk_card *card)
{
	struct glk_pool *pool = &card->pool;
	u64 caps, bytes = card->pool_bytes;

	if (!(card->features & GLK_CARD_FEATURES_LEASE_MASK))
		return 0;
	caps = glk_read(card, GLK_TSU_CAPS);
	pool->slot_shift = GLK_FIELD(caps, GLK_TSU_CAPS_SLOT_SHIFT);
	pool->ts_bits = GLK_FIELD(caps, GLK_TSU_CAPS_TS_BITS);
	if (!bytes || bytes % PAGE_SIZE || bytes > pci_resource_len(card->pdev, 4) ||
	    bytes / GLK_PAGE_SIZE > GLK_TSU_CLEAR_FIRST_MASK || pool->slot_shift < 12 ||
	    pool->slot_shift > 48 || pool->ts_bits < 2 || pool->ts_bits > 32 ||
	    (bytes - 1) >> pool->slot_shift >= GLK_POOL_SLOTS) {
		glk_err(card, GLK_ERROR_CAPABILITIES,
			"invalid capabilities: pool_bytes=%llu slot_shift=%u (%u slots) ts_bits=%u (2..32)\n",
			bytes, pool->slot_shift, GLK_POOL_SLOTS, pool->ts_bits);
		return -ENODEV;
	}
	pool->start = pci_resource_start(card->pdev, 4);
	pool->pages = bytes / GLK_PAGE_SIZE;
	/* The memory outlives the driver: it has what those before left. */
	pool->dirty = true;
	pool->used = kvcalloc(BITS_TO_LONGS(pool->pages), sizeof(long), GFP_KERNEL);
	pool->quarantine = kvcalloc(BITS_TO_LONGS(pool->pages), sizeof(long), GFP_KERNEL);
	return pool->used && pool->quarantine ? 0 : -ENOMEM;
}

static void pool_exit(struct glk_card *card)
{
	kvfree(card->pool.used);
	kvfree(card->pool.quarantine);
}

/* --- settings --- */

/* value: of the setting's register. */
int glk_pool_set(struct glk_card *card, const struct glk_setting_row *setting, u64 value)
{
	lockdep_assert_held(&card->lock);
	if (!setting->mask && (!glk_setting_allows(setting, value) ||
			       value >= BIT_ULL(card->pool.ts_bits - 1)))
		return -EINVAL;
	WRITE_ONCE(card->pool.settings[setting->slot], value);
	glk_write(card, setting->reg, value);
	return 0;
}

/* Writes the register with the slot's grain. */
static void pool_write_grain(struct glk_card *card, unsigned int slot)
{
	unsigned int i, first = round_down(slot, 16);
	u64 value = 0;

	BUILD_BUG_ON((GLK_TSU_GRAIN_3 - GLK_TSU_GRAIN_0) / 8 + 1 != GLK_POOL_SLOTS / 16);
	for (i = 0; i < 16; i++)
		value |= (u64)card->pool.grains[first + i] << 4 * i;
	glk_write(card, GLK_TSU_GRAIN_0 + first / 2, value);
}

/* --- pages --- */

/* Counts pages of objects, or in quarantine: by slot, and all. */
static void pool_count(struct glk_pool *pool, unsigned long first, unsigned long pages, bool add)
{
	unsigned long end = first + pages, next;

	pool->used_pages += add ? pages : -pages;
	for (; first < end; first = next) {
		unsigned int slot = pool_slot_of(pool, first);

		next = min(end, (slot + 1) * pool_slot_pages(pool));
		pool->slot_pages[slot] += add ? next - first : first - next;
	}
}

static void pool_end_quarantine(struct glk_pool *pool)
{
	unsigned long first, end;

	for_each_set_bitrange(first, end, pool->quarantine, pool->pages) {
		pool_count(pool, first, end - first, false);
		bitmap_clear(pool->used, first, end - first);
	}
	bitmap_zero(pool->quarantine, pool->pages);
	pool->quarantine_pages = 0;
}

/* After a reset, which has emptied the card's queues. `lost`: with the card's power. */
static void pool_restore(struct glk_card *card, bool lost)
{
	struct glk_pool *pool = &card->pool;
	struct glk_pool_object *object;
	unsigned int i;

	lockdep_assert_held(&card->lock);
	if (!pool->pages)
		return;
	list_for_each_entry(object, &pool->objects, list) {
		object->quarantine = false;
		object->dead |= lost;
	}
	pool_end_quarantine(pool);
	for (i = 0; i < ARRAY_SIZE(setting_registers); i++)
		glk_write(card, setting_registers[i].reg, card->pool.settings[i]);
	for (i = 0; i < GLK_POOL_SLOTS; i += 16)
		pool_write_grain(card, i);
}

/* Whether objects of the grain can lie in the slot. */
static bool pool_slot_fits(const struct glk_pool *pool, unsigned int slot, unsigned int grain,
			   bool empty)
{
	return pool->slot_pages[slot] ? pool->grains[slot] == grain : empty;
}

/*
 * First of a run of free pages in slots of the grain, or pool->pages. `empty`: also in slots that
 * have no grain yet.
 */
static unsigned long pool_find(const struct glk_pool *pool, unsigned long pages,
			       unsigned int grain, bool empty)
{
	unsigned int slots = pool_slot_of(pool, pool->pages - 1) + 1, from, to;
	unsigned long end, first;

	for (from = 0; from < slots; from = to + 1) {
		for (to = from; to < slots && pool_slot_fits(pool, to, grain, empty); to++)
			;
		if (to == from)
			continue;
		end = min(pool->pages, to * pool_slot_pages(pool));
		first = bitmap_find_next_zero_area(pool->used, end, from * pool_slot_pages(pool),
						   pages, UNIT_PAGES - 1);
		if (first < end && pages <= end - first)
			return first;
	}
	return pool->pages;
}

/* Waits until the last clear is complete. ETIMEDOUT; ENODEV. */
static int pool_wait_clear(struct glk_card *card)
{
	u64 value;
	int err;

	err = read_poll_timeout(glk_read, value,
				value == U64_MAX || !(value & GLK_TSU_CLEAR_BUSY_MASK), 20,
				GLK_DRAIN_TIMEOUT_US, false, card, GLK_TSU_CLEAR);
	if (value == U64_MAX)
		return glk_card_read_error(card, value) ?: -EIO;
	return err;
}

/* Frees the pages in quarantine, if the card has no more stores for them. */
static void pool_try_quarantine(struct glk_card *card)
{
	struct glk_pool *pool = &card->pool;

	if (pool->quarantine_pages &&
	    !(glk_read(card, GLK_TSU_CLEAR) & GLK_TSU_CLEAR_BUSY_MASK) &&
	    !glk_card_drain(card, GLK_DRAIN_CARD, 0))
		pool_end_quarantine(pool);
}

/* Takes pages for an object, in slots of its grain. */
int glk_pool_memory_alloc(struct glk_card *card, struct glk_pool_object *object)
{
	unsigned int grain = object->grain_order - GLK_GRAIN_ORDER_MIN, slot;
	struct glk_pool *pool = &card->pool;
	unsigned long pages;

	lockdep_assert_held(&card->lock);
	if (object->bytes > (u64)pool->pages * GLK_PAGE_SIZE)
		return -ENOSPC;
	pages = round_up(object->bytes / GLK_PAGE_SIZE, UNIT_PAGES);
	pool_try_quarantine(card);
	object->first = pool_find(pool, pages, grain, false);
	if (object->first == pool->pages)
		object->first = pool_find(pool, pages, grain, true);
	if (object->first == pool->pages)
		return -ENOSPC;
	object->pages = pages;
	for (slot = pool_slot_of(pool, object->first);
	     slot <= pool_slot_of(pool, object->first + pages - 1); slot++) {
		if (pool->grains[slot] == grain)
			continue;
		pool->grains[slot] = grain;
		pool_write_grain(card, slot);
	}
	bitmap_set(pool->used, object->first, pages);
	pool_count(pool, object->first, pages, true);
	return 0;
}

/* Nothing can reach the pages any more, except the card itself if they go into quarantine. */
void glk_pool_memory_free(struct glk_card *card, struct glk_pool_object *object)
{
	struct glk_pool *pool = &card->pool;

	lockdep_assert_held(&card->lock);
	if (object->quarantine) {
		glk_err(card, GLK_ERROR_DRAIN,
			"pool object of %llu bytes: the card may still write to it: reserved until its stores are drained or the card is reset\n",
			object->bytes);
		bitmap_set(pool->quarantine, object->first, object->pages);
		pool->quarantine_pages += object->pages;
		return;
	}
	bitmap_clear(pool->used, object->first, object->pages);
	pool_count(pool, object->first, object->pages, false);
}

/*
 * Stores zeros to at most GLK_POOL_CLEAR_PAGES, of a live card. Returns in *stuck whether the card
 * did not finish, and may write to them later.
 */
int glk_pool_memory_clear(struct glk_card *card, unsigned long first, unsigned long pages,
			  bool *stuck)
{
	int err;

	lockdep_assert_held(&card->lock);
	*stuck = false;
	err = pool_wait_clear(card);
	if (!err) {
		glk_write(card, GLK_TSU_CLEAR,
			  (u64)first << GLK_TSU_CLEAR_FIRST_SHIFT |
			  (u64)pages << GLK_TSU_CLEAR_PAGES_SHIFT);
		err = pool_wait_clear(card);
		*stuck = err;
	}
	if (err != -ETIMEDOUT)
		return err;
	glk_err(card, GLK_ERROR_DRAIN, "clearing of pool memory timed out after %lu ms\n",
		GLK_DRAIN_TIMEOUT_US / USEC_PER_MSEC);
	return -EIO;
}

/* Clears what former owners left, before the pool as a whole gets users. */
int glk_pool_clear_all(struct glk_card *card)
{
	struct glk_pool *pool = &card->pool;
	unsigned long first, pages;
	bool stuck;
	int err = 0;

	lockdep_assert_held(&card->lock);
	if (!pool->dirty)
		return 0;
	if (card->state != GLK_LIVE)
		return -ENODEV;
	for (first = 0; first < pool->pages && !err; first += pages) {
		pages = min(pool->pages - first, GLK_POOL_CLEAR_PAGES);
		err = glk_pool_memory_clear(card, first, pages, &stuck);
	}
	pool->dirty = err;
	return err;
}

const struct glk_part glk_pool_part = {
	.init = pool_init,
	.exit = pool_exit,
	.identify = pool_identify,
	.restore = pool_restore,
};
