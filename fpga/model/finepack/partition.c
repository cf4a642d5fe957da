// SPDX-License-Identifier: Apache-2.0
#include "finepack/partition.h"

#include <errno.h>
#include <string.h>

#include "finepack/packing.h"

static void partition_count(struct glk_partition *partition, unsigned counter, uint64_t by)
{
	partition->counters.value[counter] += by;
}

static void set_mode(struct glk_partition *partition, uint64_t mode)
{
	partition->mode = mode;
	partition->coalesce = mode & GLK_PARTITION_MODE_COALESCE_MASK;
	partition->self_describe = mode & GLK_PARTITION_MODE_SELF_DESCRIBE_MASK;
	partition->open = mode & GLK_PARTITION_MODE_OPEN_MASK;
	partition->packing = mode & GLK_PARTITION_MODE_PACKING_MASK;
	partition->compact = mode & GLK_PARTITION_MODE_COMPACT_MASK;
}

void glk_partition_init(struct glk_partition *partition, unsigned queue_entries, glk_packet_out out, void *user)
{
	memset(partition, 0, sizeof(*partition));
	glk_write_queue_init(&partition->queue, queue_entries);
	partition->out = out;
	partition->user = user;
	glk_partition_lack(partition, 0);
}

/* Configuring the queue resets its shape: sets that of the packet format, and whether a flush may take several packets. */
static void shape(struct glk_partition *partition, unsigned subheader_bytes, unsigned max_payload_bytes)
{
	struct glk_write_queue *queue = &partition->queue;

	glk_write_queue_configure(queue, subheader_bytes, max_payload_bytes);
	queue->packing = partition->packing && partition->form == GLK_FORM_PLAIN;
	if (partition->form == GLK_FORM_COMPACT)
		glk_write_queue_shape(queue, GLK_SHORT_LINE_BYTES, GLK_COMPACT_RUN_BYTES);
}

void glk_partition_lack(struct glk_partition *partition, uint64_t modes)
{
	partition->modes = GLK_PARTITION_MODE_FIELDS_MASK & ~modes;
	glk_partition_reset(partition);
}

uint64_t glk_partition_reset(struct glk_partition *partition)
{
	uint64_t dropped = partition->queue.stores;

	glk_write_queue_clear(&partition->queue);
	set_mode(partition, GLK_PARTITION_MODE_RESET & partition->modes);
	partition->remote = false;
	partition->form = GLK_FORM_PLAIN;
	partition->flush_timeout_ns = 0;
	partition->last_store_ns = 0;
	shape(partition, GLK_PARTITION_SUBHEADER_BYTES_RESET, GLK_PARTITION_MAX_PAYLOAD_BYTES_RESET);
	return dropped;
}

/* Bytes on the wire of the store as plain memory writes. */
static uint64_t raw_wire_bytes(uint64_t address, size_t length, unsigned max_payload_bytes)
{
	uint64_t end = address + length, bytes = 0;

	if (((address ^ (end - 1)) & ~(uint64_t)(max_payload_bytes - 1)) == 0)
		return GLK_TLP_OVERHEAD_BYTES + 4 * ((end + 3) / 4 - address / 4);
	while (address < end) {
		uint64_t cut = (address | (max_payload_bytes - 1)) + 1;
		uint64_t part_end = end < cut ? end : cut;

		bytes += GLK_TLP_OVERHEAD_BYTES + 4 * ((part_end + 3) / 4 - address / 4);
		address = part_end;
	}
	return bytes;
}

void glk_partition_count_packet(struct glk_partition *partition, unsigned sub_packets, uint64_t payload, uint64_t wire,
				unsigned reason)
{
	partition_count(partition, GLK_PARTITION_COUNTER(PACKETS), 1);
	partition_count(partition, GLK_PARTITION_COUNTER(SUB_PACKETS), sub_packets);
	partition_count(partition, GLK_PARTITION_COUNTER(PAYLOAD_BYTES), payload);
	partition_count(partition, GLK_PARTITION_COUNTER(WIRE_BYTES), wire);
	partition_count(partition, glk_flush_counter(reason), 1);
}

