/* SPDX-License-Identifier: Apache-2.0 */
/* Cycle-by-cycle C interface to the Verilated glk_tsu. */
#ifndef GLK_TSU_DUT_H
#define GLK_TSU_DUT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tsu_kind { TSU_UNTIMED, TSU_WRITE, TSU_READ, TSU_FORGET, TSU_EPOCH };

struct tsu_in {
	bool valid, adapt;
	enum tsu_kind kind;
	uint32_t read_lease, write_lease;
	uint64_t line, time, wts;
};

struct tsu_out {
	bool ready, valid, ok, same, idle;
	enum tsu_kind kind;
	uint64_t wts, rts;
	uint64_t clock, greatest;
	uint32_t epoch, floor;
	bool eviction, new_epoch, error;
};

struct tsu_dut;

unsigned tsu_dut_sets(void);
unsigned tsu_dut_ways(void);
unsigned tsu_dut_ts_bits(void);
struct tsu_dut *tsu_dut_create(const char *wave);
void tsu_dut_destroy(struct tsu_dut *dut);
/* Applies `in`, samples the outputs before the clock edge, and clocks. */
void tsu_dut_clock(struct tsu_dut *dut, const struct tsu_in *in, struct tsu_out *out);
/* Flips a bit of an entry; `bit` is taken modulo their number. */
void tsu_dut_damage(struct tsu_dut *dut, unsigned set, unsigned way, unsigned bit);

#ifdef __cplusplus
}
#endif

#endif /* GLK_TSU_DUT_H */
