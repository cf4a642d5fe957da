// SPDX-License-Identifier: Apache-2.0
/*
 * The card's logic as Verilog, clocked by software: thousands of clocks in the time of a model's access. It is clocked while
 * it is busy, and while an access waits for it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <card_dut.h>

#include "logic.h"
#include "server.h"

#define POOL_BYTES   (UINT64_C(16) << 20)
#define CLOCKS	     512u	/* between two looks at the socket: some ten milliseconds */
#define IDLE_CLOCKS  64u	/* until what the time brings shows: it looks at a partition each clock */
#define LOOK_NS	     1000000u	/* how often it has to learn the time while a timeout may flush something */

struct rtl {
	struct card_dut *dut;
	struct logic_config config;
	uint64_t now_ns;
	uint64_t idle_clocks; /* nothing was under way */
	bool said; /* that it does not answer, or breaks the rules of its streams */
};

static void mem_write(void *user, uint64_t address, const void *data, size_t len)
{
	struct rtl *r = user;

	r->config.ops->write(r->config.bus, address, data, len); /* lost if it fails: it is posted */
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

static const struct card_dut_ops dut_ops = { .mem_write = mem_write, .mem_read = mem_read, .interrupt = interrupt };

/* Says once what is wrong with the logic; software sees a card that is not there. */
static void check(struct rtl *r, int error)
{
	const char *fault = card_dut_fault(r->dut);

	if ((!error && !fault) || r->said)
		return;
	r->said = true;
	server_say("gpulink-card", "the logic fails: %s", fault ? fault : strerror(-error));
}

static void read_bar(struct rtl *r, unsigned bar, uint64_t offset, void *data, size_t len)
{
	int error = card_dut_read(r->dut, bar, offset, data, len);

	if (error)
		memset(data, 0xff, len);
	check(r, error);
}

static uint64_t register_read(void *state, uint64_t offset, unsigned size)
{
	uint64_t value = 0;

	read_bar(state, 0, offset, &value, size);
	return value;
}

static void register_write(void *state, uint64_t offset, unsigned size, uint64_t value)
{
	struct rtl *r = state;

	check(r, card_dut_write(r->dut, 0, offset, &value, size));
}

static void aperture_store(void *state, uint64_t offset, const void *data, size_t len)
{
	struct rtl *r = state;

	check(r, card_dut_write(r->dut, 1, offset, data, len));
}

static void aperture_load(void *state, uint64_t offset, void *data, size_t len)
{
	read_bar(state, 1, offset, data, len);
}

static void pool_write(void *state, uint64_t offset, const void *data, size_t len)
{
	struct rtl *r = state;

	check(r, card_dut_write(r->dut, 2, offset, data, len));
}

static void pool_read(void *state, uint64_t offset, void *data, size_t len)
{
	read_bar(state, 2, offset, data, len);
}

static void reset(void *state)
{
	struct rtl *r = state;

	check(r, card_dut_flr(r->dut));
}

static void advance(void *state, uint64_t now_ns)
{
	struct rtl *r = state;

	r->now_ns = now_ns;
	card_dut_set_now(r->dut, now_ns);
}

static bool serve(void *state)
{
	struct rtl *r = state;

	for (unsigned i = 0; i < CLOCKS && (i < IDLE_CLOCKS || card_dut_busy(r->dut)); i++) {
		r->idle_clocks += !card_dut_busy(r->dut);
		card_dut_clock(r->dut);
	}
	check(r, 0);
	return card_dut_busy(r->dut);
}

static uint64_t deadline(void *state)
{
	struct rtl *r = state;

	return card_dut_holding(r->dut) ? r->now_ns + LOOK_NS : UINT64_MAX;
}

static void destroy(void *state)
{
	struct rtl *r = state;
	uint64_t clocks = card_dut_clocks(r->dut);

	server_say("gpulink-card", "%" PRIu64 " clocks, in %" PRIu64 " of them something was under way", clocks, clocks - r->idle_clocks);
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
	.reset = reset,
	.advance = advance,
	.serve = serve,
	.deadline = deadline,
	.destroy = destroy,
};

int logic_rtl_create(const struct logic_config *config, struct logic *logic)
{
	struct rtl *r = config->link ? NULL : calloc(1, sizeof(*r));
	const struct card_dut_config dut = { .pool_bytes = POOL_BYTES, .serial = config->serial, .ops = &dut_ops, .user = r };
	struct card_parameters p;
	int error;

	if (!r)
		return config->link ? -ENOLINK : -ENOMEM;
	r->config = *config;
	error = card_dut_create(&dut, &r->dut);
	if (error) {
		free(r);
		return error;
	}
	card_pins_parameters(&p);
	*logic = (struct logic){
		.name = "rtl",
		.ops = &ops,
		.state = r,
		.vectors = p.vectors,
		.aperture_bytes = (uint64_t)p.slices << p.slice_shift,
		.pool_bytes = POOL_BYTES,
	};
	return 0;
}
