// SPDX-License-Identifier: Apache-2.0
/*
 * The encoding, in header fields and in the bit string before the data:
 *
 *	First BE	3    1
 *			2    1: runs may repeat
 *			1:0  log2 of the unit
 *	Tag		3:0  order of gaps; 15: one run, no bit string
 *			5:4  order of lengths
 *			7:6  low bits of the base
 *
 *	first run	length
 *	other runs	gap length, if runs do not repeat; otherwise one of
 *			1	   the shape of the previous run
 *			0 1	   the other one of the last two shapes
 *			0 0 gap length
 *
 *	number		exponential Golomb code of order k of its value - 1: value - 1 + 2^k has n + 1 bits; n - k zeros,
 *			a 1, then the lower n bits
 */
#include "finepack/compact.h"

#include "base/bytes.h"
#include "finepack/enables.h"

enum { FIRST_BE_REPEATS = 4, FIRST_BE_UNIT = 3, UNIT_SHIFT_MAX = 3 };
enum { TAG_GAP_MASK = 15, TAG_SINGLE = 15, TAG_LENGTH_SHIFT = 4, TAG_LENGTH_MASK = 3 };
enum { GAP_ORDER_MAX = 14, LENGTH_ORDER_MAX = 3 };

/* A shape is a run's gap and length. The last two different shapes are kept, the most recently used first. */
enum { LIKE_LAST = 0, LIKE_OTHER = 1, LIKE_NONE = 2 };

static void swap(struct glk_compact_shape recent[2])
{
	struct glk_compact_shape last = recent[0];

	recent[0] = recent[1];
	recent[1] = last;
}

static bool alike(const struct glk_compact_shape *a, const struct glk_compact_shape *b)
{
	return a->gap == b->gap && a->length == b->length;
}

/* Returns which of the two the shape is, and makes it the most recently used. */
static unsigned compact_remember(struct glk_compact_shape recent[2], const struct glk_compact_shape *shape)
{
	unsigned like = alike(shape, &recent[0]) ? LIKE_LAST : alike(shape, &recent[1]) ? LIKE_OTHER : LIKE_NONE;

	if (like != LIKE_LAST)
		swap(recent);
	if (like == LIKE_NONE)
		recent[0] = *shape;
	return like;
}

static unsigned log2_of(uint64_t value)
{
	return 63 - (unsigned)__builtin_clzll(value);
}

/* --- the runs of a queue --- */

void glk_compact_start(struct glk_compact_walk *walk, const struct glk_write_queue *queue)
{
	walk->at = 0;
	glk_runs_find(&walk->all, queue, 0);
}

static uint64_t gap_before(const struct glk_run *run)
{
	return run->address - run[-1].address - run[-1].length;
}

static struct glk_compact_shape shape_of(const struct glk_run *run, unsigned unit_shift)
{
	return (struct glk_compact_shape){ .gap = gap_before(run) >> unit_shift, .length = run->length >> unit_shift };
}

/* --- choosing the encoding --- */

/* log2 of the largest unit that divides all gaps and lengths. */
static unsigned common_unit(const struct glk_run *run, unsigned runs)
{
	uint64_t all = run->length;

	for (unsigned i = 1; i < runs; i++)
		all |= gap_before(&run[i]) | run[i].length;
	return (unsigned)__builtin_ctzll(all | 1u << UNIT_SHIFT_MAX);
}

/* The order of the code: the mean of the logarithms of the numbers. */
static unsigned mean_order(unsigned logarithms, unsigned count, unsigned most)
{
	unsigned mean = count ? logarithms / count : 0;

	return mean < most ? mean : most;
}

/*
 * One pass finds repetitions and sums the logarithms, of all runs and of those that repeat no shape. A repetition takes one or
 * two bits; if runs may repeat, all others take two bits more. That pays if a quarter of the runs are repetitions.
 */
static struct glk_compact_coding choose(struct glk_run *run, unsigned runs)
{
	struct glk_compact_coding coding = { .unit_shift = common_unit(run, runs) };
	struct glk_compact_shape recent[2] = { { 0 } };
	struct {
		unsigned count, gaps, lengths;
	} all = { 0 }, new = { 0 };

	for (unsigned i = 1; i < runs; i++) {
		struct glk_compact_shape shape = shape_of(&run[i], coding.unit_shift);
		unsigned gap = log2_of(shape.gap), length = log2_of(shape.length);

		all.count++;
		all.gaps += gap;
		all.lengths += length;
		run[i].like = (uint8_t)compact_remember(recent, &shape);
		if (run[i].like == LIKE_NONE) {
			new.count++;
			new.gaps += gap;
			new.lengths += length;
		}
	}
	coding.repeats = all.count && 4 * (all.count - new.count) >= all.count;
	if (coding.repeats)
		all = new;
	coding.gap_order = mean_order(all.gaps, all.count, GAP_ORDER_MAX);
	coding.length_order = mean_order(all.lengths, all.count, LENGTH_ORDER_MAX);
	return coding;
}

