// SPDX-License-Identifier: Apache-2.0
/* gpulink-card and gpulink-endpoint as processes, with a test client instead of QEMU: protocol and functions. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>
#include <json-c/json.h>
#include <linux/pci_regs.h>

#include "machine.h"

#define REPLY_MAX 214u /* buffer size of old clients */
#define ALL_ONES  UINT64_MAX

static void check_version_reply(struct client *c)
{
	struct json_object *object, *capabilities, *field;

	assert_true(c->header.size <= REPLY_MAX);
	assert_true(c->bytes > 4 && c->payload[c->bytes - 1] == '\0');
	assert_memory_equal(c->payload, "\0\0\0\0", 4); /* 0.0 */
	object = json_tokener_parse((const char *)c->payload + 4);
	assert_non_null(object);
	assert_true(json_object_object_get_ex(object, "capabilities", &capabilities));
	assert_true(json_object_object_get_ex(capabilities, "max_msg_fds", &field));
	assert_int_equal(json_object_get_int(field), VFU_FDS_MAX);
	assert_true(json_object_object_get_ex(capabilities, "max_data_xfer_size", &field));
	assert_in_range(json_object_get_int(field), 4096, VFU_MESSAGE_MAX - 32);
	assert_true(json_object_object_get_ex(capabilities, "write_multiple", &field));
	assert_true(json_object_get_boolean(field));
	json_object_put(object);
}

static void handshake(void **state)
{
	struct machine *m = machine_start_bare(state);

	check_version_reply(&m->card);
	check_version_reply(&m->endpoint);
	client_close(&m->card);
	assert_int_equal(client_connect(&m->card, m->card_path), 0);
	assert_int_equal(client_version(&m->card, NULL), 0); /* they may be left out */
	check_version_reply(&m->card);
}

/* The other tests share structures with the server; this one checks bytes against the specification. */
static void bytes_on_the_wire(void **state)
{
	static const uint8_t requests[] = {
		0x34, 0x12, 1, 0, 23, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, '{', '}', 0, /* VERSION 0.1 */
		0x35, 0x12, 4, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* GET_INFO */
		16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0x36, 0x12, 9, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* REGION_READ: configuration, 4 bytes at 0 */
		0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 4, 0, 0, 0,
		0x37, 0x12, 6, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* GET_REGION_IO_FDS: not known here */
	};
	static const uint8_t info[] = { 16, 0, 0, 0, 3, 0, 0, 0, 9, 0, 0, 0, 5, 0, 0, 0 };
	static const uint8_t read[] = { 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 4, 0, 0, 0, 0x34, 0x12, 0x6b, 0x6c };
	struct machine *m = machine_start_bare(state);
	struct client *c = &m->card;

	client_close(c);
	assert_int_equal(client_connect(c, m->card_path), 0);
	assert_int_equal(client_send(c, requests, sizeof(requests), NULL, 0), 0);
	assert_int_equal(client_receive(c), 0);
	assert_memory_equal(&c->header, "\x34\x12\1\0", 4);
	assert_memory_equal((uint8_t *)&c->header + 8, "\1\0\0\0\0\0\0\0", 8);
	assert_int_equal(client_receive(c), 0);
	assert_memory_equal(&c->header, "\x35\x12\4\0\x20\0\0\0\1\0\0\0\0\0\0\0", 16);
	assert_memory_equal(c->payload, info, sizeof(info));
	assert_int_equal(client_receive(c), 0);
	assert_memory_equal(&c->header, "\x36\x12\x9\0\x24\0\0\0\1\0\0\0\0\0\0\0", 16);
	assert_memory_equal(c->payload, read, sizeof(read));
	assert_int_equal(client_receive(c), 0);
	assert_memory_equal(&c->header, "\x37\x12\6\0\x10\0\0\0\x21\0\0\0\x5f\0\0\0", 16); /* ENOTSUP is 95 */
}

/* `waits`: the client has to wait for its writes. QEMU posts them unless a region can be mapped. */
static void check_regions(struct client *c, const uint64_t sizes[VFU_REGIONS], bool bar0_mappable, bool waits)
{
	struct vfu_wire_region_info info;

	for (unsigned i = 0; i < VFU_REGIONS; i++) {
		bool mappable = i == 0 && bar0_mappable, empty = waits && !sizes[i];

		assert_int_equal(client_region_info(c, i, &info), 0);
		assert_int_equal(info.argsz, sizeof(info));
		assert_int_equal(info.index, i);
		assert_int_equal(info.size, sizes[i]);
		assert_int_equal(info.cap_offset, 0);
		assert_int_equal(info.flags, (sizes[i] ? 3 : 0) | (mappable || empty ? 4 : 0));
		assert_int_equal(c->fd_count, mappable ? 1 : 0);
	}
	assert_int_equal(client_region_info(c, VFU_REGIONS, &info), -EINVAL);
	assert_int_equal(client_region_info(c, UINT32_MAX, &info), -EINVAL);
}

