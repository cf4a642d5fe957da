// SPDX-License-Identifier: Apache-2.0
/*
 * Hostile clients: each invalid message by itself, then tens of thousands at random. The server answers with an error or
 * disconnects, and then serves the next client normally.
 *
 * SEED=N in the environment, or --seed N, repeats a random run.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <cmocka.h>

#include "hostile.h"
#include "machine.h"

#define MESSAGES 25000u /* to each program */

static uint64_t seed;

/* The server still responds, and has no leaked descriptors or mappings. */
static void check_well(struct machine *m, unsigned fds)
{
	assert_int_equal(client_config(&m->card, 0, 2), GLK_PCI_VENDOR);
	assert_int_equal(process_fds(&m->card_process), fds);
}

/* The card disconnects, and accepts a new client. */
static void check_hung_up(struct machine *m, unsigned fds)
{
	assert_int_equal(client_receive(&m->card), -ECONNRESET);
	client_close(&m->card);
	assert_int_equal(client_open(&m->card, m->card_path), 0);
	check_well(m, fds);
}

static void sizes_out_of_range(void **state)
{
	static const uint32_t wrong[] = { 0, 1, 15, VFU_MESSAGE_MAX + 1, 1u << 31, UINT32_MAX };
	struct machine *m = machine_start(state);
	unsigned fds = process_fds(&m->card_process);
	static uint8_t most[VFU_MESSAGE_MAX - sizeof(struct vfu_header)];

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct vfu_header header = client_header(&m->card, VFU_GET_INFO, 0);

		header.size = wrong[i];
		assert_int_equal(client_send(&m->card, &header, sizeof(header), &m->host_fd, 1), 0);
		check_hung_up(m, fds);
	}
	/* The largest there may be is no error by itself. */
	assert_int_equal(client_request(&m->card, VFU_GET_INFO, most, sizeof(most), NULL, 0), 0);
	assert_int_equal(client_request(&m->card, VFU_VERSION, most, sizeof(most), NULL, 0), -EINVAL);
	check_well(m, fds);
}

static int raw_access(struct client *c, unsigned command, struct vfu_wire_access access, size_t data)
{
	uint8_t payload[4096] = { 0 };

	memcpy(payload, &access, sizeof(access));
	return client_request(c, command, payload, sizeof(access) + data, NULL, 0);
}

static void accesses_out_of_bounds(void **state)
{
	struct machine *m = machine_start(state);
	static const uint64_t sizes[VFU_REGIONS] = { [0] = 1 << 20, [2] = 1 << 30, [4] = 16 << 20, [7] = 4096 };
	const struct vfu_wire_access most = { 0, APERTURE, VFU_MESSAGE_MAX - 32 }, eight = { 0, APERTURE, 8 };
	const struct vfu_wire_access too_much = { 0, APERTURE, most.count + 1 };
	unsigned fds = process_fds(&m->card_process);

	for (uint32_t region = 0; region < VFU_REGIONS + 2; region++) {
		uint64_t size = region < VFU_REGIONS ? sizes[region] : 0;
		const struct vfu_wire_access wrong[] = {
			{ size - 7, region, 8 },    { size, region, 8 },	 { size, region, 1 },
			{ UINT64_MAX, region, 8 },  { UINT64_MAX - 7, region, 8 }, { UINT64_C(1) << 63, region, 8 },
			{ 0, region, 0 },	    { 0, region, UINT32_MAX },	 { 8, region, UINT32_MAX - 7 },
		};

		for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
			assert_int_equal(raw_access(&m->card, VFU_REGION_READ, wrong[i], 0), -EINVAL);
			assert_int_equal(raw_access(&m->card, VFU_REGION_WRITE, wrong[i], 8), -EINVAL);
		}
	}
	/* More than a reply can hold; a payload of wrong size, or missing. */
	assert_int_equal(raw_access(&m->card, VFU_REGION_READ, too_much, 0), -EINVAL);
	assert_int_equal(raw_access(&m->card, VFU_REGION_READ, most, 0), 0);
	assert_int_equal(raw_access(&m->card, VFU_REGION_WRITE, eight, 7), -EINVAL);
	assert_int_equal(raw_access(&m->card, VFU_REGION_WRITE, eight, 9), -EINVAL);
	assert_int_equal(client_request(&m->card, VFU_REGION_READ, "12345678", 8, NULL, 0), -EINVAL);
	assert_int_equal(client_request(&m->card, VFU_REGION_WRITE, NULL, 0, NULL, 0), -EINVAL);
	check_well(m, fds);
}

