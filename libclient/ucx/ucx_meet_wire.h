/* SPDX-License-Identifier: Apache-2.0 */
/* What is sent where processes meet. All words are little endian. */
#ifndef GLK_UCX_MEET_WIRE_H
#define GLK_UCX_MEET_WIRE_H

#include <stdint.h>

#define GLK_MEET_MAGIC "gpulink\n"

/* A process to process 0; what it brings follows. */
struct glk_meet_hello {
	char magic[8];
	uint32_t version; /* GLK_UCX_PROTOCOL */
	uint32_t process, processes;
	uint32_t bytes;
};

enum glk_meet_code { GLK_MEET_OK, GLK_MEET_VERSION, GLK_MEET_PROCESSES, GLK_MEET_RANK };

/* The answer. With GLK_MEET_OK follow, of each process, its length in 4 bytes and what it brought. */
struct glk_meet_answer {
	char magic[8];
	uint32_t version;
	uint32_t code; /* enum glk_meet_code */
	uint64_t bytes; /* that follow */
};

#endif /* GLK_UCX_MEET_WIRE_H */
