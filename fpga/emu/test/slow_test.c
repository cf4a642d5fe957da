// SPDX-License-Identifier: Apache-2.0
/*
 * The Verilated card on a slow machine: logic_rtl.c on a fake simulation, whose clocks take as much time as the test says. QEMU
 * waits for every write and every read, and gives a card up after 5 s.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <card/card_dut.h>

#include "../logic/logic.h"
#include "../process/server.h"

#define S   UINT64_C(1000000000)
#define MS  UINT64_C(1000000)
#define US  UINT64_C(1000)
#define GIVEN_UP (5 * S)

/* The simulation, which can do one thing at a time. */
static struct {
	uint64_t clocks, clock_takes_ns, now_ns;
	uint64_t card_ns, longest_step_ns; /* time that the card is told */
	uint64_t read_takes, write_takes, flr_takes; /* clocks */
	uint64_t read_until, write_until, flr_until;
	bool reading, busy;
	unsigned posts, logs;
} fake;

static struct logic logic;

uint64_t server_now_ns(void)
{
	return fake.now_ns;
}

void server_log(const char *name, const char *format, ...)
{
	(void)name;
	(void)format;
	fake.logs++;
}

void card_pins_parameters(struct card_parameters *p)
{
	*p = (struct card_parameters){ .partitions = 16, .entries = 64, .slices = 1024, .slice_shift = 20, .vectors = 8 };
}

int card_dut_create(const struct card_dut_config *config, struct card_dut **dut)
{
	(void)config;
	*dut = (struct card_dut *)&fake;
	return 0;
}

void card_dut_destroy(struct card_dut *dut)
{
	(void)dut;
}

void card_dut_clock(struct card_dut *dut)
{
	(void)dut;
	fake.clocks++;
	fake.now_ns += fake.clock_takes_ns;
	if (fake.clocks >= fake.read_until)
		fake.reading = false;
	if (fake.clocks >= fake.write_until && fake.posts) {
		fake.posts--;
		fake.write_until += fake.write_takes;
	}
}

int card_dut_post(struct card_dut *dut, unsigned bar, uint64_t offset, const void *data, size_t len, bool poisoned)
{
	(void)dut, (void)bar, (void)offset, (void)data, (void)len, (void)poisoned;
	if (fake.posts == 64)
		return -EAGAIN;
	if (!fake.posts++)
		fake.write_until = fake.clocks + fake.write_takes;
	return 0;
}

unsigned card_dut_posts(const struct card_dut *dut)
{
	(void)dut;
	return fake.posts;
}

int card_dut_read_begin(struct card_dut *dut, unsigned bar, uint64_t offset, size_t len)
{
	(void)dut, (void)bar, (void)offset, (void)len;
	if (fake.reading)
		return -EBUSY;
	fake.reading = true;
	fake.read_until = fake.clocks + fake.posts * fake.write_takes + fake.read_takes;
	return 0;
}

bool card_dut_read_end(const struct card_dut *dut, void *data)
{
	const uint64_t value = 0x1122334455667788;

	(void)dut;
	if (!fake.reading)
		memcpy(data, &value, sizeof(value));
	return !fake.reading;
}

void card_dut_flr_begin(struct card_dut *dut)
{
	(void)dut;
	fake.flr_until = fake.clocks + fake.flr_takes;
}

bool card_dut_flr_end(struct card_dut *dut)
{
	(void)dut;
	return fake.clocks >= fake.flr_until;
}

void card_dut_cut(struct card_dut *dut)
{
	(void)dut;
}

void card_dut_set_now(struct card_dut *dut, uint64_t now_ns)
{
	(void)dut;
	assert_true(now_ns >= fake.card_ns);
	if (fake.card_ns && now_ns - fake.card_ns > fake.longest_step_ns)
		fake.longest_step_ns = now_ns - fake.card_ns;
	fake.card_ns = now_ns;
}

bool card_dut_busy(const struct card_dut *dut)
{
	(void)dut;
	return fake.busy || fake.posts || fake.reading;
}

bool card_dut_holding(const struct card_dut *dut)
{
	(void)dut;
	return false;
}

uint64_t card_dut_clocks(const struct card_dut *dut)
{
	(void)dut;
	return fake.clocks;
}

const char *card_dut_fault(const struct card_dut *dut)
{
	(void)dut;
	return NULL;
}

static int setup(void **state)
{
	const struct logic_config config = { .serial = 1 };

	(void)state;
	memset(&fake, 0, sizeof(fake));
	fake.now_ns = 1000 * S;
	fake.clock_takes_ns = 20 * US;
	fake.read_takes = 50;
	fake.write_takes = 4;
	return logic_rtl_create(&config, &logic);
}

