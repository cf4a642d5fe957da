// SPDX-License-Identifier: Apache-2.0
#include "machine.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define BAR0 0x10u

static const char *card_program, *endpoint_program, *card_logic = "model", *interrupts = "msix";

void machine_programs(const char *card, const char *endpoint, const char *logic)
{
	card_program = card;
	endpoint_program = endpoint;
	if (logic)
		card_logic = logic;
}

void machine_interrupts(const char *kind)
{
	interrupts = kind;
}

bool machine_slow(void)
{
	return strcmp(card_logic, "model") != 0;
}

bool machine_splits_writes(void)
{
	return strcmp(card_logic, "rtl") == 0;
}

const char *machine_card_program(void)
{
	return card_program;
}

const char *machine_endpoint_program(void)
{
	return endpoint_program;
}

static void name(char path[PROCESS_PATH_MAX], const struct machine *m, const char *file)
{
	snprintf(path, PROCESS_PATH_MAX, "%.80s/%s", m->folder, file);
}

int machine_create(struct machine *m)
{
	*m = (struct machine){ .host_fd = -1 };
	m->card.fd = m->endpoint.fd = -1;
	if (folder_create(m->folder))
		return -1;
	name(m->card_path, m, "card");
	name(m->endpoint_path, m, "endpoint");
	name(m->fabric_path, m, "fabric");
	return 0;
}

int machine_setup(void **state)
{
	static struct machine machine;

	interrupts = "msix";
	*state = &machine;
	return machine_create(&machine);
}

int machine_destroy(struct machine *m)
{
	int failed = 0;

	client_close(&m->card);
	client_close(&m->endpoint);
	if (m->card_process.pid && process_end(&m->card_process, SIGTERM))
		failed = -1;
	if (m->endpoint_process.pid && process_end(&m->endpoint_process, SIGTERM))
		failed = -1;
	if (m->host)
		munmap(m->host, MACHINE_HOST_BYTES);
	if (m->gpu)
		munmap(m->gpu, MACHINE_GPU_BYTES);
	if (m->host_fd >= 0)
		close(m->host_fd);
	folder_remove(m->folder);
	return failed;
}

int machine_teardown(void **state)
{
	return machine_destroy(*state);
}

void machine_options(struct machine *m, const char *const options[])
{
	unsigned i = 0;

	for (; options[i]; i++) {
		assert_true(i < MACHINE_OPTIONS_MAX);
		m->options[i] = options[i];
	}
	m->options[i] = NULL;
}

/* Returns at once if the process has exited. */
static void open_started(const struct process *process, struct client *client, const char *path)
{
	for (unsigned i = 0; i < 10000 && access(path, F_OK) && process_alive(process); i++)
		wait_a_millisecond();
	assert_true(process_alive(process));
	assert_int_equal(client_open(client, path), 0);
}

static void start_card(struct machine *m)
{
	char log[PROCESS_PATH_MAX];
	const char *card[12 + MACHINE_OPTIONS_MAX] = {
		card_program, "--socket", m->card_path, "--endpoint", m->fabric_path, "--serial", "77", "--logic", card_logic,
		"--interrupts", interrupts,
	};

	for (unsigned i = 0; m->options[i]; i++)
		card[11 + i] = m->options[i];
	name(log, m, "card.log");
	assert_int_equal(process_start(&m->card_process, log, card), 0);
	open_started(&m->card_process, &m->card, m->card_path);
}

struct machine *machine_start_bare(void **state)
{
	struct machine *m = *state;
	char log[PROCESS_PATH_MAX];
	const char *const endpoint[] = {
		endpoint_program, "--socket", m->endpoint_path, "--fabric", m->fabric_path, "--size", "1048576", NULL,
	};

	name(log, m, "endpoint.log");
	assert_int_equal(process_start(&m->endpoint_process, log, endpoint), 0);
	open_started(&m->endpoint_process, &m->endpoint, m->endpoint_path); /* the fabric's socket then exists, too */
	start_card(m);
	return m;
}

