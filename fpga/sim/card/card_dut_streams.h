/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to card_dut: state of the card's streams, shared by the stream drivers and the user interface. */
#ifndef GLK_CARD_DUT_STREAMS_H
#define GLK_CARD_DUT_STREAMS_H

#include "card_dut.h"

#define PAGE	       4096u
#define POSTS_MAX      64u
#define READS_MAX      64u
#define POOL_READS_MAX 16u
enum { REGISTERS, APERTURE, POOL };
enum { KIND_WRITE, KIND_READ, KIND_INTERRUPT };

struct post {
	bool poisoned;
	unsigned bar, length;
	uint64_t offset;
	uint8_t data[PAGE];
};

/* A read by the card, not yet completely answered; its data are sampled at the request. */
struct reading {
	unsigned tag, length, at, error_after;
	uint64_t address, since;
	bool failed;
	uint8_t data[PAGE];
};

struct pool_reading {
	uint64_t offset;
	unsigned length, at;
	uint8_t data[PAGE];
};

struct card_dut {
	struct card_pins *pins;
	struct card_dut_config config;
	struct card_parameters p;
	struct card_in in;
	struct card_out out, before;
	bool held_cpl, held_mem, held_pool, held_tap; /* `before` was stalled: outputs must hold */
	uint64_t clocks, limit;
	char fault[200];

	/* Writes to the card: a ring; the waiting read follows `read_after` of them. */
	struct post posts[POSTS_MAX];
	unsigned post_first, post_count, post_at;
	enum { READ_NONE, READ_WAITS, READ_GIVEN } read;
	unsigned read_bar, read_length, read_at, read_after;
	uint64_t read_offset;
	uint32_t read_id;
	uint8_t read_data[PAGE];

	/* Requests by the card. */
	struct reading readings[READS_MAX];
	unsigned reading_count, answering; /* index of the read whose beat is offered */
	unsigned write_at, requests;
	uint8_t write_data[PAGE];

	uint8_t *pool;
	unsigned pool_at;
	struct pool_reading pool_readings[POOL_READS_MAX];
	unsigned pool_first, pool_count;

	uint8_t packet[CARD_DUT_PACKET_MAX + CARD_BEAT_MAX];
	size_t packet_bytes;
	uint8_t injected[CARD_DUT_PACKET_MAX];
	size_t inject_bytes, inject_at;
	unsigned quiet, quiet_wanted;
};

/* Records the first protocol violation. */
void card_dut_breach(struct card_dut *dut, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Drives the inputs of the next clock; evaluates the transfers of this one. */
void card_dut_offer(struct card_dut *dut);
void card_dut_take(struct card_dut *dut);

#endif /* GLK_CARD_DUT_STREAMS_H */
