// SPDX-License-Identifier: Apache-2.0
/* Reading CSV. */
#include "csv.h"

#include <inttypes.h>
#include <string.h>

#include "line_mask.h"
#include "read.h"

enum {
	LINE_MAX_BYTES = 1024,
	SHOWN = 40, /* bytes of a cell in a message */
};

/* A part of a line. */
struct text {
	const char *at;
	size_t bytes;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct text trim(const char *from, const char *to)
{
	while (from < to && is_blank(*from))
		from++;
	while (from < to && is_blank(to[-1]))
		to--;
	return (struct text){from, (size_t)(to - from)};
}

static bool is_text(struct text t, const char *word)
{
	return strlen(word) == t.bytes && memcmp(t.at, word, t.bytes) == 0;
}

/* Cuts the first cell off a line. False: there is none left. */
static bool next_cell(struct text *rest, struct text *cell)
{
	const char *end = rest->at + rest->bytes;
	const char *comma;

	if (!rest->at)
		return false;
	comma = memchr(rest->at, ',', rest->bytes);
	*cell = trim(rest->at, comma ? comma : end);
	*rest = comma ? (struct text){comma + 1, (size_t)(end - comma - 1)} : (struct text){NULL, 0};
	return true;
}

/* What a message shows of a cell. */
static const char *csv_read_show(struct text cell, char room[SHOWN + 1])
{
	size_t i = 0;

	for (; i < cell.bytes && i < SHOWN; i++)
		room[i] = cell.at[i] >= ' ' && cell.at[i] <= '~' ? cell.at[i] : '?';
	room[i] = '\0';
	return room;
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

static bool is_hex(struct text cell)
{
	return cell.bytes > 2 && cell.at[0] == '0' && (cell.at[1] == 'x' || cell.at[1] == 'X');
}

/* Decimal, or hexadecimal after 0x; an empty cell is 0. */
static bool parse_number(struct text cell, uint64_t *number)
{
	const unsigned base = is_hex(cell) ? 16 : 10;

	*number = 0;
	for (size_t i = base == 16 ? 2 : 0; i < cell.bytes; i++) {
		unsigned digit = (unsigned)digit_of(cell.at[i]);

		if (digit >= base || __builtin_mul_overflow(*number, base, number) ||
		    __builtin_add_overflow(*number, digit, number))
			return false;
	}
	return true;
}

/* 0x and up to 32 digits. */
static bool parse_mask(struct text cell, struct line_mask *mask)
{
	*mask = (struct line_mask){{0}};
	if (!is_hex(cell))
		return false;
	for (size_t i = 2; i < cell.bytes; i++) {
		uint64_t digit = (uint64_t)digit_of(cell.at[i]);

		if (digit >= 16 || mask->words[1] >> 60)
			return false;
		mask->words[1] = mask->words[1] << 4 | mask->words[0] >> 60;
		mask->words[0] = mask->words[0] << 4 | digit;
	}
	return mask->words[0] | mask->words[1];
}

/* The next line that is neither empty nor a comment; *line.at is NULL at the end. It stays until the next call. */
static int next_line(struct replay_trace *t, struct text *line, struct failure *error)
{
	struct trace_input *in = &t->input;

	for (;;) {
		const char *begin, *end;
		size_t left;
		int rc = trace_input_more(in, LINE_MAX_BYTES + 1, error);

		if (rc)
			return rc;
		left = trace_input_left(in);
		*line = (struct text){NULL, 0};
		if (left == 0)
			return 0;
		t->record++;
		begin = (const char *)in->bytes + in->next;
		end = memchr(begin, '\n', left < LINE_MAX_BYTES + 1 ? left : LINE_MAX_BYTES + 1);
		if (!end && left > LINE_MAX_BYTES)
			return trace_wrong(t, error, "is longer than %d bytes, the most allowed", LINE_MAX_BYTES);
		trace_input_skip(in, end ? (size_t)(end - begin) + 1 : left);
		*line = trim(begin, end ? end : begin + left);
		if (line->bytes && line->at[0] != '#')
			return 0;
	}
}

/* Columns by their names and by what others call them; times in other units are multiplied. */
static const struct csv_name {
	const char *name;
	uint8_t column;
	uint32_t scale;
} csv_names[] = {
	{ "time_ps", CSV_TIME, 1 },	 { "time", CSV_TIME, 1 },	 { "time_ns", CSV_TIME, 1000 },
	{ "time_us", CSV_TIME, 1000000 }, { "operation", CSV_OPERATION, 1 }, { "op", CSV_OPERATION, 1 },
	{ "type", CSV_OPERATION, 1 },	 { "source", CSV_SOURCE, 1 },	 { "src", CSV_SOURCE, 1 },
	{ "destination", CSV_DESTINATION, 1 }, { "dst", CSV_DESTINATION, 1 }, { "dest", CSV_DESTINATION, 1 },
	{ "address", CSV_ADDRESS, 1 },	 { "addr", CSV_ADDRESS, 1 },	 { "size", CSV_SIZE, 1 },
	{ "bytes", CSV_SIZE, 1 },	 { "length", CSV_SIZE, 1 },	 { "mask", CSV_MASK, 1 },
};

static const struct csv_name *find_name(struct text cell)
{
	for (size_t i = 0; i < sizeof(csv_names) / sizeof(csv_names[0]); i++)
		if (is_text(cell, csv_names[i].name))
			return &csv_names[i];
	return NULL;
}

/* The first name of a column. */
static const char *column_name(unsigned column)
{
	const struct csv_name *n = csv_names;

	while (n->column != column)
		n++;
	return n->name;
}

/* The line that names the columns. */
static int parse_names(struct replay_trace *t, struct text line, struct failure *error)
{
	unsigned seen = 0;
	struct text cell;
	char room[SHOWN + 1];

	for (t->columns = 0; next_cell(&line, &cell); t->columns++) {
		const struct csv_name *found = find_name(cell);

		if (!found || seen & 1u << found->column)
			return trace_wrong(t, error,
					   "column '%s' %s: must be one of " CSV_NAMES ",mask, or an alias, each once",
					   csv_read_show(cell, room), found ? "comes twice" : "is unknown");
		seen |= 1u << found->column;
		t->column[t->columns] = found->column;
		if (found->column == CSV_TIME)
			t->time_scale = found->scale;
	}
	for (unsigned c = 0; c < CSV_SIZE; c++) {
		if (!(seen & 1u << c))
			return trace_wrong(t, error, "column %s is missing: needed are time_ps, operation, source, "
					   "destination, address, and size or mask", column_name(c));
	}
	if (!(seen & (1u << CSV_SIZE | 1u << CSV_MASK)))
		return trace_wrong(t, error, "columns size and mask are missing: one of them is needed, or both");
	return 0;
}

/* gpus,N: how many GPUs there are. */
static int parse_gpus(struct replay_trace *t, struct text line, struct failure *error)
{
	struct text word, cell = {NULL, 0};
	char room[SHOWN + 1];
	uint64_t number;

	next_cell(&line, &word);
	if (!next_cell(&line, &cell) || line.at || !parse_number(cell, &number) || number < 1 || number > REPLAY_GPUS_MAX)
		return trace_wrong(t, error, "gpus '%s': must be one number, 1 to %d", csv_read_show(cell, room),
				   REPLAY_GPUS_MAX);
	t->info.gpus = (unsigned)number;
	return 0;
}

static void skip_byte_order_mark(struct trace_input *in)
{
	if (trace_input_left(in) >= 3 && memcmp(in->bytes + in->next, "\xef\xbb\xbf", 3) == 0)
		trace_input_skip(in, 3);
}

int trace_csv_header(struct replay_trace *t, struct failure *error)
{
	struct text line, rest, word;
	int rc;

	skip_byte_order_mark(&t->input);
	rc = next_line(t, &line, error);
	rest = line;
	if (!rc && next_cell(&rest, &word) && is_text(word, "gpus")) {
		rc = parse_gpus(t, line, error);
		rc = rc ? rc : next_line(t, &line, error);
	}
	if (rc)
		return rc;
	if (!line.at)
		return trace_wrong(t, error, "missing header line: " CSV_NAMES);
	return parse_names(t, line, error);
}

/* An operation and, if has_mask, which bytes of its line. */
struct row {
	struct replay_op op;
	struct line_mask mask;
	bool has_mask, has_size;
};

static int wrong_cell(struct replay_trace *t, const char *column, struct text cell, const char *allowed, struct failure *error)
{
	char room[SHOWN + 1];

	return trace_wrong(t, error, "%s '%s': must be %s", column, csv_read_show(cell, room), allowed);
}

static int parse_kind(struct replay_trace *t, struct row *row, struct text cell, struct failure *error)
{
	static const struct {
		const char *name;
		uint8_t kind;
	} others[] = {
		{ "write", REPLAY_STORE }, { "W", REPLAY_STORE }, { "st", REPLAY_STORE },      { "read", REPLAY_LOAD },
		{ "R", REPLAY_LOAD },	   { "ld", REPLAY_LOAD }, { "fence", REPLAY_RELEASE }, { "memcpy", REPLAY_COPY }
	};

	row->op.kind = 0;
	for (uint8_t kind = REPLAY_STORE; kind <= REPLAY_BARRIER && !row->op.kind; kind++)
		if (is_text(cell, trace_kind_name(kind)))
			row->op.kind = kind;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]) && !row->op.kind; i++)
		if (is_text(cell, others[i].name))
			row->op.kind = others[i].kind;
	if (row->op.kind)
		return 0;
	return wrong_cell(t, "operation", cell, "store, load, atomic, release, copy or barrier", error);
}

