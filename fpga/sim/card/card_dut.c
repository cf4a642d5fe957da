// SPDX-License-Identifier: Apache-2.0
#include "card_dut_streams.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CLOCKS_MAX     4000000u
/* Latency of the registered `busy` and of output registers. */
#define QUIET_CLOCKS 48u
/* Transactions that may wait before the card's port when a read completes: SLACK of glk_pcie_order. */
#define SLACK 8u

static bool nothing_under_way(const struct card_dut *dut)
{
	return !card_dut_busy(dut) && !dut->out.cpl.valid && !dut->out.mem.valid && !dut->out.pool.valid && !dut->out.tap.valid;
}

void card_dut_read_clocks(struct card_dut *dut, unsigned clocks)
{
	dut->config.read_clocks = clocks;
}

void card_dut_clock(struct card_dut *dut)
{
	const struct card_dut_ops *ops = dut->config.ops;

	card_dut_offer(dut);
	dut->in.link_in.valid = ops->block_comes && ops->block_comes(dut->config.user, &dut->in.link_in);
	card_pins_clock(dut->pins, &dut->in, &dut->out);
	card_dut_take(dut);
	dut->in.link_in_cut = false;
	if (dut->out.link_out.valid && ops->block_goes)
		ops->block_goes(dut->config.user, &dut->out.link_out);
	dut->clocks++;
	dut->quiet = nothing_under_way(dut) ? dut->quiet + 1 : 0;
}

static bool in_time(struct card_dut *dut, uint64_t since)
{
	if (dut->clocks - since < dut->limit)
		return true;
	card_dut_breach(dut, "timeout after %" PRIu64 " clocks", dut->limit);
	return false;
}

/* --- user interface --- */

/* The card first clears its tables and ignores writes meanwhile. */
static int settle_alone(struct card_dut *dut)
{
	static const struct card_dut_ops nobody = { 0 };
	const struct card_dut_ops *ops = dut->config.ops;
	int error;

	dut->config.ops = &nobody;
	error = card_dut_settle(dut);
	dut->config.ops = ops;
	return error;
}

int card_dut_create(const struct card_dut_config *config, struct card_dut **out)
{
	struct card_dut *dut = calloc(1, sizeof(*dut));
	int error;

	if (!dut)
		return -ENOMEM;
	dut->config = *config;
	dut->limit = config->clocks_max ? config->clocks_max : CLOCKS_MAX;
	dut->quiet_wanted = QUIET_CLOCKS;
	card_pins_parameters(&dut->p);
	dut->in.pool_bytes = config->pool_bytes;
	dut->in.serial = config->serial;
	dut->in.link = config->link;
	dut->in.cluster = config->cluster;
	dut->in.link_session = config->link_session;
	dut->pool = calloc(1, config->pool_bytes + 1);
	dut->pins = dut->pool ? card_pins_create(&dut->in, config->wave) : NULL;
	if (!dut->pins) {
		free(dut->pool);
		free(dut);
		return -ENOMEM;
	}
	error = settle_alone(dut);
	if (error) {
		card_dut_destroy(dut);
		return error;
	}
	*out = dut;
	return 0;
}

int card_dut_reset(struct card_dut *dut)
{
	struct card_in *in = &dut->in;

	in->flr = in->req.valid = in->rd.valid = in->pool_q.valid = in->inject.valid = in->link_in.valid = in->link_in_cut =
		false;
	card_pins_reset(dut->pins, in);
	memset(&dut->out, 0, sizeof(dut->out));
	dut->held_cpl = dut->held_mem = dut->held_pool = dut->held_tap = false;
	dut->post_count = dut->post_at = dut->read_after = dut->reading_count = dut->write_at = 0;
	dut->read = READ_NONE;
	dut->pool_at = dut->pool_count = 0;
	dut->packet_bytes = dut->inject_bytes = dut->inject_at = 0;
	dut->quiet = 0;
	return settle_alone(dut);
}

void card_dut_destroy(struct card_dut *dut)
{
	if (!dut)
		return;
	card_pins_destroy(dut->pins);
	free(dut->pool);
	free(dut);
}

int card_dut_post(struct card_dut *dut, unsigned bar, uint64_t offset, const void *data, size_t len, bool poisoned)
{
	struct post *post = &dut->posts[(dut->post_first + dut->post_count) % POSTS_MAX];

	if (len == 0 || offset % PAGE + len > PAGE)
		return -EINVAL;
	if (dut->post_count == POSTS_MAX)
		return -EAGAIN;
	*post = (struct post){ .bar = bar, .offset = offset, .length = (unsigned)len, .poisoned = poisoned };
	memcpy(post->data, data, len);
	dut->post_count++;
	dut->quiet = 0;
	return 0;
}

static int post_soon(struct card_dut *dut, unsigned bar, uint64_t offset, const void *data, size_t len, bool poisoned)
{
	uint64_t since = dut->clocks;
	int error;

	while ((error = card_dut_post(dut, bar, offset, data, len, poisoned)) == -EAGAIN && in_time(dut, since))
		card_dut_clock(dut);
	return error == -EAGAIN ? -ETIMEDOUT : error;
}

int card_dut_post_soon(struct card_dut *dut, unsigned bar, uint64_t offset, const void *data, size_t len)
{
	return post_soon(dut, bar, offset, data, len, false);
}

static int write_all(struct card_dut *dut, unsigned bar, uint64_t offset, const void *data, size_t len, bool poisoned)
{
	uint64_t since = dut->clocks;
	int error = post_soon(dut, bar, offset, data, len, poisoned);

	while (!error && dut->post_count) {
		card_dut_clock(dut);
		error = in_time(dut, since) ? 0 : -ETIMEDOUT;
	}
	return error;
}

