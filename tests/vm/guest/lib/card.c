// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "card.h"

long card_file(const char *folder, const char *file)
{
	char path[256], text[32] = "";
	FILE *stream;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	stream = fopen(path, "r");
	if (!stream)
		return -1;
	if (!fgets(text, sizeof(text), stream))
		text[0] = '\0';
	fclose(stream);
	return text[0] ? atol(text) : -1;
}

static int call(int fd, unsigned long request, void *argument)
{
	return ioctl(fd, request, argument) ? -errno : 0;
}

bool put_text(const char *folder, const char *name, const char *text)
{
	char file[300];
	ssize_t written;
	int fd;

	snprintf(file, sizeof(file), "%s/%s", folder, name);
	fd = open(file, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	written = write(fd, text, strlen(text));
	close(fd);
	return written == (ssize_t)strlen(text);
}

int card_window(int fd, unsigned partition, uint64_t offset, uint64_t bytes, uint64_t *mmap_offset)
{
	struct gpulink_ioctl_window_map w = {
		.size = sizeof(w), .flags = GPULINK_ALLOW_READ | GPULINK_ALLOW_WRITE, .partition = partition,
		.offset = offset, .bytes = bytes,
	};
	int error = call(fd, GPULINK_IOCTL_WINDOW_MAP, &w);

	if (mmap_offset)
		*mmap_offset = w.mmap_offset;
	return error ? error : (int)w.handle;
}

int card_register(int fd, void *memory, uint64_t bytes, unsigned rights)
{
	struct gpulink_ioctl_register r = {
		.size = sizeof(r), .flags = rights, .address = (uintptr_t)memory, .bytes = bytes,
	};
	int error = call(fd, GPULINK_IOCTL_REGISTER, &r);

	return error ? error : (int)r.handle;
}

static int drop(int fd, unsigned long request, unsigned handle)
{
	struct gpulink_ioctl_handle h = { .size = sizeof(h), .handle = handle };

	return call(fd, request, &h);
}

int card_unmap(int fd, unsigned window)
{
	return drop(fd, GPULINK_IOCTL_WINDOW_UNMAP, window);
}

int card_unregister(int fd, unsigned registration)
{
	return drop(fd, GPULINK_IOCTL_UNREGISTER, registration);
}

int card_release(int fd, uint32_t *errors)
{
	struct gpulink_ioctl_release r = { .size = sizeof(r), .timeout_ns = 5 * SECOND };
	int error = call(fd, GPULINK_IOCTL_RELEASE, &r);

	if (errors)
		*errors = r.errors;
	return error;
}

int card_run(int fd, const struct sqe *entries, unsigned count, struct cqe *done)
{
	struct gpulink_ioctl_submit s = { .size = sizeof(s), .entries = (uintptr_t)entries, .count = count };
	struct gpulink_ioctl_wait w = {
		.size = sizeof(w), .completions = (uintptr_t)done, .count = count, .least = count, .timeout_ns = 5 * SECOND,
	};
	int error = call(fd, GPULINK_IOCTL_SUBMIT, &s);

	if (!error && s.submitted != count)
		error = -EAGAIN;
	return error ? error : call(fd, GPULINK_IOCTL_WAIT, &w);
}

int ring_map(int fd, unsigned sq_order, unsigned cq_order, struct ring *ring)
{
	struct gpulink_ioctl_query q = { .size = sizeof(q) };
	int error;

	*ring = (struct ring){ .fd = fd, .sq_order = sq_order, .cq_order = cq_order };
	ring->map = (struct gpulink_ioctl_ring_map){
		.size = sizeof(ring->map), .sq_order = sq_order, .cq_order = cq_order,
	};
	error = call(fd, GPULINK_IOCTL_QUERY, &q);
	if (!error)
		error = call(fd, GPULINK_IOCTL_RING_MAP, &ring->map);
	if (error)
		return error;
	ring->sq = mmap(NULL, ring->map.sq_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)ring->map.sq_offset);
	ring->cq = mmap(NULL, ring->map.cq_bytes, PROT_READ, MAP_SHARED, fd, (off_t)ring->map.cq_offset);
	ring->doorbell = mmap(NULL, GLK_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)q.doorbell_offset);
	return ring->sq == MAP_FAILED || ring->cq == MAP_FAILED || ring->doorbell == MAP_FAILED ? -errno : 0;
}