static int parse_gpu(struct replay_trace *t, const char *column, struct text cell, uint8_t *gpu, struct failure *error)
{
	uint64_t number;

	if (!parse_number(cell, &number) || number >= REPLAY_GPUS_MAX)
		return wrong_cell(t, column, cell, "the number of a GPU, 0 to 63", error);
	if (number > t->highest)
		t->highest = (unsigned)number;
	*gpu = (uint8_t)number;
	return 0;
}

static int parse_cell(struct replay_trace *t, struct row *row, unsigned column, struct text cell, struct failure *error)
{
	uint64_t size;

	switch (column) {
	case CSV_TIME:
		if (!parse_number(cell, &row->op.time_ps) ||
		    __builtin_mul_overflow(row->op.time_ps, t->time_scale, &row->op.time_ps))
			return wrong_cell(t, "time", cell, "a number, decimal or 0x, below 2^64 ps", error);
		return 0;
	case CSV_OPERATION:
		return parse_kind(t, row, cell, error);
	case CSV_SOURCE:
		return parse_gpu(t, "source", cell, &row->op.source, error);
	case CSV_DESTINATION:
		return parse_gpu(t, "destination", cell, &row->op.destination, error);
	case CSV_ADDRESS:
		if (!parse_number(cell, &row->op.address))
			return wrong_cell(t, "address", cell, "a number, decimal or 0x, below 2^48", error);
		return 0;
	case CSV_SIZE:
		if (!parse_number(cell, &size) || size > UINT32_MAX)
			return wrong_cell(t, "size", cell, "a number, decimal or 0x, below 2^32", error);
		row->op.size = (uint32_t)size;
		row->has_size = cell.bytes != 0;
		return 0;
	default:
		row->has_mask = cell.bytes != 0;
		if (row->has_mask && !parse_mask(cell, &row->mask))
			return wrong_cell(t, "mask", cell, "0x and up to 32 hexadecimal digits, not all 0", error);
		return 0;
	}
}

