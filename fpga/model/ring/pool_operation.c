// SPDX-License-Identifier: Apache-2.0
#include "ring/pool_operation.h"

#include "base/bytes.h"
#include "remote/remote_lease.h"
#include "window/access.h"
#include "window/timed.h"

/* A line of the pool, and the byte in it that an operation begins with. */
struct line {
	struct glk_target target; /* of its first byte */
	unsigned bytes, at;
	bool remote; /* the other card's, which alone knows how long it is: `bytes` is what the operation takes it for */
};

static bool pool_operation_find(const struct glk_rings *rings, unsigned window, uint64_t offset, unsigned remote_bytes,
				struct line *line)
{
	uint64_t bytes = remote_bytes;

	glk_window_part(rings->windows, window, offset, 1, &line->target);
	line->remote = glk_endpoint_is_link(rings->windows->endpoints, line->target.partition);
	if (!line->remote)
		bytes = glk_endpoint_line_bytes(rings->windows->endpoints, line->target.partition, line->target.offset);
	if (!bytes)
		return false;
	line->bytes = (unsigned)bytes;
	line->at = (unsigned)(line->target.offset % bytes); /* endpoints begin at a page, and lines are no longer */
	line->target.offset -= line->at;
	return true;
}

/* The line with the byte at `offset` of a window. Returns GLK_ST_... */
static unsigned find_checked(struct glk_rings *rings, unsigned context, unsigned window, uint64_t offset, uint64_t rights,
			     unsigned remote_bytes, struct line *line)
{
	unsigned status = glk_window_check(rings->windows, context, window, offset, 1, rights);

	if (status == GLK_ST_OK && !pool_operation_find(rings, window, offset, remote_bytes, line))
		return GLK_ST_NOT_POOL;
	return status;
}

static void count_for(struct glk_rings *rings, const struct line *line, unsigned counter)
{
	rings->windows->endpoints->partitions[line->target.partition].counters.value[counter]++;
}

static void put_record(uint8_t record[GLK_LEASE_RECORD_BYTES], const struct glk_lease *lease, uint64_t old, bool same)
{
	glk_put_le64(record + 8 * GLK_LEASE_RECORD_WTS_Q, lease->wts);
	glk_put_le64(record + 8 * GLK_LEASE_RECORD_RTS_Q, lease->rts);
	glk_put_le64(record + 8 * GLK_LEASE_RECORD_OLD_Q, old);
	glk_put_le64(record + 8 * GLK_LEASE_RECORD_SAME_Q, same);
}

static unsigned pool_operation_answer(struct glk_rings *rings, const struct glk_ring_entry *e, const uint8_t *record,
				      size_t bytes)
{
	return glk_registration_write(rings->registrations, e->registration, e->registration_offset, record, bytes) ?
		       GLK_ST_DMA :
		       GLK_ST_OK;
}

static bool is_line_size(uint32_t bytes)
{
	return bytes >= 1u << GLK_GRAIN_ORDER_MIN && bytes <= 1u << GLK_GRAIN_ORDER_MAX && !(bytes & (bytes - 1));
}

static unsigned read_check(struct glk_rings *rings, unsigned context, const struct glk_ring_entry *e, struct line *line)
{
	unsigned status;

	if (!glk_entry_rest_is_zero(e, true, true, true, 2))
		return GLK_ST_RESERVED;
	status = find_checked(rings, context, e->window, e->window_offset, GLK_WINDOW_Q0_READ_MASK,
			      is_line_size(e->length) ? e->length : 1u << GLK_GRAIN_ORDER_MIN, line);
	if (status != GLK_ST_OK)
		return status;
	if (e->length != line->bytes)
		return GLK_ST_LENGTH;
	if (line->at)
		return GLK_ST_ALIGNMENT;
	status = glk_window_check(rings->windows, context, e->window, e->window_offset, e->length, GLK_WINDOW_Q0_READ_MASK);
	if (status != GLK_ST_OK)
		return status;
	return glk_registration_check(rings->registrations, context, e->registration, e->registration_offset,
				      GLK_LEASE_RECORD_BYTES + e->length, GLK_REGISTRATION_Q0_WRITE_MASK);
}

