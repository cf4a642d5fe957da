/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a card is made of, and which file does what with it. Internal to the model: users know card.h alone.
 */
#ifndef GLK_STATE_H
#define GLK_STATE_H

#include "card/card.h"
#include "link/card_link.h"
#include "base/counters.h"
#include "finepack/partition.h"

#define GLK_RING_ORDER_MAX   15u /* indices are 16 bits wide and must tell full from empty */
#define GLK_TRANSFER_BYTES   4096u /* what a put or get moves at a time */
#define GLK_SLICE_SHIFT_MIN  12u
#define GLK_SLICE_SHIFT_MAX  30u
#define GLK_VECTORS_MAX	     64u
#define GLK_HW_VERSION	     ((1ULL << GLK_CARD_HW_VERSION_MAJOR_SHIFT) | (0ULL << GLK_CARD_HW_VERSION_MINOR_SHIFT))
#define GLK_CLOCK_MHZ	     250ULL

/* The endpoint side of a partition: what it may write, and how much of that is known to have arrived. */
struct glk_endpoint {
	uint64_t kind; /* GLK_EP_... */
	uint64_t base;
	uint64_t bytes;
	uint64_t posted;       /* writes since the last reset */
	uint64_t acknowledged; /* of them */
	uint64_t failed;       /* of them; only differences count */
};

/* A table entry as its registers hold it. */
struct glk_entry {
	uint64_t q[4];
};

/* Endpoint writes to wait for: those posted when it was taken. */
struct glk_mark {
	uint64_t posted[GLK_PARTITION_COUNT];
};

/* A release by the doorbell page, until it completes. It first waits for the ring to get as far as it was told. */
enum glk_release_stage { GLK_RELEASE_WAITS_FOR_RING, GLK_RELEASE_FLUSHES, GLK_RELEASE_WAITS_FOR_ENDPOINTS };

struct glk_release {
	bool pending;
	enum glk_release_stage stage;
	uint16_t sq_target;
	uint64_t value;
	struct glk_mark mark;
};

struct glk_context {
	/* Registers. */
	uint64_t control, sq_base, cq_base, order, record, vector;
	uint64_t status, errors;
	uint16_t sq_tail, sq_head, cq_head, cq_tail;
	/* The entry at sq_head is a release that has flushed and waits for `ring_mark`. */
	bool ring_release;
	struct glk_mark ring_mark;
	/* Releases by the doorbell page: the one that is waited for, and all later ones as one. */
	struct glk_release release, next_release;
	uint64_t release_word, released;
	/* Partitions stored to since a release last flushed, or since the context was enabled; those before it, while it waits. */
	uint32_t touched, fenced;
	uint64_t failed_before[GLK_PARTITION_COUNT]; /* failures of each that the context was told of, or that were not its */
};

struct glk_drain {
	bool busy;
	struct glk_mark mark;
};

struct glk_card {
	struct glk_card_config config;
	uint64_t control, scratch, generation, error_cause, snapshots, now_ns;
	uint64_t drain_written;
	unsigned next_context; /* where the next round over the rings begins */
	struct glk_drain drain;
	struct glk_card_counters counters, latched;
	struct glk_partition partitions[GLK_PARTITION_COUNT];
	struct glk_partition_counters latched_partitions[GLK_PARTITION_COUNT];
	struct glk_endpoint endpoints[GLK_PARTITION_COUNT];
	struct glk_entry windows[GLK_WINDOW_COUNT];
	struct glk_entry registrations[GLK_REGISTRATION_COUNT];
	struct glk_context contexts[GLK_CONTEXT_COUNT];
	struct glk_card_link *link; /* NULL: there is none */
	uint8_t vector_buffer[GLK_PUTV_MAX_BYTES]; /* a put vector, copied before it is checked */
	uint8_t pool[];
};

/* A field of a register's value, by the names of gpulink_regs.h. */
#define GLK_FIELD(value, name) (((value) & name##_MASK) >> name##_SHIFT)

static inline void glk_count(struct glk_card *card, unsigned counter)
{
	card->counters.value[counter]++;
}

/* card.c */
void glk_raise(struct glk_card *card, unsigned vector);
/* Latches bits of ERROR_CAUSE; one that was 0 raises the event vector. */
void glk_note_error(struct glk_card *card, uint64_t cause);

/* window_table.c: where an access goes. */
struct glk_target {
	unsigned partition;
	unsigned context; /* owner of the window */
	uint64_t offset;  /* in the endpoint's memory */
};
/* Register values for entries; returns 0, or -EINVAL when the entry may not become so. */
int glk_window_set(struct glk_card *card, unsigned slice, unsigned word, uint64_t value);
/* An aperture access of `len` bytes that needs `right` (GLK_WINDOW_Q0_READ_MASK, ..WRITE_MASK). 0 or -errno. */
int glk_window_translate(struct glk_card *card, uint64_t aperture_offset, size_t len, uint64_t right,
			 struct glk_target *target);
