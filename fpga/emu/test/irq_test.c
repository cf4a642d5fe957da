// SPDX-License-Identifier: Apache-2.0
/* Interrupts: sent, pending, and invalid file descriptors. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "../pci/irq.h"

#define VECTOR 7u

struct bench {
	struct irq irq;
	int event; /* ours; the vector has a copy */
};

static struct bench bench;

static int setup(void **state)
{
	irq_init(&bench.irq);
	bench.event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	*state = &bench;
	return bench.event < 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	irq_set(&b->irq, 0, IRQ_VECTORS_MAX, NULL);
	return close(b->event);
}

/* Number of signals since the last call. */
static uint64_t events(const struct bench *b)
{
	uint64_t count;

	return read(b->event, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

static int give(struct bench *b, unsigned vector)
{
	int fd = dup(b->event);

	assert_true(fd >= 0);
	return irq_set(&b->irq, vector, 1, &fd);
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) != -1;
}

static void sends_at_once(void **state)
{
	struct bench *b = *state;

	irq_enable(&b->irq, true);
	assert_int_equal(give(b, VECTOR), 0);
	assert_int_equal(events(b), 0);
	irq_raise(&b->irq, VECTOR);
	assert_int_equal(events(b), 1);
	irq_raise(&b->irq, VECTOR);
	irq_raise(&b->irq, VECTOR);
	assert_int_equal(events(b), 2);
	irq_raise(&b->irq, VECTOR + 1);
	irq_raise(&b->irq, 0);
	irq_raise(&b->irq, IRQ_VECTORS_MAX - 1);
	assert_int_equal(events(b), 0);
}

static void pending_without_eventfd(void **state)
{
	struct bench *b = *state;

	irq_enable(&b->irq, true);
	irq_raise(&b->irq, VECTOR);
	irq_raise(&b->irq, VECTOR);
	assert_int_equal(give(b, VECTOR + 1), 0);
	assert_int_equal(events(b), 0);
	assert_int_equal(give(b, VECTOR), 0);
	assert_int_equal(events(b), 1); /* one bit, as in the pending array of MSI-X */
	assert_int_equal(irq_set(&b->irq, VECTOR, 1, NULL), 0);
	irq_raise(&b->irq, VECTOR);
	assert_int_equal(events(b), 0);
	assert_int_equal(give(b, VECTOR), 0);
	assert_int_equal(events(b), 1);
	assert_int_equal(give(b, VECTOR), 0); /* sent once only */
	assert_int_equal(events(b), 0);
}

static void pending_while_disabled(void **state)
{
	struct bench *b = *state;

	assert_int_equal(give(b, VECTOR), 0);
	irq_raise(&b->irq, VECTOR);
	assert_int_equal(events(b), 0);
	irq_enable(&b->irq, true);
	assert_int_equal(events(b), 1);
	irq_enable(&b->irq, true);
	assert_int_equal(events(b), 0);
	irq_enable(&b->irq, false);
	irq_raise(&b->irq, VECTOR);
	assert_int_equal(events(b), 0);
	irq_clear(&b->irq);
	irq_enable(&b->irq, true);
	assert_int_equal(events(b), 0); /* forgotten */
}

static void rejects_other_files(void **state)
{
	struct bench *b = *state;
	int wrong[4], other[2];

	irq_enable(&b->irq, true);
	assert_int_equal(give(b, VECTOR), 0);
	assert_int_equal(pipe(other), 0);
	wrong[0] = other[1];
	wrong[1] = memfd_create("anon_inode:[eventfd]", MFD_CLOEXEC);
	wrong[2] = open("/dev/null", O_RDWR | O_CLOEXEC);
	wrong[3] = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	for (unsigned i = 0; i < 4; i++) {
		int fds[3] = { dup(b->event), wrong[i], dup(b->event) };

		assert_true(wrong[i] >= 0);
		assert_int_equal(irq_set(&b->irq, VECTOR - 1, 3, fds), -EINVAL);
		for (unsigned k = 0; k < 3; k++)
			assert_false(is_open(fds[k]));
		irq_raise(&b->irq, VECTOR - 1);
		assert_int_equal(events(b), 0);
		irq_raise(&b->irq, VECTOR); /* what it had before */
		assert_int_equal(events(b), 1);
	}
	close(other[0]);
	assert_int_equal(irq_set(&b->irq, VECTOR, 1, &(int){ 1000000 }), -EINVAL);
}

static void replaced_fds_are_closed(void **state)
{
	struct bench *b = *state;
	int first = dup(b->event), second = dup(b->event);

	assert_int_equal(irq_set(&b->irq, VECTOR, 1, &first), 0);
	assert_int_equal(irq_set(&b->irq, VECTOR, 1, &second), 0);
	assert_false(is_open(first));
	assert_true(is_open(second));
	assert_int_equal(irq_set(&b->irq, VECTOR, 1, NULL), 0);
	assert_false(is_open(second));
}

/* The client keeps the eventfd too: it may fill the counter, and make it block again for both. */
static void full_counter_does_not_block(void **state)
{
	struct bench *b = *state;
	const uint64_t most = UINT64_MAX - 1;

	irq_enable(&b->irq, true);
	assert_int_equal(give(b, VECTOR), 0);
	assert_int_equal(write(b->event, &most, sizeof(most)), sizeof(most));
	alarm(5);
	irq_raise(&b->irq, VECTOR);
	assert_int_equal(fcntl(b->event, F_SETFL, 0), 0);
	irq_raise(&b->irq, VECTOR);
	alarm(0);
	assert_true(events(b) == most);
	irq_raise(&b->irq, VECTOR);
	assert_int_equal(events(b), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sends_at_once, setup, teardown),
		cmocka_unit_test_setup_teardown(pending_without_eventfd, setup, teardown),
		cmocka_unit_test_setup_teardown(pending_while_disabled, setup, teardown),
		cmocka_unit_test_setup_teardown(rejects_other_files, setup, teardown),
		cmocka_unit_test_setup_teardown(replaced_fds_are_closed, setup, teardown),
		cmocka_unit_test_setup_teardown(full_counter_does_not_block, setup, teardown),
	};

	return cmocka_run_group_tests_name("irq", tests, NULL, NULL);
}