/* Reads a line unless the copy of time `wts` is the same. */
static unsigned pool_operation_read_line(struct glk_rings *rings, const struct line *line, uint64_t time, uint64_t wts,
					 uint8_t *data, struct glk_lease *lease, bool *same)
{
	struct glk_endpoints *endpoints = rings->windows->endpoints;
	unsigned partition = line->target.partition;

	if (line->remote)
		return glk_remote_lease_read(rings->remote, partition, line->target.offset, line->bytes, time, wts, data, lease,
					     same);
	if (!glk_timed_read(endpoints, partition, line->target.offset, time, wts, lease, same))
		return GLK_ST_TIME;
	if (!*same && glk_endpoint_read(endpoints, partition, line->target.offset, data, line->bytes))
		return GLK_ST_ENDPOINT;
	return GLK_ST_OK;
}

static unsigned pool_read(struct glk_rings *rings, unsigned context, const struct glk_ring_entry *e, uint32_t *moved)
{
	uint8_t record[GLK_LEASE_RECORD_BYTES + GLK_PAGE_SIZE];
	struct line line;
	unsigned status = read_check(rings, context, e, &line);
	struct glk_lease lease;
	bool same;

	if (status != GLK_ST_OK)
		return status;
	count_for(rings, &line, GLK_PARTITION_COUNTER(LOADS));
	glk_flush_hit(rings->windows, &line.target, line.bytes, GLK_FLUSH_LOAD_HIT);
	status = pool_operation_read_line(rings, &line, e->sqe[GLK_SQE_DATA_Q], e->sqe[GLK_SQE_DATA_Q + 1],
					  record + GLK_LEASE_RECORD_BYTES, &lease, &same);
	if (status != GLK_ST_OK)
		return status;
	*moved = same ? 0 : line.bytes;
	put_record(record, &lease, 0, same);
	return pool_operation_answer(rings, e, record, GLK_LEASE_RECORD_BYTES + *moved);
}

static unsigned write_check(struct glk_rings *rings, unsigned context, const struct glk_ring_entry *e, struct line *line)
{
	unsigned status;

	if (!glk_entry_rest_is_zero(e, true, true, true, 1))
		return GLK_ST_RESERVED;
	if (!e->length)
		return GLK_ST_LENGTH;
	status = find_checked(rings, context, e->window, e->window_offset, GLK_WINDOW_Q0_WRITE_MASK, GLK_PAGE_SIZE, line);
	if (status != GLK_ST_OK)
		return status;
	if (e->length > line->bytes - line->at)
		return GLK_ST_ALIGNMENT;
	status = glk_window_check(rings->windows, context, e->window, e->window_offset, e->length, GLK_WINDOW_Q0_WRITE_MASK);
	if (status != GLK_ST_OK)
		return status;
	return glk_registration_check(rings->registrations, context, e->registration, e->registration_offset,
				      GLK_LEASE_RECORD_BYTES + e->length,
				      GLK_REGISTRATION_Q0_READ_MASK | GLK_REGISTRATION_Q0_WRITE_MASK);
}

static unsigned write_line(struct glk_rings *rings, const struct line *line, uint64_t time, const uint8_t *data, size_t length,
			   struct glk_lease *lease)
{
	uint64_t offset = line->target.offset + line->at;

	if (line->remote)
		return glk_remote_timed_write(rings->remote, line->target.partition, offset, time, data, length, lease);
	return glk_timed_write(rings->windows->endpoints, line->target.partition, offset, time, data, length, lease) ?
		       GLK_ST_OK :
		       GLK_ST_TIME;
}

