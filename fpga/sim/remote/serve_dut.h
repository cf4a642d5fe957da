/* SPDX-License-Identifier: Apache-2.0 */
/* Cycle-by-cycle C interface to the Verilated glk_serve. */
#ifndef GLK_SERVE_DUT_H
#define GLK_SERVE_DUT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct serve_dut;

struct serve_piece {
	unsigned kind, bytes;
	bool first, last, valid;
	uint8_t data[16];
};

struct serve_in {
	bool session, enabled;
	uint16_t open;	      /* MODE.OPEN, one bit per partition */
	unsigned kind[16];    /* EP_KIND */
	uint64_t pages[16];   /* EP_BYTES */
	struct serve_piece posted, request;
	bool receiver_ready, done, refused;
	uint16_t reached;
	bool fail;
	unsigned fail_partition;
	bool load_ready, data_valid, data_error;
	uint8_t line[64];
	bool locked, write_ready, answer_ready;
};

struct serve_out {
	bool posted_ready, request_ready;
	bool beat_valid, beat_last;
	unsigned beat_bytes;
	uint8_t beat[64];
	uint16_t take;
	bool load_valid, data_ready;
	unsigned load_partition, load_length;
	uint64_t load_offset;
	bool lock, write_valid;
	unsigned write_partition, write_length;
	uint64_t write_offset, write_data;
	bool answer_valid, answer_last;
	unsigned answer_kind;
	uint8_t answer[16];
	bool served, denied, malformed, trimmed, idle;
	unsigned trimmed_bytes;
};

/* Resets. `wave`: waveform file, or NULL. */
struct serve_dut *serve_dut_create(const char *wave);
void serve_dut_destroy(struct serve_dut *dut);
/* Asserts `rst` in whatever goes on; then the inputs are `in`. */
void serve_dut_reset(struct serve_dut *dut, const struct serve_in *in);
unsigned serve_dut_lanes(void);
unsigned serve_dut_partitions(void);

/* Applies `in`, samples the outputs before the clock edge, and clocks. */
void serve_dut_clock(struct serve_dut *dut, const struct serve_in *in, struct serve_out *out);

#ifdef __cplusplus
}
#endif

#endif /* GLK_SERVE_DUT_H */