static int teardown(void **state)
{
	(void)state;
	logic.ops->destroy(logic.state);
	return 0;
}

/* Between two looks at the socket there are few clocks, however busy the card is. */
static void looks_at_the_socket(void **state)
{
	uint64_t before;

	(void)state;
	fake.busy = true;
	for (unsigned i = 0; i < 100; i++) {
		before = fake.clocks;
		logic.ops->advance(logic.state, fake.now_ns);
		assert_true(logic.ops->serve(logic.state));
		assert_in_range(fake.clocks - before, 1, 8);
	}
	/* Timeouts take effect on an idle card, too, and then it stands still. */
	fake.busy = false;
	while (logic.ops->serve(logic.state))
		;
	fake.now_ns += S;
	before = fake.clocks;
	do
		logic.ops->advance(logic.state, fake.now_ns);
	while (logic.ops->serve(logic.state));
	assert_in_range(fake.clocks - before, 64, 128);
}

/* The client waits for each write, so a read has only the card's clocks before it. */
static void writes_are_few(void **state)
{
	uint64_t value = 1, before;

	(void)state;
	assert_true(logic.slow);
	for (unsigned i = 0; i < 1000; i++) {
		before = fake.clocks;
		logic.ops->aperture_store(logic.state, 8 * i, &value, sizeof(value));
		assert_in_range(fake.clocks - before, 0, 64 * fake.write_takes);
	}
	before = fake.clocks;
	assert_int_equal(logic.ops->register_read(logic.state, 0, 8), 0x1122334455667788);
	assert_in_range(fake.clocks - before, 1, 64 * fake.write_takes + fake.read_takes);
	assert_int_equal(fake.logs, 0);
}

/* 100 ms a clock: nothing is complete in time, and everything is answered in time. */
static void answers_in_time(void **state)
{
	uint64_t value = 1, began;

	(void)state;
	fake.clock_takes_ns = 100 * MS;
	for (unsigned i = 0; i < 100; i++) {
		began = fake.now_ns;
		logic.ops->register_write(logic.state, 0, 8, value);
		assert_true(fake.now_ns - began < GIVEN_UP);
	}
	began = fake.now_ns;
	assert_int_equal(logic.ops->register_read(logic.state, 0, 8), UINT64_MAX);
	assert_true(fake.now_ns - began < GIVEN_UP);
	assert_true(fake.logs > 0);
	began = fake.now_ns;
	logic.ops->aperture_load(logic.state, 0, &value, sizeof(value)); /* behind the read that is not complete */
	assert_int_equal(value, UINT64_MAX);
	assert_true(fake.now_ns - began < GIVEN_UP);
	began = fake.now_ns;
	fake.flr_takes = 1000;
	logic.ops->reset(logic.state);
	assert_true(fake.now_ns - began < GIVEN_UP);
	/* The machine has time again. */
	fake.clock_takes_ns = 20 * US;
	fake.flr_takes = 0;
	assert_int_equal(logic.ops->register_read(logic.state, 0, 8), 0x1122334455667788);
	logic.ops->aperture_load(logic.state, 0, &value, sizeof(value));
	assert_int_equal(value, 0x1122334455667788);
}

/* The card's timeouts count its own clocks where the machine is slow, and time where the card has nothing to do. */
static void time_is_the_cards(void **state)
{
	(void)state;
	logic.ops->advance(logic.state, fake.now_ns);
	fake.now_ns += 3 * S;
	logic.ops->advance(logic.state, fake.now_ns);
	assert_true(fake.longest_step_ns == 3 * S);
	fake.busy = true;
	logic.ops->advance(logic.state, fake.now_ns);
	fake.longest_step_ns = 0;
	fake.clock_takes_ns = 10 * MS;
	for (unsigned i = 0; i < 100; i++) {
		fake.now_ns += 100 * MS;
		logic.ops->advance(logic.state, fake.now_ns);
		logic.ops->serve(logic.state);
	}
	assert_true(fake.longest_step_ns > 0 && fake.longest_step_ns <= MS);
	fake.clock_takes_ns = 20 * US; /* a machine that is fast enough: real time */
	fake.longest_step_ns = 0;
	logic.ops->serve(logic.state);
	logic.ops->advance(logic.state, fake.now_ns);
	assert_true(fake.longest_step_ns > 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(looks_at_the_socket), TEST(writes_are_few), TEST(answers_in_time), TEST(time_is_the_cards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
