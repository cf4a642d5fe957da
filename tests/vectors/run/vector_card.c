// SPDX-License-Identifier: Apache-2.0
#include "vector_card.h"

#include <stdlib.h>
#include <string.h>

#define SLICE_SHIFT 20u
#define SLICE_BYTES (1ULL << SLICE_SHIFT)
#define PAGE	    4096u
#define RING_ORDER  4u
#define RING_ENTRIES (1u << RING_ORDER)
/* Host memory of a context. */
#define SQ(c)	    (0x1000u + (c) * 0x1000u)
#define CQ(c)	    (0x8000u + (c) * 0x1000u)
#define RECORD(c)   (0x10000u + (c) * 64u)
#define LIST(c)	    (0x11000u + (c) * 64u)
#define REGION(c)   (0x20000u + (c) * PAGE)
/* Bus address of an endpoint: adding it has to carry, so that who only puts it in front is found out. */
#define BUS(p)	    (((uint64_t)(p) + 1) * 0x10000000000000ULL + 0xfffffffff000ULL)

static struct vector_page *page_of(struct vector_card *v, unsigned partition, uint64_t offset, bool make)
{
	uint64_t number = offset / PAGE;
	struct vector_page **at = &v->pages[(number * 31 + partition) % VECTOR_PAGES];
	struct vector_page *page;

	for (page = *at; page; page = page->next)
		if (page->number == number && page->partition == partition)
			return page;
	if (!make)
		return NULL;
	page = calloc(1, sizeof(*page));
	if (!page)
		abort();
	page->number = number;
	page->partition = partition;
	page->next = *at;
	*at = page;
	return page;
}

static bool holds(const struct vector_card *v, unsigned partition, uint64_t offset, size_t len)
{
	return partition < VECTOR_PARTITIONS && len <= v->endpoint_bytes[partition] &&
	       offset <= v->endpoint_bytes[partition] - len;
}

static int dma_read(void *platform, uint64_t address, void *data, size_t len)
{
	struct vector_card *v = platform;

	if (len > sizeof(v->host) || address > sizeof(v->host) - len)
		return -1;
	memcpy(data, v->host + address, len);
	return 0;
}

static int dma_write(void *platform, uint64_t address, const void *data, size_t len)
{
	struct vector_card *v = platform;

	if (len > sizeof(v->host) || address > sizeof(v->host) - len)
		return -1;
	memcpy(v->host + address, data, len);
	return 0;
}

static void endpoint_write(void *platform, unsigned partition, uint64_t address, const void *data, size_t len)
{
	struct vector_card *v = platform;
	const uint8_t *from = data;

	if (!holds(v, partition, address - BUS(partition), len)) {
		v->trouble = "the card wrote beyond the endpoint";
		return;
	}
	for (size_t i = 0; i < len; i++) {
		uint64_t offset = address - BUS(partition) + i;

		page_of(v, partition, offset, true)->bytes[offset % PAGE] = from[i];
	}
	glk_card_endpoint_acknowledge(v->card, partition, 1, 0);
}

static int endpoint_read(void *platform, unsigned partition, uint64_t address, void *data, size_t len)
{
	struct vector_card *v = platform;
	uint8_t *to = data;

	if (!holds(v, partition, address - BUS(partition), len)) {
		v->trouble = "the card read beyond the endpoint";
		return -1;
	}
	for (size_t i = 0; i < len; i++) {
		uint64_t offset = address - BUS(partition) + i;
		const struct vector_page *page = page_of(v, partition, offset, false);

		to[i] = page ? page->bytes[offset % PAGE] : 0;
	}
	return 0;
}

static void link_send(void *platform, const uint8_t *packet, size_t len)
{
	struct vector_card *v = platform;

	if (v->packets == VECTOR_PACKETS || len > VECTOR_PACKET_BYTES) {
		v->trouble = "more or longer packets than the runner has room for";
		return;
	}
	memcpy(v->sent[v->packets].data, packet, len);
	v->sent[v->packets++].bytes = len;
	v->looped++;
	if (glk_card_link_receive(v->card, packet, len))
		v->trouble = "the card refused a packet of its own";
}

static void interrupt(void *platform, unsigned vector)
{
	(void)platform;
	(void)vector;
}

static const struct glk_card_ops ops = {
	.dma_read = dma_read,
	.dma_write = dma_write,
	.endpoint_write = endpoint_write,
	.endpoint_read = endpoint_read,
	.link_send = link_send,
	.interrupt = interrupt,
};

uint64_t vector_card_read(struct vector_card *v, unsigned offset)
{
	uint64_t value;

	if (glk_card_register_read(v->card, offset, 8, &value))
		v->trouble = "a register could not be read";
	return value;
}

void vector_card_write(struct vector_card *v, unsigned offset, uint64_t value)
{
	if (glk_card_register_write(v->card, offset, 8, value))
		v->trouble = "a register could not be written";
}

