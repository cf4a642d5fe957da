// SPDX-License-Identifier: Apache-2.0
#include "ucx_serve.h"

#include <endian.h>
#include <string.h>

#include "ucx_peer.h"

/* Bytes to a process that UCX has: who asks without taking answers gets none. */
#define UNSENT_MAX (4u << 20)

static uint64_t execute_8(uint64_t *word, uint32_t operation, uint64_t operand, uint64_t compare)
{
	uint64_t old = compare;

	if (operation == GLK_OP_FETCH_ADD)
		return __atomic_fetch_add(word, operand, __ATOMIC_SEQ_CST);
	if (operation == GLK_OP_SWAP)
		return __atomic_exchange_n(word, operand, __ATOMIC_SEQ_CST);
	__atomic_compare_exchange_n(word, &old, operand, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return old;
}

static uint32_t execute_4(uint32_t *word, uint32_t operation, uint32_t operand, uint32_t compare)
{
	uint32_t old = compare;

	if (operation == GLK_OP_FETCH_ADD)
		return __atomic_fetch_add(word, operand, __ATOMIC_SEQ_CST);
	if (operation == GLK_OP_SWAP)
		return __atomic_exchange_n(word, operand, __ATOMIC_SEQ_CST);
	__atomic_compare_exchange_n(word, &old, operand, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return old;
}

uint64_t glk_serve_execute(uint8_t *word, uint32_t operation, uint32_t bytes, uint64_t operand, uint64_t compare)
{
	if (bytes == 8)
		return execute_8((uint64_t *)(void *)word, operation, operand, compare);
	return execute_4((uint32_t *)(void *)word, operation, (uint32_t)operand, (uint32_t)compare);
}

/* An answer with a status, and room for `bytes` of data behind; NULL: the process is lost. */
static uint8_t *ucx_serve_answer(struct ucx *u, uint32_t process, uint64_t id, uint32_t status, size_t bytes)
{
	const struct glk_record_answer head = { .id = id, .status = htole32(status) };
	uint8_t *body;

	if (u->peers[process].unsent > UNSENT_MAX) {
		glk_peer_lose(u, process);
		return NULL;
	}
	body = glk_peer_record(u, process, GLK_RECORD_ANSWER, sizeof(head) + bytes);
	if (body)
		memcpy(body, &head, sizeof(head));
	return body ? body + sizeof(head) : NULL;
}

void glk_serve_answer(struct ucx *u, uint32_t process, uint64_t id, uint32_t status)
{
	ucx_serve_answer(u, process, id, status, 0);
}

bool glk_serve_load(struct ucx *u, uint32_t process, const uint8_t *body, size_t bytes)
{
	struct glk_record_load load;
	uint64_t offset;
	uint32_t length;
	uint8_t *data;

	if (bytes != sizeof(load))
		return false;
	memcpy(&load, body, sizeof(load));
	offset = le64toh(load.offset);
	length = le32toh(load.bytes);
	if (!length || length > GLK_LOAD_MAX || load.zero)
		return false;
	if (length > u->options.memory || offset > u->options.memory - length) {
		ucx_serve_answer(u, process, load.id, GLK_ST_WINDOW_BOUNDS, 0);
		return true;
	}
	data = ucx_serve_answer(u, process, load.id, GLK_ST_OK, length);
	if (data)
		memcpy(data, u->memory + offset, length);
	return true;
}

bool glk_serve_atomic(struct ucx *u, uint32_t process, const uint8_t *body, size_t bytes)
{
	struct glk_record_atomic atomic;
	uint64_t offset, old;
	uint32_t width, operation;
	uint8_t *data;

	if (bytes != sizeof(atomic))
		return false;
	memcpy(&atomic, body, sizeof(atomic));
	offset = le64toh(atomic.offset);
	width = le32toh(atomic.bytes);
	operation = le32toh(atomic.operation);
	if ((width != 4 && width != 8) || offset % width || operation < GLK_OP_FETCH_ADD || operation > GLK_OP_CAS)
		return false;
	if (offset > u->options.memory - width) {
		ucx_serve_answer(u, process, atomic.id, GLK_ST_WINDOW_BOUNDS, 0);
		return true;
	}
	data = ucx_serve_answer(u, process, atomic.id, GLK_ST_OK, sizeof(old));
	if (!data)
		return true;
	old = htole64(
		glk_serve_execute(u->memory + offset, operation, width, le64toh(atomic.operand), le64toh(atomic.compare)));
	memcpy(data, &old, sizeof(old));
	return true;
}