static unsigned number_bits(uint64_t value, unsigned order)
{
	return 2 * log2_of(value - 1 + (1ULL << order)) + 1 - order;
}

static unsigned shape_bits(const struct glk_compact_coding *coding, const struct glk_run *run)
{
	struct glk_compact_shape shape = shape_of(run, coding->unit_shift);
	unsigned mark = coding->repeats ? 2 : 0;

	if (coding->repeats && run->like != LIKE_NONE)
		return 1 + run->like;
	return mark + number_bits(shape.gap, coding->gap_order) + number_bits(shape.length, coding->length_order);
}

/* Returns how many runs, at least one, fit in `room` bytes; *bytes: what these take. */
static unsigned fitting(const struct glk_run *run, unsigned runs, const struct glk_compact_coding *coding, size_t room,
			size_t *bytes)
{
	size_t bits = number_bits((uint64_t)run->length >> coding->unit_shift, coding->length_order), data = run->length;
	unsigned fit = 1;

	*bytes = data + (bits + 7) / 8;
	for (; fit < runs; fit++) {
		bits += shape_bits(coding, &run[fit]);
		data += run[fit].length;
		if (data + (bits + 7) / 8 > room)
			break;
		*bytes = data + (bits + 7) / 8;
	}
	return fit;
}

/* --- writing --- */

struct bit_writer {
	uint8_t *to;
	uint64_t waiting;
	unsigned count;
};

/* Writes up to 56 bits. Always stores 8 bytes: the incomplete last byte is rewritten, and the data overwrite the rest. */
static void put_bits(struct bit_writer *w, uint64_t bits, unsigned count)
{
	unsigned whole;

	w->waiting |= bits << w->count;
	w->count += count;
	glk_put_le64(w->to, w->waiting);
	whole = w->count / 8;
	w->to += whole;
	w->waiting >>= 8 * whole;
	w->count %= 8;
}

static void compact_put_number(struct bit_writer *w, uint64_t value, unsigned order)
{
	uint64_t number = value - 1 + (1ULL << order);
	unsigned low = log2_of(number), zeros = low - order;

	put_bits(w, 1ULL << zeros, zeros + 1);
	put_bits(w, number & ((1ULL << low) - 1), low);
}

static void put_shape(struct bit_writer *w, const struct glk_compact_coding *coding, const struct glk_run *run)
{
	struct glk_compact_shape shape = shape_of(run, coding->unit_shift);

	if (coding->repeats) {
		put_bits(w, run->like == LIKE_LAST ? 1 : run->like == LIKE_OTHER ? 2 : 0, run->like == LIKE_LAST ? 1 : 2);
		if (run->like != LIKE_NONE)
			return;
	}
	compact_put_number(w, shape.gap, coding->gap_order);
	compact_put_number(w, shape.length, coding->length_order);
}

/* Returns the end. */
static uint8_t *put_shapes(uint8_t *to, const struct glk_run *run, unsigned runs, const struct glk_compact_coding *coding)
{
	struct bit_writer w = { .to = to };

	compact_put_number(&w, run->length >> coding->unit_shift, coding->length_order);
	for (unsigned i = 1; i < runs; i++)
		put_shape(&w, coding, &run[i]);
	return w.to + (w.count ? 1 : 0);
}

size_t glk_compact_measure(struct glk_run *run, unsigned runs, struct glk_compact_coding *coding)
{
	size_t bytes;

	*coding = choose(run, runs);
	fitting(run, runs, coding, SIZE_MAX, &bytes);
	return bytes;
}

uint8_t *glk_compact_write(uint8_t *to, const struct glk_runs *all, const struct glk_run *run, unsigned runs,
			   const struct glk_compact_coding *coding)
{
	to = put_shapes(to, run, runs, coding);
	for (unsigned i = 0; i < runs; i++)
		to = glk_runs_copy(to, all, &run[i]);
	return to;
}

/* The first run always fits alone, without a bit string: the queue holds at most one payload of data. */
size_t glk_compact_build(struct glk_compact_walk *walk, uint8_t *payload, uint64_t *base, struct glk_compact_coding *coding,
			 unsigned *runs)
{
	struct glk_run *run = &walk->all.run[walk->at];
	uint8_t *to = payload;
	size_t bytes;

	*runs = walk->all.count - walk->at;
	if (!*runs)
		return 0;
	*base = run->address;
	*coding = choose(run, *runs);
	*runs = fitting(run, *runs, coding, walk->all.queue->max_payload_bytes, &bytes);
	if (*runs == 1) {
		*coding = (struct glk_compact_coding){ .single = true };
		to = glk_runs_copy(to, &walk->all, run);
	} else {
		to = glk_compact_write(to, &walk->all, run, *runs, coding);
	}
	walk->at += *runs;
	return (size_t)(to - payload);
}

unsigned glk_compact_first_be(const struct glk_compact_coding *coding)
{
	return GLK_COMPACT_FIRST_BE | (coding->repeats ? FIRST_BE_REPEATS : 0) | coding->unit_shift;
}

