/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The card: the public interface of the model, with the three BARs, the link and the platform's callbacks.
 *
 * The model is a pure C11 library: no I/O, no threads, no global state, no allocation after glk_card_create().
 * The platform (gpulink-card, libgpulink's soft device, a test bench) drives it: it passes register accesses, aperture
 * accesses, packets and the time to the functions below and implements the callbacks of struct glk_card_ops.
 *
 * Threads: a card is used by one thread at a time. Callbacks run inside the calls below and must not call back into the
 * same card, except glk_card_link_receive() from link_send (loopback), glk_card_endpoint_acknowledge() from
 * endpoint_write, and these two and the glk_card_link_ functions from link_wait.
 *
 * fpga/regs/gpulink.toml (docs/registers.md) specifies the registers.
 */
#ifndef GLK_CARD_H
#define GLK_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/config.h"

struct glk_card;
struct glk_block;

/** Fills in the default configuration of gpulink-card: 16 partitions, 64 entries, 32 contexts, 1024 slices
 *  of 1 MiB, 1024 registrations, 33 vectors, loopback, no link, 16 MiB of pool with 1024 sets of 8 timestamps. ops and platform
 * are left NULL. */
void glk_card_config_default(struct glk_card_config *config);

/** Creates a card in its power-on state. `config` is copied; ops must stay valid until glk_card_destroy(). Returns 0, -EINVAL
 *  if the configuration is outside the ranges in base/config.h, or -ENOMEM. No other function allocates. */
int glk_card_create(const struct glk_card_config *config, struct glk_card **card);
/** Frees the card; NULL is allowed. */
void glk_card_destroy(struct glk_card *card);

/** Function-level reset, the same as writing 1 to CONTROL.RESET. Counters survive; GENERATION is incremented. The platform must
 *  not acknowledge endpoint writes that were posted before the reset. */
void glk_card_reset(struct glk_card *card);

/**
 * Access BAR 0. `size` is 1, 2, 4 or 8 bytes and `offset` a multiple of it. A read of fewer than 8 bytes returns that part
 * of the register; a write of fewer than 8 bytes changes only those bytes. Return 0, or -EINVAL for an access that is
 * unaligned or outside the BAR (a read then returns all ones). Never block; may make callbacks.
 */
int glk_card_register_read(struct glk_card *card, uint64_t offset, unsigned size, uint64_t *value);
int glk_card_register_write(struct glk_card *card, uint64_t offset, unsigned size, uint64_t value);

/**
 * Store to and load from the window aperture (BAR 2); `len` is 1..4096 and must not cross a slice. An access that no
 * window permits is dropped (a load returns all ones), counted (ERR_WINDOW, the context's ERRORS) and latched in
 * ERROR_CAUSE. Return 0, or a negative errno: -EFAULT no window, -EACCES missing right, -EIO endpoint absent or
 * failed, -ENODEV card not enabled. The platform may ignore the error of a store, which PCIe posts.
 */
int glk_card_aperture_store(struct glk_card *card, uint64_t offset, const void *data, size_t len);
int glk_card_aperture_load(struct glk_card *card, uint64_t offset, void *data, size_t len);

/**
 * Poisoned writes (PCIe EP bit): nothing is stored. A register write is rejected like an invalid value. An aperture write is
 * counted like one that no window permits, even if a window exists, or as dropped while the card is not enabled; a pool write
 * like one that no window permits. Return a negative errno.
 */
int glk_card_register_poisoned(struct glk_card *card, uint64_t offset, unsigned size);
int glk_card_aperture_poisoned(struct glk_card *card, uint64_t offset);
int glk_card_pool_poisoned(struct glk_card *card, uint64_t offset, size_t len);

/** Access the pool (BAR 4); any offset and length inside it. A write is stamped at CLOCK or later. Return 0 or -EINVAL. */
int glk_card_pool_write(struct glk_card *card, uint64_t offset, const void *data, size_t len);
int glk_card_pool_read(struct glk_card *card, uint64_t offset, void *data, size_t len);

/** Receives a packet that link_send was called with: de-packetizes it and writes the endpoint. A malformed packet writes
 *  nothing. Returns 0, -EBADMSG (malformed) or -ENODEV (card not enabled). `packet` is read only during the call. */
int glk_card_link_receive(struct glk_card *card, const uint8_t *packet, size_t len);

/*
 * The link to another card, on a card created with `link`. `now` is in clocks of 4 ns and must not decrease. The platform
 * implements the wire: it clocks the link and carries blocks (link/link_layer.h); it may lose, change, repeat and reorder them.
 */

/** Runs one clock. `ready`: the wire can take a block now. Returns whether *block is to be sent. */
bool glk_card_link_clock(struct glk_card *card, uint64_t now, bool ready, struct glk_block *block);
/** Receives a block: serves the other card's requests and completes this card's. */
void glk_card_link_block(struct glk_card *card, uint64_t now, const struct glk_block *block);
/** The wire is or was disconnected. */
void glk_card_link_cut(struct glk_card *card, uint64_t now);
/** The next clock at which glk_card_link_clock() has work if no block is received; UINT64_MAX: none. */
uint64_t glk_card_link_next(const struct glk_card *card, uint64_t now);

/** The oldest `count` unacknowledged endpoint writes of a partition are visible; `failed` of them failed. */
void glk_card_endpoint_acknowledge(struct glk_card *card, unsigned partition, unsigned count, unsigned failed);

/** Sets the time, in nanoseconds; it must not decrease. Expired inactivity timeouts flush, and waits on the link time out. */
void glk_card_advance(struct glk_card *card, uint64_t now_ns);

/** The time in nanoseconds at which glk_card_advance() has work next; UINT64_MAX: none unless another call is made. */
uint64_t glk_card_deadline(const struct glk_card *card);

/** Processes submission ring entries, at most `budget` in all, round robin over the contexts, and moves as many pieces of
 *  4 KiB of regions' chunks. Returns true if it is to be called again: work that can be done now is left, or may have become
 *  due. Register writes only record a doorbell: the platform calls this from its loop. Releases complete from here and from
 *  glk_card_endpoint_acknowledge(). */
bool glk_card_service(struct glk_card *card, unsigned budget);

#endif /* GLK_CARD_H */