static void check_irqs(struct client *c, unsigned irq, unsigned vectors)
{
	struct vfu_wire_irq_info info;

	for (unsigned i = 0; i < VFU_IRQS; i++) {
		unsigned count = i == irq ? vectors : 0;

		assert_int_equal(client_irq_info(c, i, &info), 0);
		assert_int_equal(info.argsz, sizeof(info));
		assert_int_equal(info.index, i);
		assert_int_equal(info.count, count);
		assert_int_equal(info.flags, count ? 1 : 0);
	}
	assert_int_equal(client_irq_info(c, VFU_IRQS, &info), -EINVAL);
}

static void regions_and_irqs(void **state)
{
	static const uint64_t card[VFU_REGIONS] = { [0] = 1 << 20, [2] = 1 << 30, [4] = 16 << 20, [7] = 4096 };
	static const uint64_t endpoint[VFU_REGIONS] = { [0] = MACHINE_GPU_BYTES, [7] = 4096 };
	struct machine *m = machine_start_bare(state);

	check_regions(&m->card, card, false, machine_slow());
	check_regions(&m->endpoint, endpoint, true, false);
	check_irqs(&m->card, VFU_IRQ_MSIX, 33);
	check_irqs(&m->endpoint, VFU_IRQ_MSIX, 0);
}

/* The card with MSI: number of vectors, delivery. */
static void msi_variant(void **state)
{
	struct vfu_wire_set_irqs set = { 20, VFU_SET_DATA_EVENTFD | VFU_SET_ACTION_TRIGGER, VFU_IRQ_MSI, 0, 1 };
	int event = eventfd(0, EFD_CLOEXEC);
	struct pollfd raised = { .fd = event, .events = POLLIN };
	struct machine *m;

	machine_interrupts("msi");
	m = machine_start(state);
	assert_true(event >= 0);
	check_irqs(&m->card, VFU_IRQ_MSI, 32);
	assert_int_not_equal(client_find_capability(&m->card, PCI_CAP_ID_MSI), 0);
	assert_int_equal(client_find_capability(&m->card, PCI_CAP_ID_MSIX), 0);
	assert_int_equal(client_set_vectors(&m->card, 0, 1, &event, 1), -EINVAL); /* MSI-X */
	assert_int_equal(client_request(&m->card, VFU_SET_IRQS, &set, sizeof(set), &event, 1), 0);
	machine_set(m, GLK_CARD_MAGIC, 0); /* refused: an error, which raises vector 0 */
	assert_int_equal(poll(&raised, 1, 10000), 1);
	close(event);
}

/* QEMU presents these BARs to the guest: they must agree with the region infos. */
static void bars_agree_with_regions(void **state)
{
	struct machine *m = machine_start_bare(state);
	struct client *clients[] = { &m->card, &m->endpoint };

	for (unsigned k = 0; k < 2; k++)
		for (unsigned bar = 0; bar < 6; bar += 2) {
			const unsigned low = 0x10 + 4 * bar, high = low + 4;
			struct vfu_wire_region_info info;
			uint64_t size;

			assert_int_equal(client_set_config(clients[k], low, 4, UINT32_MAX), 0);
			assert_int_equal(client_set_config(clients[k], high, 4, UINT32_MAX), 0);
			size = client_config(clients[k], low, 4) & ~15u;
			size |= (uint64_t)client_config(clients[k], high, 4) << 32;
			assert_int_equal(client_region_info(clients[k], bar, &info), 0);
			assert_int_equal(~size + 1, info.size);
		}
	assert_int_equal(client_config(&m->card, 0, 4), GLK_PCI_DEVICE << 16 | GLK_PCI_VENDOR);
	assert_int_equal(client_config(&m->card, 8, 4) >> 8, GLK_PCI_CLASS);
	assert_true(client_find_capability(&m->card, 0x11));
	assert_false(client_find_capability(&m->endpoint, 0x11));
	assert_true(client_find_capability(&m->endpoint, 0x10));
}

