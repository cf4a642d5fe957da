// SPDX-License-Identifier: Apache-2.0
#include "top.h"

#include "../print.h"
#include "cards.h"
#include "group.h"
#include "result.h"
#include "stored.h"
#include "watch.h"

#include <json-c/json.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct row {
	struct watch_id id;
	struct watch_process process;
	struct watch_latency releases, by_ioctl;
	uint64_t failed_waits;
	uint64_t card_stores, card_bytes; /**< as the cards count them: also stores that no probe sees */
	char group[GROUP_BYTES];
};

struct table {
	size_t count;
	struct row rows[WATCH_PROCESSES];
};

struct stored_table {
	size_t count;
	struct stored of[WATCH_PROCESSES];
};

struct top {
	struct watch watch;
	struct table *now, *before;
	struct stored_table stored[2]; /**< now, before */
	struct cards cards;
	double since;
	bool several; /**< results follow one another */
};

/* --- the counts of an interval --- */

static struct row *find_row(struct table *table, const struct watch_id *id)
{
	for (size_t i = 0; i < table->count; i++)
		if (table->rows[i].id.pid == id->pid && table->rows[i].id.start_ns == id->start_ns)
			return &table->rows[i];
	return NULL;
}

static bool take_process(const struct watch_id *id, struct watch_process *process, void *context)
{
	struct table *table = context;

	if (table->count == WATCH_PROCESSES)
		return false;
	table->rows[table->count++] = (struct row){.id = *id, .process = *process};
	return true;
}

static bool take_latency(const struct watch_id *id, struct watch_latency *latency, void *context)
{
	struct row *row = find_row(context, id);

	if (row && id->kind == WATCH_RELEASE)
		row->releases = *latency;
	else if (row && id->kind == WATCH_RELEASE_DRIVER)
		row->by_ioctl = *latency;
	else if (row && id->kind == WATCH_WAIT)
		row->failed_waits = latency->failed;
	return true;
}

static bool has_ended(const struct row *row)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u", row->id.pid);
	return access(path, F_OK);
}

/* A process of which no probe has seen anything: it only stores through mapped windows, or by rings of its own. */
static struct row *add_unseen_row(struct table *table, uint32_t pid)
{
	struct row *row;
	char path[32];
	FILE *file;

	if (table->count == WATCH_PROCESSES)
		return NULL;
	row = &table->rows[table->count++];
	*row = (struct row){.id = {.pid = pid}, .process.name = "?"};
	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	file = fopen(path, "re");
	if (file && fgets(row->process.name, sizeof(row->process.name), file))
		row->process.name[strcspn(row->process.name, "\n")] = '\0';
	if (file)
		fclose(file);
	return row;
}

static bool take_stored(const struct stored *stored, void *context)
{
	struct stored_table *table = context;

	if (table->count == WATCH_PROCESSES)
		return false;
	table->of[table->count++] = *stored;
	return true;
}

static uint64_t since(uint64_t now, uint64_t before)
{
	return before < now ? now - before : 0; /* the sums fall when a file is closed */
}

/* Adds what the cards received from processes between the last two readings. */
static void add_stored(struct table *table, const struct stored_table *now, const struct stored_table *before)
{
	for (size_t i = 0; i < now->count; i++) {
		struct stored then = {0};
		struct row *row = NULL;

		for (size_t k = 0; k < before->count; k++)
			if (before->of[k].pid == now->of[i].pid)
				then = before->of[k];
		if (now->of[i].stores <= then.stores)
			continue;
		for (size_t k = 0; k < table->count && !row; k++)
			if (table->rows[k].id.pid == now->of[i].pid && !has_ended(&table->rows[k]))
				row = &table->rows[k];
		if (!row)
			row = add_unseen_row(table, now->of[i].pid);
		if (!row)
			return;
		row->card_stores = since(now->of[i].stores, then.stores);
		row->card_bytes = since(now->of[i].bytes, then.bytes);
	}
}

/* Releases of the library, or of a process that calls the driver without it. */
static struct watch_latency *releases_of(struct row *row)
{
	return row->releases.count ? &row->releases : &row->by_ioctl;
}

static uint64_t errors_of(struct row *row)
{
	return row->process.failed + row->failed_waits + releases_of(row)->failed;
}

