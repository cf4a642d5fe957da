// SPDX-License-Identifier: Apache-2.0
#include "ring/operation.h"

#include "base/bytes.h"
#include "ring/entry.h"
#include "ring/pool_operation.h"
#include "window/access.h"

#define TRANSFER_BYTES 4096u /* moved at a time by put and get */

static unsigned put_inline(struct glk_rings *rings, unsigned context, const struct glk_ring_entry *e)
{
	uint8_t data[GLK_INLINE_MAX_BYTES];
	unsigned status;

	if (!glk_entry_rest_is_zero(e, true, true, false, 4))
		return GLK_ST_RESERVED;
	if (e->length == 0 || e->length > GLK_INLINE_MAX_BYTES)
		return GLK_ST_LENGTH;
	for (unsigned i = 0; i < GLK_INLINE_MAX_BYTES / 8; i++)
		glk_put_le64(data + 8 * (size_t)i, e->sqe[GLK_SQE_DATA_Q + i]);
	for (unsigned i = e->length; i < GLK_INLINE_MAX_BYTES; i++)
		if (data[i])
			return GLK_ST_RESERVED;
	status = glk_window_check(rings->windows, context, e->window, e->window_offset, e->length, GLK_WINDOW_Q0_WRITE_MASK);
	if (status == GLK_ST_OK)
		glk_store_range(rings->windows, e->window, e->window_offset, data, e->length);
	return status;
}

/* Checks a transfer between a window and a registration, with the rights that each must grant. */
static unsigned transfer_check(struct glk_rings *rings, unsigned context, const struct glk_ring_entry *e, uint64_t window_right,
			       uint64_t registration_right)
{
	unsigned status;

	if (!glk_entry_rest_is_zero(e, true, true, true, 0))
		return GLK_ST_RESERVED;
	if (e->length == 0 || e->length > GLK_PUT_MAX_BYTES)
		return GLK_ST_LENGTH;
	status = glk_window_check(rings->windows, context, e->window, e->window_offset, e->length, window_right);
	if (status != GLK_ST_OK)
		return status;
	return glk_registration_check(rings->registrations, context, e->registration, e->registration_offset, e->length,
				      registration_right);
}

static unsigned operation_put(struct glk_rings *rings, unsigned context, const struct glk_ring_entry *e)
{
	uint8_t data[TRANSFER_BYTES];
	unsigned status = transfer_check(rings, context, e, GLK_WINDOW_Q0_WRITE_MASK, GLK_REGISTRATION_Q0_READ_MASK);

	for (uint32_t done = 0; status == GLK_ST_OK && done < e->length;) {
		uint32_t part = e->length - done < sizeof(data) ? e->length - done : (uint32_t)sizeof(data);
		const uint8_t *from =
			glk_registration_view(rings->registrations, e->registration, e->registration_offset + done, &part);

		if (!from &&
		    glk_registration_read(rings->registrations, e->registration, e->registration_offset + done, data, part))
			return GLK_ST_DMA;
		glk_store_range(rings->windows, e->window, e->window_offset + done, from ? from : data, part);
		done += part;
	}
	return status;
}

/* Reads the record at *at and moves *at behind it; false if it exceeds the vector. */
static bool next_record(const uint8_t *vector, uint32_t length, uint32_t *at, uint64_t *offset, uint32_t *bytes)
{
	uint64_t head;

	if (length - *at < GLK_PUTV_RECORD_BYTES)
		return false;
	head = glk_get_le64(vector + *at);
	*offset = GLK_FIELD(head, GLK_PUTV_RECORD_WINDOW_OFFSET);
	*bytes = (uint32_t)GLK_FIELD(head, GLK_PUTV_RECORD_LENGTH);
	*at += GLK_PUTV_RECORD_BYTES;
	if (*bytes == 0 || *bytes > TRANSFER_BYTES || (*bytes + 7) / 8 * 8 > length - *at)
		return false;
	*at += (*bytes + 7) / 8 * 8;
	return true;
}

static unsigned putv(struct glk_rings *rings, unsigned context, const struct glk_ring_entry *e)
{
	const uint8_t *vector = rings->vector_buffer;
	uint32_t at = 0, bytes = 0;
	uint64_t offset = 0;
	unsigned status;

	if (!glk_entry_rest_is_zero(e, true, false, true, 0))
		return GLK_ST_RESERVED;
	if (e->length == 0 || e->length > GLK_PUTV_MAX_BYTES)
		return GLK_ST_LENGTH;
	status = glk_window_check(rings->windows, context, e->window, 0, 1, GLK_WINDOW_Q0_WRITE_MASK);
	if (status == GLK_ST_OK)
		status = glk_registration_check(rings->registrations, context, e->registration, e->registration_offset,
						e->length, GLK_REGISTRATION_Q0_READ_MASK);
	if (status != GLK_ST_OK)
		return status;
	if (glk_registration_read(rings->registrations, e->registration, e->registration_offset, rings->vector_buffer,
				  e->length))
		return GLK_ST_DMA;
	while (at < e->length) {
		if (!next_record(vector, e->length, &at, &offset, &bytes))
			return GLK_ST_VECTOR;
		status = glk_window_check(rings->windows, context, e->window, offset, bytes, GLK_WINDOW_Q0_WRITE_MASK);
		if (status != GLK_ST_OK)
			return status;
	}
	for (at = 0; at < e->length;) {
		const uint8_t *data = vector + at + GLK_PUTV_RECORD_BYTES;

		next_record(vector, e->length, &at, &offset, &bytes);
		glk_store_range(rings->windows, e->window, offset, data, bytes);
	}
	return GLK_ST_OK;
}

