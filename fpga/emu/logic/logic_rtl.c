// SPDX-License-Identifier: Apache-2.0
/*
 * The card's logic: the Verilated RTL. It is clocked while it is busy or an access waits for it; with a link also for
 * AWAKE_CLOCKS after every block, and periodically for its control frames. The link logic counts these clocks, not real time;
 * the wire's bandwidth and latency are in real time.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <card/card_dut.h>

#include "logic.h"
#include "rtl_wire.h"
#include "../process/server.h"

#define POOL_BYTES   (UINT64_C(16) << 20)
#define CLOCKS	     4u		/* between two polls of the socket: the client waits for each access */
#define LINK_CLOCKS  16u	/* between two polls of the link: the other card may be waiting */
#define ANSWER_NS    4000000000u /* QEMU gives a card up 5 s after an access without an answer */
#define CLOCK_NS_MAX 50000u	/* of the card's time per clock: some 25,000 on an idle machine */
#define IDLE_CLOCKS  64u	/* until timeouts take effect: the logic checks one partition per clock */
#define LOOK_NS	     1000000u	/* update period of the time while a flush timeout is pending */

#define AWAKE_CLOCKS 512u /* after a block: its consequences are in the pipeline */
#define IDLE_BURST   64u
#define IDLE_PERIOD  2500000u /* period of idle bursts in link clocks: 10 ms */

struct rtl {
	struct card_dut *dut;
	struct logic_config config;
	uint64_t real_ns, card_ns; /* time: the machine's, and the card's */
	uint64_t timed_clocks;	   /* clocks until real_ns */
	bool was_busy;		   /* at real_ns */
	uint64_t looked_ns;	   /* when timeouts were last given time to take effect */
	unsigned settle;	   /* clocks left for that */
	uint64_t idle_clocks;	   /* clocks without work */
	bool resetting;		   /* a reset that took too long is still in progress */
	/* Of the link. */
	struct rtl_wire wire;
	bool wire_moves;	/* inside the link: no recursion */
	unsigned unserved;	/* clocks since the link was served */
	unsigned awake;		/* clocks left to run */
	uint64_t idle_until;
	bool failed; /* logged: no response, or a stream protocol violation */
};

static void mem_write(void *user, uint64_t address, const void *data, size_t len)
{
	struct rtl *r = user;

	r->config.ops->write(r->config.bus, address, data, len); /* posted: a failure is not reported */
}

static int mem_read(void *user, uint64_t address, void *data, size_t len)
{
	struct rtl *r = user;

	return len ? r->config.ops->read(r->config.bus, address, data, len) : r->config.ops->reach(r->config.bus, address);
}

static void interrupt(void *user, unsigned vector)
{
	struct rtl *r = user;

	r->config.ops->interrupt(r->config.bus, vector);
}

/*
 * While the card is busy its time advances with its clocks, at most CLOCK_NS_MAX each: its timeouts do not expire early on a
 * slow machine. An idle card has the machine's time.
 */
static void set_time(struct rtl *r, uint64_t now_ns)
{
	uint64_t clocks = card_dut_clocks(r->dut) - r->timed_clocks, passed = now_ns - r->real_ns;

	if (r->was_busy && passed > clocks * CLOCK_NS_MAX)
		passed = clocks * CLOCK_NS_MAX;
	r->card_ns += passed;
	r->real_ns = now_ns;
	r->timed_clocks += clocks;
	r->was_busy = card_dut_busy(r->dut);
	card_dut_set_now(r->dut, r->card_ns);
}

/* An access may wait for the other card: keep link and time running meanwhile, so that the wait is bounded. */
static bool block_comes(void *user, struct card_block *block)
{
	struct rtl *r = user;

	if (!r->wire_moves && ++r->unserved >= LINK_CLOCKS) {
		r->wire_moves = true;
		r->unserved = 0;
		r->config.ops->link_wait(r->config.bus, 0);
		r->wire_moves = false;
		set_time(r, server_now_ns());
	}
	return rtl_wire_take(&r->wire, block);
}

static void block_goes(void *user, const struct card_block *block)
{
	struct rtl *r = user;

	rtl_wire_give(&r->wire, block);
	r->awake = AWAKE_CLOCKS;
}

static const struct card_dut_ops dut_ops = { .mem_write = mem_write, .mem_read = mem_read, .interrupt = interrupt };
static const struct card_dut_ops linked_ops = {
	.mem_write = mem_write,
	.mem_read = mem_read,
	.interrupt = interrupt,
	.block_comes = block_comes,
	.block_goes = block_goes,
};

