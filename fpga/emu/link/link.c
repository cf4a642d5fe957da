// SPDX-License-Identifier: Apache-2.0
#include "emu_link.h"

#include "../../../common/number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "../process/server.h"

#define NAME	     "gpulink-card"
#define CLOCK_NS     4u
#define NEAR_CLOCKS  256u  /* maximum lead over real time */
#define STUCK_CLOCKS 16u   /* without space for a block: more than a flit can stitch pieces */

/* --- options --- */

enum { LINK = LINK_OPTION, CLUSTER, BANDWIDTH, LATENCY, LOSS, CORRUPT, DUPLICATE, REORDER, SEED };

const struct option link_options[] = {
	{ "link", required_argument, NULL, LINK },
	{ "cluster", required_argument, NULL, CLUSTER },
	{ "link-bandwidth", required_argument, NULL, BANDWIDTH },
	{ "link-latency", required_argument, NULL, LATENCY },
	{ "link-loss", required_argument, NULL, LOSS },
	{ "link-corrupt", required_argument, NULL, CORRUPT },
	{ "link-duplicate", required_argument, NULL, DUPLICATE },
	{ "link-reorder", required_argument, NULL, REORDER },
	{ "link-seed", required_argument, NULL, SEED },
	{ 0 },
};

const char link_help[] =
	"Link options. Two cards with the same --link address are connected: the first one listens, and either may exit and\n"
	"restart. The link is neither encrypted nor authenticated: use a path or address that only trusted programs reach.\n"
	"      --link unix:PATH | --link tcp:HOST:PORT\n"
	"                         path of a Unix socket, or an address of one of the two machines\n"
	"      --cluster N        cluster number of this card, 0 to 255 (default 0)\n"
	"      --link-bandwidth N bandwidth from this card, in bytes per second (default: unlimited)\n"
	"      --link-latency N   latency from this card, in nanoseconds, up to 1000000000 (default 0)\n"
	"      --link-loss P, --link-corrupt P, --link-duplicate P, --link-reorder P\n"
	"                         fault injection: probability, 0 to 1, per block sent by this card\n"
	"      --link-seed N      seed of the fault injection (default: random; logged)\n";

static bool number(const char *text, double most, double *value)
{
	char *end;

	errno = 0;
	*value = strtod(text, &end);
	return !errno && end != text && !*end && *value >= 0 && *value <= most;
}

const char *link_option(struct link_config *config, int option, const char *text)
{
	struct link_wire_config *wire = &config->wire;
	uint64_t cluster;

	switch (option) {
	case LINK:
		config->address = text;
		return NULL;
	case CLUSTER:
		if (!glk_number(text, 0, UINT8_MAX, &cluster))
			return "0 to 255";
		config->cluster = (uint8_t)cluster;
		return NULL;
	case BANDWIDTH:
		return number(text, 1e15, &wire->bandwidth) ? NULL : "0 to 1e15";
	case LATENCY:
		return glk_number(text, 0, 1000000000, &wire->latency_ns) ? NULL : "0 to 1000000000";
	case LOSS:
		return number(text, 1, &wire->loss) ? NULL : "0 to 1";
	case CORRUPT:
		return number(text, 1, &wire->corruption) ? NULL : "0 to 1";
	case DUPLICATE:
		return number(text, 1, &wire->duplication) ? NULL : "0 to 1";
	case REORDER:
		return number(text, 1, &wire->reordering) ? NULL : "0 to 1";
	default:
		return glk_number(text, 0, UINT64_MAX, &wire->seed) && wire->seed ? NULL : "1 to 18446744073709551615";
	}
}

/* --- open and close --- */

static uint64_t random_number(void)
{
	uint64_t value;

	return getrandom(&value, sizeof(value), 0) == sizeof(value) ? value : server_now_ns();
}

uint16_t link_new_session(void)
{
	return (uint16_t)(1 + random_number() % UINT16_MAX);
}

int link_open(struct link *link, const struct link_config *config)
{
	int error = link_socket_init(&link->socket, config->address);

	if (error) {
		server_log(NAME, "--link %s: %s", config->address,
			   error == -EINVAL ? "must be unix:PATH or tcp:HOST:PORT" : strerror(-error));
		return error;
	}
	link->config = *config;
	if (!link->config.wire.seed)
		link->config.wire.seed = 1 + random_number() % UINT32_MAX;
	server_log(NAME, "link %s, --link-seed %" PRIu64, config->address, link->config.wire.seed);
	link_wire_start(&link->wire, &link->config.wire);
	return 0;
}

