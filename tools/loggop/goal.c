// SPDX-License-Identifier: Apache-2.0
#include "goal.h"

#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int goal_init(struct goal *goal, uint32_t ranks)
{
	*goal = (struct goal){ 0 };
	if (!ranks || ranks > GOAL_RANKS_MAX)
		return -EINVAL;
	goal->ranks = calloc(ranks, sizeof(*goal->ranks));
	if (!goal->ranks)
		return -ENOMEM;
	goal->rank_count = ranks;
	return 0;
}

/* A label of a rank, and its operation. */
struct label {
	char name[GOAL_LABEL_BYTES];
	uint32_t op;
};

void goal_free(struct goal *goal)
{
	for (uint32_t r = 0; r < goal->rank_count; r++) {
		tdestroy(goal->ranks[r].labels, free);
		free(goal->ranks[r].ops);
		free(goal->ranks[r].edges);
	}
	free(goal->ranks);
	*goal = (struct goal){ 0 };
}

/* Makes room for one more. Returns the array, or NULL. */
static void *grow(void *array, uint32_t count, uint32_t *room, size_t bytes)
{
	uint32_t more = *room ? 2 * *room : 64;
	void *grown;

	if (count < *room)
		return array;
	grown = more > *room ? reallocarray(array, more, bytes) : NULL;
	if (grown)
		*room = more;
	return grown;
}

int goal_add(struct goal_rank *rank, const struct goal_op *op)
{
	struct goal_op *ops = grow(rank->ops, rank->op_count, &rank->op_room, sizeof(*ops));

	if (!ops)
		return -ENOMEM;
	rank->ops = ops;
	ops[rank->op_count++] = *op;
	return 0;
}

int goal_require(struct goal_rank *rank, const struct goal_edge *edge)
{
	struct goal_edge *edges = grow(rank->edges, rank->edge_count, &rank->edge_room, sizeof(*edges));

	if (!edges)
		return -ENOMEM;
	rank->edges = edges;
	edges[rank->edge_count++] = *edge;
	return 0;
}

/* --- reading --- */

struct reader {
	struct goal *goal;
	struct goal_rank *rank; /* NULL: outside of one */
	unsigned line;
	struct failure *error;
};

static int goal_wrong(const struct reader *r, const char *what)
{
	return failure_set(r->error, -EINVAL, "line %u: %s", r->line, what);
}

static int compare_labels(const void *a, const void *b)
{
	return strcmp(((const struct label *)a)->name, ((const struct label *)b)->name);
}

static int goal_remember(struct goal_rank *rank, const char *name)
{
	struct label *label = calloc(1, sizeof(*label)), **found;

	if (!label)
		return -ENOMEM;
	snprintf(label->name, sizeof(label->name), "%s", name);
	label->op = rank->op_count;
	found = tsearch(label, &rank->labels, compare_labels);
	if (found && *found == label)
		return 0;
	free(label);
	return found ? -EEXIST : -ENOMEM;
}

static bool find_label(const struct goal_rank *rank, const char *name, uint32_t *op)
{
	struct label key, **found;

	snprintf(key.name, sizeof(key.name), "%s", name);
	found = tfind(&key, &rank->labels, compare_labels);
	if (found)
		*op = (*found)->op;
	return found;
}

/* "tag 0 cpu 1 nic 0", in any order, each at most once by use. */
static bool read_places(const char *text, struct goal_op *op)
{
	char name[8];
	uint64_t value;
	int used;

	while (sscanf(text, " %7s %19" SCNu64 "%n", name, &value, &used) == 2) {
		if (!strcmp(name, "tag") && value <= UINT32_MAX)
			op->tag = (uint32_t)value;
		else if (!strcmp(name, "cpu") && value < GOAL_UNITS_MAX)
			op->cpu = (uint8_t)value;
		else if (!strcmp(name, "nic") && value < GOAL_UNITS_MAX)
			op->nic = (uint8_t)value;
		else
			return false;
		text += used;
	}
	return !text[strspn(text, " \t\r\n")];
}