static void register_accesses(void **state)
{
	static const struct vfu_wire_access wrong[] = {
		{ GLK_CARD_SCRATCH, REGISTERS, 3 },	{ GLK_CARD_SCRATCH, REGISTERS, 5 },
		{ GLK_CARD_SCRATCH, REGISTERS, 16 },	{ GLK_CARD_SCRATCH, REGISTERS, 4000 },
		{ GLK_CARD_SCRATCH + 4, REGISTERS, 8 }, { GLK_CARD_SCRATCH + 1, REGISTERS, 2 },
	};
	struct machine *m = machine_start(state);

	machine_set(m, GLK_CARD_SCRATCH, 0x1234);
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(raw_access(&m->card, VFU_REGION_READ, wrong[i], 0), -EINVAL);
		assert_int_equal(raw_access(&m->card, VFU_REGION_WRITE, wrong[i], wrong[i].count), -EINVAL);
	}
	assert_int_equal(machine_get(m, GLK_CARD_SCRATCH), 0x1234);
}

static void invalid_dma_maps(void **state)
{
	const uint64_t at = MACHINE_HOST + (1 << 30);
	const struct vfu_wire_dma_map wrong[] = {
		{ 32, 3, 0, at + 1, 4096 },		    { 32, 3, 0, at, 4097 },
		{ 32, 3, 1, at, 4096 },			    { 32, 3, 0, at, 0 },
		{ 32, 3, 0, UINT64_MAX - 4095, 8192 },	    { 32, 3, 0, at, UINT64_MAX },
		{ 32, 3, 0, at, MACHINE_HOST_BYTES + 4096 }, { 32, 3, MACHINE_HOST_BYTES, at, 4096 },
		{ 32, 4, 0, at, 4096 },			    { 32, 3, UINT64_MAX - 4095, at, 8192 },
		{ 32, 3, 0, at, UINT64_C(1) << 62 },
	};
	struct machine *m = machine_start(state);
	struct client *c = &m->card;
	unsigned fds = process_fds(&m->card_process);
	int pipes[2], two[2] = { m->host_fd, m->host_fd };

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(client_request(c, VFU_DMA_MAP, &wrong[i], sizeof(wrong[i]), &m->host_fd, 1), -EINVAL);
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(client_dma_map(c, at, 4096, 0, 3, pipes[i]), -EINVAL);
		close(pipes[i]);
	}
	assert_int_equal(client_request(c, VFU_DMA_MAP, &wrong[0], 31, &m->host_fd, 1), -EINVAL);
	assert_int_equal(client_request(c, VFU_DMA_MAP, &(struct vfu_wire_dma_map){ 32, 3, 0, at, 4096 }, 32, two, 2),
			 -EINVAL);
	assert_int_equal(client_dma_map(c, MACHINE_HOST + 4096, 4096, 0, 3, m->host_fd), -EEXIST);
	assert_int_equal(client_dma_map(c, 0, MACHINE_HOST + 4096, 0, 3, -1), -EEXIST);
	assert_int_equal(client_dma_map(c, 0, UINT64_C(1) << 60, 0, 3, -1), -EEXIST);
	assert_int_equal(client_dma_unmap(c, MACHINE_HOST, 4096, 0), -EINVAL);
	assert_int_equal(client_dma_unmap(c, MACHINE_HOST, UINT64_MAX, 0), -EINVAL);
	assert_int_equal(client_dma_unmap(c, MACHINE_HOST, 0, 0), -EINVAL);
	assert_int_equal(client_dma_unmap(c, MACHINE_HOST, MACHINE_HOST_BYTES, 1), -EINVAL);
	assert_int_equal(process_mappings(&m->card_process, "emu-test-host"), 1);
	check_well(m, fds);
	machine_enable(m);
	machine_store(m, TO_HOST, 0x9000, 5);
	machine_drain(m);
	assert_int_equal(machine_at(m->host, 0x9000), 5);
}