static uint64_t bytes_of(const struct row *row)
{
	return row->process.store_bytes + row->process.put_bytes;
}

/* By which rows are sorted: what the library was told, or the cards received. */
static uint64_t moved_by(const struct row *row)
{
	return row->card_bytes > bytes_of(row) ? row->card_bytes : bytes_of(row);
}

static void subtract(struct row *row, const struct row *before)
{
	row->process.stores -= before->process.stores;
	row->process.store_bytes -= before->process.store_bytes;
	row->process.puts -= before->process.puts;
	row->process.put_bytes -= before->process.put_bytes;
	row->process.loads -= before->process.loads;
	row->process.gets -= before->process.gets;
	row->process.atomics -= before->process.atomics;
	row->process.failed -= before->process.failed;
	row->failed_waits -= before->failed_waits;
	histogram_since(&row->releases, &before->releases);
	histogram_since(&row->by_ioctl, &before->by_ioctl);
}

static int compare_rows(const void *a, const void *b)
{
	uint64_t x = moved_by(a), y = moved_by(b);

	return x < y ? 1 : x > y ? -1 : 0;
}

static void read_stored(struct top *top)
{
	top->stored[1] = top->stored[0];
	top->stored[0].count = 0;
	stored_each_process(take_stored, &top->stored[0]);
}

/* Reads what was counted since the last time into top->now, and forgets processes that have ended. */
static void read_table(struct top *top)
{
	struct table *swap = top->before;

	top->before = top->now;
	top->now = swap;
	top->now->count = 0;
	watch_each_process(&top->watch, take_process, top->now);
	watch_each_latency(&top->watch, take_latency, top->now);
	read_stored(top);
}

static void finish_table(struct top *top, struct table *shown)
{
	*shown = *top->now;
	add_stored(shown, &top->stored[0], &top->stored[1]);
	for (size_t i = 0; i < shown->count; i++) {
		const struct row *before = find_row(top->before, &shown->rows[i].id);

		if (before)
			subtract(&shown->rows[i], before);
		group_name(shown->rows[i].process.cgroup, shown->rows[i].id.pid, shown->rows[i].group);
		if (has_ended(&shown->rows[i]))
			watch_forget(&top->watch, &shown->rows[i].id);
	}
	qsort(shown->rows, shown->count, sizeof(*shown->rows), compare_rows);
}

/* --- as JSON --- */

static bool put_row(struct json_object *array, struct row *row, bool group)
{
	struct json_object *one = json_object_new_object();
	const struct watch_latency *releases = releases_of(row);

	if (!one || json_object_array_add(array, one)) {
		json_object_put(one);
		return false;
	}
	if (!group && (!put_number(one, "pid", row->id.pid) ||
		       !put_value(one, "name", json_object_new_string_len(row->process.name, (int)strnlen(row->process.name,
													 WATCH_NAME_BYTES)))))
		return false;
	return put_value(one, "cgroup", json_object_new_string(row->group)) && put_number(one, "stores", row->process.stores) &&
	       put_number(one, "puts", row->process.puts) && put_number(one, "bytes", bytes_of(row)) &&
	       put_number(one, "card_stores", row->card_stores) && put_number(one, "card_bytes", row->card_bytes) &&
	       put_number(one, "loads", row->process.loads + row->process.gets) &&
	       put_number(one, "atomics", row->process.atomics) && put_number(one, "releases", releases->count) &&
	       put_number(one, "p50_ns", histogram_percentile(releases, 50)) &&
	       put_number(one, "p99_ns", histogram_percentile(releases, 99)) && put_number(one, "max_ns", releases->max_ns) &&
	       put_number(one, "errors", errors_of(row));
}

static void add_row(struct row *sum, struct row *row)
{
	sum->card_stores += row->card_stores;
	sum->card_bytes += row->card_bytes;
	sum->process.stores += row->process.stores;
	sum->process.store_bytes += row->process.store_bytes;
	sum->process.puts += row->process.puts;
	sum->process.put_bytes += row->process.put_bytes;
	sum->process.loads += row->process.loads;
	sum->process.gets += row->process.gets;
	sum->process.atomics += row->process.atomics;
	sum->process.failed += row->process.failed;
	sum->failed_waits += row->failed_waits;
	histogram_add(&sum->releases, releases_of(row));
}

