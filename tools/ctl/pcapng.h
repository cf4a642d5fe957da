/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes captures as pcapng (draft-ietf-opsawg-pcapng): one section, one interface of the user link type 0, time stamps in
 * nanoseconds. Wireshark also reads it from a pipe, live.
 */
#ifndef GPULINKCTL_PCAPNG_H
#define GPULINKCTL_PCAPNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PCAPNG_LINKTYPE_USER0 147
#define PCAPNG_PACKET_BYTES_MAX 4096
#define PCAPNG_NAME_BYTES_MAX 255

enum pcapng_direction { PCAPNG_OUT, PCAPNG_IN };

struct pcapng_packet {
	uint64_t time_ns; /**< since 1970 */
	uint64_t dropped; /**< packets lost since the previous one */
	enum pcapng_direction direction;
	bool crc_error;
	const void *data;
	size_t length;	 /**< 1..PCAPNG_PACKET_BYTES_MAX */
	size_t left_out; /**< bytes of the original packet beyond `length`, at most PCAPNG_PACKET_BYTES_MAX */
};

struct pcapng {
	int fd;
	int error; /**< -errno of the first failed write, after which nothing is written */
	size_t used;
	uint8_t buffer[1 << 16];
};

/*
 * All return 0, the -errno of a failed write, or -EINVAL for invalid arguments. Blocks are buffered until a flush or the end.
 */

/** Starts a capture on an open file, with the names of the writing application and of the captured interface. */
int pcapng_begin(struct pcapng *file, int fd, const char *application, const char *interface);
int pcapng_packet(struct pcapng *file, const struct pcapng_packet *packet);
int pcapng_flush(struct pcapng *file);

/** Ends a capture with statistics: packets received and lost between two times. The file stays open. */
int pcapng_end(struct pcapng *file, uint64_t start_ns, uint64_t end_ns, uint64_t received, uint64_t dropped);

#endif /* GPULINKCTL_PCAPNG_H */