static unsigned pool_write(struct glk_rings *rings, unsigned context, const struct glk_ring_entry *e, uint32_t *moved)
{
	uint8_t data[GLK_PAGE_SIZE], record[GLK_LEASE_RECORD_BYTES];
	struct line line;
	unsigned status = write_check(rings, context, e, &line);
	struct glk_lease lease;

	if (status != GLK_ST_OK)
		return status;
	if (glk_registration_read(rings->registrations, e->registration, e->registration_offset + GLK_LEASE_RECORD_BYTES, data,
				  e->length))
		return GLK_ST_DMA;
	glk_flush_hit(rings->windows, &line.target, line.bytes, GLK_FLUSH_ATOMIC);
	status = write_line(rings, &line, e->sqe[GLK_SQE_DATA_Q], data, e->length, &lease);
	if (status != GLK_ST_OK)
		return status;
	*moved = e->length;
	put_record(record, &lease, 0, false);
	return pool_operation_answer(rings, e, record, sizeof(record));
}

/* Finds the line of a renewal. Returns GLK_ST_... */
static unsigned renewal_check(struct glk_rings *rings, unsigned context, const struct glk_ring_entry *e, uint64_t offset,
			      struct line *line)
{
	unsigned status = find_checked(rings, context, e->window, offset, GLK_WINDOW_Q0_READ_MASK,
				       1u << GLK_GRAIN_ORDER_MIN, line);

	if (status == GLK_ST_OK && line->at)
		return GLK_ST_ALIGNMENT;
	if (status == GLK_ST_OK)
		status = glk_window_check(rings->windows, context, e->window, offset, line->bytes, GLK_WINDOW_Q0_READ_MASK);
	return status;
}

static unsigned renew_check(struct glk_rings *rings, unsigned context, const struct glk_ring_entry *e, uint8_t *records)
{
	uint32_t bytes = e->length * GLK_RENEW_RECORD_BYTES;
	struct line line;
	unsigned status;

	if (!glk_entry_rest_is_zero(e, true, false, true, 1))
		return GLK_ST_RESERVED;
	if (e->length == 0 || e->length > GLK_RENEW_MAX)
		return GLK_ST_LENGTH;
	status = glk_window_check(rings->windows, context, e->window, 0, 1, GLK_WINDOW_Q0_READ_MASK);
	if (status == GLK_ST_OK)
		status = glk_registration_check(rings->registrations, context, e->registration, e->registration_offset, bytes,
						GLK_REGISTRATION_Q0_READ_MASK | GLK_REGISTRATION_Q0_WRITE_MASK);
	if (status != GLK_ST_OK)
		return status;
	if (glk_registration_read(rings->registrations, e->registration, e->registration_offset, records, bytes))
		return GLK_ST_DMA;
	for (uint32_t i = 0; i < bytes && status == GLK_ST_OK; i += GLK_RENEW_RECORD_BYTES)
		status = renewal_check(rings, context, e, glk_get_le64(records + i), &line);
	return status;
}

static unsigned renew(struct glk_rings *rings, const struct line *line, uint64_t time, uint64_t wts, struct glk_lease *lease,
		      bool *same)
{
	if (line->remote)
		return glk_remote_lease_renew(rings->remote, line->target.partition, line->target.offset, time, wts, lease,
					      same);
	return glk_timed_read(rings->windows->endpoints, line->target.partition, line->target.offset, time, wts, lease, same) ?
		       GLK_ST_OK :
		       GLK_ST_TIME;
}

/* All have the same time: if it is refused, it is so for the first. */
static unsigned pool_renew(struct glk_rings *rings, unsigned context, const struct glk_ring_entry *e, uint32_t *moved)
{
	uint8_t *records = rings->vector_buffer;
	unsigned status = renew_check(rings, context, e, records);

	if (status != GLK_ST_OK)
		return status;
	for (uint32_t i = 0; i < e->length * GLK_RENEW_RECORD_BYTES; i += GLK_RENEW_RECORD_BYTES) {
		struct glk_lease lease;
		struct line line;
		bool same;

		pool_operation_find(rings, e->window, glk_get_le64(records + i), 1u << GLK_GRAIN_ORDER_MIN, &line);
		glk_flush_hit(rings->windows, &line.target, line.bytes, GLK_FLUSH_LOAD_HIT);
		status = renew(rings, &line, e->sqe[GLK_SQE_DATA_Q], glk_get_le64(records + i + 8), &lease, &same);
		if (status != GLK_ST_OK)
			return status;
		glk_put_le64(records + i, same ? lease.rts : 0);
		glk_put_le64(records + i + 8, lease.wts);
	}
	*moved = e->length;
	return pool_operation_answer(rings, e, records, e->length * GLK_RENEW_RECORD_BYTES);
}