unsigned glk_compact_tag(const struct glk_compact_coding *coding)
{
	return coding->single ? TAG_SINGLE : coding->length_order << TAG_LENGTH_SHIFT | coding->gap_order;
}

/* --- reading --- */

bool glk_compact_coding_of(unsigned first_be, unsigned tag, struct glk_compact_coding *coding)
{
	*coding = (struct glk_compact_coding){
		.single = (tag & TAG_GAP_MASK) == TAG_SINGLE,
		.repeats = first_be & FIRST_BE_REPEATS,
		.unit_shift = first_be & FIRST_BE_UNIT,
		.gap_order = tag & TAG_GAP_MASK,
		.length_order = tag >> TAG_LENGTH_SHIFT & TAG_LENGTH_MASK,
	};
	if (!coding->single)
		return true;
	coding->gap_order = 0;
	return !coding->repeats && !coding->unit_shift && !coding->length_order;
}

void glk_compact_open(struct glk_compact_reader *reader, const struct glk_compact_coding *coding, const uint8_t *payload,
		      size_t bytes)
{
	*reader = (struct glk_compact_reader){ .payload = payload, .bytes = bytes, .coding = *coding };
}

static size_t encoding_bytes(const struct glk_compact_reader *r)
{
	return (r->bit + 7) / 8;
}

bool glk_compact_ended(const struct glk_compact_reader *r)
{
	return encoding_bytes(r) + r->data_bytes == r->bytes;
}

/* The next bits, at least 57; zeros beyond the end of the payload. */
static uint64_t peek_bits(const struct glk_compact_reader *r)
{
	size_t at = r->bit / 8;
	uint64_t bits = 0;

	if (r->bytes - at >= 8)
		return glk_get_le64(r->payload + at) >> r->bit % 8;
	for (unsigned i = 0; at + i < r->bytes; i++)
		bits |= (uint64_t)r->payload[at + i] << (8 * i);
	return bits >> r->bit % 8;
}

static bool skip_bits(struct glk_compact_reader *r, unsigned count)
{
	if (count > 8 * r->bytes - r->bit)
		return false;
	r->bit += count;
	return true;
}

static bool get_number(struct glk_compact_reader *r, unsigned order, uint64_t *value)
{
	enum { BITS_MAX = 48 };
	uint64_t bits = peek_bits(r), low;
	unsigned zeros, width;

	if (bits == 0)
		return false;
	zeros = (unsigned)__builtin_ctzll(bits);
	width = zeros + order;
	if (width > BITS_MAX || !skip_bits(r, zeros + 1))
		return false;
	low = peek_bits(r) & ((1ULL << width) - 1);
	*value = low + (1ULL << width) - (1ULL << order) + 1;
	return skip_bits(r, width);
}

/* Reads the shape of a run other than the first. */
static bool get_shape(struct glk_compact_reader *r, struct glk_compact_shape *shape)
{
	uint64_t mark = peek_bits(r) & 3, length;

	if (r->coding.repeats) {
		if (!skip_bits(r, mark & 1 ? 1 : 2))
			return false;
		if (mark) {
			*shape = r->recent[mark & 1 ? LIKE_LAST : LIKE_OTHER];
			return shape->length != 0; /* 0: no such shape yet */
		}
	}
	if (!get_number(r, r->coding.gap_order, &shape->gap) || !get_number(r, r->coding.length_order, &length))
		return false;
	shape->length = (uint32_t)length;
	return length <= GLK_PAYLOAD_MAX;
}

/* The first run has only a length, or nothing if it is the only one. */
static bool get_first(struct glk_compact_reader *r, uint64_t *length)
{
	*length = r->bytes;
	return r->coding.single || get_number(r, r->coding.length_order, length);
}

bool glk_compact_next(struct glk_compact_reader *r, struct glk_compact_run *run)
{
	struct glk_compact_shape shape = { 0 };
	uint64_t length;

	if (r->data_bytes == 0) {
		if (!get_first(r, &length))
			return false;
	} else {
		if (!get_shape(r, &shape))
			return false;
		length = shape.length;
		compact_remember(r->recent, &shape);
	}
	/* A gap has at most 49 bits, the unit shift is at most 3: no overflow below. */
	if (length > GLK_PAYLOAD_MAX >> r->coding.unit_shift ||
	    r->end + (shape.gap << r->coding.unit_shift) >= 1ULL << 48)
		return false;
	run->offset = r->end + (shape.gap << r->coding.unit_shift);
	run->length = (size_t)length << r->coding.unit_shift;
	run->place = r->data_bytes;
	r->end = run->offset + run->length;
	r->data_bytes += run->length;
	return encoding_bytes(r) + r->data_bytes <= r->bytes;
}

bool glk_compact_data_at(const struct glk_compact_reader *r, size_t *data_at)
{
	*data_at = encoding_bytes(r);
	return r->bit % 8 == 0 || r->payload[r->bit / 8] >> r->bit % 8 == 0;
}
