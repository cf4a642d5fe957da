// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpulink_regs.h>

#include "paradigm/chunks.h"
#include "paradigm/parallel.h"

enum {
	SUBHEADER = STREAM_OPTIONS_END,
	PAYLOAD,
	ENTRIES,
	LINK,
	ECRC,
	PARADIGMS,
	LATENCY,
	BUFFER,
	TIME,
	NO_TIME,
	JOBS,
	CHUNK,
	THREADS,
	TRACKING,
	LAUNCH,
	POLLING,
	CARD,
	COMPUTE,
	TRANSACTION,
	DLLP,
	KERNEL_START,
	COPY_START,
	TOPOLOGY,
	FLITS,
	BETWEEN,
	CLOCK,
	LAST
};
_Static_assert((int)LAST <= (int)OPTIONS_END, "a command's own options come behind");

static const struct option known[] = {
	STREAM_OPTIONS_KNOWN,
	{ "subheader", required_argument, NULL, SUBHEADER },
	{ "payload", required_argument, NULL, PAYLOAD },
	{ "entries", required_argument, NULL, ENTRIES },
	{ "link", required_argument, NULL, LINK },
	{ "ecrc", no_argument, NULL, ECRC },
	{ "paradigms", required_argument, NULL, PARADIGMS },
	{ "latency", required_argument, NULL, LATENCY },
	{ "buffer", required_argument, NULL, BUFFER },
	{ "time", no_argument, NULL, TIME },
	{ "no-time", no_argument, NULL, NO_TIME },
	{ "jobs", required_argument, NULL, JOBS },
	{ "chunk", required_argument, NULL, CHUNK },
	{ "threads", required_argument, NULL, THREADS },
	{ "tracking", required_argument, NULL, TRACKING },
	{ "launch", required_argument, NULL, LAUNCH },
	{ "polling", required_argument, NULL, POLLING },
	{ "card", required_argument, NULL, CARD },
	{ "compute", required_argument, NULL, COMPUTE },
	{ "transaction", required_argument, NULL, TRANSACTION },
	{ "dllp", required_argument, NULL, DLLP },
	{ "kernel-start", required_argument, NULL, KERNEL_START },
	{ "copy-start", required_argument, NULL, COPY_START },
	{ "topology", required_argument, NULL, TOPOLOGY },
	{ "flits", no_argument, NULL, FLITS },
	{ "between", required_argument, NULL, BETWEEN },
	{ "clock", required_argument, NULL, CLOCK },
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static const char help[] =
	"usage: gpulink-replay run (--workload NAME [--input FILE] | --trace FILE) [OPTION...]\n"
	"Compares transfer methods (paradigms) on one stream of stores. Defaults are in parentheses.\n"
	"Stream:\n"
	"  --workload NAME    run this workload and use its stores; gpulink-replay list shows the names\n"
	"  --input FILE       matrix or graph of the workload: Matrix Market, edge list, METIS, binary CSR; plain or gzip\n"
	"  --gpus N           number of GPUs, 2 to 64 (4)\n"
	"  --iterations N     number of iterations (0: the workload's default)\n"
	"  --size N           problem size (0: the workload's default); gpulink-replay list shows its unit\n"
	"  --element BYTES    element size, 4 or 8, where the workload has both\n"
	"  --seed N           seed of generated data (1)\n"
	"  --halo-copies      bulk copies have only the range that a peer reads, not all that a GPU has (jacobi, pagerank, sssp, mis)\n"
	"  --trace FILE       play a trace; - is standard input\n"
	"Machine:\n"
	"  --topology NAME    where stores are packed (gpu): gpu (logic in the GPUs), card (one card, all GPUs behind it), cards (a card\n"
	"                     for each half of the GPUs, and a link between), lanes (the program, no card), lanes-card (the program; a\n"
	"                     card applies the packets, which none does yet)\n"
	"  --between GB/S     bandwidth of the link between cards, in each direction, a power of two, 1 to 512 (16)\n"
	"  --clock MHZ        clock of the cards' logic, 1 to 2000, which takes the time of the Verilog's clocks (250, unconfirmed)\n"
	"  --flits            that link carries flits of 16 bytes (docs/link-format.md), without stitching\n"
	"Link and card:\n"
	"  --link NAME        link type: pcie1 to pcie6, 16 lanes, or nvlink (pcie4)\n"
	"  --ecrc             add an end-to-end CRC to transactions\n"
	"  --payload BYTES    maximum payload size: 128, 256, 512, 1024, 2048 or 4096 (4096; nvlink 256)\n"
	"  --subheader BYTES  sub-header width, 2 to 6 (FinePack: 5, packing: 6)\n"
	"  --entries N        write queue entries per destination: 16, 32, 64, or 128, which no card has (64)\n"
	"  --paradigms LIST   transfer methods, comma-separated (the first seven; of lanes: p2p, dma, lanes):\n"
	"                     p2p, write-combining, dma, finepack, packing-compact, compact, config-packet,\n"
	"                     narrow, packing, lanes, proact-inline, proact-polling, proact-launch, proact-hw\n"
	"  --latency NS       link latency, 0 to 1000000 (700)\n"
	"  --compute PERCENT  computing takes this part of its time, 1 to 100000 (100)\n"
	"  --transaction NS   least time that a transaction occupies a link, 0 to 1000000 (0)\n"
	"  --dllp BYTES       acknowledgements and credits on the other direction for each transaction, 0 to 64 (0)\n"
	"  --kernel-start NS  time from the begin of a phase to that of its computing, 0 to 1000000 (0)\n"
	"  --copy-start NS    time from the end of a phase to the start of its bulk copies, 0 to 1000000 (0)\n"
	"  --buffer BYTES     buffer ahead of each source's link; a full buffer stalls the source (65536)\n"
	"Regions (the proact methods):\n"
	"  --chunk BYTES      chunk size, a power of two, 4096 to 16777216 (131072)\n"
	"  --threads N        threads of a software agent, 1 to 65536 (2048); each can use 1/128 of the link\n"
	"  --tracking PERCENT slowdown of computing by counting in software, 0 to 1000 (12)\n"
	"  --polling NS       delay until a polling agent finds a chunk, 0 to 1000000 (1000); 20 ns * chunks / threads more\n"
	"  --launch NS        delay of a kernel launch, 0 to 1000000 (10000)\n"
	"  --card NS          delay of the card's engine, 0 to 1000000 (600)\n"
	"Output:\n"
	"  --time             simulate time for a trace too; its times must not contain waiting for transfers (see the man page)\n"
	"  --no-time          count bytes only, without simulating time; faster\n"
	"  --jobs N           threads, 1 to 64 (1); more than 1 requires --no-time\n"
	"  -o, --output FORM  table, json or csv (table)\n";

static bool take_paradigm(void *options, unsigned place, const char *name)
{
	const struct paradigm *p = paradigm_named(name);
	struct options *o = options;

	if (!p || place == PARADIGM_COUNT)
		return false;
	o->paradigms[place] = p;
	o->paradigms[place + 1] = NULL;
	return true;
}

static const struct option_field fields[] = {
	{ ENTRIES, "entries", true, 16, 128, offsetof(struct options, setting.queue_entries) },
	{ THREADS, "threads", false, 1, 65536, offsetof(struct options, setting.threads) },
	{ JOBS, "jobs", false, 1, PARALLEL_JOBS_MAX, offsetof(struct options, jobs) },
};

/* Options that are validated together, after all are read. */
struct gathered {
	struct options *options;
	const struct options_more *more; /* or NULL */
	uint64_t payload;
	uint64_t between; /* GB/s; 0: not given */
	uint64_t clock;	  /* MHz; 0: not given */
	bool ecrc;
	bool paradigms, queue; /* given: --paradigms; --subheader or --entries */
	bool timed; /* --time or --no-time is given */
};

static int link_named(struct options *o, const char *name)
{
	const struct link *link = link_preset(name);

	if (!link)
		return option_wrong("link", name, "one of pcie1, pcie2, pcie3, pcie4, pcie5, pcie6, nvlink");
	o->setting.link = *link;
	return 0;
}

static int nanoseconds(const char *option, const char *text, uint64_t *ps)
{
	int status = option_number(option, text, 0, 1000000, ps);

	*ps *= 1000;
	return status;
}

static int options_take(void *gathered, int option, const char *value)
{
	struct gathered *g = gathered;
	struct options *o = g->options;
	uint64_t n = 0;
	int status;

	if (option >= OPTIONS_END)
		return g->more->take(g->more->user, option, value);
	switch (option) {
	case ECRC: g->ecrc = true; return 0;
	case LINK: return link_named(o, value);
	case FLITS: o->setting.flits = true; return 0;
	case CLOCK: return option_number("clock", value, 1, 2000, &g->clock);
	case BETWEEN: return option_power_of_two("between", value, 1, 512, &g->between);
	case TOPOLOGY:
		if (topology_named(value, &o->setting.topology))
			return 0;
		return option_wrong("topology", value, "one of gpu, card, cards, lanes, lanes-card");
	case PARADIGMS:
		g->paradigms = true;
		return option_list("paradigms", value,
				   "one of p2p, write-combining, dma, finepack, packing-compact, compact, config-packet, "
				   "narrow, packing, lanes, proact-inline, proact-polling, proact-launch, proact-hw",
				   take_paradigm, o);
	case 'o': return option_output(value, &o->output);
	case PAYLOAD: return option_power_of_two("payload", value, 128, 4096, &g->payload);
	case TIME:
	case NO_TIME:
		o->timed = option == TIME;
		g->timed = true;
		o->time_given = o->timed;
		return 0;
	case BUFFER: return option_number("buffer", value, 4096, 1u << 30, &o->timing.buffer_bytes);
	case CHUNK:
		return option_power_of_two("chunk", value, CHUNK_BYTES_MIN, CHUNK_BYTES_MAX, &o->setting.chunk_bytes);
	case LATENCY: return nanoseconds("latency", value, &o->timing.latency_ps);
	case POLLING: return nanoseconds("polling", value, &o->setting.cost.polling_ps);
	case LAUNCH: return nanoseconds("launch", value, &o->setting.cost.launch_ps);
	case COMPUTE:
		status = option_number("compute", value, 1, 100000, &n);
		o->timing.compute_percent = (unsigned)n;
		return status;
	case SUBHEADER:
		g->queue = true;
		status = option_number("subheader", value, 2, 6, &n);
		o->setting.subheader_bytes = o->setting.packing_subheader_bytes = (unsigned)n;
		return status;
	case TRANSACTION: return nanoseconds("transaction", value, &o->timing.transaction_ps);
	case DLLP: return option_number("dllp", value, 0, 64, &o->timing.dllp_bytes);
	case KERNEL_START: return nanoseconds("kernel-start", value, &o->timing.kernel_start_ps);
	case COPY_START: return nanoseconds("copy-start", value, &o->timing.copy_start_ps);
	case CARD: return nanoseconds("card", value, &o->setting.cost.card_ps);
	case TRACKING:
		status = option_number("tracking", value, 0, 1000, &n);
		o->setting.cost.tracking = (double)n / 100;
		return status;
	case ENTRIES: g->queue = true; break;
	default: break;
	}
	status = option_set_field(fields, sizeof(fields) / sizeof(fields[0]), option, value, o);
	if (status > 0)
		status = stream_options_take(&o->stream, option, value);
	return status ? -1 : 0; /* getopt has reported an unknown option */
}

static int contradicts(const char *option, const char *more, const char *why)
{
	fprintf(stderr, "gpulink-replay: %s%s%s: %s\n", option, more ? " " : "", more ? more : "", why);
	return -1;
}

/* The methods of a topology: who packs is there. */
static int topology_paradigms(struct options *o, bool given)
{
	bool lanes = topology_has_lanes(o->setting.topology);

	if (!given && lanes) {
		o->paradigms[0] = &paradigm_p2p;
		o->paradigms[1] = &paradigm_dma;
		o->paradigms[2] = &paradigm_lanes;
		o->paradigms[3] = NULL;
	}
	for (unsigned i = 0; o->paradigms[i]; i++) {
		if (o->paradigms[i]->packer == PACKER_LOGIC && lanes)
			return contradicts("--paradigms", o->paradigms[i]->name, "requires --topology gpu, card or cards");
		if (o->paradigms[i]->packer == PACKER_PROGRAM && !lanes && o->setting.topology != TOPOLOGY_CARDS)
			return contradicts("--paradigms", o->paradigms[i]->name,
					   "requires --topology lanes, lanes-card or cards");
	}
	return 0;
}

static int topology_check(struct options *o, const struct gathered *g)
{
	enum topology topology = o->setting.topology;

	if (o->setting.flits && topology != TOPOLOGY_CARDS)
		return contradicts("--flits", NULL, "requires --topology cards");
	if (g->between && topology != TOPOLOGY_CARDS)
		return contradicts("--between", NULL, "requires --topology cards");
	if (g->clock && !topology_has_card(topology) && !(g->more && strcmp(g->more->name, "profile") == 0))
		return contradicts("--clock", NULL, "requires --topology card, cards or lanes-card");
	if (topology_has_lanes(topology) && g->queue)
		return contradicts("--subheader, --entries", NULL,
				   "of a card's write queue; --topology lanes and lanes-card have none");
	if (topology_has_card(topology) && strcmp(o->setting.link.name, "nvlink") == 0)
		return contradicts("--link", "nvlink", "no card is on it: requires --topology gpu or lanes");
	if (g->between)
		o->setting.between_bytes_per_second = (double)g->between * 1e9;
	o->timing.topology = topology;
	o->timing.between_bytes_per_second = o->setting.between_bytes_per_second;
	if (g->clock)
		o->timing.card.mhz = (double)g->clock;
	if (o->setting.flits)
		o->timing.between_bytes_per_second =
			fmin(o->timing.between_bytes_per_second, cards_flit_rate(o->timing.card.mhz));
	return topology_paradigms(o, g->paradigms);
}

static int together(struct options *o, const struct gathered *g)
{
	if (!(g->more && g->more->own_stream(g->more->user)) && stream_options_check(&o->stream))
		return -1;
	if (o->stream.trace && !g->timed)
		o->timed = false; /* what was recorded has waited for its transfers already */
	if (o->jobs > 1 && o->timed) {
		fputs("gpulink-replay: --jobs: more than 1 thread requires --no-time\n", stderr);
		return -1;
	}
	if (g->payload > o->setting.link.payload_bytes) {
		fprintf(stderr, "gpulink-replay: --payload %llu: must be at most %u on link %s\n",
			(unsigned long long)g->payload, o->setting.link.payload_bytes, o->setting.link.name);
		return -1;
	}
	if (g->payload)
		o->setting.link.payload_bytes = (uint32_t)g->payload;
	if (g->ecrc)
		o->setting.link.digest_bytes = 4;
	o->timing.bytes_per_second = link_bytes_per_second(&o->setting.link);
	return topology_check(o, g);
}

int options_read_more(int argc, char **argv, const struct options_more *more, struct options *o)
{
	enum { MOST = 64 };
	struct option all[MOST] = { 0 };
	const struct option_command command = {
		.name = more ? more->name : "run", .help = more ? more->help : help, .known = all, .take = options_take
	};
	struct gathered g = { .options = o, .more = more };
	unsigned count = 0;
	int status;

	for (unsigned i = 0; more && more->known[i].name && count < MOST - 1; i++) /* first: of equal names they count */
		all[count++] = more->known[i];
	for (unsigned i = 0; known[i].name && count < MOST - 1; i++)
		all[count++] = known[i];

	*o = (struct options){ .stream = STREAM_OPTIONS_DEFAULT,
			       .timed = true,
			       .jobs = 1,
			       .timing = { .latency_ps = 700000,
					   .buffer_bytes = 65536,
					   .compute_percent = 100,
					   .card = { .mhz = 250, .read_ps = 1000000 } },
			       .setting = { .link = *link_preset("pcie4"),
					    .queue_entries = 64,
					    .subheader_bytes = GLK_PARTITION_SUBHEADER_BYTES_PAPER,
					    .packing_subheader_bytes = GLK_PARTITION_SUBHEADER_BYTES_RESET,
					    .chunk_bytes = 131072,
					    .threads = 2048,
					    .between_bytes_per_second = 16e9,
					    .cost = { .polling_ps = 1000000,
						      .scan_ps = 20000,
						      .launch_ps = 10000000,
						      .card_ps = 600000,
						      .tracking = 0.12 } } };
	if (more)
		o->setting.topology = more->topology;
	for (unsigned i = 0; i < PARADIGM_DEFAULTS; i++)
		o->paradigms[i] = paradigm_at(i);
	status = option_read_all(argc, argv, &command, &g);
	return status ? status : together(o, &g);
}

int options_read(int argc, char **argv, struct options *o)
{
	return options_read_more(argc, argv, NULL, o);
}

int options_read_with(int argc, char **argv, const char *setting, const char *value, struct options *options)
{
	char **words, *last = NULL;
	int status = options_read(argc, argv, options);

	if (status) /* so that an option without its value does not consume the setting */
		return status;
	status = -1;
	words = calloc((size_t)argc + 2, sizeof(*words));
	if (words && asprintf(&last, "--%s=%s", setting, value) >= 0) {
		memcpy(words, argv, (size_t)argc * sizeof(*words));
		words[argc] = last;
		status = options_read(argc + 1, words, options);
	} else {
		fputs("gpulink-replay: out of memory\n", stderr);
	}
	free(last);
	free(words);
	return status;
}
