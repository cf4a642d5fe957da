/* SPDX-License-Identifier: Apache-2.0 */
/* A soft device with its endpoints' memory, and common test steps. All of them assert success. */
#ifndef GLK_SOFT_BENCH_H
#define GLK_SOFT_BENCH_H

#include <gpulink.h>

#define SOFT_BOTH    (GPULINK_READ | GPULINK_WRITE)
#define SOFT_SECOND  UINT64_C(1000000000) /* in nanoseconds */
#define SOFT_SLICE   (1u << 20)		  /* bytes of a slice of the aperture in small devices */
#define LENGTH(a)    (sizeof(a) / sizeof((a)[0]))

struct soft {
	struct gpulink *device;
	unsigned endpoints;
	uint8_t *memory[16];
	size_t bytes;
};

/** The name of the device is printed into: soft_open(&soft, "soft:timeout=%u", 100). */
void soft_open(struct soft *soft, const char *format, ...) __attribute__((format(printf, 2, 3)));
void soft_close(struct soft *soft);

struct gpulink_window *soft_window(const struct soft *soft, unsigned partition, uint64_t offset, uint64_t bytes);
struct gpulink_memory *soft_memory(const struct soft *soft, void *address, size_t bytes, unsigned rights);
void soft_release(const struct soft *soft);
struct gpulink_counters soft_counters(const struct soft *soft, unsigned partition);

/** Released stores add up: every packet has a reason, every byte stored was sent or overwritten, every byte sent arrived.
 *  `atomic_bytes`: what atomics wrote. */
void soft_check_accounts(const struct soft *soft, unsigned partition, unsigned subheader_bytes, uint64_t atomic_bytes);

/** Takes the only completion, which must have this tag. */
struct gpulink_completion soft_completion(const struct soft *soft, uint64_t tag);
/** As above; it must report this many bytes and no error. */
void soft_done(const struct soft *soft, uint64_t tag, uint32_t bytes);

/** Bytes that differ from their neighbours, from those of other seeds, and from 0. */
void soft_fill(void *data, size_t bytes, unsigned seed);
/** 1 if all bytes are 0. */
int soft_is_zero(const void *data, size_t bytes);

#endif /* GLK_SOFT_BENCH_H */
