/* SPDX-License-Identifier: Apache-2.0 */
/* A bench with pool memory: a partition on part of the pool, a window of it, a registration, and the operations with a time. */
#ifndef GLK_TEST_LEASE_BENCH_H
#define GLK_TEST_LEASE_BENCH_H

#include "bench.h"

#define LEASE_PARTITION	   6u
#define LEASE_SLICE	   4u		 /* and window handle */
#define LEASE_BASE	   0x20000u	 /* in the pool */
#define LEASE_BYTES	   0x100000u
#define LEASE_REGISTRATION 3u
#define LEASE_REGISTERED   20000u	 /* bytes; in the first page from offset 0 on */
#define LEASE_NONE	   UINT64_MAX	 /* no copy */

struct lease_record {
	uint64_t wts, rts, old, same;
};

/* Fixture: a started bench with all of this, for context 0. */
int lease_setup(void **state);
/* The partition, the window and the registration, on a started bench. */
void lease_start(struct bench *b);

/* The byte at an offset of the registration. */
uint8_t *lease_registered(struct bench *b, unsigned offset);
/* The record and the data at offset 0 of the registration; data of up to 4000 bytes. */
struct lease_record lease_record(struct bench *b);
uint8_t *lease_data(struct bench *b);

/* Run an entry; return its status. *moved: bytes moved, or NULL. */
unsigned lease_run(struct bench *b, const uint64_t sqe[8], unsigned *moved);
/* The operations, with their record at offset 0 of the registration. Return the status. */
unsigned lease_read(struct bench *b, uint64_t offset, unsigned length, uint64_t time, uint64_t wts);
unsigned lease_write(struct bench *b, uint64_t offset, const void *data, unsigned length, uint64_t time);
unsigned lease_atomic(struct bench *b, unsigned opcode, uint64_t offset, unsigned length, uint64_t operand, uint64_t compare,
		      uint64_t time);

/* A counter of block TSU. */
uint64_t lease_counter(struct bench *b, unsigned reg);

#endif /* GLK_TEST_LEASE_BENCH_H */