static void invalid_set_irqs(void **state)
{
	const struct vfu_wire_set_irqs wrong[] = {
		{ 20, 36, 2, 32, 2 },	      { 20, 36, 2, 33, 1 },	       { 20, 36, 2, UINT32_MAX, 2 },
		{ 20, 36, 2, 2, UINT32_MAX }, { 20, 36, 2, UINT32_MAX - 1, 3 }, { 20, 36, 5, 0, 1 },
		{ 20, 36, 0, 0, 1 },	      { 20, 36, UINT32_MAX, 0, 1 },    { 20, 34, 2, 0, 1 },
		{ 20, 36, 2, 0, 2 }, /* one of them without fd */
	};
	struct machine *m = machine_start(state);
	struct client *c = &m->card;
	unsigned fds = process_fds(&m->card_process);
	int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	assert_true(event >= 0);
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(client_request(c, VFU_SET_IRQS, &wrong[i], sizeof(wrong[i]), &event, 1), -EINVAL);
	assert_int_equal(client_request(c, VFU_SET_IRQS, &wrong[0], 19, &event, 1), -EINVAL);
	assert_int_equal(client_set_vectors(c, 0, 1, &m->host_fd, 1), -EINVAL); /* no eventfd */
	check_well(m, fds);
	close(event);
}

static void too_many_fds(void **state)
{
	static const unsigned counts[] = { VFU_FDS_MAX + 1, 2 * VFU_FDS_MAX - 1 };
	struct machine *m = machine_start(state);
	unsigned fds = process_fds(&m->card_process);
	int many[2 * VFU_FDS_MAX];

	for (unsigned i = 0; i < 2 * VFU_FDS_MAX; i++)
		many[i] = m->host_fd;
	for (unsigned i = 0; i < 2; i++) {
		struct vfu_header header = client_header(&m->card, VFU_DEVICE_RESET, 0);

		assert_int_equal(client_send(&m->card, &header, sizeof(header), many, counts[i]), 0);
		check_hung_up(m, fds);
		/* In two parts, neither part has too many. */
		header = client_header(&m->card, VFU_DEVICE_RESET, 0);
		assert_int_equal(client_send(&m->card, &header, 8, many, VFU_FDS_MAX - 1), 0);
		assert_int_equal(client_send(&m->card, &header.flags, 4, many, counts[i] - VFU_FDS_MAX + 1), 0);
		check_hung_up(m, fds);
	}
	/* As many as there may be, with messages that have no use for them. */
	assert_int_equal(client_request(&m->card, VFU_DEVICE_RESET, NULL, 0, many, VFU_FDS_MAX), 0);
	assert_int_equal(client_request(&m->card, 12345, NULL, 0, many, VFU_FDS_MAX), -ENOTSUP);
	check_well(m, fds);
}

static void version_first_and_once(void **state)
{
	struct machine *m = machine_start(state);
	unsigned fds = process_fds(&m->card_process);

	assert_int_equal(client_version(&m->card, CLIENT_GOOD_CAPABILITIES), -EINVAL);
	check_well(m, fds);
	client_close(&m->card);
	assert_int_equal(client_connect(&m->card, m->card_path), 0);
	for (unsigned command = 0; command < 20; command++)
		if (command != VFU_VERSION)
			assert_true(client_request(&m->card, command, "0123456789abcdef", 16, &m->host_fd, 1) < 0);
	assert_int_equal(client_reset(&m->card), -EINVAL);
	assert_int_equal(client_version(&m->card, CLIENT_GOOD_CAPABILITIES), 0);
	check_well(m, fds);
}

static void invalid_versions(void **state)
{
	static const char *const wrong[] = {
		"", "{", "[]", "null", "3", "\"text\"", "{\"capabilities\":", "{'capabilities':",
		"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "\xff\xfe\xfd",
	};
	struct machine *m = machine_start(state);
	unsigned fds = process_fds(&m->card_process);
	static char deep[60000];

	client_close(&m->card);
	assert_int_equal(client_connect(&m->card, m->card_path), 0);
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(client_version(&m->card, wrong[i]), -EINVAL);
	memset(deep, '[', sizeof(deep) - 1);
	memset(deep, 0, 4);
	assert_int_equal(client_request(&m->card, VFU_VERSION, deep, sizeof(deep), NULL, 0), -EINVAL);
	assert_int_equal(client_request(&m->card, VFU_VERSION, "\0\0\0\0{}", 6, NULL, 0), -EINVAL); /* no NUL */
	assert_int_equal(client_request(&m->card, VFU_VERSION, "\0\0\0", 3, NULL, 0), -EINVAL);
	assert_int_equal(client_request(&m->card, VFU_VERSION, "\1\0\0\0", 4, NULL, 0), -ENOTSUP);
	assert_int_equal(client_reset(&m->card), -EINVAL); /* still not agreed */
	assert_int_equal(client_version(&m->card, "{}"), 0);
	check_well(m, fds);
}