/* Counts a packet and passes it to `out`. */
static void partition_send(struct glk_partition *partition, const uint8_t *packet, size_t length, unsigned sub_packets,
			   unsigned reason)
{
	uint64_t padded = length - GLK_PACKET_HEADER_BYTES;
	uint64_t dword_bytes = (uint64_t)__builtin_popcount(packet[7] >> 4); /* enabled bytes of the last DW */

	if (partition->coalesce || !partition->remote)
		glk_partition_count_packet(partition, sub_packets, padded - 4 + dword_bytes, padded + GLK_TLP_OVERHEAD_BYTES,
					   reason);
	partition->out(partition->user, packet, length, reason);
}

static void flush_compact(struct glk_partition *partition, unsigned reason)
{
	struct glk_compact_walk walk;
	uint8_t packet[GLK_PACKET_ROOM];
	unsigned runs;
	size_t length;

	glk_compact_start(&walk, &partition->queue);
	while ((length = glk_packetizer_build_compact(&walk, packet, &runs)) != 0)
		partition_send(partition, packet, length, runs, reason);
	glk_write_queue_clear(&partition->queue);
}

static void flush_packing(struct glk_partition *partition, unsigned reason)
{
	bool compact = partition->compact && (!partition->remote || partition->peer_compact);
	struct glk_packing_walk walk;
	uint8_t packet[GLK_PACKET_ROOM];
	unsigned sub_packets;
	size_t length;

	glk_packing_start(&walk, &partition->queue);
	while ((length = glk_packing_build(&walk, partition->self_describe, compact, packet, &sub_packets)) != 0)
		partition_send(partition, packet, length, sub_packets, reason);
	glk_write_queue_clear(&partition->queue);
}

void glk_partition_flush(struct glk_partition *partition, unsigned reason)
{
	struct glk_write_queue *queue = &partition->queue;
	bool narrow = partition->form == GLK_FORM_NARROW;
	unsigned width = queue->subheader_bytes, runs = queue->runs;
	uint8_t packet[GLK_PACKET_ROOM];
	size_t length;

	if (queue->used == 0)
		return;
	if (partition->form == GLK_FORM_COMPACT) {
		flush_compact(partition, reason);
		return;
	}
	if (queue->packing) {
		flush_packing(partition, reason);
		return;
	}
	if (narrow)
		width = glk_packetizer_narrowest(queue);
	length = glk_packetizer_build(queue, width, partition->self_describe || narrow, packet);
	glk_write_queue_clear(queue);
	partition_send(partition, packet, length, runs, reason);
}

void glk_partition_flush_owned(struct glk_partition *partition, unsigned context, unsigned reason)
{
	if (partition->queue.owners & (1u << context))
		glk_partition_flush(partition, reason);
}

void glk_partition_flush_hit(struct glk_partition *partition, uint64_t address, uint64_t length, unsigned reason)
{
	if (glk_write_queue_hits(&partition->queue, address, length))
		glk_partition_flush(partition, reason);
}

/* Queues a piece of a store that has `left` bytes, itself included. */
static void partition_put(struct glk_partition *partition, uint64_t address, const void *data, size_t piece, size_t left)
{
	uint64_t *overwritten = &partition->counters.value[GLK_PARTITION_COUNTER(OVERWRITTEN_BYTES)];
	struct glk_write_queue *queue = &partition->queue;
	unsigned wanted = glk_write_queue_wanted(queue, address, left);
	int reason;

	while ((reason = glk_write_queue_put(queue, address, data, piece, wanted, overwritten)) != GLK_QUEUE_TAKEN)
		glk_partition_flush(partition, (unsigned)reason);
}

