// SPDX-License-Identifier: Apache-2.0
/*
 * Loads from and atomics on partitions of kind link. They wait until all stores posted earlier have arrived, to preserve the
 * order, then for the responses.
 */
#include "remote/remote.h"

#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "netcrafter/trim.h"

#define ATOMIC_SHIFT   48u /* bits of `where` */
#define ATOMIC_8_BYTES (1ULL << 51)

static bool load_answered(const struct glk_remote *remote, unsigned about)
{
	(void)about;
	return remote->load.left == 0;
}

/* The part of the load in its line `index`. */
struct line {
	uint64_t offset;
	unsigned first;
	unsigned length;
	size_t at; /* in the load's data */
};

static struct line line_of(const struct glk_remote_load *load, unsigned index)
{
	struct line line = { .offset = load->offset / GLK_LINK_LINE_BYTES * GLK_LINK_LINE_BYTES +
				       (uint64_t)index * GLK_LINK_LINE_BYTES };
	uint64_t begin = line.offset > load->offset ? line.offset : load->offset;
	uint64_t end = load->offset + load->length;

	if (end > line.offset + GLK_LINK_LINE_BYTES)
		end = line.offset + GLK_LINK_LINE_BYTES;
	line.first = (unsigned)(begin - line.offset);
	line.length = (unsigned)(end - begin);
	line.at = (size_t)(begin - load->offset);
	return line;
}

static int ask_for_lines(struct glk_remote *remote, unsigned partition)
{
	struct glk_card_link *link = remote->link;
	struct glk_remote_load *load = &remote->load;
	unsigned trim_bytes = link->control & GLK_LINK_CONTROL_TRIMMING_MASK ? (unsigned)link->trim_bytes : 0;
	unsigned lines = load->left;

	for (unsigned i = 0; i < lines; i++) {
		const struct glk_link_header header = {
			.kind = GLK_KIND_READ_REQUEST,
			.partition = (uint8_t)remote->of[partition].partition,
			.tag = (uint16_t)(load->first_tag + i),
		};
		struct line line = line_of(load, i);
		struct glk_sector sector = glk_trim_sector(trim_bytes, line.first, line.length);
		uint8_t body[8];
		int error = glk_remote_wait_for_room(remote, sizeof(body));

		if (error || load->failed) /* failed: the session ended, even if a new one has begun */
			return -EIO;
		glk_put_le64(body, line.offset | glk_trim_where(sector));
		load->expected[i] = (uint8_t)sector.bytes;
		glk_link_push(link, &header, body, sizeof(body));
		remote->next_tag++;
	}
	return 0;
}

int glk_remote_load(struct glk_remote *remote, unsigned partition, uint64_t offset, void *data, size_t length)
{
	struct glk_remote_load *load = &remote->load;
	int error = glk_remote_wait_until_visible(remote, partition);

	if (error)
		return error;
	*load = (struct glk_remote_load){
		.active = true,
		.first_tag = remote->next_tag,
		.left = (unsigned)((offset + length - 1) / GLK_LINK_LINE_BYTES - offset / GLK_LINK_LINE_BYTES + 1),
		.offset = offset,
		.length = length,
		.data = data,
	};
	error = ask_for_lines(remote, partition);
	if (!error)
		error = glk_remote_wait(remote, load_answered, 0);
	load->active = false;
	if (error == -ETIMEDOUT)
		(*glk_link_counter(remote->link, GLK_LINK_TIMEOUTS))++;
	return error || load->failed ? -EIO : 0;
}

bool glk_remote_on_read_response(struct glk_remote *remote, const struct glk_link_header *header, const uint8_t *body,
				 size_t bytes)
{
	struct glk_remote_load *load = &remote->load;
	unsigned index = (uint16_t)(header->tag - load->first_tag), first;
	struct line line;

	if (!load->active || index >= sizeof(load->expected) || !load->expected[index])
		return false;
	line = line_of(load, index);
	first = line.first % load->expected[index]; /* within the requested sector */
	if (bytes == load->expected[index])
		memcpy(load->data + line.at, body + first, line.length);
	else
		load->failed = true;
	load->expected[index] = 0;
	load->left--;
	return true;
}

static bool atomic_answered(const struct glk_remote *remote, unsigned about)
{
	(void)about;
	return !remote->atomic.active;
}

int glk_remote_atomic(struct glk_remote *remote, unsigned partition, uint64_t offset, size_t length,
		      const struct glk_update *update, uint64_t *old)
{
	struct glk_card_link *link = remote->link;
	struct glk_link_header header = {
		.kind = GLK_KIND_ATOMIC_REQUEST, .partition = (uint8_t)remote->of[partition].partition,
	};
	uint8_t body[24];
	int error = glk_remote_wait_until_visible(remote, partition);

	if (!error)
		error = glk_remote_wait_for_room(remote, sizeof(body));
	if (!error) {
		header.tag = remote->next_tag++;
		remote->atomic = (struct glk_remote_atomic){ .active = true, .tag = header.tag };
		glk_put_le64(body, offset | (uint64_t)(update->opcode - GLK_OP_FETCH_ADD) << ATOMIC_SHIFT |
					   (length == 8 ? ATOMIC_8_BYTES : 0));
		glk_put_le64(body + 8, update->operand);
		glk_put_le64(body + 16, update->compare);
		glk_link_push(link, &header, body, sizeof(body));
		error = glk_remote_wait(remote, atomic_answered, 0);
	}
	if (error == -ETIMEDOUT)
		(*glk_link_counter(remote->link, GLK_LINK_TIMEOUTS))++;
	remote->atomic.active = false;
	if (error || remote->atomic.failed) {
		glk_endpoint_failed(remote->endpoints, partition, 1);
		return -EIO;
	}
	*old = remote->atomic.old;
	return 0;
}

bool glk_remote_on_atomic_response(struct glk_remote *remote, const struct glk_link_header *header, const uint8_t *body)
{
	struct glk_remote_atomic *atomic = &remote->atomic;

	if (!atomic->active || header->tag != atomic->tag)
		return false;
	*atomic = (struct glk_remote_atomic){ .failed = header->partition != GLK_LINK_DONE, .old = glk_get_le64(body) };
	return true;
}

void glk_remote_loads_fail(struct glk_remote *remote)
{
	remote->load.failed = remote->load.active;
	remote->load.left = 0;
	remote->atomic.failed = remote->atomic.active;
	remote->atomic.active = false;
}
