// SPDX-License-Identifier: Apache-2.0
#include "scale_command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <option_value.h>
#include <scale.h>

enum { PROCESSES = 256, STORES, NODE, PAYLOAD, STORE_TIME, PASS_TIME, PACKET_TIME, LATENCY, BANDWIDTH };

struct request {
	uint64_t processes, stores, node, payload, store, pass, packet, latency, bandwidth;
	enum output output;
};

static int scale_command_take(void *user, int option, const char *value)
{
	static const struct option_field fields[] = {
		{ PROCESSES, "processes", false, 2, 1000000, offsetof(struct request, processes) },
		{ STORES, "stores", false, 1, 1000000000, offsetof(struct request, stores) },
		{ NODE, "node", false, 1, 1024, offsetof(struct request, node) },
		{ PAYLOAD, "payload", true, 128, 4096, offsetof(struct request, payload) },
		{ STORE_TIME, "store-time", false, 0, 1000000, offsetof(struct request, store) },
		{ PASS_TIME, "pass-time", false, 0, 1000000, offsetof(struct request, pass) },
		{ PACKET_TIME, "packet-time", false, 0, 1000000000, offsetof(struct request, packet) },
		{ LATENCY, "latency", false, 0, 1000000000, offsetof(struct request, latency) },
		{ BANDWIDTH, "bandwidth", false, 1, 1000000, offsetof(struct request, bandwidth) },
	};
	struct request *request = user;

	if (option == 'o')
		return option_output(value, &request->output);
	return option_set_field(fields, sizeof(fields) / sizeof(fields[0]), option, value, request);
}

static void print_row(enum output output, double processes, enum scale_way way, const struct scale_found *f)
{
	const char *name = scale_way_names[way];

	switch (output) {
	case OUTPUT_TABLE:
		printf("%9.0f  %-6s %7.0f %10.0f %10.0f %7.1f %12.0f %9.2f\n", processes, name, f->lanes, f->memory / 1024,
		       f->packets, f->stores_per_packet, f->wire_bytes, f->ns);
		break;
	case OUTPUT_JSON:
		printf("{ \"processes\": %.0f, \"way\": \"%s\", \"lanes\": %.0f, \"memory\": %.0f, \"packets\": %.1f, "
		       "\"stores_per_packet\": %.2f, \"wire_bytes\": %.0f, \"ns\": %.3f }",
		       processes, name, f->lanes, f->memory, f->packets, f->stores_per_packet, f->wire_bytes, f->ns);
		break;
	default:
		printf("%.0f,%s,%.0f,%.0f,%.1f,%.2f,%.0f,%.3f\n", processes, name, f->lanes, f->memory, f->packets,
		       f->stores_per_packet, f->wire_bytes, f->ns);
		break;
	}
}

static void print_all(const struct request *r)
{
	static const double usual[] = { 10, 32, 100, 316, 1000, 3162, 10000, 31623, 100000 };
	const struct scale_costs costs = {
		.store = (double)r->store, .pass = (double)r->pass, .packet = (double)r->packet, .latency = (double)r->latency,
		.byte = 1000 / (double)r->bandwidth,
	};

	if (r->output == OUTPUT_TABLE)
		puts("processes  way      lanes     KiB    packets  stores   wire bytes        ns");
	else if (r->output == OUTPUT_CSV)
		puts("processes,way,lanes,memory,packets,stores_per_packet,wire_bytes,ns");
	for (unsigned i = 0; i < (r->processes ? 1 : sizeof(usual) / sizeof(usual[0])); i++) {
		struct scale_shape shape = {
			.processes = r->processes ? (double)r->processes : usual[i], .stores = (double)r->stores,
			.node = (double)r->node, .payload = (double)r->payload,
		};

		for (unsigned way = 0; way < SCALE_WAYS; way++) {
			struct scale_found found;

			if (way == SCALE_NODE && shape.processes <= shape.node)
				continue; /* one node sends nothing */
			found = scale_predict((enum scale_way)way, &shape, &costs);
			if (r->output == OUTPUT_JSON)
				fputs(i || way ? ",\n  " : "[ ", stdout);
			print_row(r->output, shape.processes, (enum scale_way)way, &found);
		}
	}
	if (r->output == OUTPUT_JSON)
		puts(" ]");
}

int scale_command(int argc, char **argv)
{
	static const struct option known[] = {
		{ "processes", required_argument, NULL, PROCESSES }, { "stores", required_argument, NULL, STORES },
		{ "node", required_argument, NULL, NODE }, { "payload", required_argument, NULL, PAYLOAD },
		{ "store-time", required_argument, NULL, STORE_TIME }, { "pass-time", required_argument, NULL, PASS_TIME },
		{ "packet-time", required_argument, NULL, PACKET_TIME }, { "latency", required_argument, NULL, LATENCY },
		{ "bandwidth", required_argument, NULL, BANDWIDTH }, { "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' }, { 0 },
	};
	static const struct option_command command = {
		.name = "scale",
		.known = known,
		.take = scale_command_take,
		.help = "usage: gpulink-model scale [OPTION...]\n"
			"Prints memory, packets and time of each process that stores words of 8 bytes at random to all processes, with a\n"
			"release behind: directly, over one relay in a grid, or over one process of each node.\n"
			"  --processes N      2 to 1000000 (10 to 100000 in steps)\n"
			"  --stores N         of each process between two releases (100000)\n"
			"  --node N           processes of a node (32)\n"
			"  --payload BYTES    of packets: a power of two, 128 to 4096 (4096)\n"
			"  --store-time NS    to append and to apply a store (10)\n"
			"  --pass-time NS     to pass a store on (20)\n"
			"  --packet-time NS   of a packet, in sender and receiver (2000)\n"
			"  --latency NS       of a packet (20000)\n"
			"  --bandwidth MB     of the link, in 1000000 bytes a second (1250)\n"
			"  -o, --output FORM  table, json or csv (table)\n"
			"  -h, --help         show this help and exit\n",
	};
	struct request request = {
		.stores = 100000,
		.node = 32,
		.payload = 4096,
		.store = 10,
		.pass = 20,
		.packet = 2000,
		.latency = 20000,
		.bandwidth = 1250,
	};
	int status = option_read_all(argc, argv, &command, &request);

	if (status)
		return status > 0 ? EXIT_SUCCESS : 2;
	print_all(&request);
	return EXIT_SUCCESS;
}
