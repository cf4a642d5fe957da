/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model of the card with a platform for vectors: sparse endpoints, host memory with rings, a looped link that records sent
 * packets. Uses only card.h. Accesses by partition and offset find or create a window automatically.
 */
#ifndef VECTOR_CARD_H
#define VECTOR_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "card/card.h"
#include "gpulink_regs.h"

#define VECTOR_PARTITIONS   16u
#define VECTOR_CONTEXTS	    4u
#define VECTOR_SLICES	    1024u
#define VECTOR_ACCESS_BYTES 4096u /* most of a store, load or get */
#define VECTOR_PACKET_BYTES 5000u /* room for a packet that is too long, too */
#define VECTOR_PACKETS	    256u  /* most that one event sends */
#define VECTOR_PAGES	    1024u /* buckets of the sparse memory */

struct vector_page {
	struct vector_page *next;
	uint64_t number; /* of the page in its endpoint */
	unsigned partition;
	uint8_t bytes[4096];
};

struct vector_packet {
	size_t bytes;
	uint8_t data[VECTOR_PACKET_BYTES];
};

struct vector_window {
	unsigned partition, context;
	uint64_t offset, bytes; /* 0 bytes: the slice is free */
};

struct vector_card {
	struct glk_card *card;
	uint64_t endpoint_bytes[VECTOR_PARTITIONS];
	struct vector_page *pages[VECTOR_PAGES];
	struct vector_window windows[VECTOR_SLICES];
	struct vector_packet *sent; /* by the event at hand, VECTOR_PACKETS of them */
	unsigned packets;
	unsigned looped;	 /* packets sent since the card was made */
	const char *trouble;	 /* an error that no vector may cause, or NULL */
	uint64_t entries[VECTOR_CONTEXTS]; /* put on the ring of a context */
	uint8_t host[0x40000];
};

/* Returns NULL if out of memory, or if the model does not support the number of queue entries. */
struct vector_card *vector_card_create(unsigned queue_entries);
void vector_card_destroy(struct vector_card *v);

uint64_t vector_card_read(struct vector_card *v, unsigned offset);
void vector_card_write(struct vector_card *v, unsigned offset, uint64_t value);
unsigned vector_partition_register(unsigned partition, unsigned reg);

bool vector_card_endpoint(struct vector_card *v, unsigned partition, uint64_t bytes);
/* Returns the aperture offset of the bytes; UINT64_MAX if no window can be made for them. */
uint64_t vector_card_aperture(struct vector_card *v, unsigned partition, unsigned context, uint64_t offset,
			      size_t bytes);
/* The first slice that the context has of the partition; -1: none. */
int vector_card_window(const struct vector_card *v, unsigned partition, unsigned context);
/* Unmaps all windows of the context on the partition. */
void vector_card_unmap(struct vector_card *v, unsigned partition, unsigned context);

/* Puts an entry on the ring of the context and serves it; false unless it completes ok. The caller fills in what the
 * entry does; window and registration are filled in here. What the entry leaves behind is at *moved. */
bool vector_card_ring(struct vector_card *v, unsigned context, uint64_t aperture, uint64_t sqe[8],
		      const uint8_t **moved);

/* Reads the endpoint, and clears the bytes read. */
void vector_card_take_memory(struct vector_card *v, unsigned partition, uint64_t offset, uint8_t *data, size_t bytes);
/* Finds a byte of any endpoint that is not zero. */
bool vector_card_remaining(const struct vector_card *v, unsigned *partition, uint64_t *offset, uint8_t *byte);

#endif /* VECTOR_CARD_H */
