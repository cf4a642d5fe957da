/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The card: all of the model's parts behind the three BARs, the link and the platform's callbacks.
 *
 * The model is a pure C11 library: no I/O, no thread, no global state, no allocation after glk_card_create().
 * It is driven by whoever plays the PCIe side (gpulink-card, libgpulink's soft device, a test bench): he hands
 * it register accesses, aperture stores and packets, tells it the time, and carries out what it asks for
 * through the callbacks. A card belongs to one thread at a time. Callbacks are made from inside the calls below
 * and must not call back into the same card, except glk_card_link_receive() from link_send (the loop),
 * glk_card_endpoint_acknowledge() from endpoint_write, and both and what moves the link from link_wait.
 *
 * What the registers do is said once, in fpga/regs/gpulink.toml (docs/registers.md).
 */
#ifndef GLK_CARD_H
#define GLK_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/config.h"

struct glk_card;
struct glk_block;

/** Fills in the card that gpulink-card emulates by default: 16 partitions, 64 entries, 32 contexts, 1024 slices
 *  of 1 MiB, 1024 registrations, 33 vectors, loopback, no link, 16 MiB of pool. ops and platform are left NULL. */
void glk_card_config_default(struct glk_card_config *config);

/** Makes a card as after power-on. Returns 0, -EINVAL for a configuration out of the ranges above, or -ENOMEM.
 *  Only here the model allocates. */
int glk_card_create(const struct glk_card_config *config, struct glk_card **card);
void glk_card_destroy(struct glk_card *card);

/** Function-level reset: the same as CONTROL.RESET written 1. Counters survive; GENERATION grows by 1. Writes
 *  posted and not yet acknowledged are forgotten: the platform must not acknowledge them any more. */
void glk_card_reset(struct glk_card *card);

/**
 * Access to BAR 0. `size` is 1, 2, 4 or 8 and `offset` a multiple of it; part of a register is read as that part.
 * A write of fewer than 8 bytes to a register changes only those bytes of it. Returns 0, or -EINVAL for an
 * access outside the BAR or unaligned (a read then gives all ones). Never blocks; may make callbacks.
 */
int glk_card_register_read(struct glk_card *card, uint64_t offset, unsigned size, uint64_t *value);
int glk_card_register_write(struct glk_card *card, uint64_t offset, unsigned size, uint64_t value);

/**
 * Store to and load from the window aperture (BAR 2); `len` 1..4096, must not cross a slice. An access that no
 * window allows is dropped (a load gives all ones), counted (ERR_WINDOW, the context's ERRORS) and latched in
 * ERROR_CAUSE. Return 0, or a negative errno (-EFAULT no window, -EACCES right missing, -EIO endpoint absent or
 * failing, -ENODEV card not enabled) that a platform may ignore, as PCIe does for posted writes.
 */
int glk_card_aperture_store(struct glk_card *card, uint64_t offset, const void *data, size_t len);
int glk_card_aperture_load(struct glk_card *card, uint64_t offset, void *data, size_t len);

/**
 * Writes whose data a bus marked as spoilt (poisoned): nothing is stored. To a register they are refused as a wrong value
 * is; to the aperture they count as what no window allows, whatever window there is, or as dropped while the card is not
 * enabled; to the pool as the same. Return a negative errno.
 */
int glk_card_register_poisoned(struct glk_card *card, uint64_t offset, unsigned size);
int glk_card_aperture_poisoned(struct glk_card *card, uint64_t offset);
int glk_card_pool_poisoned(struct glk_card *card, uint64_t offset, size_t len);

/** Access to the pool (BAR 4), any length inside it. Return 0 or -EINVAL. */
int glk_card_pool_write(struct glk_card *card, uint64_t offset, const void *data, size_t len);
int glk_card_pool_read(struct glk_card *card, uint64_t offset, void *data, size_t len);

/** Takes a packet that link_send was given: de-packetizes it and writes the endpoint, whole or (malformed) not at all.
 *  Returns 0 or -EBADMSG. `packet` is only read during the call. */
int glk_card_link_receive(struct glk_card *card, const uint8_t *packet, size_t len);

/*
 * The link to another card, on a card that was made with one. Its time is counted in clocks of 4 ns, never backwards. Whoever
 * plays the wire clocks it and carries blocks (link/link_layer.h), and may lose, change, repeat and reorder them.
 */

/** One clock. `ready`: the wire takes a block now. Returns whether there is one. */
bool glk_card_link_clock(struct glk_card *card, uint64_t now, bool ready, struct glk_block *block);
/** A block came: what the other card wants is done, and what this one waits for goes on. */
void glk_card_link_block(struct glk_card *card, uint64_t now, const struct glk_block *block);
/** The wire is gone, or was for a while. */
void glk_card_link_cut(struct glk_card *card, uint64_t now);
/** The clock from which on there is something to do, if no block comes; UINT64_MAX: never. */
uint64_t glk_card_link_next(const struct glk_card *card, uint64_t now);

/** The oldest `count` unacknowledged endpoint writes of a partition are visible; `failed` of them failed. */
void glk_card_endpoint_acknowledge(struct glk_card *card, unsigned partition, unsigned count, unsigned failed);

/** Tells the time in nanoseconds (never backwards): inactivity timeouts that have expired flush. */
void glk_card_advance(struct glk_card *card, uint64_t now_ns);

/** When glk_card_advance() next has something to do; UINT64_MAX: never as things stand. */
uint64_t glk_card_deadline(const struct glk_card *card);

/** Works on rings that have entries, at most `budget` entries in all, round robin over the contexts. Returns
 *  true when entries that could be taken now are left. Register writes only note a doorbell: the platform calls
 *  this from its loop. Releases complete from here and from glk_card_endpoint_acknowledge(). */
bool glk_card_service(struct glk_card *card, unsigned budget);

#endif /* GLK_CARD_H */