void machine_restart_card(struct machine *m)
{
	unlink(m->card_path); /* left by the killed process */
	start_card(m);
	machine_map_host(m);
	assert_int_equal(client_set_config(&m->card, MACHINE_COMMAND, 2, MACHINE_MEMORY | MACHINE_MASTER), 0);
}

void machine_place_gpu(struct machine *m, uint64_t address, unsigned command)
{
	assert_int_equal(client_set_config(&m->endpoint, MACHINE_COMMAND, 2, 0), 0);
	assert_int_equal(client_set_config(&m->endpoint, BAR0, 4, (uint32_t)address), 0);
	assert_int_equal(client_set_config(&m->endpoint, BAR0 + 4, 4, (uint32_t)(address >> 32)), 0);
	assert_int_equal(client_set_config(&m->endpoint, MACHINE_COMMAND, 2, command), 0);
}

void machine_map_host(struct machine *m)
{
	void *at;

	if (m->host_fd < 0) {
		m->host_fd = memfd_create("emu-test-host", MFD_CLOEXEC);
		assert_true(m->host_fd >= 0);
		assert_int_equal(ftruncate(m->host_fd, MACHINE_HOST_BYTES), 0);
		at = mmap(NULL, MACHINE_HOST_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, m->host_fd, 0);
		assert_ptr_not_equal(at, MAP_FAILED);
		m->host = at;
	}
	assert_int_equal(client_dma_map(&m->card, MACHINE_HOST, MACHINE_HOST_BYTES, 0,
					VFU_DMA_READABLE | VFU_DMA_WRITABLE, m->host_fd),
			 0);
}

void machine_map_gpu(struct machine *m)
{
	struct vfu_wire_region_info info;
	void *at;

	assert_int_equal(client_region_info(&m->endpoint, 0, &info), 0);
	assert_int_equal(info.size, MACHINE_GPU_BYTES);
	assert_int_equal(m->endpoint.fd_count, 1);
	at = mmap(NULL, MACHINE_GPU_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, m->endpoint.fds[0], (off_t)info.offset);
	assert_ptr_not_equal(at, MAP_FAILED);
	m->gpu = at;
}

struct machine *machine_start(void **state)
{
	struct machine *m = machine_start_bare(state);

	machine_place_gpu(m, MACHINE_GPU, MACHINE_MEMORY);
	machine_map_gpu(m);
	machine_map_host(m);
	assert_int_equal(client_set_config(&m->card, MACHINE_COMMAND, 2, MACHINE_MEMORY | MACHINE_MASTER), 0);
	return m;
}

void machine_set_window(struct machine *m, unsigned slice, unsigned partition)
{
	unsigned entry = GLK_WINDOW_ARRAY + slice * GLK_WINDOW_STRIDE;

	machine_set(m, entry + GLK_WINDOW_Q1, 0);
	machine_set(m, entry + GLK_WINDOW_Q2, MACHINE_SLICE);
	machine_set(m, entry + GLK_WINDOW_Q0,
		    GLK_WINDOW_Q0_VALID_MASK | GLK_WINDOW_Q0_READ_MASK | GLK_WINDOW_Q0_WRITE_MASK |
			    (uint64_t)partition << GLK_WINDOW_Q0_PARTITION_SHIFT |
			    (uint64_t)slice << GLK_WINDOW_Q0_FIRST_SHIFT);
}

