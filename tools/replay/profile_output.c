// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json.h>

#include "output.h"
#include "part_file.h"
#include "profile.h"

const char *profile_size(uint32_t bytes, char name[16])
{
	if (!bytes)
		return "-";
	snprintf(name, 16, bytes >> 20 ? "%uM" : "%uk", bytes >> 20 ? bytes >> 20 : bytes >> 10);
	return name;
}

static double copies_over(const struct profile *p, const struct profile_row *row)
{
	return row->result.time_ps ? (double)p->row[0].result.time_ps / (double)row->result.time_ps : 0;
}

static double one_over(const struct profile *p, uint64_t time_ps)
{
	return time_ps ? (double)p->found.one_gpu_ps / (double)time_ps : 0;
}

static void table_row(FILE *to, const struct profile *p, const struct profile_row *row)
{
	char chunk[16], threads[16] = "-";

	if (row->threads)
		snprintf(threads, sizeof(threads), "%u", row->threads);
	fprintf(to, "%c %-9s %6s %7s %12.1f %9.2f", row == &p->row[p->best] ? '*' : ' ', row->agent,
		profile_size(row->chunk_bytes, chunk), threads, (double)row->result.time_ps / 1e6, copies_over(p, row));
	if (p->found.one_gpu_ps)
		fprintf(to, " %9.2f", one_over(p, row->result.time_ps));
	fprintf(to, " %15" PRIu64 " %7.1f%% %10.1f\n", row->result.tally.wire_bytes, 100 * row->result.hidden,
		(double)row->result.tail_ps / 1e6);
}

int profile_table(FILE *to, const struct profile *p)
{
	uint64_t bound = comparison_counts(p->found.comparison)->last_ps;

	errno = 0;
	fprintf(to, "stream    %s, %u GPUs; link %s\n", p->found.stream, p->found.gpus, p->found.options->setting.link.name);
	if (p->found.check[0])
		fprintf(to, "checked   %s\n", p->found.check);
	fprintf(to, "bound     %.1f us with infinite bandwidth: %.2f times as fast as copies\n", (double)bound / 1e6,
		bound ? (double)p->row[0].result.time_ps / (double)bound : 0);
	output_clock(to, &p->found.options->timing);
	if (p->found.oracle)
		fputs("oracle    this workload cannot tell in advance how many stores a chunk gets, which regions need\n", to);
	fprintf(to, "\n  %-9s %6s %7s %12s %9s%s %15s %8s %10s\n", "agent", "chunk", "threads", "us", "to copies",
		p->found.one_gpu_ps ? "  speed-up" : "", "wire bytes", "hidden", "tail us");
	for (unsigned i = 0; i < p->rows; i++)
		table_row(to, p, &p->row[i]);
	return !ferror(to) ? 0 : errno ? -errno : -EIO;
}

static struct json_object *row_object(const struct profile *p, const struct profile_row *row)
{
	struct json_object *o = json_object_new_object();

	if (o && !output_add_text(o, "agent", row->agent) &&
	    !(row->chunk_bytes && output_add_count(o, "chunk_bytes", row->chunk_bytes)) &&
	    !(row->threads && output_add_count(o, "threads", row->threads)) &&
	    !output_add_count(o, "time_ps", row->result.time_ps) && !output_add_count(o, "tail_ps", row->result.tail_ps) &&
	    !output_add(o, "hidden", json_object_new_double(row->result.hidden)) &&
	    !output_add(o, "speed_up_to_copies", json_object_new_double(copies_over(p, row))) &&
	    !(p->found.one_gpu_ps &&
	      output_add(o, "speed_up", json_object_new_double(one_over(p, row->result.time_ps)))) &&
	    !output_add_count(o, "wire_bytes", row->result.tally.wire_bytes) &&
	    !output_add_count(o, "packets", row->result.tally.packets))
		return o;
	json_object_put(o);
	return NULL;
}

static int add_rows(struct json_object *top, const struct profile *p)
{
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; list && i < p->rows; i++) {
		struct json_object *row = row_object(p, &p->row[i]);

		if (!row || json_object_array_add(list, row)) {
			json_object_put(row);
			json_object_put(list);
			return -ENOMEM;
		}
	}
	return output_add(top, "rows", list);
}

int profile_json(FILE *to, const struct profile *p)
{
	const struct stream_counts *c = comparison_counts(p->found.comparison);
	struct json_object *top = json_object_new_object();

	if (top && !output_add_text(top, "stream", p->found.stream) && !output_add_text(top, "checked", p->found.check) &&
	    !output_add_count(top, "gpus", p->found.gpus) &&
	    !output_add_text(top, "link", p->found.options->setting.link.name) &&
	    !output_add_clock(top, &p->found.options->timing) &&
	    !output_add(top, "oracle", json_object_new_boolean(p->found.oracle)) &&
	    !output_add_count(top, "infinite_bandwidth_ps", c->last_ps) &&
	    !output_add_count(top, "one_gpu_ps", p->found.one_gpu_ps) && !output_add_count(top, "best", p->best) &&
	    !add_rows(top, p))
		return output_object_write(to, top);
	json_object_put(top);
	return -ENOMEM;
}

/* The library's names of agents: a launch is what its CALLER does. */
static const char *library_name(const char *agent)
{
	return strcmp(agent, "launch") == 0 ? "caller" : agent;
}

int profile_write(const char *path, const struct profile *p)
{
	const struct profile_row *best = &p->row[p->best];
	struct part_file file;
	int status;

	if (!best->chunk_bytes && strcmp(best->agent, "inline") != 0)
		return -ENODATA;
	status = part_file_open(&file, path);
	if (status)
		return status;
	if (dprintf(file.fd, "# gpulink-replay profile: %s, %u GPUs, link %s\n[region]\nagent = %s\n", p->found.stream,
		    p->found.gpus, p->found.options->setting.link.name, library_name(best->agent)) < 0 ||
	    (best->chunk_bytes && dprintf(file.fd, "chunk_bytes = %u\n", best->chunk_bytes) < 0) ||
	    (best->threads && dprintf(file.fd, "threads = %u\n", best->threads) < 0))
		status = -errno;
	if (!status)
		status = part_file_complete(&file);
	part_file_forget(&file);
	return status;
}