/* One operation a run of bytes in the mask. */
static int add_scattered(struct replay_trace *t, const struct row *row, struct failure *error)
{
	struct replay_op op = row->op;
	unsigned begin, end = 0;
	int rc = 0;

	if (op.kind != REPLAY_STORE && op.kind != REPLAY_LOAD)
		return trace_wrong(t, error, "a mask with operation %s: only stores and loads can have one",
				   trace_kind_name(op.kind));
	if (op.size || op.address % REPLAY_STORE_MAX)
		return trace_wrong(t, error, "size %" PRIu32 ", address 0x%" PRIx64 " with a mask: the size is 0 or empty "
				   "and the address that of a line of %d bytes", op.size, op.address, REPLAY_STORE_MAX);
	while (!rc && line_mask_run(&row->mask, end, &begin, &op.size)) {
		op.address = row->op.address + begin;
		end = begin + op.size;
		rc = trace_add(t, &op, error);
	}
	return rc;
}

static int take_line(struct replay_trace *t, struct text line, struct failure *error)
{
	struct row row = {0};
	struct text cell;
	unsigned n = 0;

	for (; next_cell(&line, &cell); n++) {
		int rc;

		if (n == t->columns)
			return trace_wrong(t, error, "more cells than the %u columns", t->columns);
		rc = parse_cell(t, &row, t->column[n], cell, error);
		if (rc)
			return rc;
	}
	if (n < t->columns)
		return trace_wrong(t, error, "%u cells for %u columns", n, t->columns);
	if (row.op.kind == REPLAY_BARRIER && !row.has_size)
		row.op.size = (uint32_t)t->rules.phases; /* barriers number themselves */
	return row.has_mask ? add_scattered(t, &row, error) : trace_add(t, &row.op, error);
}

int trace_csv_run(struct replay_trace *t, struct failure *error)
{
	struct text line;

	for (;;) {
		int rc = next_line(t, &line, error);
		if (rc || !line.at)
			return rc;
		rc = take_line(t, line, error);
		if (rc)
			return rc;
	}
}
