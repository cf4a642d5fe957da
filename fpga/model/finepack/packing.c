// SPDX-License-Identifier: Apache-2.0
#include "finepack/packing.h"

#include "base/bytes.h"

/* The longest run that a sub-header describes. */
#define LONGEST (1u << GLK_SUBHEADER_LENGTH_BITS)

void glk_packing_start(struct glk_packing_walk *walk, const struct glk_write_queue *queue)
{
	walk->at = 0;
	glk_runs_find(&walk->all, queue, queue->max_payload_bytes); /* plain writes are cut there too */
}

/* How many of the next runs share a packet, at least one. The card keeps the runs of a packet until it knows its length. */
static unsigned count_runs(const struct glk_packing_walk *walk)
{
	const struct glk_write_queue *queue = walk->all.queue;
	const struct glk_run *run = &walk->all.run[walk->at];
	unsigned count = 1, left = walk->all.count - walk->at, payload = queue->subheader_bytes + run[0].length;

	while (count < left && count < GLK_PACKING_RUNS && run[count - 1].length <= LONGEST && run[count].length <= LONGEST) {
		payload += queue->subheader_bytes + run[count].length;
		if (payload > queue->max_payload_bytes)
			break;
		count++;
	}
	return count;
}

static size_t build_single(const struct glk_runs *all, const struct glk_run *run, uint8_t packet[GLK_PACKET_ROOM])
{
	static const struct glk_compact_coding single = { .single = true };

	glk_runs_copy(packet + GLK_PACKET_HEADER_BYTES, all, run);
	return glk_packetizer_finish_compact(packet, run->address, &single, run->length);
}

/* Returns 0 if the runs take as many bytes as with sub-headers, or more, or two of them adjoin (at a multiple of the limit). */
static size_t build_compact(const struct glk_runs *all, struct glk_run *run, unsigned count, uint8_t packet[GLK_PACKET_ROOM])
{
	size_t plain = count * all->queue->subheader_bytes, payload;
	struct glk_compact_coding coding;

	for (unsigned i = 0; i < count; i++) {
		plain += run[i].length;
		if (i && run[i].address == run[i - 1].address + run[i - 1].length)
			return 0;
	}
	payload = glk_compact_measure(run, count, &coding);
	if (payload >= plain)
		return 0;
	glk_compact_write(packet + GLK_PACKET_HEADER_BYTES, all, run, count, &coding);
	return glk_packetizer_finish_compact(packet, run->address, &coding, payload);
}

size_t glk_packing_build(struct glk_packing_walk *walk, bool self_describe, bool compact, uint8_t packet[GLK_PACKET_ROOM],
			 unsigned *sub_packets)
{
	const struct glk_write_queue *queue = walk->all.queue;
	struct glk_run *run = &walk->all.run[walk->at];
	unsigned width = queue->subheader_bytes, count;
	uint8_t *to = packet + GLK_PACKET_HEADER_BYTES;
	size_t length;

	if (walk->at == walk->all.count)
		return 0;
	count = *sub_packets = count_runs(walk);
	walk->at += count;
	if (count == 1)
		return build_single(&walk->all, run, packet);
	length = compact ? build_compact(&walk->all, run, count, packet) : 0;
	if (length)
		return length;
	for (; count; count--, run++) {
		glk_put_le64(to, (run->address - queue->base) << GLK_SUBHEADER_LENGTH_BITS | (run->length & (LONGEST - 1)));
		to = glk_runs_copy(to + width, &walk->all, run);
	}
	return glk_packetizer_finish(packet, queue->base, self_describe ? width : 0,
				     (size_t)(to - packet) - GLK_PACKET_HEADER_BYTES);
}