/* Counts an aperture access that is not carried out, also for the owner of the slice's window if there is one. */
void glk_window_refuse(struct glk_card *card, uint64_t aperture_offset);
/* A range of a window, named by handle, that context may use with all of `rights`. Returns GLK_ST_... */
unsigned glk_window_check(const struct glk_card *card, unsigned context, unsigned handle, uint64_t offset, uint64_t len,
			  uint64_t rights);
/* The part of a checked range that lies in the slice of its first byte: where, and how long. */
size_t glk_window_part(const struct glk_card *card, unsigned handle, uint64_t offset, uint64_t len,
		       struct glk_target *target);

/* registration.c */
int glk_registration_set(struct glk_card *card, unsigned index, unsigned word, uint64_t value);
unsigned glk_registration_check(const struct glk_card *card, unsigned context, unsigned handle, uint64_t offset,
				uint64_t len, uint64_t right);
/* Moves bytes between a checked range and `data`. 0, or negative when host memory could not be reached. */
int glk_registration_read(struct glk_card *card, unsigned handle, uint64_t offset, void *data, size_t len);
int glk_registration_write(struct glk_card *card, unsigned handle, uint64_t offset, const void *data, size_t len);
/* Host memory by DMA address; failures are counted. */
int glk_dma_read(struct glk_card *card, uint64_t address, void *data, size_t len);
int glk_dma_write(struct glk_card *card, uint64_t address, const void *data, size_t len);

/* endpoint.c */
struct glk_update {
	unsigned opcode;
	uint64_t operand, compare;
};
int glk_endpoint_set(struct glk_card *card, unsigned partition, unsigned reg, uint64_t value);
/* There is one, and it is in the card's own cluster. */
bool glk_endpoint_own(const struct glk_card *card, unsigned partition);
bool glk_endpoint_holds(const struct glk_card *card, unsigned partition, uint64_t offset, uint64_t len);
void glk_endpoint_write(struct glk_card *card, unsigned partition, uint64_t offset, const void *data, size_t len);
int glk_endpoint_read(struct glk_card *card, unsigned partition, uint64_t offset, void *data, size_t len);
void glk_endpoint_failed(struct glk_card *card, unsigned partition, unsigned failures);
/* An atomic of 4 or 8 bytes, GLK_OP_FETCH_ADD .. GLK_OP_CAS, in the card's own cluster. *written: it was more than a read. */
int glk_endpoint_update(struct glk_card *card, unsigned partition, uint64_t offset, size_t len, const struct glk_update *update,
			uint64_t *old, bool *written);
void glk_store(struct glk_card *card, const struct glk_target *target, const void *data, size_t len);
/* Flushes what is queued of the bytes, for `reason`. */
void glk_flush_hit(struct glk_card *card, const struct glk_target *target, size_t len, unsigned reason);
/* The same, and reads them. */
int glk_load(struct glk_card *card, const struct glk_target *target, void *data, size_t len, unsigned reason);

/* release.c */
void glk_mark_take(struct glk_card *card, struct glk_mark *mark);
bool glk_mark_reached(const struct glk_card *card, const struct glk_mark *mark);
void glk_release_flush(struct glk_card *card, unsigned context);
/* Whether an endpoint write of the context failed since its last release; forgets it. */
bool glk_release_failed(struct glk_card *card, unsigned context);
/* The context is stopped, or starts: nothing of its releases and failures is left. */
void glk_release_forget(struct glk_card *card, unsigned context);
void glk_release_start(struct glk_card *card, unsigned context);
void glk_release_request(struct glk_card *card, unsigned context, uint64_t value);
void glk_release_progress(struct glk_card *card, unsigned context);
int glk_drain_begin(struct glk_card *card, uint64_t value);
bool glk_drain_busy(struct glk_card *card);

/* ring.c */
int glk_context_set(struct glk_card *card, unsigned context, unsigned reg, uint64_t value);
uint64_t glk_context_get(const struct glk_card *card, unsigned context, unsigned reg);

/* operation.c: carries out an entry; returns GLK_ST_..., or GLK_NOT_YET for a release that has to wait. */
#define GLK_NOT_YET GLK_ST_COUNT
unsigned glk_operation(struct glk_card *card, unsigned context, const uint64_t sqe[8], uint32_t *moved);

#endif /* GLK_STATE_H */