static struct json_object *processes_json(struct table *table)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; array && i < table->count; i++)
		if (!put_row(array, &table->rows[i], false)) {
			json_object_put(array);
			return NULL;
		}
	return array;
}

/* Adds up the rows of each cgroup, in the first of them. */
static struct json_object *groups_json(struct table *table)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; array && i < table->count; i++) {
		struct row *first = &table->rows[i];

		if (!*first->group)
			continue; /* added up */
		if (!first->releases.count)
			first->releases = first->by_ioctl;
		for (size_t k = i + 1; k < table->count; k++)
			if (!strcmp(table->rows[k].group, first->group)) {
				add_row(first, &table->rows[k]);
				*table->rows[k].group = '\0';
			}
		if (!put_row(array, first, true)) {
			json_object_put(array);
			return NULL;
		}
	}
	return array;
}

/* --- the command --- */

static bool top_print_table(struct json_object *processes, struct json_object *groups, struct json_object *cards)
{
	static const char *const columns[] = { "pid",	     "name",   "stores",  "puts",     "bytes",	"card_stores",
					       "card_bytes", "loads",  "atomics", "releases", "p50_ns", "p99_ns",
					       "max_ns",     "errors", "cgroup",  NULL };
	static const char *const card_columns[] = {"card", "stores", "packets", "stores_a_packet", "store_bytes", "wire_bytes",
						   "raw_wire_bytes", "errors", NULL};

	if (isatty(STDOUT_FILENO))
		printf("\033[H\033[J");
	print_rows(processes, columns);
	if (json_object_array_length(groups) > 1) {
		printf("\n");
		print_rows(groups, columns + 2);
	}
	if (json_object_array_length(cards)) {
		printf("\n");
		print_rows(cards, card_columns);
	}
	return true;
}

static enum exit_code print_interval(struct top *top, bool json)
{
	static struct table shown;
	struct json_object *result = json_object_new_object();
	struct json_object *processes, *groups, *cards;
	struct watch_losses losses;
	double now = seconds_now();
	bool complete;

	finish_table(top, &shown);
	watch_get_losses(&top->watch, &losses);
	processes = processes_json(&shown);
	groups = groups_json(&shown);
	cards = cards_json(&top->cards);
	complete = put_value(result, "seconds", json_object_new_double(now - top->since));
	complete = put_value(result, "processes", processes) && complete;
	complete = put_value(result, "cgroups", groups) && complete;
	complete = put_value(result, "cards", cards) && complete;
	complete = put_value(result, "lost", watch_losses_json(&losses)) && complete;
	top->since = now;
	if (json || !complete)
		return print_result(result, complete, top->several);
	top_print_table(processes, groups, cards);
	printf("\n");
	watch_print_losses(&losses);
	if (top->several)
		printf("\n");
	json_object_put(result);
	return EXIT_OK;
}

static enum exit_code show_intervals(struct top *top, const struct invocation *invocation, const struct ending_signals *signals)
{
	enum exit_code code = EXIT_OK;

	while (code == EXIT_OK && !signals_arrived()) {
		wait_seconds(signals, invocation->watch_seconds ? invocation->watch_seconds : 1);
		read_table(top);
		cards_read(&top->cards);
		code = print_interval(top, invocation->json);
		if (invocation->once || (fflush(stdout) && code == EXIT_OK))
			break;
	}
	return code;
}

enum exit_code run_top(struct invocation *invocation)
{
	static struct table tables[2];
	static struct top top = {.now = &tables[0], .before = &tables[1]};
	struct ending_signals signals;
	enum exit_code code;

	if (!signals_catch(&signals))
		return EXIT_FAILED;
	top.several = !invocation->once;
	code = watch_begin(&top.watch, 0, true);
	if (code == EXIT_OK) {
		top.since = seconds_now();
		read_stored(&top);
		cards_read(&top.cards); /* before the message, after which programs may be started */
		fprintf(stderr, "gpulinkctl: watching %u libgpulink%s\n", top.watch.attached.libraries,
			top.watch.attached.driver ? " and the driver" : "; the driver is not watched");
		code = show_intervals(&top, invocation, &signals);
	}
	watch_end(&top.watch);
	return code;
}
