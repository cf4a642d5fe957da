// SPDX-License-Identifier: Apache-2.0
/* What the process does for the model: its virtual addresses serve as bus addresses, and the link is a loopback. */
#include <endian.h>
#include <string.h>

#include "../lane/packet.h"
#include "soft.h"

/* Words that a thread waits for are written as a whole, and after what precedes them. */
static void write_memory(void *to, const void *data, size_t len)
{
	uint64_t wide;
	uint32_t word;

	if (len == sizeof(wide) && (uintptr_t)to % sizeof(wide) == 0) {
		memcpy(&wide, data, sizeof(wide));
		__atomic_store_n((uint64_t *)to, wide, __ATOMIC_RELEASE);
	} else if (len == sizeof(word) && (uintptr_t)to % sizeof(word) == 0) {
		memcpy(&word, data, sizeof(word));
		__atomic_store_n((uint32_t *)to, word, __ATOMIC_RELEASE);
	} else {
		memcpy(to, data, len);
	}
}

static int on_dma_read(void *platform, uint64_t address, void *data, size_t len)
{
	(void)platform;
	memcpy(data, (const void *)(uintptr_t)address, len);
	return 0;
}

static const void *on_dma_view(void *platform, uint64_t address, size_t len)
{
	(void)platform;
	(void)len;
	return (const void *)(uintptr_t)address;
}

static int on_dma_write(void *platform, uint64_t address, const void *data, size_t len)
{
	(void)platform;
	write_memory((void *)(uintptr_t)address, data, len);
	return 0;
}

static void on_endpoint_write(void *platform, unsigned partition, uint64_t address, const void *data, size_t len)
{
	struct soft *soft = platform;

	write_memory((void *)(uintptr_t)address, data, len);
	glk_card_endpoint_acknowledge(soft->card, partition, 1, 0);
}

static int on_endpoint_read(void *platform, unsigned partition, uint64_t address, void *data, size_t len)
{
	(void)platform;
	(void)partition;
	memcpy(data, (const void *)(uintptr_t)address, len);
	return 0;
}

static bool update_8(uint64_t *word, const struct glk_update *update, uint64_t *old)
{
	uint64_t now = __atomic_load_n(word, __ATOMIC_SEQ_CST), value;

	do {
		*old = le64toh(now);
		if (!glk_update_value(update, *old, &value))
			return false;
	} while (!__atomic_compare_exchange_n(word, &now, htole64(value), true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
	return true;
}

static bool update_4(uint32_t *word, const struct glk_update *update, uint64_t *old)
{
	uint32_t now = __atomic_load_n(word, __ATOMIC_SEQ_CST);
	uint64_t value;

	do {
		*old = le32toh(now);
		if (!glk_update_value(update, *old, &value))
			return false;
	} while (!__atomic_compare_exchange_n(word, &now, htole32((uint32_t)value), true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
	return true;
}

/* On the word itself: atomic against other processes' and the processor's own. */
static int on_endpoint_update(void *platform, unsigned partition, uint64_t address, size_t len, const struct glk_update *update,
			      uint64_t *old, bool *written)
{
	void *word = (void *)(uintptr_t)address;

	(void)platform;
	(void)partition;
	*written = len == sizeof(uint64_t) ? update_8(word, update, old) : update_4(word, update, old);
	return 0;
}

static void on_link_send(void *platform, const uint8_t *packet, size_t len)
{
	struct soft *soft = platform;

	glk_card_link_receive(soft->card, packet, len);
}

static void on_interrupt(void *platform, unsigned vector)
{
	(void)platform; /* operations complete within the call: no thread sleeps */
	(void)vector;
}

/* "local:": what puts and regions store is copied. */
static void on_endpoint_store(void *platform, unsigned partition, uint64_t address, const void *data, size_t len)
{
	struct soft *soft = platform;

	write_memory((void *)(uintptr_t)address, data, len);
	glk_packet_count(address - (uintptr_t)soft->endpoints[partition], len, (unsigned)soft->options.payload,
			 &soft->others[partition]);
}

#define MODEL_OPS                                                                                            \
	.dma_read = on_dma_read, .dma_write = on_dma_write, .endpoint_write = on_endpoint_write,             \
	.endpoint_read = on_endpoint_read, .endpoint_update = on_endpoint_update, .link_send = on_link_send, \
	.interrupt = on_interrupt

const struct glk_card_ops glk_soft_platform = { MODEL_OPS };
const struct glk_card_ops glk_local_platform = { MODEL_OPS, .dma_view = on_dma_view, .endpoint_store = on_endpoint_store };