static void registers_need_decode(void **state)
{
	struct machine *m = machine_start_bare(state);
	uint8_t narrow[8] = { 0 }, block[64];

	assert_int_equal(machine_get(m, GLK_CARD_MAGIC), ALL_ONES);
	assert_int_equal(client_read(&m->card, APERTURE, 100, block, sizeof(block)), 0);
	for (unsigned i = 0; i < sizeof(block); i++)
		assert_int_equal(block[i], 0xff);
	assert_int_equal(client_read(&m->card, POOL, 0, narrow, 8), 0);
	assert_int_equal(machine_at(narrow, 0), ALL_ONES);
	machine_set(m, GLK_CARD_SCRATCH, 5);
	assert_int_equal(client_set_config(&m->card, MACHINE_COMMAND, 2, MACHINE_MEMORY), 0);
	assert_int_equal(machine_get(m, GLK_CARD_SCRATCH), 0);
	assert_int_equal(machine_get(m, GLK_CARD_MAGIC), GLK_MAGIC);
	assert_int_equal(machine_get(m, GLK_CARD_SERIAL), 77);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(client_read(&m->card, REGISTERS, GLK_CARD_MAGIC + i, narrow + i, 1), 0);
	assert_int_equal(machine_at(narrow, 0), GLK_MAGIC);
	for (unsigned i = 0; i < 8; i += 4)
		assert_int_equal(client_read(&m->card, REGISTERS, GLK_CARD_MAGIC + i, narrow + i, 4), 0);
	assert_int_equal(machine_at(narrow, 0), GLK_MAGIC);
	assert_int_equal(client_write(&m->card, REGISTERS, GLK_CARD_SCRATCH + 4, "\1\2\3\4", 4), 0);
	assert_int_equal(machine_get(m, GLK_CARD_SCRATCH), 0x0403020100000000);
	assert_int_equal(client_set_config(&m->card, MACHINE_COMMAND, 2, 0), 0);
	assert_int_equal(machine_get(m, GLK_CARD_SCRATCH), ALL_ONES);
}

static void pool(void **state)
{
	struct machine *m = machine_start(state);
	uint8_t out[20000], in[20000];

	for (unsigned i = 0; i < sizeof(out); i++)
		out[i] = (uint8_t)(i * 7 + i / 256);
	assert_int_equal(client_write(&m->card, POOL, 12345, out, sizeof(out)), 0);
	assert_int_equal(client_read(&m->card, POOL, 12345, in, sizeof(in)), 0);
	assert_memory_equal(in, out, sizeof(in));
	machine_enable(m);
	machine_store(m, TO_POOL, 64, 0x1122334455667788);
	machine_drain(m);
	assert_int_equal(client_read(&m->card, POOL, 64, in, 8), 0);
	assert_int_equal(machine_at(in, 0), 0x1122334455667788);
}

/* A stream has no message boundaries, and file descriptors come with bytes. */
static void messages_in_pieces(void **state)
{
	struct machine *m = machine_start(state);
	struct client *c = &m->card;
	const struct vfu_wire_dma_map map = { sizeof(map), 3, 0, MACHINE_HOST + (1 << 30), MACHINE_HOST_BYTES };
	const struct vfu_wire_access access = { GLK_CARD_MAGIC, REGISTERS, 8 };
	uint8_t bytes[sizeof(struct vfu_header) + sizeof(map)], many[4096];
	struct vfu_header header = client_header(c, VFU_DMA_MAP, sizeof(map));
	size_t used = 0;

	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), &map, sizeof(map));
	for (size_t i = 0; i < sizeof(bytes); i++)
		assert_int_equal(client_send(c, bytes + i, 1, &m->host_fd, i == 20), 0);
	assert_int_equal(client_receive(c), 0);
	assert_int_equal(c->header.error, 0);
	assert_int_equal(client_dma_unmap(c, map.address, map.size, 0), 0);
	while (used < 3000) {
		header = client_header(c, VFU_REGION_READ, sizeof(access));
		memcpy(many + used, &header, sizeof(header));
		memcpy(many + used + sizeof(header), &access, sizeof(access));
		used += sizeof(header) + sizeof(access);
	}
	memcpy(many + used, bytes, sizeof(bytes));
	/* The file descriptor belongs to the last of them, which then works a second time. */
	assert_int_equal(client_send(c, many, used + sizeof(bytes), &m->host_fd, 1), 0);
	for (size_t i = 0; i < used; i += sizeof(header) + sizeof(access)) {
		assert_int_equal(client_receive(c), 0);
		assert_int_equal(machine_at(c->payload, sizeof(access)), GLK_MAGIC);
	}
	assert_int_equal(client_receive(c), 0);
	assert_int_equal(c->header.command, VFU_DMA_MAP);
	assert_int_equal(c->header.error, 0);
	/* Three and a half, and the other half. */
	assert_int_equal(client_send(c, many, 3 * 32 + 20, NULL, 0), 0);
	for (unsigned i = 0; i < 4; i++) {
		if (i == 3)
			assert_int_equal(client_send(c, many + 3 * 32 + 20, 12, NULL, 0), 0);
		assert_int_equal(client_receive(c), 0);
		assert_memory_equal(&c->header.id, many + 32 * i, 2);
		assert_int_equal(machine_at(c->payload, sizeof(access)), GLK_MAGIC);
	}
	machine_enable(m);
	machine_set_partition(m, TO_HOST, GLK_EP_BUS, map.address, map.size);
	machine_store(m, TO_HOST, 0x9000, 99);
	machine_drain(m);
	assert_int_equal(machine_at(m->host, 0x9000), 99);
}