static void unsolicited_replies(void **state)
{
	static const uint32_t flags[] = { VFU_FLAG_REPLY, VFU_FLAG_REPLY | VFU_FLAG_ERROR, 2, 0xf,
					  VFU_FLAG_REPLY | VFU_FLAG_NO_REPLY };
	struct machine *m = machine_start(state);
	unsigned fds = process_fds(&m->card_process);

	for (unsigned i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		struct vfu_header header = client_header(&m->card, VFU_GET_INFO, 0);

		header.flags = flags[i];
		assert_int_equal(client_send(&m->card, &header, sizeof(header), &m->host_fd, 1), 0);
		check_hung_up(m, fds);
	}
}

static void inconsistent_write_multi(void **state)
{
	/* The last is, times 24, what 3 is, times 24. */
	static const uint64_t counts[] = { 0, 2, 4, 1000, UINT64_MAX, UINT64_MAX / 24 + 1, (UINT64_C(1) << 61) + 3 };
	struct machine *m = machine_start(state);
	struct client *c = &m->card;
	struct {
		uint64_t count;
		struct vfu_wire_write_one one[3];
	} multi = { 3, { { { GLK_CARD_SCRATCH, REGISTERS, 8 }, { 1 } },
			 { { GLK_CARD_SCRATCH, REGISTERS, 9 }, { 2 } }, /* more than there is room for */
			 { { GLK_CARD_SCRATCH, REGISTERS, 8 }, { 3 } } } };

	assert_int_equal(client_request(c, VFU_REGION_WRITE_MULTI, &multi, sizeof(multi), NULL, 0), -EINVAL);
	assert_int_equal(machine_get(m, GLK_CARD_SCRATCH), 1); /* in order, up to the wrong one */
	machine_set(m, GLK_CARD_SCRATCH, 0);
	multi.one[1].access.count = 8;
	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		multi.count = counts[i];
		assert_int_equal(client_request(c, VFU_REGION_WRITE_MULTI, &multi, sizeof(multi), NULL, 0), -EINVAL);
	}
	assert_int_equal(client_request(c, VFU_REGION_WRITE_MULTI, &multi, 7, NULL, 0), -EINVAL);
	assert_int_equal(machine_get(m, GLK_CARD_SCRATCH), 0);
}

/* Half a message keeps its file descriptors; also when one of them is the client's own end of the connection, so that
 * the server alone keeps it up. */
static void incomplete_message(void **state)
{
	struct machine *m = machine_start(state);
	unsigned fds = process_fds(&m->card_process);

	for (unsigned i = 0; i < 2; i++) {
		struct vfu_header header = client_header(&m->card, VFU_DMA_MAP, sizeof(struct vfu_wire_dma_map));
		int with = i ? m->card.fd : m->host_fd;

		assert_int_equal(client_send(&m->card, &header, 10, &with, 1), 0);
		client_close(&m->card);
		assert_int_equal(client_open(&m->card, m->card_path), 0);
		check_well(m, fds);
	}
}

/* --- at random --- */

/* Sends requests without reading the replies. */
static void stop_reading(struct client *c)
{
	const struct vfu_wire_access access = { 0, 0, 32768 };

	for (unsigned i = 0; i < 30; i++) {
		struct vfu_header header = client_header(c, VFU_REGION_READ, sizeof(access));

		assert_int_equal(client_send(c, &header, sizeof(header), NULL, 0), 0);
		assert_int_equal(client_send(c, &access, sizeof(access), NULL, 0), 0);
	}
}

