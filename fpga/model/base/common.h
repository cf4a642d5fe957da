/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state that all mechanisms of a card share: its configuration, CONTROL, GENERATION, ERROR_CAUSE, the clock and the card's
 * counters; and their way to the platform. Internal to the model.
 */
#ifndef GLK_COMMON_H
#define GLK_COMMON_H

#include "base/config.h"
#include "base/counters.h"

struct glk_common {
	struct glk_card_config config;
	uint64_t control, generation, error_cause;
	uint64_t now_ns; /* as of the last glk_card_advance() */
	struct glk_card_counters counters;
};

/* An entry of the window or registration table, as its registers hold it. */
struct glk_entry {
	uint64_t q[4];
};

/* A field of a register's value, by the names of gpulink_regs.h. */
#define GLK_FIELD(value, name) (((value) & name##_MASK) >> name##_SHIFT)

static inline bool glk_enabled(const struct glk_common *common)
{
	return common->control & GLK_CARD_CONTROL_ENABLE_MASK;
}

static inline void glk_count(struct glk_common *common, unsigned counter)
{
	common->counters.value[counter]++;
}

/* Raises an MSI-X vector. */
void glk_raise(struct glk_common *common, unsigned vector);
/* Latches bits of ERROR_CAUSE; a bit that was 0 raises the event vector. */
void glk_note_error(struct glk_common *common, uint64_t cause);
/* A packet that is malformed or names no partition: counted (ERR_PACKET) and latched. */
void glk_note_malformed_packet(struct glk_common *common);
/* Host memory by DMA address. Return 0 or -EIO; failures are counted (ERR_DMA) and latched. */
int glk_dma_read(struct glk_common *common, uint64_t address, void *data, size_t len);
int glk_dma_write(struct glk_common *common, uint64_t address, const void *data, size_t len);

#endif /* GLK_COMMON_H */