static void count_for(struct glk_rings *rings, const struct glk_target *target, unsigned counter)
{
	rings->windows->endpoints->partitions[target->partition].counters.value[counter]++;
}

static unsigned operation_get(struct glk_rings *rings, unsigned context, const struct glk_ring_entry *e)
{
	uint8_t data[TRANSFER_BYTES];
	unsigned status = transfer_check(rings, context, e, GLK_WINDOW_Q0_READ_MASK, GLK_REGISTRATION_Q0_WRITE_MASK);

	for (uint32_t done = 0; status == GLK_ST_OK && done < e->length;) {
		uint32_t left = e->length - done < sizeof(data) ? e->length - done : (uint32_t)sizeof(data);
		struct glk_target target;
		size_t part = glk_window_part(rings->windows, e->window, e->window_offset + done, left, &target);

		if (done == 0)
			count_for(rings, &target, GLK_PARTITION_COUNTER(LOADS));
		if (glk_load(rings->windows, &target, data, part, GLK_FLUSH_LOAD_HIT))
			return GLK_ST_ENDPOINT;
		if (glk_registration_write(rings->registrations, e->registration, e->registration_offset + done, data, part))
			return GLK_ST_DMA;
		done += (uint32_t)part;
	}
	return status;
}

static bool is_timed(const struct glk_rings *rings, const struct glk_ring_entry *e)
{
	return (e->flags & GLK_FLAG_TIMED) && rings->common->config.tsu_sets;
}

/* Those with a time have it in Q6, and a registration. */
static bool atomic_fields_valid(const struct glk_rings *rings, const struct glk_ring_entry *e)
{
	struct glk_ring_entry rest = *e;

	if (!is_timed(rings, e))
		return glk_entry_rest_is_zero(e, true, true, true, e->opcode == GLK_OP_CAS ? 2 : 1) &&
		       (e->registration != GLK_NO_REGISTRATION || !e->registration_offset);
	rest.flags &= ~GLK_FLAG_TIMED;
	return glk_entry_rest_is_zero(&rest, true, true, true, 3) && (e->opcode == GLK_OP_CAS || !e->sqe[GLK_SQE_DATA_Q + 1]) &&
	       e->registration != GLK_NO_REGISTRATION;
}

static unsigned atomic_check(struct glk_rings *rings, unsigned context, const struct glk_ring_entry *e)
{
	bool timed = is_timed(rings, e);
	unsigned status;

	if (!atomic_fields_valid(rings, e))
		return GLK_ST_RESERVED;
	if (e->length != 4 && e->length != 8)
		return GLK_ST_LENGTH;
	if (e->length == 4 && ((e->sqe[GLK_SQE_DATA_Q] | e->sqe[GLK_SQE_DATA_Q + 1]) >> 32))
		return GLK_ST_RESERVED;
	if (e->window_offset % e->length)
		return GLK_ST_ALIGNMENT;
	status = glk_window_check(rings->windows, context, e->window, e->window_offset, e->length,
				  GLK_WINDOW_Q0_READ_MASK | GLK_WINDOW_Q0_WRITE_MASK);
	if (status == GLK_ST_OK && timed && !glk_pool_atomic_allowed(rings, e))
		return GLK_ST_NOT_POOL;
	if (status == GLK_ST_OK && e->registration != GLK_NO_REGISTRATION)
		status = glk_registration_check(rings->registrations, context, e->registration, e->registration_offset,
						timed ? GLK_LEASE_RECORD_BYTES : e->length, GLK_REGISTRATION_Q0_WRITE_MASK);
	return status;
}

/* Atomics are neither queued nor merged. */
static unsigned atomic(struct glk_rings *rings, unsigned context, const struct glk_ring_entry *e)
{
	const struct glk_update update = {
		.opcode = e->opcode, .operand = e->sqe[GLK_SQE_DATA_Q], .compare = e->sqe[GLK_SQE_DATA_Q + 1],
	};
	struct glk_endpoints *endpoints = rings->windows->endpoints;
	unsigned status = atomic_check(rings, context, e);
	struct glk_target target;
	bool written = false;
	uint8_t bytes[8];
	uint64_t old;
	int error;

	if (status != GLK_ST_OK)
		return status;
	if (is_timed(rings, e))
		return glk_pool_atomic(rings, context, e, &update);
	glk_window_part(rings->windows, e->window, e->window_offset, e->length, &target);
	count_for(rings, &target, GLK_PARTITION_COUNTER(ATOMICS));
	glk_flush_hit(rings->windows, &target, e->length, GLK_FLUSH_ATOMIC);
	if (glk_endpoint_is_link(endpoints, target.partition)) /* the response confirms that the result is visible */
		error = glk_remote_atomic(rings->remote, target.partition, target.offset, e->length, &update, &old);
	else
		error = glk_endpoint_update(endpoints, target.partition, target.offset, e->length, &update, &old, &written);
	if (error)
		return GLK_ST_ENDPOINT;
	if (written)
		rings->contexts[context].touched |= 1u << target.partition;
	glk_put_le64(bytes, old);
	if (e->registration != GLK_NO_REGISTRATION &&
	    glk_registration_write(rings->registrations, e->registration, e->registration_offset, bytes, e->length))
		return GLK_ST_DMA;
	return GLK_ST_OK;
}

