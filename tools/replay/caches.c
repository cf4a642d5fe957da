// SPDX-License-Identifier: Apache-2.0
/* gpulink-replay caches: what the caches of several GPUs over a pool find, with and without coherence by leases. */
#include "caches.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json.h>

#include "cache/stream.h"
#include "option_value.h"

enum { STREAM = 256, SIZE, PROTOCOL, GPUS, READ_LEASE, WRITE_LEASE, ADAPT, CACHE, FILL, SECTOR };

struct request {
	const struct cache_stream *stream;
	uint64_t size, gpus, read_lease, write_lease, cache, sector;
	unsigned protocols; /* a bit each */
	enum hierarchy_fill fill;
	bool adapt;
	enum output output;
};

static bool take_protocol(void *user, unsigned at, const char *name)
{
	struct request *r = user;

	(void)at;
	for (unsigned p = 0; p < HIERARCHY_PROTOCOLS; p++) {
		if (strcmp(hierarchy_names[p], name) == 0) {
			r->protocols |= 1u << p;
			return true;
		}
	}
	return false;
}

static int take_stream(struct request *r, const char *name)
{
	r->stream = cache_stream_find(name);
	return r->stream ? 0 : option_wrong("stream", name, "one of `gpulink-replay caches --help`");
}

static int take_fill(struct request *r, const char *name)
{
	for (unsigned f = 0; f < HIERARCHY_FILLS; f++) {
		if (strcmp(hierarchy_fill_names[f], name) == 0) {
			r->fill = (enum hierarchy_fill)f;
			return 0;
		}
	}
	return option_wrong("fill", name, "whole, trimmed or sectored");
}

static int caches_take(void *user, int option, const char *value)
{
	struct request *r = user;

	switch (option) {
	case STREAM: return take_stream(r, value);
	case SIZE: return option_number("size", value, 196608, UINT64_C(1) << 32, &r->size);
	case PROTOCOL:
		r->protocols = 0;
		return option_list("protocol", value, "wb-nc, wt-nc, printed, leases-sc, leases-rc or rdma", take_protocol, r);
	case GPUS: return option_number("gpus", value, 1, 64, &r->gpus);
	case READ_LEASE: return option_number("read-lease", value, 1, 32768, &r->read_lease);
	case WRITE_LEASE: return option_number("write-lease", value, 1, 32768, &r->write_lease);
	case ADAPT: r->adapt = true; return 0;
	case CACHE: return option_power_of_two("cache", value, 1024, 1 << 20, &r->cache);
	case FILL: return take_fill(r, value);
	case SECTOR: return option_power_of_two("sector", value, 4, 32, &r->sector);
	case 'o': return option_output(value, &r->output);
	default: return -1;
	}
}

static const struct option_command command = {
	.name = "caches",
	.known =
		(const struct option[]){
			{ "stream", required_argument, NULL, STREAM },
			{ "size", required_argument, NULL, SIZE },
			{ "protocol", required_argument, NULL, PROTOCOL },
			{ "gpus", required_argument, NULL, GPUS },
			{ "read-lease", required_argument, NULL, READ_LEASE },
			{ "write-lease", required_argument, NULL, WRITE_LEASE },
			{ "adapt", no_argument, NULL, ADAPT },
			{ "cache", required_argument, NULL, CACHE },
			{ "fill", required_argument, NULL, FILL },
			{ "sector", required_argument, NULL, SECTOR },
			{ "output", required_argument, NULL, 'o' },
			{ "help", no_argument, NULL, 'h' },
			{ 0 },
		},
	.take = caches_take,
	.help = "usage: gpulink-replay caches --stream NAME [OPTION...]\n"
		"Counts what the L1 and L2 caches of several GPUs over one memory find (MGPU-TSM), with and without leases (MGCC).\n"
		"  --stream NAME        xtreme1, xtreme2, xtreme3, aes, atax, bicg, conv, fir, gemm, mm, mt, relu\n"
		"  --size BYTES         of the program's memory; of xtremes, of A, B and C of each GPU together\n"
		"  --protocol LIST      wb-nc, wt-nc, printed, leases-sc, leases-rc, rdma (all)\n"
		"  --gpus N             1 to 64 (4)\n"
		"  --read-lease N       of a read, 1 to 32768 (10)\n"
		"  --write-lease N      of a write, 1 to 32768 (5)\n"
		"  --adapt              leases of lines that are renewed unchanged grow\n"
		"  --cache BYTES        of each L1, a power of two, 1024 to 1048576 (16384)\n"
		"  --fill POLICY        what a miss of an L1 brings, with --protocol rdma only: whole, trimmed or sectored (whole)\n"
		"  --sector BYTES       of --fill trimmed and sectored: 4, 8, 16 or 32 (16)\n"
		"  -o, --output FORM    table, json or csv (table)\n"
		"  -h, --help           show this help and exit\n",
};

/* The counts by name, in the order of the columns. */
#define NUMBERS 18u
static const char *const number_names[NUMBERS] = {
	"l1_reads",	   "l1_read_misses", "l1_ended",   "l1_writes", "l1_write_misses",
	"l2_reads",	   "l2_read_misses", "l2_ended",   "l2_writes", "dram_reads",
	"dram_writes",	   "same",	     "remote",	   "old",	"bytes",
	"timestamp_bytes", "evictions",	     "l1_partial",
};

