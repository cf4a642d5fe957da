// SPDX-License-Identifier: Apache-2.0
/* Recordings as traces: numbers of GPUs, lines, releases, times. */
#include "../recording.h"

#include <trace.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/test-recording-XXXXXX.csv";

static int make_path(void **state)
{
	int fd = mkstemps(path, 4);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
	(void)state;
	return unlink(path);
}

static void add(struct recording *recording, unsigned operation, uint32_t pid, uint64_t time_ns, unsigned partition,
		uint64_t address, uint64_t bytes)
{
	const struct watch_record record = {.time_ns = time_ns, .start_ns = 7, .queue = 1, .address = address, .bytes = bytes,
					    .pid = pid, .partition = (uint16_t)partition, .operation = (uint16_t)operation};

	assert_int_equal(recording_add(recording, &record), 0);
}

/* Writes the trace, and compares it. */
static void expect(struct recording *recording, struct recording_sums *sums, const char *text)
{
	struct failure error;
	char got[4096];
	FILE *file;

	assert_int_equal(recording_write(recording, path, sums, &error), 0);
	recording_end(recording);
	file = fopen(path, "r");
	got[fread(got, 1, sizeof(got) - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(got, text);
}

#define HEAD(gpus) "gpus," gpus "\ntime_ps,operation,source,destination,address,size\n"

static void processes_come_before_partitions(void **state)
{
	struct recording *recording = recording_begin();
	struct recording_sums sums;

	(void)state;
	add(recording, WATCH_STORE, 100, 1000, 5, 64, 8);
	add(recording, WATCH_STORE, 100, 1001, 2, 0, 4);
	add(recording, WATCH_LOAD, 200, 1002, 2, 8, 8);
	add(recording, WATCH_ATOMIC, 200, 1003, 5, 16, 8);
	expect(recording, &sums,
	       HEAD("4") "0,store,0,2,0x40,8\n1000,store,0,3,0x0,4\n2000,load,1,3,0x8,8\n3000,atomic,1,2,0x10,8\n");
	assert_int_equal(sums.operations, 4);
	assert_int_equal(sums.processes, 2);
	assert_int_equal(sums.partitions, 2);
	assert_int_equal(sums.left_out, 0);
}

static void stores_are_cut_at_lines(void **state)
{
	struct recording *recording = recording_begin();
	struct recording_sums sums;

	(void)state;
	add(recording, WATCH_STORE, 1, 5, 0, 100, 300);
	expect(recording, &sums,
	       HEAD("2") "0,store,0,1,0x64,28\n0,store,0,1,0x80,128\n0,store,0,1,0x100,128\n0,store,0,1,0x180,16\n");
}

/* A release is of the partitions stored to since the last one; loads need none. */
static void releases_are_of_partitions_stored_to(void **state)
{
	struct recording *recording = recording_begin();
	struct recording_sums sums;

	(void)state;
	add(recording, WATCH_OP_RELEASE, 9, 1, 0, 0, 0); /* of a process without operations */
	add(recording, WATCH_STORE, 1, 2, 0, 0, 8);
	add(recording, WATCH_LOAD, 1, 2, 1, 0, 8);
	add(recording, WATCH_OP_RELEASE, 1, 3, 0, 0, 0);
	add(recording, WATCH_OP_RELEASE, 1, 4, 0, 0, 0);
	add(recording, WATCH_OP_ADDRESS, 1, 5, 0, 0, 0);
	expect(recording, &sums, HEAD("3") "1000,store,0,1,0x0,8\n1000,load,0,2,0x0,8\n2000,release,0,1,0x0,0\n");
	assert_int_equal(sums.addresses, 1);
	assert_int_equal(sums.left_out, 0);
}

/* Threads of one process: its time in the trace does not decrease. */
static void times_of_a_process_do_not_decrease(void **state)
{
	struct recording *recording = recording_begin();
	struct recording_sums sums;

	(void)state;
	add(recording, WATCH_STORE, 1, 10, 0, 0, 8);
	add(recording, WATCH_STORE, 1, 30, 0, 8, 8);
	add(recording, WATCH_STORE, 1, 20, 0, 16, 8);
	add(recording, WATCH_STORE, 2, 20, 0, 24, 8);
	add(recording, WATCH_STORE, 1, 5, 0, 32, 8);
	expect(recording, &sums, HEAD("3") "0,store,0,2,0x0,8\n20000,store,0,2,0x8,8\n20000,store,0,2,0x10,8\n"
					   "10000,store,1,2,0x18,8\n20000,store,0,2,0x20,8\n");
}

static void more_processes_than_gpus_are_left_out(void **state)
{
	struct recording *recording = recording_begin();
	struct recording_sums sums;
	struct failure error;

	(void)state;
	for (uint32_t pid = 1; pid <= 70; pid++)
		add(recording, WATCH_STORE, pid, pid, 0, 0, 8);
	assert_int_equal(recording_write(recording, path, &sums, &error), 0);
	recording_end(recording);
	assert_int_equal(sums.processes, 63);
	assert_int_equal(sums.operations, 63);
	assert_int_equal(sums.left_out, 7);
}

/* The writer's refusal is reported. */
static void what_a_trace_cannot_hold_is_refused(void **state)
{
	struct recording *recording = recording_begin();
	struct recording_sums sums;
	struct failure error;

	(void)state;
	add(recording, WATCH_STORE, 1, 1, 0, UINT64_C(1) << 60, 8);
	assert_true(recording_write(recording, path, &sums, &error) < 0);
	assert_non_null(strstr(error.text, "address"));
	recording_end(recording);
}

static void nothing_is_a_trace(void **state)
{
	struct recording_sums sums;

	(void)state;
	expect(recording_begin(), &sums, HEAD("1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_come_before_partitions),
		cmocka_unit_test(stores_are_cut_at_lines),
		cmocka_unit_test(releases_are_of_partitions_stored_to),
		cmocka_unit_test(times_of_a_process_do_not_decrease),
		cmocka_unit_test(more_processes_than_gpus_are_left_out),
		cmocka_unit_test(what_a_trace_cannot_hold_is_refused),
		cmocka_unit_test(nothing_is_a_trace),
	};

	return cmocka_run_group_tests(tests, make_path, remove_path);
}
