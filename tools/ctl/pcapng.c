// SPDX-License-Identifier: Apache-2.0
#include "pcapng.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_SECTION	 0x0a0d0d0au
#define BLOCK_INTERFACE	 1u
#define BLOCK_STATISTICS 5u
#define BLOCK_PACKET	 6u

#define BYTE_ORDER_MAGIC 0x1a2b3c4du

#define OPTION_END 0

#define SECTION_APPLICATION 4

#define INTERFACE_NAME	     2
#define INTERFACE_RESOLUTION 9

#define PACKET_FLAGS   2
#define PACKET_DROPPED 4

#define FLAGS_IN	1u
#define FLAGS_OUT	2u
#define FLAGS_CRC_ERROR (1u << 24)

#define STATISTICS_START    2
#define STATISTICS_END	    3
#define STATISTICS_RECEIVED 4
#define STATISTICS_DROPPED  5

/* Exceeds header, options and trailer of any block. */
#define BLOCK_BYTES_MAX (PCAPNG_PACKET_BYTES_MAX + 512)

static int write_all(int fd, const uint8_t *bytes, size_t length)
{
	while (length) {
		ssize_t written = write(fd, bytes, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		if (!written)
			return -EIO;
		bytes += written;
		length -= (size_t)written;
	}
	return 0;
}

int pcapng_flush(struct pcapng *file)
{
	if (!file->error && file->used)
		file->error = write_all(file->fd, file->buffer, file->used);
	file->used = 0;
	return file->error;
}

/* --- one block, in the buffer --- */

static void pcapng_put(struct pcapng *file, const void *bytes, size_t length)
{
	memcpy(file->buffer + file->used, bytes, length);
	file->used += length;
	for (; file->used % 4; file->used++)
		file->buffer[file->used] = 0;
}

static void put_numbers(struct pcapng *file, const uint32_t *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const uint8_t bytes[] = {(uint8_t)numbers[i], (uint8_t)(numbers[i] >> 8), (uint8_t)(numbers[i] >> 16),
					 (uint8_t)(numbers[i] >> 24)};

		pcapng_put(file, bytes, sizeof(bytes));
	}
}

static void put_option(struct pcapng *file, unsigned code, const void *bytes, size_t length)
{
	const uint32_t head = code | (uint32_t)length << 16;

	put_numbers(file, &head, 1);
	pcapng_put(file, bytes, length);
}

static void put_option_number(struct pcapng *file, unsigned code, uint64_t value)
{
	const uint32_t words[] = {code | 8u << 16, (uint32_t)value, (uint32_t)(value >> 32)};

	put_numbers(file, words, 3);
}

/* A time in an option has its high half first, unlike other 8-byte numbers. */
static void put_option_time(struct pcapng *file, unsigned code, uint64_t time_ns)
{
	const uint32_t words[] = {code | 8u << 16, (uint32_t)(time_ns >> 32), (uint32_t)time_ns};

	put_numbers(file, words, 3);
}

/* Starts a block, after flushing if there is no room. Returns its position. */
static size_t begin_block(struct pcapng *file, uint32_t type)
{
	const uint32_t head[] = {type, 0};

	if (sizeof(file->buffer) - file->used < BLOCK_BYTES_MAX)
		pcapng_flush(file);
	put_numbers(file, head, 2);
	return file->used - sizeof(head);
}

/* A block has its length at both ends. */
static int end_block(struct pcapng *file, size_t begin)
{
	const uint32_t end_of_options = OPTION_END;
	uint32_t length;
	size_t end;

	put_numbers(file, &end_of_options, 1);
	end = file->used + 4;
	length = (uint32_t)(end - begin);
	put_numbers(file, &length, 1);
	file->used = begin + 4;
	put_numbers(file, &length, 1);
	file->used = end;
	return file->error;
}

/* --- the blocks --- */

int pcapng_begin(struct pcapng *file, int fd, const char *application, const char *interface)
{
	/* Version 1.0; unknown section length. */
	static const uint32_t section[] = {BYTE_ORDER_MAGIC, 1, UINT32_MAX, UINT32_MAX};
	static const uint32_t link[] = {PCAPNG_LINKTYPE_USER0, PCAPNG_PACKET_BYTES_MAX};
	static const uint8_t nanoseconds = 9;
	size_t begin;

	if (strlen(application) > PCAPNG_NAME_BYTES_MAX || strlen(interface) > PCAPNG_NAME_BYTES_MAX)
		return -EINVAL;
	file->fd = fd;
	file->error = 0;
	file->used = 0;
	begin = begin_block(file, BLOCK_SECTION);
	put_numbers(file, section, 4);
	put_option(file, SECTION_APPLICATION, application, strlen(application));
	end_block(file, begin);
	begin = begin_block(file, BLOCK_INTERFACE);
	put_numbers(file, link, 2);
	put_option(file, INTERFACE_NAME, interface, strlen(interface));
	put_option(file, INTERFACE_RESOLUTION, &nanoseconds, 1);
	return end_block(file, begin);
}

int pcapng_packet(struct pcapng *file, const struct pcapng_packet *packet)
{
	const uint32_t length = (uint32_t)packet->length, original = (uint32_t)(packet->length + packet->left_out);
	const uint32_t head[] = {0, (uint32_t)(packet->time_ns >> 32), (uint32_t)packet->time_ns, length, original};
	const uint32_t flags[] = {PACKET_FLAGS | 4u << 16, (packet->direction == PCAPNG_IN ? FLAGS_IN : FLAGS_OUT) |
								   (packet->crc_error ? FLAGS_CRC_ERROR : 0)};
	size_t begin;

	if (!packet->length || packet->length > PCAPNG_PACKET_BYTES_MAX || packet->left_out > PCAPNG_PACKET_BYTES_MAX)
		return -EINVAL;
	begin = begin_block(file, BLOCK_PACKET);
	put_numbers(file, head, 5);
	pcapng_put(file, packet->data, packet->length);
	put_numbers(file, flags, 2);
	if (packet->dropped)
		put_option_number(file, PACKET_DROPPED, packet->dropped);
	return end_block(file, begin);
}

int pcapng_end(struct pcapng *file, uint64_t start_ns, uint64_t end_ns, uint64_t received, uint64_t dropped)
{
	const uint32_t head[] = {0, (uint32_t)(end_ns >> 32), (uint32_t)end_ns};
	size_t begin = begin_block(file, BLOCK_STATISTICS);

	put_numbers(file, head, 3);
	put_option_time(file, STATISTICS_START, start_ns);
	put_option_time(file, STATISTICS_END, end_ns);
	put_option_number(file, STATISTICS_RECEIVED, received);
	put_option_number(file, STATISTICS_DROPPED, dropped);
	end_block(file, begin);
	return pcapng_flush(file);
}