static int read_op(struct reader *r, const char *label, const char *text)
{
	struct goal_op op = { 0 };
	int used = 0, status;

	if (sscanf(text, " calc %19" SCNu64 "%n", &op.size, &used) == 1 && used)
		op.kind = GOAL_CALC;
	else if (sscanf(text, " send %19" SCNu64 "b to %9" SCNu32 "%n", &op.size, &op.peer, &used) == 2 && used)
		op.kind = GOAL_SEND;
	else if (sscanf(text, " recv %19" SCNu64 "b from %9" SCNu32 "%n", &op.size, &op.peer, &used) == 2 && used)
		op.kind = GOAL_RECV;
	if (!op.kind || !read_places(text + used, &op))
		return goal_wrong(
			r,
			"must be calc TIME, send BYTESb to RANK or recv BYTESb from RANK, then tag, cpu (0 to 15), nic (0 to 15)");
	if (op.kind != GOAL_CALC && (op.peer >= r->goal->rank_count || !op.size))
		return goal_wrong(r, "must name a rank of the schedule, and at least 1 byte");
	snprintf(op.label, sizeof(op.label), "%s", label);
	status = goal_remember(r->rank, label);
	if (status == -EEXIST)
		return goal_wrong(r, "this label is in use");
	return status ? status : goal_add(r->rank, &op);
}

static int goal_read_line(struct reader *r, const char *line)
{
	char a[GOAL_LABEL_BYTES], word[16], b[GOAL_LABEL_BYTES];
	struct goal_edge edge = { 0 };
	unsigned rank;
	int used = 0;

	if (!line[strspn(line, " \t\r\n")])
		return 0;
	if (!r->goal->rank_count) {
		if (sscanf(line, " num_ranks %9u", &rank) != 1 || goal_init(r->goal, rank))
			return goal_wrong(r, "must be num_ranks N, of 1 to 1024");
		return 0;
	}
	if (!r->rank) {
		if (sscanf(line, " rank %9u { %n", &rank, &used) != 1 || !used || rank >= r->goal->rank_count)
			return goal_wrong(r, "must be rank N {, below num_ranks");
		r->rank = &r->goal->ranks[rank];
		return 0;
	}
	if (line[strspn(line, " \t")] == '}') {
		r->rank = NULL;
		return 0;
	}
	if (sscanf(line, " %31[^: \t\r\n]:%n", a, &used) == 1 && used)
		return read_op(r, a, line + used);
	if (sscanf(line, " %31s %15s %31s", a, word, b) != 3 || (strcmp(word, "requires") && strcmp(word, "irequires")))
		return goal_wrong(r, "must be LABEL: OPERATION, LABEL requires LABEL, LABEL irequires LABEL or }");
	edge.start = word[0] == 'i';
	if (!find_label(r->rank, a, &edge.after) || !find_label(r->rank, b, &edge.before))
		return goal_wrong(r, "this label is not defined above");
	return goal_require(r->rank, &edge);
}

int goal_read(FILE *from, struct goal *goal, struct failure *error)
{
	struct reader r = { .goal = goal, .error = error };
	size_t room = 0;
	char *line = NULL;
	int status = 0;

	*goal = (struct goal){ 0 };
	failure_set(error, -ENOMEM, "out of memory");
	while (!status && getline(&line, &room, from) >= 0) {
		r.line++;
		status = goal_read_line(&r, line);
	}
	free(line);
	if (!status && ferror(from))
		status = goal_wrong(&r, "cannot be read");
	if (!status && (!goal->rank_count || r.rank))
		status = goal_wrong(&r, goal->rank_count ? "a rank does not end with }" : "no num_ranks");
	if (status)
		goal_free(goal);
	return status;
}

/* --- writing --- */

static void write_op(FILE *to, const struct goal_op *op)
{
	switch (op->kind) {
	case GOAL_CALC:
		fprintf(to, "%s: calc %" PRIu64, op->label, op->size);
		break;
	case GOAL_SEND:
		fprintf(to, "%s: send %" PRIu64 "b to %" PRIu32 " tag %" PRIu32, op->label, op->size, op->peer, op->tag);
		break;
	case GOAL_RECV:
		fprintf(to, "%s: recv %" PRIu64 "b from %" PRIu32 " tag %" PRIu32, op->label, op->size, op->peer, op->tag);
		break;
	}
	if (op->cpu)
		fprintf(to, " cpu %u", op->cpu);
	if (op->nic)
		fprintf(to, " nic %u", op->nic);
	fputc('\n', to);
}

void goal_write(FILE *to, const struct goal *goal)
{
	fprintf(to, "num_ranks %" PRIu32 "\n", goal->rank_count);
	for (uint32_t r = 0; r < goal->rank_count; r++) {
		const struct goal_rank *rank = &goal->ranks[r];

		fprintf(to, "\nrank %" PRIu32 " {\n", r);
		for (uint32_t i = 0; i < rank->op_count; i++)
			write_op(to, &rank->ops[i]);
		for (uint32_t i = 0; i < rank->edge_count; i++)
			fprintf(to, "%s %s %s\n", rank->ops[rank->edges[i].after].label,
				rank->edges[i].start ? "irequires" : "requires", rank->ops[rank->edges[i].before].label);
		fputs("}\n", to);
	}
}