static unsigned pool_clock(struct glk_rings *rings, unsigned context, const struct glk_ring_entry *e)
{
	struct glk_lease lease = { 0, 0 };
	uint8_t record[GLK_LEASE_RECORD_BYTES];
	struct line line;
	unsigned status;

	if (!glk_entry_rest_is_zero(e, true, false, true, 0) || e->length)
		return GLK_ST_RESERVED;
	status = find_checked(rings, context, e->window, 0, GLK_WINDOW_Q0_READ_MASK, 1u << GLK_GRAIN_ORDER_MIN, &line);
	if (status == GLK_ST_OK)
		status = glk_registration_check(rings->registrations, context, e->registration, e->registration_offset,
						GLK_LEASE_RECORD_BYTES, GLK_REGISTRATION_Q0_WRITE_MASK);
	if (status != GLK_ST_OK)
		return status;
	lease.wts = glk_pool_clock(rings->windows->endpoints->pool);
	if (line.remote)
		status = glk_remote_clock(rings->remote, line.target.partition, line.target.offset, &lease.wts);
	lease.rts = lease.wts;
	put_record(record, &lease, 0, false);
	return status == GLK_ST_OK ? pool_operation_answer(rings, e, record, sizeof(record)) : status;
}

unsigned glk_pool_operation(struct glk_rings *rings, unsigned context, const struct glk_ring_entry *e, uint32_t *moved)
{
	unsigned status;

	switch (e->opcode) {
	case GLK_OP_POOL_READ:
		status = pool_read(rings, context, e, moved);
		break;
	case GLK_OP_POOL_RENEW:
		status = pool_renew(rings, context, e, moved);
		break;
	case GLK_OP_POOL_CLOCK:
		status = pool_clock(rings, context, e);
		break;
	default:
		status = pool_write(rings, context, e, moved);
		break;
	}
	if (status != GLK_ST_OK)
		*moved = 0;
	return status;
}

bool glk_pool_atomic_allowed(const struct glk_rings *rings, const struct glk_ring_entry *e)
{
	struct line line;

	return pool_operation_find(rings, e->window, e->window_offset, 1u << GLK_GRAIN_ORDER_MIN, &line);
}

unsigned glk_pool_atomic(struct glk_rings *rings, unsigned context, const struct glk_ring_entry *e,
			 const struct glk_update *update)
{
	uint8_t record[GLK_LEASE_RECORD_BYTES];
	uint64_t old, time = e->sqe[GLK_SQE_DATA_Q + 2], offset;
	struct glk_lease lease;
	struct line line;
	bool written = false;

	pool_operation_find(rings, e->window, e->window_offset, 1u << GLK_GRAIN_ORDER_MIN, &line);
	offset = line.target.offset + line.at;
	count_for(rings, &line, GLK_PARTITION_COUNTER(ATOMICS));
	glk_flush_hit(rings->windows, &line.target, line.bytes, GLK_FLUSH_ATOMIC);
	if (line.remote) {
		unsigned status = glk_remote_timed_update(rings->remote, line.target.partition, offset, e->length, update, time,
							  &old, &lease);

		if (status != GLK_ST_OK)
			return status;
	} else if (!glk_timed_update(rings->windows->endpoints, line.target.partition, offset, e->length, update, time, &old,
				     &written, &lease)) {
		return GLK_ST_TIME;
	}
	if (written)
		rings->contexts[context].touched |= 1u << line.target.partition;
	put_record(record, &lease, old, false);
	return pool_operation_answer(rings, e, record, sizeof(record));
}