static void numbers_of(const struct hierarchy_count *c, uint64_t numbers[NUMBERS])
{
	const uint64_t all[NUMBERS] = {
		c->l1.reads,	    c->l1.read_misses, c->l1.ended, c->l1.writes, c->l1.write_misses,
		c->l2.reads,	    c->l2.read_misses, c->l2.ended, c->l2.writes, c->dram_reads,
		c->dram_writes,	    c->same,	       c->remote,   c->old,	  c->bytes,
		c->timestamp_bytes, c->evictions,      c->partial,
	};

	memcpy(numbers, all, sizeof(all));
}

static int caches_count(const struct request *r, enum hierarchy_protocol protocol, uint64_t numbers[NUMBERS])
{
	struct hierarchy_setting setting = hierarchy_thesis;
	uint64_t bytes = r->size ? r->size : r->stream->bytes;
	struct hierarchy *h;
	int error;

	setting.protocol = protocol;
	setting.gpus = (unsigned)r->gpus;
	setting.read_lease = (uint32_t)r->read_lease;
	setting.write_lease = (uint32_t)r->write_lease;
	setting.adapt = r->adapt;
	setting.l1_bytes = (unsigned)r->cache;
	setting.fill = r->fill;
	setting.sector_bytes = r->sector ? (unsigned)r->sector : setting.sector_bytes;
	error = hierarchy_new(&setting, r->stream->lines(bytes, setting.gpus), &h);
	if (error)
		return error;
	r->stream->run(h, &setting, bytes);
	numbers_of(hierarchy_finish(h), numbers);
	hierarchy_free(h);
	return 0;
}

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100 * (double)part / (double)all : 0;
}

static void print_row(const char *name, const uint64_t n[NUMBERS])
{
	printf("%-10s  %10.2f  %10.2f  %11" PRIu64 "  %11" PRIu64 "  %10" PRIu64 "  %10" PRIu64 "  %13" PRIu64 "  %10" PRIu64
	       "\n",
	       name, percent(n[1], n[0]), percent(n[6], n[5]), n[9], n[10], n[11], n[12], n[14], n[13]);
}

static int add_json(struct json_object *list, const char *name, const uint64_t n[NUMBERS])
{
	struct json_object *one = json_object_new_object();

	if (!one)
		return -ENOMEM;
	json_object_object_add(one, "protocol", json_object_new_string(name));
	for (unsigned i = 0; i < NUMBERS; i++)
		json_object_object_add(one, number_names[i], json_object_new_uint64(n[i]));
	return json_object_array_add(list, one) ? -ENOMEM : 0;
}

static void print_head(const struct request *r)
{
	if (r->output == OUTPUT_TABLE)
		printf("%-10s  %10s  %10s  %11s  %11s  %10s  %10s  %13s  %10s\n", "protocol", "L1 miss %", "L2 miss %",
		       "DRAM reads", "DRAM writes", "same", "remote", "bytes L2-DRAM", "old loads");
	if (r->output != OUTPUT_CSV)
		return;
	fputs("protocol", stdout);
	for (unsigned i = 0; i < NUMBERS; i++)
		printf(",%s", number_names[i]);
	putchar('\n');
}

static int caches_run_all(const struct request *r, struct json_object *list)
{
	int error = 0;

	print_head(r);
	for (unsigned p = 0; p < HIERARCHY_PROTOCOLS && !error; p++) {
		uint64_t n[NUMBERS];

		if (!(r->protocols >> p & 1))
			continue;
		error = caches_count(r, (enum hierarchy_protocol)p, n);
		if (error)
			break;
		if (r->output == OUTPUT_TABLE) {
			print_row(hierarchy_names[p], n);
		} else if (r->output == OUTPUT_JSON) {
			error = add_json(list, hierarchy_names[p], n);
		} else {
			fputs(hierarchy_names[p], stdout);
			for (unsigned i = 0; i < NUMBERS; i++)
				printf(",%" PRIu64, n[i]);
			putchar('\n');
		}
	}
	return error;
}

/* Whether the options make sense together. */
static bool together(const struct request *r)
{
	if (!r->stream) {
		fputs("gpulink-replay: --stream is missing\n", stderr);
		return false;
	}
	if (r->fill != HIERARCHY_WHOLE && r->protocols != 1u << HIERARCHY_RDMA) {
		fprintf(stderr,
			"gpulink-replay: --fill %s: requires --protocol rdma: leases are of whole lines, and only there GPUs have "
			"memory of their own\n",
			hierarchy_fill_names[r->fill]);
		return false;
	}
	if (r->fill == HIERARCHY_WHOLE && r->sector) {
		fputs("gpulink-replay: --sector: requires --fill trimmed or sectored\n", stderr);
		return false;
	}
	return true;
}

int caches(int argc, char **argv)
{
	struct request r = { .gpus = 4, .read_lease = hierarchy_thesis.read_lease, .write_lease = hierarchy_thesis.write_lease,
			     .cache = hierarchy_thesis.l1_bytes, .protocols = (1u << HIERARCHY_PROTOCOLS) - 1 };
	int status = option_read_all(argc, argv, &command, &r);
	struct json_object *list;

	if (status)
		return status > 0 ? EXIT_SUCCESS : 2;
	if (!together(&r))
		return 2;
	list = json_object_new_array();
	status = list ? caches_run_all(&r, list) : -ENOMEM;
	if (!status && r.output == OUTPUT_JSON)
		puts(json_object_to_json_string_ext(list, JSON_C_TO_STRING_PRETTY));
	json_object_put(list);
	if (!status)
		return EXIT_SUCCESS;
	fprintf(stderr, "gpulink-replay: caches: %s\n", strerror(-status));
	return EXIT_FAILURE;
}