/* Logs the first failure of the logic; software then reads all ones, as from a removed card. */
static void rtl_check(struct rtl *r, int error)
{
	const char *fault = card_dut_fault(r->dut);

	if ((!error && !fault) || r->failed)
		return;
	r->failed = true;
	server_log("gpulink-card", "logic failure: %s", fault ? fault : strerror(-error));
}

/* --- accesses: each is answered within ANSWER_NS, as by a root complex's completion timeout --- */

static void rtl_step(struct rtl *r)
{
	card_dut_clock(r->dut);
	r->resetting = r->resetting && !card_dut_flr_end(r->dut);
}

/* A clock, if there is time for it until `until`; else -ETIMEDOUT. */
static int step_until(struct rtl *r, uint64_t until)
{
	if (server_now_ns() >= until)
		return -ETIMEDOUT;
	rtl_step(r);
	return 0;
}

static void too_slow(const char *what, const struct rtl *r, uint64_t clocks)
{
	server_log("gpulink-card", "%s is not complete after %u s and %" PRIu64 " clocks: machine too slow", what,
		   (unsigned)(ANSWER_NS / 1000000000u), card_dut_clocks(r->dut) - clocks);
}

/* Behind a read or a reset that was not complete in time. */
static int read_until(struct rtl *r, unsigned bar, uint64_t offset, void *data, size_t len, uint64_t until)
{
	int error;

	while (r->resetting)
		if (step_until(r, until))
			return -ETIMEDOUT;
	while ((error = card_dut_read_begin(r->dut, bar, offset, len)) == -EBUSY)
		if (step_until(r, until))
			return -ETIMEDOUT;
	while (!error && !card_dut_read_end(r->dut, data))
		error = step_until(r, until);
	return error;
}

static void read_bar(struct rtl *r, unsigned bar, uint64_t offset, void *data, size_t len)
{
	uint64_t clocks = card_dut_clocks(r->dut);
	int error = read_until(r, bar, offset, data, len, server_now_ns() + ANSWER_NS);

	if (error)
		memset(data, 0xff, len);
	if (error == -ETIMEDOUT)
		too_slow("a read", r, clocks);
	rtl_check(r, error == -ETIMEDOUT ? 0 : error);
}

/* A write that is not complete in time stays posted. */
static void write_bar(struct rtl *r, unsigned bar, uint64_t offset, const void *data, size_t len)
{
	uint64_t clocks = card_dut_clocks(r->dut), until = server_now_ns() + ANSWER_NS;
	bool posted = false;
	int error = 0;

	while (!error && !posted) {
		error = card_dut_post(r->dut, bar, offset, data, len, false);
		posted = !error;
		if (error == -EAGAIN)
			error = step_until(r, until);
	}
	while (!error && card_dut_posts(r->dut))
		error = step_until(r, until);
	if (error == -ETIMEDOUT)
		too_slow(posted ? "a write" : "a write is lost: an earlier one", r, clocks);
	rtl_check(r, error == -ETIMEDOUT ? 0 : error);
}

static uint64_t register_read(void *state, uint64_t offset, unsigned size)
{
	uint64_t value = 0;

	read_bar(state, 0, offset, &value, size);
	return value;
}

static void register_write(void *state, uint64_t offset, unsigned size, uint64_t value)
{
	write_bar(state, 0, offset, &value, size);
}

static void aperture_store(void *state, uint64_t offset, const void *data, size_t len)
{
	write_bar(state, 1, offset, data, len);
}

static void aperture_load(void *state, uint64_t offset, void *data, size_t len)
{
	read_bar(state, 1, offset, data, len);
}

static void pool_write(void *state, uint64_t offset, const void *data, size_t len)
{
	write_bar(state, 2, offset, data, len);
}

static void pool_read(void *state, uint64_t offset, void *data, size_t len)
{
	read_bar(state, 2, offset, data, len);
}

static void rtl_reset(void *state)
{
	struct rtl *r = state;
	uint64_t clocks = card_dut_clocks(r->dut), until = server_now_ns() + ANSWER_NS;

	card_dut_flr_begin(r->dut);
	r->resetting = true;
	while (r->resetting && !step_until(r, until))
		;
	rtl_step(r); /* without the request */
	if (r->resetting)
		too_slow("a reset", r, clocks);
	rtl_check(r, 0);
}

