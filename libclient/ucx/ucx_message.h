/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What processes send each other: messages of records. All words are little endian.
 *
 * A message begins with a struct glk_message_head; records follow, each a struct glk_record_head and its body, padded to 4
 * bytes.
 */
#ifndef GLK_UCX_MESSAGE_H
#define GLK_UCX_MESSAGE_H

#include <stdint.h>

#define GLK_UCX_PROTOCOL 1u    /* version; processes of different ones do not meet */
#define GLK_MESSAGE_MAX	 8000u /* what tcp sends at once, and a packet fits */
#define GLK_LOAD_MAX	 4096u /* bytes of one load */

struct glk_message_head {
	uint64_t job;	  /* of all processes that met */
	uint32_t from;	  /* process */
	uint32_t number;  /* of the messages between the two */
	uint64_t applied; /* packets of the receiver that are in the sender's memory */
};

enum glk_record {
	GLK_RECORD_PACKET = 1, /* a FinePack packet: header, payload and padding */
	GLK_RECORD_ASK,	       /* acknowledge the packets before */
	GLK_RECORD_LOAD,       /* struct glk_record_load */
	GLK_RECORD_ATOMIC,     /* struct glk_record_atomic */
	GLK_RECORD_ANSWER,  /* struct glk_record_answer; the data of a load, or the old value of an atomic, 8 bytes, follow */
	GLK_RECORD_BYE,	    /* the sender closes */
	GLK_RECORD_RELEASE, /* an id, 8 bytes: answer when what was passed on for the sender has arrived */
	GLK_RECORD_LEAVE,   /* the sender has nothing to be passed on any more */
};

struct glk_record_head {
	uint8_t type; /* enum glk_record */
	uint8_t zero;
	uint16_t bytes; /* of the body */
};

struct glk_record_load {
	uint64_t id, offset;
	uint32_t bytes, zero;
};

struct glk_record_atomic {
	uint64_t id, offset, operand, compare;
	uint32_t operation; /* GLK_OP_FETCH_ADD .. GLK_OP_CAS */
	uint32_t bytes;	    /* 4 or 8 */
};

struct glk_record_answer {
	uint64_t id;
	uint32_t status; /* enum status of the card */
	uint32_t zero;
};

#endif /* GLK_UCX_MESSAGE_H */