void link_close(struct link *link)
{
	link_socket_close(&link->socket);
}

void link_attach(struct link *link, const struct logic *logic)
{
	link->logic = logic;
}

/* --- work --- */

static uint64_t now_in_clocks(void)
{
	return server_now_ns() / CLOCK_NS;
}

static void cut(struct link *link, const char *why)
{
	server_log(NAME, "link: disconnected: %s", why);
	link_wire_empty(&link->wire);
	link->logic->ops->link_cut(link->logic->state, link->clock);
}

static bool receive(struct link *link)
{
	struct glk_block block;
	bool came = false;

	while (link_socket_get(&link->socket, &block)) {
		link->clock++;
		link->logic->ops->link_block(link->logic->state, link->clock, &block);
		came = true;
	}
	return came;
}

/* Runs the clock while there is work now or within NEAR_CLOCKS. */
static void run_clock(struct link *link)
{
	const struct logic *logic = link->logic;
	unsigned stuck = 0, run = 0;
	struct glk_block block;

	link->more = false;
	for (; run < logic->link_clocks && stuck < STUCK_CLOCKS; run++) {
		uint64_t next = logic->ops->link_next(logic->state, link->clock + 1);
		bool ready;

		if (next > link->clock + NEAR_CLOCKS && next > now_in_clocks())
			return;
		link->clock = next > link->clock ? next : link->clock + 1;
		ready = link_wire_ready(&link->wire, link->clock * CLOCK_NS);
		if (logic->ops->link_clock(logic->state, link->clock, ready, &block))
			link_wire_put(&link->wire, link->clock * CLOCK_NS, &block);
		stuck = ready ? 0 : stuck + 1;
	}
	link->more = stuck < STUCK_CLOCKS;
}

static void transmit(struct link *link)
{
	const struct glk_block *block;
	uint64_t now = link->clock * CLOCK_NS;

	while (link_socket_room(&link->socket) && (block = link_wire_look(&link->wire, now))) {
		link_socket_put(&link->socket, block);
		link_wire_take(&link->wire);
	}
}

static bool serve(struct link *link)
{
	bool was_joined = link->socket.joined, came;
	const char *why;

	if (link->clock < now_in_clocks())
		link->clock = now_in_clocks();
	why = link_socket_serve(&link->socket, server_now_ns());
	if (why)
		cut(link, why);
	if (link->socket.joined && (!was_joined || why))
		server_log(NAME, "link: connected");
	if (!link->socket.joined)
		return false;
	came = receive(link);
	run_clock(link);
	transmit(link);
	why = link_socket_send(&link->socket, server_now_ns());
	if (why)
		cut(link, why);
	return came;
}

void link_serve(struct link *link)
{
	serve(link);
}

void link_pollfds(const struct link *link, struct pollfd fds[LINK_SOCKET_FDS])
{
	link_socket_pollfds(&link->socket, fds);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t link_deadline(const struct link *link)
{
	uint64_t socket = link_socket_deadline(&link->socket), clock;

	if (!link->socket.joined)
		return socket;
	if (link->more)
		return 0;
	clock = link->logic->ops->link_next(link->logic->state, link->clock + 1);
	if (!link_wire_ready(&link->wire, link->clock * CLOCK_NS))
		clock = UINT64_MAX;
	clock = clock > UINT64_MAX / CLOCK_NS ? UINT64_MAX : clock * CLOCK_NS;
	if (link_socket_room(&link->socket))
		clock = earlier(clock, link_wire_deadline(&link->wire, link->clock * CLOCK_NS));
	return earlier(socket, clock);
}

uint64_t link_wait(struct link *link, uint64_t until)
{
	uint64_t until_ns = earlier(until > UINT64_MAX / CLOCK_NS ? UINT64_MAX : until * CLOCK_NS, link_deadline(link));
	struct pollfd fds[LINK_SOCKET_FDS];

	link_pollfds(link, fds);
	server_poll(fds, LINK_SOCKET_FDS, until_ns); /* a termination signal is handled afterwards */
	serve(link);
	return link->clock;
}