/* A request without reply gets none, also on failure. */
static void posted_writes(void **state)
{
	struct machine *m = machine_start(state);
	struct client *c = &m->card;
	struct {
		struct vfu_header header;
		struct vfu_wire_access access;
		uint64_t value;
	} write = { .access = { GLK_CARD_SCRATCH, REGISTERS, 8 }, .value = 4711 };

	for (unsigned i = 0; i < 2; i++) {
		write.header = client_header(c, VFU_REGION_WRITE, sizeof(write) - sizeof(write.header));
		write.header.flags = VFU_FLAG_NO_REPLY;
		assert_int_equal(client_send(c, &write, sizeof(write), NULL, 0), 0);
		write.access.region = 1; /* there is none */
	}
	assert_int_equal(machine_get(m, GLK_CARD_SCRATCH), 4711);
}

static void vectors_are_bounded(void **state)
{
	struct machine *m = machine_start_bare(state);
	int fds[VFU_FDS_MAX];

	for (unsigned i = 0; i < VFU_FDS_MAX; i++)
		assert_true((fds[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) >= 0);
	assert_int_equal(client_set_vectors(&m->card, 0, 16, fds, 16), 0);
	assert_int_equal(client_set_vectors(&m->card, 17, 16, fds, 16), 0);
	assert_int_equal(client_set_vectors(&m->card, 18, 16, fds, 16), -EINVAL);
	assert_int_equal(client_set_vectors(&m->card, 33, 0, NULL, 0), 0);
	assert_int_equal(client_set_vectors(&m->card, 0, 3, fds, 2), -EINVAL);
	assert_int_equal(client_set_vectors(&m->card, 0, 33, NULL, 0), 0); /* takes all away */
	assert_int_equal(client_set_vectors(&m->card, 0, 34, NULL, 0), -EINVAL);
	assert_int_equal(client_set_vectors(&m->endpoint, 0, 1, fds, 1), -EINVAL);
	for (unsigned i = 0; i < VFU_FDS_MAX; i++)
		close(fds[i]);
}

static void second_client_waits(void **state)
{
	struct machine *m = machine_start(state);
	static struct client second;
	struct vfu_header header;
	uint8_t version[4] = { 0 };

	assert_int_equal(client_connect(&second, m->card_path), 0);
	header = client_header(&second, VFU_VERSION, sizeof(version));
	assert_int_equal(client_send(&second, &header, sizeof(header), NULL, 0), 0);
	assert_int_equal(client_send(&second, version, sizeof(version), NULL, 0), 0);
	assert_int_equal(machine_get(m, GLK_CARD_MAGIC), GLK_MAGIC);
	assert_int_equal(recv(second.fd, &header, 1, MSG_DONTWAIT), -1);
	assert_int_equal(errno, EAGAIN);
	client_close(&m->card);
	assert_int_equal(client_receive(&second), 0);
	check_version_reply(&second);
	client_close(&second);
}

/* Lines are written and read with times. */
static void leases(void **state)
{
	struct machine *m = machine_start(state);
	const unsigned entry = GLK_REGISTRATION_ARRAY, lines = 200, page = 0x8000;
	uint64_t record[4];

	if (!(machine_get(m, GLK_CARD_FEATURES) & GLK_CARD_FEATURES_LEASE_MASK))
		skip();
	machine_enable(m);
	memcpy(m->host + 0x7000, (const uint64_t[]){ MACHINE_HOST + page }, 8);
	machine_set(m, entry + GLK_REGISTRATION_Q1, 4096);
	machine_set(m, entry + GLK_REGISTRATION_Q2, MACHINE_HOST + 0x7000);
	machine_set(m, entry + GLK_REGISTRATION_Q3, 0);
	machine_set(m, entry + GLK_REGISTRATION_Q0, GLK_REGISTRATION_Q0_VALID_MASK | GLK_REGISTRATION_Q0_READ_MASK |
							    GLK_REGISTRATION_Q0_WRITE_MASK);
	for (uint64_t i = 0; i < 2 * (uint64_t)lines; i++) {
		unsigned op = i < lines ? GLK_OP_POOL_WRITE : GLK_OP_POOL_READ;
		uint64_t length = i < lines ? 8 : 64, at = i % lines * 64;
		const uint64_t sqe[8] = {
			op | (uint64_t)TO_POOL << GLK_SQE_WINDOW_SHIFT | length << GLK_SQE_LENGTH_SHIFT, i, at, 0,
		};

		if (i < lines)
			memcpy(m->host + page + GLK_LEASE_RECORD_BYTES, &i, 8);
		memcpy(m->host + MACHINE_SQ + i % 16 * GLK_SQE_BYTES, sqe, sizeof(sqe));
		machine_set(m, machine_context(GLK_CONTEXT_CQ_HEAD), i);
		machine_set(m, machine_context(GLK_CONTEXT_SQ_TAIL), i + 1);
		while (machine_get(m, machine_context(GLK_CONTEXT_CQ_TAIL)) != i + 1)
			;
		memcpy(record, m->host + page, sizeof(record));
		assert_true(record[0] > 0 && record[1] >= record[0] && record[3] == 0);
		assert_int_equal(machine_at(m->host, page + GLK_LEASE_RECORD_BYTES), i % lines);
	}
	assert_int_equal(machine_get(m, machine_context(GLK_CONTEXT_ERRORS)), 0);
	assert_int_equal(machine_counter(m, GLK_TSU_WRITES), lines);
	assert_int_equal(machine_counter(m, GLK_TSU_READS), lines);
	assert_int_equal(machine_get(m, GLK_DOORBELL_ARRAY + GLK_DOORBELL_CLOCK), machine_get(m, GLK_TSU_CLOCK));
}

static int run_to_end(struct machine *m, const char *const argv[])
{
	struct process process;
	char log[PROCESS_PATH_MAX];

	snprintf(log, sizeof(log), "%.80s/usage", m->folder);
	assert_int_equal(process_start(&process, log, argv), 0);
	return process_end(&process, 0);
}

static void help_and_usage(void **state)
{
	struct machine *m = *state;
	const char *programs[] = { machine_card_program(), machine_endpoint_program() };

	const char *const serial[] = { programs[0], "--socket", m->card_path, "--serial", "7x", NULL };
	const char *const logic[] = { programs[0], "--socket", m->card_path, "--logic", "other", NULL };
	const char *const nobody[] = { programs[0], "--socket", m->card_path, "--endpoint", m->fabric_path, NULL };
	const char *const size[] = {
		programs[1], "--socket", m->endpoint_path, "--fabric", m->fabric_path, "--size", "3000000", NULL,
	};

	assert_int_equal(run_to_end(m, serial), 2);
	assert_int_equal(run_to_end(m, logic), 2);
	assert_int_equal(run_to_end(m, nobody), 1);
	assert_int_equal(run_to_end(m, size), 2);
	for (unsigned i = 0; i < 2; i++) {
		const char *const help[] = { programs[i], "--help", NULL };
		const char *const nothing[] = { programs[i], NULL };
		const char *const unknown[] = { programs[i], "--socket", "/nowhere/x", "--colour", NULL };
		const char *const more[] = { programs[i], "--socket", "/nowhere/x", "more", NULL };

		assert_int_equal(run_to_end(m, help), 0);
		assert_int_equal(run_to_end(m, nothing), 2);
		assert_int_equal(run_to_end(m, unknown), 2);
		assert_int_equal(run_to_end(m, more), 2);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(handshake, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(bytes_on_the_wire, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(regions_and_irqs, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(msi_variant, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(bars_agree_with_regions, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(registers_need_decode, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(pool, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(leases, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(messages_in_pieces, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(posted_writes, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(vectors_are_bounded, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(second_client_waits, machine_setup, machine_teardown),
		cmocka_unit_test_setup_teardown(help_and_usage, machine_setup, machine_teardown),
	};

	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: %s GPULINK-CARD GPULINK-ENDPOINT [LOGIC]\n", argv[0]);
		return 2;
	}
	machine_programs(argv[1], argv[2], argv[3]);
	return cmocka_run_group_tests_name("emu", tests, NULL, NULL);
}