void machine_enable(struct machine *m)
{
	machine_set(m, GLK_CARD_CONTROL, GLK_CARD_CONTROL_ENABLE_MASK);
	machine_set_partition(m, TO_GPU, GLK_EP_BUS, MACHINE_GPU, MACHINE_GPU_BYTES);
	machine_set_partition(m, TO_HOST, GLK_EP_BUS, MACHINE_HOST, MACHINE_HOST_BYTES);
	machine_set_partition(m, TO_POOL, GLK_EP_POOL, 0, MACHINE_SLICE);
	for (unsigned i = TO_GPU; i <= TO_POOL; i++)
		machine_set_window(m, i, i);
	machine_set(m, machine_context(GLK_CONTEXT_SQ_BASE), MACHINE_HOST + MACHINE_SQ);
	machine_set(m, machine_context(GLK_CONTEXT_CQ_BASE), MACHINE_HOST + MACHINE_CQ);
	machine_set(m, machine_context(GLK_CONTEXT_ORDER), 4 | 4 << GLK_CONTEXT_ORDER_CQ_SHIFT);
	machine_set(m, machine_context(GLK_CONTEXT_RECORD), MACHINE_HOST + MACHINE_RECORD);
	machine_set(m, machine_context(GLK_CONTEXT_VECTOR), 1);
	machine_set(m, machine_context(GLK_CONTEXT_CONTROL), GLK_CONTEXT_CONTROL_ENABLE_MASK);
	/* A link may have come up meanwhile. */
	assert_int_equal(machine_get(m, GLK_CARD_ERROR_CAUSE) & ~GLK_CARD_ERROR_CAUSE_LINK_MASK, 0);
}

uint64_t machine_get(struct machine *m, uint64_t reg)
{
	uint64_t value;

	assert_int_equal(client_read(&m->card, REGISTERS, reg, &value, sizeof(value)), 0);
	return value;
}

void machine_set(struct machine *m, uint64_t reg, uint64_t value)
{
	assert_int_equal(client_write(&m->card, REGISTERS, reg, &value, sizeof(value)), 0);
}

uint64_t machine_counter(struct machine *m, uint64_t reg)
{
	machine_set(m, GLK_CARD_SNAPSHOT, 0);
	return machine_get(m, reg);
}

unsigned machine_partition(unsigned partition, unsigned reg)
{
	return GLK_PARTITION_ARRAY + partition * GLK_PARTITION_STRIDE + reg;
}

unsigned machine_context(unsigned reg)
{
	return GLK_CONTEXT_ARRAY + reg;
}

void machine_set_partition(struct machine *m, unsigned partition, unsigned kind, uint64_t base, uint64_t bytes)
{
	machine_set(m, machine_partition(partition, GLK_PARTITION_EP_KIND), GLK_EP_NONE);
	machine_set(m, machine_partition(partition, GLK_PARTITION_EP_BASE), base);
	machine_set(m, machine_partition(partition, GLK_PARTITION_EP_BYTES), bytes);
	machine_set(m, machine_partition(partition, GLK_PARTITION_EP_KIND), kind);
}

void machine_store(struct machine *m, unsigned to, uint64_t offset, uint64_t value)
{
	assert_int_equal(client_write(&m->card, APERTURE, (uint64_t)to * MACHINE_SLICE + offset, &value, sizeof(value)),
			 0);
}

uint64_t machine_load(struct machine *m, unsigned from, uint64_t offset)
{
	uint64_t value;

	assert_int_equal(client_read(&m->card, APERTURE, (uint64_t)from * MACHINE_SLICE + offset, &value,
				     sizeof(value)),
			 0);
	return value;
}

void machine_drain(struct machine *m)
{
	uint64_t drain = GLK_CARD_DRAIN_BUSY_MASK;

	machine_set(m, GLK_CARD_DRAIN, GLK_DRAIN_CARD);
	for (unsigned i = 0; i < 10000 && (drain & GLK_CARD_DRAIN_BUSY_MASK); i++)
		drain = machine_get(m, GLK_CARD_DRAIN);
	assert_int_equal(drain, GLK_DRAIN_CARD);
}

uint64_t machine_at(const uint8_t *memory, uint64_t offset)
{
	uint64_t value;

	memcpy(&value, memory + offset, sizeof(value));
	return value;
}