static unsigned operation_release(struct glk_rings *rings, unsigned context, const struct glk_ring_entry *e)
{
	struct glk_release_context *of = &rings->releases->of[context];

	if (!of->ring_fenced && !of->ring_waits) {
		if (!glk_entry_rest_is_zero(e, false, false, false, 0) || e->length)
			return GLK_ST_RESERVED;
		glk_regions_fence(rings->regions, context);
		of->ring_fenced = true;
	}
	if (!of->ring_waits) {
		if (!glk_regions_passed(rings->regions, context))
			return GLK_NOT_YET;
		of->ring_fenced = false;
		glk_release_flush(rings->releases, context);
		glk_mark_take(rings->releases->endpoints, rings->remote, &of->ring_mark);
		of->ring_waits = true;
	}
	if (!glk_mark_reached(rings->releases->endpoints, &of->ring_mark))
		return GLK_NOT_YET;
	of->ring_waits = false;
	return glk_release_failed(rings->releases, context) ? GLK_ST_ENDPOINT : GLK_ST_OK;
}

/* REGISTRATION has the number of the region, and no offset. */
static bool region_fields_valid(const struct glk_ring_entry *e, bool arrive)
{
	return glk_entry_rest_is_zero(e, false, arrive, true, 0) && !e->registration_offset && (arrive || !e->length);
}

static unsigned region_start(struct glk_rings *rings, unsigned context, const struct glk_ring_entry *e)
{
	return region_fields_valid(e, false) ? glk_region_start(rings->regions, context, e->registration) : GLK_ST_RESERVED;
}

static unsigned region_arrive(struct glk_rings *rings, unsigned context, const struct glk_ring_entry *e)
{
	const struct glk_arrival arrival = { .chunk = e->window_offset, .count = e->length };

	return region_fields_valid(e, true) ? glk_region_arrive(rings->regions, context, e->registration, &arrival) :
					      GLK_ST_RESERVED;
}

static unsigned region_flush(struct glk_rings *rings, unsigned context, const struct glk_ring_entry *e)
{
	struct glk_release_context *of = &rings->releases->of[context];

	if (!of->ring_fenced) {
		unsigned status = region_fields_valid(e, false) ?
					  glk_region_flush(rings->regions, context, e->registration) : GLK_ST_RESERVED;

		if (status)
			return status;
		of->ring_fenced = true;
	}
	if (!glk_regions_passed(rings->regions, context))
		return GLK_NOT_YET;
	of->ring_fenced = false;
	return GLK_ST_OK;
}

unsigned glk_operation(struct glk_rings *rings, unsigned context, const uint64_t sqe[8], uint32_t *moved)
{
	struct glk_ring_entry e = glk_entry_decode(sqe);
	unsigned status;

	if (e.opcode >= GLK_OP_REGION_START && e.opcode <= GLK_OP_REGION_FLUSH && !rings->common->config.regions)
		return GLK_ST_OPCODE;
	if (e.opcode >= GLK_OP_POOL_READ && e.opcode <= GLK_OP_POOL_CLOCK)
		return rings->common->config.tsu_sets ? glk_pool_operation(rings, context, &e, moved) : GLK_ST_OPCODE;
	switch (e.opcode) {
	case GLK_OP_NOP:
		return glk_entry_rest_is_zero(&e, false, false, false, 0) && !e.length ? GLK_ST_OK : GLK_ST_RESERVED;
	case GLK_OP_PUT_INLINE:
		status = put_inline(rings, context, &e);
		break;
	case GLK_OP_PUT: status = operation_put(rings, context, &e); break;
	case GLK_OP_PUTV:
		status = putv(rings, context, &e);
		break;
	case GLK_OP_GET: status = operation_get(rings, context, &e); break;
	case GLK_OP_FETCH_ADD:
	case GLK_OP_SWAP:
	case GLK_OP_CAS:
		status = atomic(rings, context, &e);
		break;
	case GLK_OP_RELEASE: return operation_release(rings, context, &e);
	case GLK_OP_REGION_START:
		return region_start(rings, context, &e);
	case GLK_OP_REGION_ARRIVE:
		return region_arrive(rings, context, &e);
	case GLK_OP_REGION_FLUSH:
		return region_flush(rings, context, &e);
	default:
		return GLK_ST_OPCODE;
	}
	*moved = status == GLK_ST_OK ? e.length : 0;
	return status;
}