static void run_random(const struct hostile_target *target, const struct process *process)
{
	struct hostile_report report;
	const char *wrong = hostile_run(target, seed, MESSAGES, &report);

	printf("# seed %llu: %u messages in %u connections, %u done, %u refused, %u hung up on\n",
	       (unsigned long long)seed, report.messages, report.connections, report.done, report.refused,
	       report.hung_up);
	if (wrong)
		fail_msg("seed %llu, connection %u, message %u: %s %s", (unsigned long long)seed, report.connection,
			 report.message, process->log, wrong);
	assert_true(process_alive(process));
	/* Else it is not the test that it is meant to be. */
	assert_true(report.done > MESSAGES / 10 && report.refused > MESSAGES / 10 && report.hung_up > 20);
}

static void check_good_client(struct machine *m, uint64_t value)
{
	machine_place_gpu(m, MACHINE_GPU, MACHINE_MEMORY);
	machine_map_host(m);
	assert_int_equal(client_set_config(&m->card, MACHINE_COMMAND, 2, MACHINE_MEMORY | MACHINE_MASTER), 0);
	assert_int_equal(machine_get(m, GLK_CARD_MAGIC), GLK_MAGIC);
	machine_enable(m);
	for (unsigned to = TO_GPU; to <= TO_POOL; to++)
		machine_store(m, to, 0x9000, value);
	machine_drain(m);
	assert_int_equal(machine_at(m->gpu, 0x9000), value);
	assert_int_equal(machine_at(m->host, 0x9000), value);
	assert_int_equal(machine_load(m, TO_POOL, 0x9000), value);
}

static void random_messages_to_card(void **state)
{
	struct machine *m = machine_start(state);
	struct hostile_target target = {
		.path = m->card_path,
		.sizes = { [0] = GLK_BAR0_SIZE, [2] = 1 << 30, [4] = 16 << 20, [7] = 4096 },
		.card = true,
	};
	unsigned fds = process_fds(&m->card_process), mappings = process_mappings(&m->card_process, "memfd:");

	/* Meanwhile the endpoint waits for this one, in vain and not for ever; the card does not need its attention. */
	stop_reading(&m->endpoint);
	client_close(&m->card);
	run_random(&target, &m->card_process);
	assert_int_equal(client_open(&m->card, m->card_path), 0);
	assert_int_equal(process_fds(&m->card_process), fds);
	assert_int_equal(process_mappings(&m->card_process, "memfd:"), mappings - 1); /* host memory was one of them */
	assert_true(process_alive(&m->endpoint_process));
	{
		static struct client next;

		assert_int_equal(client_open(&next, m->endpoint_path), 0);
		client_close(&m->endpoint);
		m->endpoint = next;
	}
	check_good_client(m, seed | 1);
}

static void random_messages_to_endpoint(void **state)
{
	struct machine *m = machine_start(state);
	struct hostile_target target = { .path = m->endpoint_path, .sizes = { [0] = MACHINE_GPU_BYTES, [7] = 4096 } };
	unsigned fds = process_fds(&m->endpoint_process), mappings = process_mappings(&m->endpoint_process, "memfd:");

	client_close(&m->endpoint);
	run_random(&target, &m->endpoint_process);
	assert_int_equal(client_open(&m->endpoint, m->endpoint_path), 0);
	assert_int_equal(process_fds(&m->endpoint_process), fds);
	assert_int_equal(process_mappings(&m->endpoint_process, "memfd:"), mappings);
	assert_int_equal(client_dma_unmap(&m->card, 0, 0, VFU_DMA_UNMAP_ALL), 0);
	check_good_client(m, seed | 1);
}

static void choose_seed(const char *given)
{
	if (given)
		seed = strtoull(given, NULL, 0);
	else if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		seed = 1;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sizes_out_of_range, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(accesses_out_of_bounds, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(register_accesses, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(invalid_dma_maps, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(invalid_set_irqs, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(too_many_fds, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(version_first_and_once, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(invalid_versions, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(unsolicited_replies, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(inconsistent_write_multi, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(incomplete_message, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(random_messages_to_card, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(random_messages_to_endpoint, machine_setup, machine_teardown),
	};

	if (argc != 3 && !(argc == 5 && !strcmp(argv[3], "--seed"))) {
		fprintf(stderr, "usage: %s GPULINK-CARD GPULINK-ENDPOINT [--seed N]\n", argv[0]);
		return 2;
	}
	machine_programs(argv[1], argv[2], NULL);
	choose_seed(argc == 5 ? argv[4] : getenv("SEED"));
	return cmocka_run_group_tests_name("hostile", tests, NULL, NULL);
}