void glk_partition_store(struct glk_partition *partition, uint64_t address, const void *data, size_t length,
			 unsigned context, uint64_t now_ns)
{
	struct glk_write_queue *queue = &partition->queue;
	const uint8_t *from = data;
	size_t left = length;

	partition_count(partition, GLK_PARTITION_COUNTER(STORES), 1);
	partition_count(partition, GLK_PARTITION_COUNTER(STORE_BYTES), length);
	partition_count(partition, GLK_PARTITION_COUNTER(RAW_WIRE_BYTES),
			raw_wire_bytes(address, length, queue->max_payload_bytes));
	partition->last_store_ns = now_ns;

	while (left) {
		size_t piece = glk_write_queue_piece(queue, address, left);

		partition_put(partition, address, from, piece, left);
		/* For every piece, since a flush between two pieces clears the owners. */
		queue->owners |= 1u << context;
		left -= piece;
		if (left == 0)
			queue->stores++;
		if (!partition->coalesce)
			glk_partition_flush(partition, GLK_FLUSH_DRAIN);
		address += piece;
		from += piece;
	}
}

uint64_t glk_partition_deadline(const struct glk_partition *partition)
{
	if (partition->queue.used == 0 || partition->flush_timeout_ns == 0)
		return UINT64_MAX;
	if (partition->last_store_ns > UINT64_MAX - partition->flush_timeout_ns)
		return UINT64_MAX;
	return partition->last_store_ns + partition->flush_timeout_ns;
}

uint64_t glk_partition_get(const struct glk_partition *partition, unsigned reg)
{
	switch (reg) {
	case GLK_PARTITION_SUBHEADER_BYTES:
		return partition->queue.subheader_bytes;
	case GLK_PARTITION_MAX_PAYLOAD_BYTES:
		return partition->queue.max_payload_bytes;
	case GLK_PARTITION_FLUSH_TIMEOUT_NS:
		return partition->flush_timeout_ns;
	case GLK_PARTITION_MODE:
		return partition->mode;
	default:
		return 0;
	}
}

static bool partition_allowed(const struct glk_partition *partition, unsigned reg, uint64_t value)
{
	switch (reg) {
	case GLK_PARTITION_SUBHEADER_BYTES:
		return glk_subheader_bytes_valid(value);
	case GLK_PARTITION_MAX_PAYLOAD_BYTES:
		return glk_max_payload_bytes_valid(value);
	case GLK_PARTITION_FLUSH_TIMEOUT_NS:
		return value <= GLK_TIMEOUT_MAX_NS;
	case GLK_PARTITION_MODE: return (value & ~partition->modes) == 0;
	default:
		return false;
	}
}

void glk_partition_set_form(struct glk_partition *partition, enum glk_packet_form form)
{
	glk_partition_flush(partition, GLK_FLUSH_CONFIG);
	partition->form = form;
	shape(partition, partition->queue.subheader_bytes, partition->queue.max_payload_bytes);
}

int glk_partition_set(struct glk_partition *partition, unsigned reg, uint64_t value)
{
	unsigned subheader_bytes = partition->queue.subheader_bytes, max_payload_bytes = partition->queue.max_payload_bytes;

	if (!partition_allowed(partition, reg, value))
		return -EINVAL;
	if (value == glk_partition_get(partition, reg))
		return 0;
	glk_partition_flush(partition, GLK_FLUSH_CONFIG);
	switch (reg) {
	case GLK_PARTITION_SUBHEADER_BYTES:
		subheader_bytes = (unsigned)value;
		break;
	case GLK_PARTITION_MAX_PAYLOAD_BYTES:
		max_payload_bytes = (unsigned)value;
		break;
	case GLK_PARTITION_FLUSH_TIMEOUT_NS:
		partition->flush_timeout_ns = value;
		break;
	case GLK_PARTITION_MODE:
		set_mode(partition, value);
		break;
	}
	shape(partition, subheader_bytes, max_payload_bytes);
	return 0;
}