void ring_forget(struct ring *ring)
{
	munmap(ring->sq, ring->map.sq_bytes);
	munmap((void *)ring->cq, ring->map.cq_bytes);
	munmap((void *)ring->doorbell, GLK_PAGE_SIZE);
}

int ring_unmap(struct ring *ring)
{
	struct gpulink_ioctl_ring_unmap u = { .size = sizeof(u) };

	ring_forget(ring);
	return call(ring->fd, GPULINK_IOCTL_RING_UNMAP, &u);
}

void ring_put(struct ring *ring, const struct sqe *entry)
{
	ring->sq[ring->tail & ((1u << ring->sq_order) - 1)] = *entry;
	ring->tail++;
}

void ring_tell(struct ring *ring)
{
	__sync_synchronize(); /* entries, and stores through windows, before the doorbell */
	ring->doorbell[GLK_DOORBELL_SQ_TAIL / sizeof(long)] = ring->tail;
}

bool ring_take(struct ring *ring, struct cqe *done)
{
	const volatile struct cqe *at = &ring->cq[ring->head & ((1u << ring->cq_order) - 1)];
	bool first_lap = !(ring->head >> ring->cq_order & 1);
	uint64_t word = at->words[GLK_CQE_PHASE_Q];

	if (!!(word & GLK_CQE_PHASE_MASK) != first_lap)
		return false;
	__atomic_thread_fence(__ATOMIC_ACQUIRE); /* the card writes the tag before the phase */
	done->words[1] = word;
	done->words[0] = at->words[0];
	ring->head++;
	if ((uint16_t)(ring->head - ring->told) >= (1u << ring->cq_order) / 2) {
		ring->told = ring->head;
		ring->doorbell[GLK_DOORBELL_CQ_HEAD / sizeof(long)] = ring->told;
	}
	return true;
}

int ring_wait(int fd, unsigned index, uint64_t timeout_ns, uint32_t *errors)
{
	struct gpulink_ioctl_ring_wait w = {
		.size = sizeof(w), .flags = errors ? GPULINK_RING_WAIT_RELEASE : 0, .index = index, .timeout_ns = timeout_ns,
	};
	int error = call(fd, GPULINK_IOCTL_RING_WAIT, &w);

	if (errors)
		*errors = w.errors;
	return error;
}

int ring_await(struct ring *ring, struct cqe *done, uint64_t timeout_ns, uint32_t *errors)
{
	int error = ring_wait(ring->fd, ring->head, timeout_ns, errors);

	return error ? error : ring_take(ring, done) ? 0 : -EPROTO;
}

struct sqe entry_of(unsigned operation, unsigned window, uint64_t offset, unsigned length, uint64_t tag)
{
	struct sqe entry = { 0 };

	entry.words[GLK_SQE_OPCODE_Q] = operation | (uint64_t)window << GLK_SQE_WINDOW_SHIFT |
					(uint64_t)length << GLK_SQE_LENGTH_SHIFT;
	entry.words[GLK_SQE_TAG_Q] = tag;
	entry.words[GLK_SQE_WINDOW_OFFSET_Q] = offset;
	return entry;
}

struct sqe put_inline(unsigned window, uint64_t offset, uint64_t value, uint64_t tag)
{
	struct sqe entry = entry_of(GLK_OP_PUT_INLINE, window, offset, 8, tag);

	entry.words[GLK_SQE_DATA_Q] = value;
	return entry;
}

struct sqe move(unsigned operation, unsigned window, uint64_t offset, unsigned length, unsigned registration,
		uint64_t registration_offset)
{
	struct sqe entry = entry_of(operation, window, offset, length, 0);

	entry.words[GLK_SQE_REGISTRATION_Q] = registration | registration_offset << GLK_SQE_REGISTRATION_OFFSET_SHIFT;
	return entry;
}

struct sqe with_interrupt(struct sqe entry)
{
	entry.words[GLK_SQE_FLAGS_Q] |= (uint64_t)GLK_FLAG_INTERRUPT << GLK_SQE_FLAGS_SHIFT;
	return entry;
}

unsigned status_of(const struct cqe *done)
{
	return (unsigned)((done->words[GLK_CQE_STATUS_Q] & GLK_CQE_STATUS_MASK) >> GLK_CQE_STATUS_SHIFT);
}
