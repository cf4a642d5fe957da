// SPDX-License-Identifier: Apache-2.0
/* The transfer engine: reads the source of a chunk once and stores it to all targets (PROACT III-D), a piece at a time. */
#include "base/bytes.h"
#include "region/region.h"
#include "window/access.h"

#define TURN_BYTES 4096u /* so that a long chunk does not hold up the other regions */

/* The part of a chunk that a turn moves. */
struct piece {
	uint64_t offset; /* in the region */
	uint32_t bytes;
	bool last;
	uint8_t data[TURN_BYTES];
};

static unsigned context_of(const struct glk_region *region)
{
	return (unsigned)GLK_FIELD(GLK_REGION_WORD(region, CONTROL), GLK_REGION_CONTROL_CONTEXT);
}

static unsigned target_window(const struct glk_region *region, unsigned target)
{
	return (unsigned)GLK_FIELD(region->words[GLK_REGION_TARGET_WINDOW_0 / 8 + target], GLK_REGION_TARGET_WINDOW_0_WINDOW);
}

static void note(struct glk_region *region, unsigned status)
{
	if (!region->code)
		region->code = status;
}

/* Where the next piece lies. */
static void locate(const struct glk_region *region, struct piece *piece)
{
	uint64_t order = GLK_FIELD(GLK_REGION_WORD(region, CONTROL), GLK_REGION_CONTROL_ORDER);
	uint64_t begin = (uint64_t)region->chunk << order, end = begin + (1ULL << order);

	if (end > GLK_REGION_WORD(region, BYTES))
		end = GLK_REGION_WORD(region, BYTES);
	piece->offset = begin + region->moved;
	piece->last = end - piece->offset <= TURN_BYTES;
	piece->bytes = piece->last ? (uint32_t)(end - piece->offset) : TURN_BYTES;
}

/* Returns GLK_ST_... */
static unsigned read_source(struct glk_regions *regions, const struct glk_region *region, struct piece *piece)
{
	uint64_t source = GLK_REGION_WORD(region, SOURCE);
	unsigned registration = (unsigned)GLK_FIELD(source, GLK_REGION_SOURCE_REGISTRATION);
	uint64_t offset = GLK_FIELD(source, GLK_REGION_SOURCE_OFFSET) + piece->offset;
	unsigned status = glk_registration_check(regions->registrations, context_of(region), registration, offset, piece->bytes,
						 GLK_REGISTRATION_Q0_READ_MASK);

	if (status)
		return status;
	return glk_registration_read(regions->registrations, registration, offset, piece->data, piece->bytes) ? GLK_ST_DMA :
														GLK_ST_OK;
}

/* Stores to a target, or excludes it from the rest of the epoch. Returns whether it was stored. */
static bool region_engine_store(struct glk_regions *regions, struct glk_region *region, unsigned target, uint64_t offset,
				const uint8_t *data, uint32_t bytes)
{
	unsigned window = target_window(region, target), status;
	struct glk_target where;

	status = glk_window_check(regions->windows, context_of(region), window, offset, bytes, GLK_WINDOW_Q0_WRITE_MASK);
	if (status) {
		region->failed_targets |= 1u << target;
		note(region, status);
		return false;
	}
	glk_window_part(regions->windows, window, offset, bytes, &where);
	region->stored_targets |= (uint8_t)(1u << target);
	region->partition_of[target] = (uint8_t)where.partition;
	glk_store_range(regions->windows, window, offset, data, bytes);
	return true;
}

static void region_engine_flush(struct glk_regions *regions, const struct glk_region *region, unsigned target)
{
	glk_partition_flush(&regions->endpoints->partitions[region->partition_of[target]], GLK_FLUSH_REGION);
}

/* The last bytes of a chunk are stored: they leave now, and the signal behind them. */
static void finish_target(struct glk_regions *regions, struct glk_region *region, unsigned target)
{
	uint64_t signal = region->words[GLK_REGION_TARGET_SIGNAL_0 / 8 + target] + 8 * (uint64_t)region->chunk;
	uint8_t epoch[8];

	region_engine_flush(regions, region, target);
	if (!(region->words[GLK_REGION_TARGET_WINDOW_0 / 8 + target] & GLK_REGION_TARGET_WINDOW_0_SIGNAL_MASK) ||
	    !region->complete)
		return;
	glk_put_le64(epoch, region->epoch);
	if (region_engine_store(regions, region, target, signal, epoch, sizeof(epoch)))
		region_engine_flush(regions, region, target);
}

static void store_piece(struct glk_regions *regions, struct glk_region *region, const struct piece *piece)
{
	unsigned targets = (unsigned)GLK_FIELD(GLK_REGION_WORD(region, CONTROL), GLK_REGION_CONTROL_TARGETS);

	for (unsigned t = 0; t < targets; t++) {
		uint64_t offset = region->words[GLK_REGION_TARGET_OFFSET_0 / 8 + t] + piece->offset;

		if ((region->failed_targets & (1u << t)) ||
		    !region_engine_store(regions, region, t, offset, piece->data, piece->bytes))
			continue;
		regions->endpoints->partitions[region->partition_of[t]].counters.value[GLK_PARTITION_COUNTER(REGION_BYTES)] +=
			piece->bytes;
		if (piece->last)
			finish_target(regions, region, t);
	}
}

static void finish_chunk(struct glk_regions *regions, struct glk_region *region)
{
	region->moving = false;
	region->chunks_sent++;
	if (region->before)
		region->before--;
	glk_count(regions->common, region->complete ? GLK_CARD_COUNTER(REGION_CHUNKS) : GLK_CARD_COUNTER(REGION_PARTIAL));
	if (region->complete && --region->left == 0)
		glk_region_sent(regions, region);
}

/* Returns whether there was anything to move. */
static bool turn(struct glk_regions *regions, struct glk_region *region)
{
	struct piece piece;
	unsigned status;

	if (!region->moving && !glk_region_take(regions, region))
		return false;
	locate(region, &piece);
	status = read_source(regions, region, &piece);
	if (status) {
		glk_region_restart(regions, region);
		region->state = GLK_REGION_STATE_FAILED;
		note(region, status);
		glk_region_report(regions, region);
		return true;
	}
	store_piece(regions, region, &piece);
	region->moved += piece.bytes;
	if (piece.last)
		finish_chunk(regions, region);
	return true;
}

bool glk_regions_service(struct glk_regions *regions, unsigned budget)
{
	unsigned count = regions->common->config.regions, idle = 0;
	bool any = false;

	if (!glk_enabled(regions->common))
		return false;
	while (budget && idle < count) {
		unsigned i = regions->next_region % count;

		regions->next_region = (i + 1) % count;
		if (glk_region_valid(&regions->of[i]) && turn(regions, &regions->of[i])) {
			any = true;
			idle = 0;
			budget--;
		} else {
			idle++;
		}
	}
	return any;
}
