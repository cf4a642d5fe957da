/* SPDX-License-Identifier: Apache-2.0 */
/* An open card, shared by the files of its back end. */
#ifndef GLK_LIB_CARD_H
#define GLK_LIB_CARD_H

#include <sys/types.h>

#include <gpulink_regs.h>

#include "../../kmod/uapi/gpulink.h"
#include "../backend.h"
#include "card_ring.h"

struct card {
	int fd;
	dev_t number;
	struct gpulink_ioctl_query query;
	struct glk_card_ring *ring;
	void *record; /* page of the completion record, once it was asked for */
	struct {
		void *memory;
		size_t bytes;
	} endpoints[GLK_PARTITION_COUNT];
};

/* card_context.c: the error of an errno. */
int glk_card_code_of(int error);
/* mmap(), or NULL. Children do not inherit it: their accesses would be the parent's. */
void *glk_card_map(uint64_t bytes, int protection, int fd, uint64_t offset);
/* Maps the page of the completion record. 0 or an error. Under the device's lock. */
int glk_card_map_record(struct card *card);

/* card_region.c */
int glk_card_region_open(void *backend, const struct glk_region_shape *shape, struct glk_backend_region *region);
void glk_card_region_close(void *backend, const struct glk_backend_region *region);
void glk_card_region_write(void *backend, unsigned reg, uint64_t value);
int glk_card_region_wait(void *backend, const struct glk_backend_region *region, unsigned level, uint64_t epoch,
			 uint64_t timeout_ns, struct glk_region_state *state);

#endif /* GLK_LIB_CARD_H */