unsigned vector_partition_register(unsigned partition, unsigned reg)
{
	return GLK_PARTITION_ARRAY + partition * GLK_PARTITION_STRIDE + reg;
}

static void put_le64(uint8_t *to, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		to[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t get_le64(const uint8_t *from)
{
	uint64_t value = 0;

	for (unsigned i = 8; i-- > 0;)
		value = value << 8 | from[i];
	return value;
}

/* Rings, a completion record, and one registered page (its handle is the context's number). */
static void start_context(struct vector_card *v, unsigned c)
{
	unsigned context = GLK_CONTEXT_ARRAY + c * GLK_CONTEXT_STRIDE;
	unsigned registration = GLK_REGISTRATION_ARRAY + c * GLK_REGISTRATION_STRIDE;

	vector_card_write(v, context + GLK_CONTEXT_SQ_BASE, SQ(c));
	vector_card_write(v, context + GLK_CONTEXT_CQ_BASE, CQ(c));
	vector_card_write(v, context + GLK_CONTEXT_ORDER,
			  RING_ORDER << GLK_CONTEXT_ORDER_SQ_SHIFT | RING_ORDER << GLK_CONTEXT_ORDER_CQ_SHIFT);
	vector_card_write(v, context + GLK_CONTEXT_RECORD, RECORD(c));
	vector_card_write(v, context + GLK_CONTEXT_VECTOR, 1 + c);
	vector_card_write(v, context + GLK_CONTEXT_CONTROL, GLK_CONTEXT_CONTROL_ENABLE_MASK);
	put_le64(v->host + LIST(c), REGION(c));
	vector_card_write(v, registration + GLK_REGISTRATION_Q1, PAGE);
	vector_card_write(v, registration + GLK_REGISTRATION_Q2, LIST(c));
	vector_card_write(v, registration + GLK_REGISTRATION_Q3, 0);
	vector_card_write(v, registration + GLK_REGISTRATION_Q0,
			  GLK_REGISTRATION_Q0_VALID_MASK | GLK_REGISTRATION_Q0_WRITE_MASK |
				  (uint64_t)c << GLK_REGISTRATION_Q0_CONTEXT_SHIFT);
}

struct vector_card *vector_card_create(unsigned queue_entries)
{
	struct vector_card *v = calloc(1, sizeof(*v));
	struct glk_card_config config;

	if (!v)
		return NULL;
	v->sent = malloc(VECTOR_PACKETS * sizeof(*v->sent));
	glk_card_config_default(&config);
	config.partitions = VECTOR_PARTITIONS;
	config.queue_entries = queue_entries;
	config.slices = VECTOR_SLICES;
	config.slice_shift = SLICE_SHIFT;
	config.pool_bytes = 0;
	config.ops = &ops;
	config.platform = v;
	if (!v->sent || glk_card_create(&config, &v->card)) {
		vector_card_destroy(v);
		return NULL;
	}
	vector_card_write(v, GLK_CARD_CONTROL, GLK_CARD_CONTROL_ENABLE_MASK);
	for (unsigned c = 0; c < VECTOR_CONTEXTS; c++)
		start_context(v, c);
	return v;
}

void vector_card_destroy(struct vector_card *v)
{
	if (v->card)
		glk_card_destroy(v->card);
	for (unsigned i = 0; i < VECTOR_PAGES; i++)
		while (v->pages[i]) {
			struct vector_page *page = v->pages[i];

			v->pages[i] = page->next;
			free(page);
		}
	free(v->sent);
	free(v);
}

bool vector_card_endpoint(struct vector_card *v, unsigned partition, uint64_t bytes)
{
	vector_card_write(v, vector_partition_register(partition, GLK_PARTITION_EP_BASE), BUS(partition));
	vector_card_write(v, vector_partition_register(partition, GLK_PARTITION_EP_BYTES), bytes);
	vector_card_write(v, vector_partition_register(partition, GLK_PARTITION_EP_KIND), GLK_EP_BUS);
	v->endpoint_bytes[partition] = bytes;
	return vector_card_read(v, vector_partition_register(partition, GLK_PARTITION_EP_BYTES)) == bytes &&
	       vector_card_read(v, vector_partition_register(partition, GLK_PARTITION_EP_KIND)) == GLK_EP_BUS;
}

static bool make_window(struct vector_card *v, unsigned slice)
{
	const struct vector_window *w = &v->windows[slice];
	unsigned entry = GLK_WINDOW_ARRAY + slice * GLK_WINDOW_STRIDE;
	uint64_t q0 = GLK_WINDOW_Q0_VALID_MASK | GLK_WINDOW_Q0_READ_MASK | GLK_WINDOW_Q0_WRITE_MASK |
		      (uint64_t)w->partition << GLK_WINDOW_Q0_PARTITION_SHIFT |
		      (uint64_t)w->context << GLK_WINDOW_Q0_CONTEXT_SHIFT | (uint64_t)slice << GLK_WINDOW_Q0_FIRST_SHIFT;

	vector_card_write(v, entry + GLK_WINDOW_Q1, w->offset);
	vector_card_write(v, entry + GLK_WINDOW_Q2, w->bytes);
	vector_card_write(v, entry + GLK_WINDOW_Q0, q0);
	return vector_card_read(v, entry + GLK_WINDOW_Q0) == q0;
}

uint64_t vector_card_aperture(struct vector_card *v, unsigned partition, unsigned context, uint64_t offset,
			      size_t bytes)
{
	unsigned slice;

	if (!holds(v, partition, offset, bytes))
		return UINT64_MAX;
	for (slice = 0; slice < VECTOR_SLICES && v->windows[slice].bytes; slice++) {
		const struct vector_window *w = &v->windows[slice];

		if (w->partition == partition && w->context == context && offset >= w->offset &&
		    offset + bytes <= w->offset + w->bytes)
			return ((uint64_t)slice << SLICE_SHIFT) + offset - w->offset;
	}
	if (slice == VECTOR_SLICES)
		return UINT64_MAX;
	/* From the page of the first byte: no access then crosses a slice. */
	v->windows[slice] = (struct vector_window){ .partition = partition, .context = context };
	v->windows[slice].offset = offset / PAGE * PAGE;
	v->windows[slice].bytes = v->endpoint_bytes[partition] - v->windows[slice].offset;
	if (v->windows[slice].bytes > SLICE_BYTES)
		v->windows[slice].bytes = SLICE_BYTES;
	return make_window(v, slice) ? ((uint64_t)slice << SLICE_SHIFT) + offset % PAGE : UINT64_MAX;
}

int vector_card_window(const struct vector_card *v, unsigned partition, unsigned context)
{
	for (unsigned slice = 0; slice < VECTOR_SLICES && v->windows[slice].bytes; slice++)
		if (v->windows[slice].partition == partition && v->windows[slice].context == context)
			return (int)slice;
	return -1;
}

void vector_card_unmap(struct vector_card *v, unsigned partition, unsigned context)
{
	int slice;

	while ((slice = vector_card_window(v, partition, context)) >= 0) {
		vector_card_write(v, GLK_WINDOW_ARRAY + (unsigned)slice * GLK_WINDOW_STRIDE + GLK_WINDOW_Q0, 0);
		/* The slice is not used again: one that is not free stops no search. */
		v->windows[slice].partition = VECTOR_PARTITIONS;
	}
}

bool vector_card_ring(struct vector_card *v, unsigned context, uint64_t aperture, uint64_t sqe[8],
		      const uint8_t **moved)
{
	unsigned registers = GLK_CONTEXT_ARRAY + context * GLK_CONTEXT_STRIDE;
	uint64_t index = v->entries[context]++, completion;
	uint8_t *entry = v->host + SQ(context) + index % RING_ENTRIES * GLK_SQE_BYTES;

	sqe[GLK_SQE_WINDOW_Q] |= aperture >> SLICE_SHIFT << GLK_SQE_WINDOW_SHIFT;
	sqe[GLK_SQE_TAG_Q] = index + 1;
	sqe[GLK_SQE_WINDOW_OFFSET_Q] = aperture & (SLICE_BYTES - 1);
	sqe[GLK_SQE_REGISTRATION_Q] = context;
	for (unsigned i = 0; i < 8; i++)
		put_le64(entry + 8 * i, sqe[i]);
	vector_card_write(v, registers + GLK_CONTEXT_SQ_TAIL, (index + 1) & 0xffff);
	glk_card_service(v->card, 1);
	if (vector_card_read(v, registers + GLK_CONTEXT_CQ_TAIL) != ((index + 1) & 0xffff))
		return false;
	vector_card_write(v, registers + GLK_CONTEXT_CQ_HEAD, (index + 1) & 0xffff);
	*moved = v->host + REGION(context);
	completion = get_le64(v->host + CQ(context) + index % RING_ENTRIES * GLK_CQE_BYTES + 8);
	return (completion & GLK_CQE_STATUS_MASK) >> GLK_CQE_STATUS_SHIFT == GLK_ST_OK;
}

void vector_card_take_memory(struct vector_card *v, unsigned partition, uint64_t offset, uint8_t *data, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		struct vector_page *page = page_of(v, partition, offset + i, false);

		data[i] = page ? page->bytes[(offset + i) % PAGE] : 0;
		if (page)
			page->bytes[(offset + i) % PAGE] = 0;
	}
}

bool vector_card_remaining(const struct vector_card *v, unsigned *partition, uint64_t *offset, uint8_t *byte)
{
	for (unsigned i = 0; i < VECTOR_PAGES; i++)
		for (const struct vector_page *page = v->pages[i]; page; page = page->next)
			for (unsigned k = 0; k < PAGE; k++)
				if (page->bytes[k]) {
					*partition = page->partition;
					*offset = page->number * PAGE + k;
					*byte = page->bytes[k];
					return true;
				}
	return false;
}