int card_dut_write(struct card_dut *dut, unsigned bar, uint64_t offset, const void *data, size_t len)
{
	return write_all(dut, bar, offset, data, len, false);
}

int card_dut_write_poisoned(struct card_dut *dut, unsigned bar, uint64_t offset, const void *data, size_t len)
{
	return write_all(dut, bar, offset, data, len, true);
}

void card_dut_cut(struct card_dut *dut)
{
	dut->in.link_in_cut = true;
}

int card_dut_read_begin(struct card_dut *dut, unsigned bar, uint64_t offset, size_t len)
{
	if (offset % PAGE + len > PAGE)
		return -EINVAL;
	if (dut->read != READ_NONE)
		return -EBUSY;
	dut->read = READ_WAITS;
	dut->read_bar = bar;
	dut->read_offset = offset;
	dut->read_length = (unsigned)len;
	dut->read_at = 0;
	dut->read_id++;
	dut->read_after = dut->post_count;
	dut->quiet = 0;
	return 0;
}

bool card_dut_read_end(const struct card_dut *dut, void *data)
{
	if (dut->read == READ_NONE)
		memcpy(data, dut->read_data, dut->read_length);
	return dut->read == READ_NONE;
}

int card_dut_read(struct card_dut *dut, unsigned bar, uint64_t offset, void *data, size_t len)
{
	uint64_t since = dut->clocks;
	int error = card_dut_read_begin(dut, bar, offset, len);

	if (error)
		return error == -EBUSY ? -ETIMEDOUT : error; /* an abandoned read */
	while (dut->read != READ_NONE && in_time(dut, since))
		card_dut_clock(dut);
	return card_dut_read_end(dut, data) ? 0 : -ETIMEDOUT;
}

unsigned card_dut_posts(const struct card_dut *dut)
{
	return dut->post_count;
}

bool card_dut_reading(const struct card_dut *dut, uint64_t from, uint64_t bytes)
{
	for (unsigned i = 0; i < dut->reading_count; i++) {
		const struct reading *reading = &dut->readings[i];

		if (reading->length && reading->address < from + bytes && reading->address + reading->length > from)
			return true;
	}
	return false;
}

bool card_dut_writing(const struct card_dut *dut, uint64_t from, uint64_t bytes)
{
	return dut->out.mem.valid && dut->out.mem.kind == KIND_WRITE && dut->out.mem.address < from + bytes &&
	       dut->out.mem.address + dut->out.mem.length > from;
}

int card_dut_pass(struct card_dut *dut)
{
	unsigned before = dut->requests;
	uint64_t since = dut->clocks;

	while ((dut->out.mem.valid || dut->write_at) && dut->requests - before < SLACK) {
		if (!in_time(dut, since))
			return -ETIMEDOUT;
		card_dut_clock(dut);
	}
	return 0;
}

void card_dut_flr_begin(struct card_dut *dut)
{
	dut->in.flr = true;
	dut->out.flr_done = false;
}

bool card_dut_flr_end(struct card_dut *dut)
{
	if (dut->in.flr && dut->out.flr_done)
		dut->in.flr = false;
	return !dut->in.flr;
}

int card_dut_flr(struct card_dut *dut)
{
	uint64_t since = dut->clocks;

	card_dut_flr_begin(dut);
	do
		card_dut_clock(dut);
	while (!card_dut_flr_end(dut) && in_time(dut, since));
	dut->in.flr = false;
	card_dut_clock(dut);
	return dut->clocks - since < dut->limit ? 0 : -ETIMEDOUT;
}

int card_dut_inject(struct card_dut *dut, const uint8_t *packet, size_t len)
{
	if (len == 0 || len > CARD_DUT_PACKET_MAX)
		return -EINVAL;
	if (dut->inject_at < dut->inject_bytes)
		return -EAGAIN;
	memcpy(dut->injected, packet, len);
	dut->inject_bytes = len;
	dut->inject_at = 0;
	/* The card does not report when it has processed the packet: it takes one sub-header per clock. */
	dut->quiet_wanted = QUIET_CLOCKS + (unsigned)len;
	dut->quiet = 0;
	return 0;
}

void card_dut_set_now(struct card_dut *dut, uint64_t now_ns)
{
	dut->in.now_ns = now_ns;
	dut->quiet = 0;
}

bool card_dut_busy(const struct card_dut *dut)
{
	return dut->out.busy || dut->post_count || dut->read != READ_NONE || dut->reading_count || dut->pool_count ||
	       dut->inject_at < dut->inject_bytes;
}

bool card_dut_holding(const struct card_dut *dut)
{
	return dut->out.holding;
}

int card_dut_settle(struct card_dut *dut)
{
	uint64_t since = dut->clocks;

	/* A doorbell just accepted may not be visible yet. */
	if (dut->quiet < dut->quiet_wanted)
		dut->quiet = 0;
	while (dut->quiet < dut->quiet_wanted && in_time(dut, since))
		card_dut_clock(dut);
	if (dut->quiet < dut->quiet_wanted)
		return -ETIMEDOUT;
	dut->quiet_wanted = QUIET_CLOCKS;
	return 0;
}

uint64_t card_dut_clocks(const struct card_dut *dut)
{
	return dut->clocks;
}

const uint8_t *card_dut_pool(const struct card_dut *dut)
{
	return dut->pool;
}

const char *card_dut_fault(const struct card_dut *dut)
{
	return dut->fault[0] ? dut->fault : NULL;
}
