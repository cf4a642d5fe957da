/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A virtual machine without the machine: a gpulink-endpoint, a gpulink-card that is joined to it, a client of each, and
 * memory that the card may reach. What a kernel driver does to make a window, done by hand.
 */
#ifndef GPULINK_EMU_TEST_MACHINE_H
#define GPULINK_EMU_TEST_MACHINE_H

#include <gpulink_regs.h>

#include "client.h"
#include "process.h"

#define MACHINE_GPU_BYTES  0x100000u
#define MACHINE_HOST_BYTES 0x100000u
#define MACHINE_GPU	   UINT64_C(0x4000000000) /* bus address of the endpoint's BAR */
#define MACHINE_HOST	   UINT64_C(0x80000000)	  /* bus address of host memory */
#define MACHINE_COMMAND	   0x04u		  /* the register */
#define MACHINE_MEMORY	   0x2u
#define MACHINE_MASTER	   0x4u
#define MACHINE_SLICE	   0x100000u
#define MACHINE_OPTIONS_MAX 24u

/* BARs of the card. */
enum { REGISTERS = 0, APERTURE = 2, POOL = 4 };

/* Partitions, and the slice of the window to each (in context 0). */
enum { TO_GPU = 0, TO_HOST = 1, TO_POOL = 2 };

/* Rings of context 0 in host memory, 16 entries each. */
#define MACHINE_SQ     0x1000u
#define MACHINE_CQ     0x2000u
#define MACHINE_RECORD 0x3000u

struct machine {
	char folder[PROCESS_PATH_MAX];
	char card_path[PROCESS_PATH_MAX], endpoint_path[PROCESS_PATH_MAX], fabric_path[PROCESS_PATH_MAX];
	struct process card_process, endpoint_process;
	struct client card, endpoint;
	int host_fd;
	uint8_t *host; /* MACHINE_HOST_BYTES */
	uint8_t *gpu;  /* the endpoint's BAR; MACHINE_GPU_BYTES */
	const char *options[MACHINE_OPTIONS_MAX + 1];
};

/** Paths of the programs, and the card's --logic; NULL: model. */
void machine_programs(const char *card, const char *endpoint, const char *logic);
/** Whether the card is a simulation, a thousand times slower than the model. */
bool machine_slow(void);
/** Whether the card splits writes at 4 KiB boundaries, as required on PCIe; the model does not. */
bool machine_splits_writes(void);
const char *machine_card_program(void);
const char *machine_endpoint_program(void);

/** Creates a temporary directory; terminates all programs by SIGTERM, with exit status 0 required. Return 0 or -1. */
int machine_create(struct machine *m);
int machine_destroy(struct machine *m);
/** The same as cmocka fixtures, for one machine. */
int machine_setup(void **state);
int machine_teardown(void **state);

/* The following functions assert success. */

/** Starts both, connects to both, places the endpoint's BAR and lets both answer and be masters. */
struct machine *machine_start(void **state);
/** Sets the card's --interrupts for the next start. */
void machine_interrupts(const char *kind);
/** Further options of the card, terminated by NULL. */
void machine_options(struct machine *m, const char *const options[]);
/** The same, but nothing is written to configuration spaces and no memory is mapped. */
struct machine *machine_start_bare(void **state);
void machine_place_gpu(struct machine *m, uint64_t address, unsigned command);
void machine_map_host(struct machine *m);
/** Maps the endpoint's memory as QEMU does, by the file descriptor of its region. */
void machine_map_gpu(struct machine *m);

/** Enables the card: partitions and windows as above, and context 0 with its rings and vector 1. */
void machine_enable(struct machine *m);

uint64_t machine_get(struct machine *m, uint64_t reg);
void machine_set(struct machine *m, uint64_t reg, uint64_t value);
uint64_t machine_counter(struct machine *m, uint64_t reg);
unsigned machine_partition(unsigned partition, unsigned reg);
unsigned machine_context(unsigned reg);
void machine_set_partition(struct machine *m, unsigned partition, unsigned kind, uint64_t base, uint64_t bytes);
/** A window of context 0 to all of a partition. */
void machine_set_window(struct machine *m, unsigned slice, unsigned partition);
/** Restarts a card that has exited; nothing is configured. */
void machine_restart_card(struct machine *m);

/** Stores 8 bytes through the window to a partition; flushes all stores. */
void machine_store(struct machine *m, unsigned to, uint64_t offset, uint64_t value);
uint64_t machine_load(struct machine *m, unsigned from, uint64_t offset);
void machine_drain(struct machine *m);
uint64_t machine_at(const uint8_t *memory, uint64_t offset);

#endif /* GPULINK_EMU_TEST_MACHINE_H */