static void advance(void *state, uint64_t now_ns)
{
	struct rtl *r = state;

	set_time(r, now_ns);
	if (!r->settle && now_ns - r->looked_ns >= LOOK_NS) {
		r->looked_ns = now_ns;
		r->settle = IDLE_CLOCKS;
	}
}

static bool rtl_serve(void *state)
{
	struct rtl *r = state;

	for (unsigned i = 0; i < CLOCKS && (r->settle || card_dut_busy(r->dut)); i++) {
		r->settle -= r->settle != 0;
		r->idle_clocks += !card_dut_busy(r->dut);
		rtl_step(r);
	}
	rtl_check(r, 0);
	return r->settle || card_dut_busy(r->dut);
}

static uint64_t deadline(void *state)
{
	struct rtl *r = state;

	return card_dut_holding(r->dut) ? r->real_ns + LOOK_NS : UINT64_MAX;
}

/* --- the link --- */

static bool link_clock(void *state, uint64_t now, bool ready, struct glk_block *block)
{
	struct rtl *r = state;

	if (!r->wire_moves && !r->wire.out.count) {
		if (!r->awake && now >= r->idle_until) {
			r->awake = IDLE_BURST;
			r->idle_until = now + IDLE_PERIOD;
		}
		r->wire_moves = true;
		r->awake -= r->awake != 0;
		r->idle_clocks += !card_dut_busy(r->dut);
		rtl_step(r);
		r->wire_moves = false;
		rtl_check(r, 0);
	}
	return ready && rtl_wire_goes(&r->wire, block);
}

static void link_block(void *state, uint64_t now, const struct glk_block *block)
{
	struct rtl *r = state;

	(void)now;
	rtl_wire_came(&r->wire, block);
	r->awake = AWAKE_CLOCKS;
}

static void link_cut(void *state, uint64_t now)
{
	struct rtl *r = state;

	(void)now;
	rtl_wire_empty(&r->wire);
	card_dut_cut(r->dut);
	r->awake = AWAKE_CLOCKS;
}

static uint64_t link_next(void *state, uint64_t now)
{
	struct rtl *r = state;

	if (r->wire.out.count || (r->awake && !r->wire_moves))
		return now;
	return r->wire_moves ? UINT64_MAX : r->idle_until > now ? r->idle_until : now;
}

static void rtl_destroy(void *state)
{
	struct rtl *r = state;
	uint64_t clocks = card_dut_clocks(r->dut);

	server_log("gpulink-card", "%" PRIu64 " clocks, %" PRIu64 " of them busy", clocks, clocks - r->idle_clocks);
	card_dut_destroy(r->dut);
	free(r);
}

static const struct logic_ops ops = {
	.register_read = register_read,
	.register_write = register_write,
	.aperture_store = aperture_store,
	.aperture_load = aperture_load,
	.pool_write = pool_write,
	.pool_read = pool_read,
	.reset = rtl_reset,
	.advance = advance,
	.serve = rtl_serve,
	.deadline = deadline,
	.link_clock = link_clock,
	.link_block = link_block,
	.link_cut = link_cut,
	.link_next = link_next,
	.destroy = rtl_destroy,
};

int logic_rtl_create(const struct logic_config *config, struct logic *logic)
{
	struct card_parameters p;
	struct rtl *r;
	int error;

	/* Parameters of the RTL are set when it is built. */
	card_pins_parameters(&p);
	if (config->no_packing || (config->partitions && config->partitions != p.partitions) ||
	    (config->queue_entries && config->queue_entries != p.entries))
		return -EINVAL;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->config = *config;
	r->real_ns = r->card_ns = server_now_ns();
	error = card_dut_create(&(struct card_dut_config){
		.pool_bytes = POOL_BYTES,
		.serial = config->serial,
		.link = config->link,
		.cluster = config->cluster,
		.link_session = config->session,
		.ops = config->link ? &linked_ops : &dut_ops,
		.user = r,
	}, &r->dut);
	if (error) {
		free(r);
		return error;
	}
	*logic = (struct logic){
		.name = "rtl",
		.slow = true,
		.ops = &ops,
		.state = r,
		.vectors = p.vectors,
		.link_clocks = CLOCKS,
		.aperture_bytes = (uint64_t)p.slices << p.slice_shift,
		.pool_bytes = POOL_BYTES,
	};
	return 0;
}
