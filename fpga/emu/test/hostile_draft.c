// SPDX-License-Identifier: Apache-2.0
#include "hostile_draft.h"

#include <string.h>
#include <unistd.h>

#include <gpulink_regs.h>

#define SLICE 0x100000u

uint64_t hostile_any(struct hostile *h)
{
	uint64_t z = h->random += 0x9e3779b97f4a7c15; /* splitmix64 */

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

unsigned hostile_below(struct hostile *h, unsigned n)
{
	return (unsigned)(hostile_any(h) % n);
}

bool hostile_one_in(struct hostile *h, unsigned n)
{
	return hostile_below(h, n) == 0;
}

uint64_t hostile_number(struct hostile *h)
{
	uint64_t power = UINT64_C(1) << hostile_below(h, 64);

	switch (hostile_below(h, 8)) {
	case 0:
	case 1:
		return hostile_below(h, 20);
	case 2:
		return (uint64_t)hostile_below(h, 300) * 4096;
	case 3:
		return power + hostile_below(h, 3) - 1;
	case 4:
		return 0 - (uint64_t)hostile_below(h, 5000);
	case 5:
		return UINT32_MAX - (uint64_t)hostile_below(h, 40) + 20;
	case 6:
		return DRAFT_HOST + (uint64_t)hostile_below(h, 300) * 4096;
	default:
		return hostile_any(h) >> hostile_below(h, 64);
	}
}

static void put(struct draft *draft, const void *bytes, size_t len)
{
	if (len > sizeof(draft->payload) - draft->bytes)
		len = sizeof(draft->payload) - draft->bytes;
	memcpy(draft->payload + draft->bytes, bytes, len);
	draft->bytes += len;
}

static void put_random(struct hostile *h, struct draft *draft, size_t len)
{
	for (size_t i = 0; i < len; i += 8) {
		uint64_t word = hostile_any(h);

		put(draft, &word, len - i < 8 ? len - i : 8);
	}
}

static void attach(struct hostile *h, struct draft *draft, unsigned file)
{
	if (draft->fd_count == DRAFT_FDS_MAX)
		return;
	draft->socket |= file == FILE_SOCKET;
	draft->fds[draft->fd_count++] = h->files[file];
}

static unsigned any_file(struct hostile *h)
{
	return hostile_one_in(h, 50) ? FILE_SOCKET : hostile_below(h, FILE_SOCKET);
}

static void garbage(struct hostile *h, struct draft *d)
{
	d->header.command = (uint16_t)(hostile_one_in(h, 4) ? hostile_any(h) : hostile_below(h, 20));
	put_random(h, d, hostile_one_in(h, 20) ? hostile_below(h, VFU_MESSAGE_MAX - 16) : hostile_below(h, 80));
}

static struct vfu_wire_access any_access(struct hostile *h, unsigned count)
{
	struct vfu_wire_access access = { .region = hostile_below(h, VFU_REGIONS), .count = count };
	uint64_t size;

	for (unsigned i = 0; i < 3 && !h->target->sizes[access.region]; i++)
		access.region = hostile_below(h, VFU_REGIONS);
	size = h->target->sizes[access.region];
	switch (hostile_below(h, 6)) {
	case 0:
		access.offset = hostile_number(h);
		break;
	case 1:
		access.offset = size - hostile_below(h, 2 * count + 2);
		break;
	default:
		access.offset = size ? hostile_any(h) % size : 0;
		if (hostile_one_in(h, 2))
			access.offset &= ~UINT64_C(7);
	}
	if (hostile_one_in(h, 30))
		access.region = (uint32_t)hostile_number(h);
	if (hostile_one_in(h, 30))
		access.count = (uint32_t)hostile_number(h);
	return access;
}

static unsigned any_count(struct hostile *h)
{
	if (hostile_one_in(h, 20))
		return hostile_below(h, 50000);
	return hostile_one_in(h, 4) ? hostile_below(h, 300) : 1u << hostile_below(h, 4);
}

static void region_read(struct hostile *h, struct draft *d)
{
	struct vfu_wire_access access = any_access(h, any_count(h));

	d->header.command = VFU_REGION_READ;
	put(d, &access, sizeof(access));
}

static void region_write(struct hostile *h, struct draft *d)
{
	unsigned count = any_count(h);
	struct vfu_wire_access access = any_access(h, count);

	d->header.command = VFU_REGION_WRITE;
	put(d, &access, sizeof(access));
	put_random(h, d, count);
}

static void write_multi(struct hostile *h, struct draft *d)
{
	unsigned count = hostile_one_in(h, 10) ? hostile_below(h, 2000) : hostile_below(h, 10);
	uint64_t said = hostile_one_in(h, 3) ? hostile_number(h) : count;

	d->header.command = VFU_REGION_WRITE_MULTI;
	put(d, &said, sizeof(said));
	for (unsigned i = 0; i < count; i++) {
		struct vfu_wire_access access = any_access(h, 1 + hostile_below(h, 8));

		put(d, &access, sizeof(access));
		put_random(h, d, 8);
	}
}

static void dma_map(struct hostile *h, struct draft *d)
{
	struct vfu_wire_dma_map map = {
		.argsz = sizeof(map),
		.flags = hostile_one_in(h, 10) ? (uint32_t)hostile_number(h) : hostile_below(h, 4),
		.offset = hostile_one_in(h, 2) ? 0 : hostile_number(h),
		.address = hostile_number(h),
		.size = hostile_one_in(h, 2) ? 4096u << hostile_below(h, 9) : hostile_number(h),
	};

	d->header.command = VFU_DMA_MAP;
	put(d, &map, sizeof(map));
	if (!hostile_one_in(h, 4))
		attach(h, d, hostile_one_in(h, 3) ? any_file(h) : FILE_MEMORY);
}

static void dma_unmap(struct hostile *h, struct draft *d)
{
	struct vfu_wire_dma_unmap unmap = {
		.argsz = sizeof(unmap),
		.flags = hostile_one_in(h, 5) ? hostile_below(h, 4) : 0,
		.address = hostile_one_in(h, 3) ? DRAFT_HOST : hostile_number(h),
		.size = hostile_one_in(h, 3) ? DRAFT_HOST_BYTES : hostile_number(h),
	};

	d->header.command = VFU_DMA_UNMAP;
	put(d, &unmap, sizeof(unmap));
}

static void set_irqs(struct hostile *h, struct draft *d)
{
	unsigned count = hostile_below(h, 8);
	struct vfu_wire_set_irqs set = {
		.argsz = sizeof(set),
		.flags = hostile_one_in(h, 4) ? hostile_below(h, 64) : VFU_SET_DATA_EVENTFD | VFU_SET_ACTION_TRIGGER,
		.index = hostile_one_in(h, 8) ? (uint32_t)hostile_number(h) : VFU_IRQ_MSIX,
		.start = hostile_one_in(h, 3) ? (uint32_t)hostile_number(h) : hostile_below(h, 33),
		.count = hostile_one_in(h, 5) ? (uint32_t)hostile_number(h) : count,
	};

	d->header.command = VFU_SET_IRQS;
	put(d, &set, sizeof(set));
	for (unsigned i = 0; i < count && !hostile_one_in(h, 10); i++)
		attach(h, d, hostile_one_in(h, 10) ? any_file(h) : FILE_EVENT);
}

static void question(struct hostile *h, struct draft *d)
{
	static const uint16_t commands[] = { VFU_GET_INFO, VFU_GET_REGION_INFO, VFU_GET_IRQ_INFO };

	d->header.command = commands[hostile_below(h, 3)];
	for (unsigned i = 0; i < 8; i++) {
		uint32_t word = hostile_below(h, hostile_one_in(h, 5) ? UINT32_MAX : 12);

		put(d, &word, sizeof(word));
	}
}

static void version(struct hostile *h, struct draft *d)
{
	static const char *const texts[] = {
		"", "{", "{}", "[]", "null", "{\"capabilities\":", "{\"capabilities\":{\"max_msg_fds\":1e999}}",
		"\xff\xfe",
		"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "{\"a\":\"\\ud800\"}", "\"\\", "{}{}", "{\"a\":{}}",
	};
	uint32_t numbers = hostile_one_in(h, 2) ? 0 : (uint32_t)hostile_number(h);
	const char *text = texts[hostile_below(h, sizeof(texts) / sizeof(texts[0]))];

	d->header.command = VFU_VERSION;
	put(d, &numbers, sizeof(numbers));
	put(d, text, strlen(text) + !hostile_one_in(h, 4));
	if (hostile_one_in(h, 8))
		put_random(h, d, hostile_below(h, 5000));
}

static void config_write(struct hostile *h, struct draft *d)
{
	struct vfu_wire_access access = { hostile_below(h, 0x90), VFU_REGION_CONFIG, 1u << hostile_below(h, 3) };
	uint64_t value = hostile_number(h);

	if (hostile_one_in(h, 2)) { /* else it would hardly ever be able to do anything */
		access.offset = 4;
		value = hostile_one_in(h, 4) ? hostile_any(h) : 6;
	}
	d->header.command = VFU_REGION_WRITE;
	put(d, &access, sizeof(access));
	put(d, &value, access.count);
}

/* An element of one of the card's register arrays. */
static uint64_t any_register(struct hostile *h)
{
	static const struct {
		unsigned array, stride, registers, elements;
	} arrays[] = {
		{ GLK_PARTITION_ARRAY, GLK_PARTITION_STRIDE, 8, 5 },
		{ GLK_WINDOW_ARRAY, GLK_WINDOW_STRIDE, 4, 8 },
		{ GLK_REGISTRATION_ARRAY, GLK_REGISTRATION_STRIDE, 4, 8 },
		{ GLK_CONTEXT_ARRAY, GLK_CONTEXT_STRIDE, 12, DRAFT_CONTEXTS + 1 },
		{ GLK_DOORBELL_ARRAY, GLK_DOORBELL_STRIDE, 4, DRAFT_CONTEXTS + 1 },
		{ GLK_BLOCK_TSU, 0, 24, 1 },
		{ 0, 0, 16, 1 },
	};
	unsigned i = hostile_below(h, sizeof(arrays) / sizeof(arrays[0]));

	return arrays[i].array + (uint64_t)hostile_below(h, arrays[i].elements) * arrays[i].stride +
	       8 * (uint64_t)hostile_below(h, arrays[i].registers);
}

static void register_write(struct hostile *h, struct draft *d)
{
	struct vfu_wire_access access = { any_register(h), 0, 8 };
	uint64_t value = hostile_number(h);

	if (access.offset >= GLK_TSU_GRAIN_0 && access.offset <= GLK_TSU_GRAIN_3)
		value &= UINT64_C(0x3333333333333333); /* else hardly ever valid */
	if (hostile_one_in(h, 4))
		access.offset = GLK_CONTEXT_ARRAY + GLK_CONTEXT_SQ_TAIL + hostile_below(h, 4) * GLK_CONTEXT_STRIDE;
	if (access.offset == GLK_CARD_CONTROL && !hostile_one_in(h, 4))
		value = GLK_CARD_CONTROL_ENABLE_MASK;
	if (hostile_one_in(h, 10))
		access.count = hostile_below(h, 12);
	d->header.command = VFU_REGION_WRITE;
	put(d, &access, sizeof(access));
	put(d, &value, 8);
	d->bytes = sizeof(access) + (access.count < 8 ? access.count : 8);
}

static void aperture(struct hostile *h, struct draft *d)
{
	unsigned count = hostile_one_in(h, 8) ? hostile_below(h, 9000) : hostile_below(h, 130);
	struct vfu_wire_access access = {
		hostile_below(h, 5) * SLICE + hostile_below(h, hostile_one_in(h, 2) ? SLICE : 2000), 2, count,
	};

	d->header.command = hostile_one_in(h, 4) ? VFU_REGION_READ : VFU_REGION_WRITE;
	put(d, &access, sizeof(access));
	if (d->header.command == VFU_REGION_WRITE)
		put_random(h, d, count);
}

static void reset(struct hostile *h, struct draft *d)
{
	d->header.command = hostile_one_in(h, 4) ? VFU_DEVICE_RESET : VFU_GET_INFO;
	put_random(h, d, hostile_below(h, 2) * 16);
}

void draft_message(struct hostile *h, struct draft *draft)
{
	static void (*const makers[])(struct hostile *, struct draft *) = {
		garbage, region_read, region_write, write_multi, dma_map, dma_map, dma_unmap, set_irqs,
		question, version, config_write, reset,
		/* For cards. */
		register_write, register_write, register_write, register_write, aperture, aperture, aperture,
	};
	unsigned kinds = sizeof(makers) / sizeof(makers[0]);

	draft->header = (struct vfu_header){ .id = (uint16_t)hostile_any(h) };
	draft->bytes = 0;
	draft->fd_count = 0;
	draft->socket = false;
	makers[hostile_below(h, h->target->card ? kinds : kinds - 7)](h, draft);
	if (hostile_one_in(h, 20)) /* cut short */
		draft->bytes = hostile_below(h, (unsigned)draft->bytes + 1);
	if (hostile_one_in(h, 20)) /* or too long */
		put_random(h, draft, hostile_below(h, 40));
	if (draft->bytes > VFU_MESSAGE_MAX - sizeof(draft->header))
		draft->bytes = VFU_MESSAGE_MAX - sizeof(draft->header);
	if (hostile_one_in(h, 20))
		for (unsigned i = hostile_below(h, hostile_one_in(h, 4) ? DRAFT_FDS_MAX : 5); i > 0; i--)
			attach(h, draft, any_file(h));
	draft->header.size = (uint32_t)(sizeof(draft->header) + draft->bytes);
}

/* --- the memory and the set-up of a card that gets that far --- */

/* An entry that is good more often than not, but for its numbers. */
static void any_entry(struct hostile *h, unsigned context, uint64_t entry[8])
{
	unsigned operation = hostile_below(h, GLK_OP_COUNT + 1), length = hostile_below(h, 40);
	unsigned window = hostile_one_in(h, 6) ? hostile_below(h, 6) : context;

	if (operation == GLK_OP_PUTV)
		length = 16 * hostile_below(h, 20);
	else if (operation >= GLK_OP_FETCH_ADD && operation <= GLK_OP_CAS)
		length = 4u << hostile_below(h, 2);
	else if (operation == GLK_OP_POOL_READ)
		length = 64u << hostile_below(h, 4);
	if (hostile_one_in(h, 20))
		length = hostile_below(h, 2 * GLK_PUT_MAX_BYTES);
	else if (operation == GLK_OP_NOP || operation == GLK_OP_RELEASE)
		length = window = 0;
	memset(entry, 0, GLK_SQE_BYTES);
	entry[0] = operation | (uint64_t)hostile_below(h, hostile_one_in(h, 4) ? 4 : 2) << GLK_SQE_FLAGS_SHIFT |
		   (uint64_t)window << GLK_SQE_WINDOW_SHIFT | (uint64_t)length << GLK_SQE_LENGTH_SHIFT;
	entry[1] = hostile_any(h);
	if (operation != GLK_OP_PUTV && operation != GLK_OP_NOP && operation != GLK_OP_RELEASE &&
	    operation != GLK_OP_POOL_RENEW)
		entry[2] = hostile_one_in(h, 10) ? hostile_number(h) : 8 * (uint64_t)hostile_below(h, 400);
	if (operation == GLK_OP_POOL_READ)
		entry[2] &= ~(uint64_t)(length - 1);
	if ((operation >= GLK_OP_PUT && operation <= GLK_OP_CAS) || operation >= GLK_OP_POOL_READ)
		entry[3] = window | 16 * (uint64_t)hostile_below(h, 300) << GLK_SQE_REGISTRATION_OFFSET_SHIFT;
	for (unsigned i = 4; i < 8; i++)
		entry[i] = hostile_one_in(h, 40) ? hostile_number(h) : 0;
}

static void fill_ring(struct hostile *h, unsigned context)
{
	uint64_t entries[16][8];

	for (unsigned i = 0; i < 16; i++)
		any_entry(h, context, entries[i]);
	if (pwrite(h->files[FILE_MEMORY], entries, sizeof(entries), 0x1000 * (off_t)context) < 0)
		return; /* nothing depends on it */
}

/* Memory that puts read: as good as any, but for put vectors, which find records of 8 bytes there. */
static void fill_page(struct hostile *h, uint64_t page)
{
	uint64_t records[256][2];

	for (unsigned i = 0; i < 256; i++) {
		records[i][0] = (uint64_t)hostile_below(h, 5000) |
				(uint64_t)(hostile_one_in(h, 100) ? hostile_below(h, 65536) : 1 + hostile_below(h, 8))
					<< GLK_PUTV_RECORD_LENGTH_SHIFT;
		records[i][1] = hostile_any(h);
	}
	if (pwrite(h->files[FILE_MEMORY], records, sizeof(records), (off_t)(page - DRAFT_HOST)) < 0)
		return;
}

void draft_disturb_memory(struct hostile *h)
{
	static const off_t sizes[] = { 0, 4096, 8192, DRAFT_HOST_BYTES, DRAFT_HOST_BYTES };

	fill_ring(h, hostile_below(h, DRAFT_CONTEXTS));
	if (hostile_one_in(h, 2) && ftruncate(h->files[FILE_MEMORY], sizes[hostile_below(h, 5)]))
		return;
}

static void set(struct hostile *h, uint64_t reg, uint64_t value)
{
	client_write(&h->client, 0, reg, &value, sizeof(value));
}

static void start_context(struct hostile *h, unsigned c)
{
	uint64_t at = GLK_CONTEXT_ARRAY + c * GLK_CONTEXT_STRIDE, page = DRAFT_HOST + 0x20000;
	uint64_t entry = GLK_REGISTRATION_ARRAY + c * GLK_REGISTRATION_STRIDE;

	fill_ring(h, c);
	set(h, at + GLK_CONTEXT_SQ_BASE, DRAFT_HOST + 0x1000 * c);
	set(h, at + GLK_CONTEXT_CQ_BASE, DRAFT_HOST + 0x8000 + 0x1000 * c);
	set(h, at + GLK_CONTEXT_ORDER, 4 | 4 << GLK_CONTEXT_ORDER_CQ_SHIFT);
	set(h, at + GLK_CONTEXT_RECORD, DRAFT_HOST + 0x10000 + 64 * c);
	set(h, at + GLK_CONTEXT_VECTOR, 1 + c);
	set(h, at + GLK_CONTEXT_CONTROL, 1 + 2 * (c & 1));
	for (unsigned i = 0; i < 2; i++, page += 0x3000) {
		fill_page(h, page);
		if (pwrite(h->files[FILE_MEMORY], &page, 8, 0x11000 + 16 * (off_t)c + 8 * (off_t)i) < 0)
			return;
	}
	set(h, entry + GLK_REGISTRATION_Q1, 7000);
	set(h, entry + GLK_REGISTRATION_Q2, DRAFT_HOST + 0x11000 + 16 * c);
	set(h, entry + GLK_REGISTRATION_Q3, 16 * c);
	set(h, entry + GLK_REGISTRATION_Q0,
	    GLK_REGISTRATION_Q0_VALID_MASK | GLK_REGISTRATION_Q0_READ_MASK | GLK_REGISTRATION_Q0_WRITE_MASK |
		    (uint64_t)c << GLK_REGISTRATION_Q0_CONTEXT_SHIFT);
}

void draft_prelude(struct hostile *h)
{
	client_set_config(&h->client, 4, 2, 6);
	if (!h->target->card || ftruncate(h->files[FILE_MEMORY], DRAFT_HOST_BYTES))
		return;
	client_dma_map(&h->client, DRAFT_HOST, DRAFT_HOST_BYTES, 0, 3, h->files[FILE_MEMORY]);
	set(h, GLK_CARD_CONTROL, GLK_CARD_CONTROL_ENABLE_MASK);
	for (unsigned i = 0; i < DRAFT_CONTEXTS; i++) {
		uint64_t partition = GLK_PARTITION_ARRAY + i * GLK_PARTITION_STRIDE;
		uint64_t window = GLK_WINDOW_ARRAY + i * GLK_WINDOW_STRIDE;

		set(h, partition + GLK_PARTITION_EP_BASE, i % 2 ? DRAFT_HOST : 0);
		set(h, partition + GLK_PARTITION_EP_BYTES, DRAFT_HOST_BYTES);
		set(h, partition + GLK_PARTITION_EP_KIND, i % 2 ? GLK_EP_BUS : GLK_EP_POOL);
		set(h, window + GLK_WINDOW_Q1, 0);
		set(h, window + GLK_WINDOW_Q2, SLICE);
		set(h, window + GLK_WINDOW_Q0, 7 | (uint64_t)i << GLK_WINDOW_Q0_PARTITION_SHIFT |
						       (uint64_t)i << GLK_WINDOW_Q0_CONTEXT_SHIFT |
						       (uint64_t)i << GLK_WINDOW_Q0_FIRST_SHIFT);
		start_context(h, i);
	}
}
