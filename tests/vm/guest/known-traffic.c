// SPDX-License-Identifier: Apache-2.0
/*
 * known-traffic DEVICE steps|forbidden|rings: a fixed sequence of calls, with known effects on tracepoints, debugfs and the
 * log. Uses the kernel interface directly, because the library makes additional calls.
 *
 * steps: a window, a registration, three entries (nop, a put of 8 bytes, one that is refused), a release. Then prints "ready"
 * and waits for a line or the end of input before it cleans up.
 * forbidden: a store through a read-only window.
 * rings: user rings of 32 and 16 entries; three entries, whose three completions it takes, reporting only two to the card.
 * Prints "ready" then and after each command line: "stop" writes an invalid doorbell value, "back" unmaps the rings.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "card.h"

#define SQE(op, window, length) ((unsigned long)(op) | (unsigned long)(window) << 16 | (unsigned long)(length) << 32)

static int failed(const char *what)
{
	perror(what);
	return 1;
}

static int entries(int fd, unsigned window)
{
	unsigned long sqes[3][8] = {
		{ SQE(GLK_OP_NOP, 0, 0), 77 },
		{ SQE(GLK_OP_PUT_INLINE, window, 8), 78 },
		{ 200, 79 },
	};
	unsigned long done[3][2];
	struct gpulink_ioctl_submit s = { .size = sizeof(s), .entries = (unsigned long)sqes, .count = 3 };
	struct gpulink_ioctl_wait w = { .size = sizeof(w), .completions = (unsigned long)done, .count = 3, .least = 3,
					.timeout_ns = 5 * SECOND };

	if (ioctl(fd, GPULINK_IOCTL_SUBMIT, &s) || s.submitted != 3)
		return failed("submit");
	return ioctl(fd, GPULINK_IOCTL_WAIT, &w) || w.completed != 3 ? failed("wait") : 0;
}

static int release(int fd)
{
	struct gpulink_ioctl_release r = { .size = sizeof(r), .timeout_ns = 5 * SECOND };

	return ioctl(fd, GPULINK_IOCTL_RELEASE, &r) ? failed("release") : 0;
}

static int steps(int fd)
{
	static unsigned char memory[3 * 4096] __attribute__((aligned(4096)));
	struct gpulink_ioctl_window_map w = { .size = sizeof(w), .flags = GPULINK_ALLOW_READ | GPULINK_ALLOW_WRITE,
					      .offset = 4096, .bytes = 8192 };
	struct gpulink_ioctl_register r = { .size = sizeof(r), .flags = GPULINK_ALLOW_READ,
					    .address = (unsigned long)memory + 100, .bytes = 5000 };
	struct gpulink_ioctl_handle h = { .size = sizeof(h) };
	char line[16];

	if (ioctl(fd, GPULINK_IOCTL_WINDOW_MAP, &w) || ioctl(fd, GPULINK_IOCTL_REGISTER, &r))
		return failed("window, registration");
	if (entries(fd, w.handle) || release(fd))
		return 1;
	puts("ready");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		line[0] = 0;
	h.handle = r.handle;
	if (ioctl(fd, GPULINK_IOCTL_UNREGISTER, &h))
		return failed("unregister");
	h.handle = w.handle;
	return ioctl(fd, GPULINK_IOCTL_WINDOW_UNMAP, &h) ? failed("unmap") : 0;
}

static int forbidden(int fd)
{
	struct gpulink_ioctl_window_map w = { .size = sizeof(w), .flags = GPULINK_ALLOW_READ, .bytes = 4096 };
	volatile unsigned long *words;

	if (ioctl(fd, GPULINK_IOCTL_WINDOW_MAP, &w))
		return failed("window");
	words = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)w.mmap_offset);
	if (words == MAP_FAILED)
		return failed("mmap");
	words[0] = 1;
	return release(fd);
}

static int rings(int fd)
{
	struct sqe nop = entry_of(GLK_OP_NOP, 0, 0, 0, 1);
	struct ring ring;
	struct cqe done;
	char line[16];
	int error = ring_map(fd, 5, 4, &ring);

	if (error)
		return failed("ring");
	for (unsigned i = 0; i < 3; i++)
		ring_put(&ring, &nop);
	ring_tell(&ring);
	for (unsigned i = 0; i < 3; i++)
		if (ring_await(&ring, &done, 5 * SECOND, NULL))
			return failed("completion");
	ring.doorbell[GLK_DOORBELL_CQ_HEAD / 8] = 2;
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		if (!strcmp(line, "stop\n")) {
			ring.doorbell[GLK_DOORBELL_SQ_TAIL / 8] = ring.tail + 1000u;
			error = ring_wait(fd, ring.tail, 5 * SECOND, NULL) == -EIO ? 0 : -EPROTO;
		} else {
			error = ring_unmap(&ring);
		}
		if (error)
			return failed(line);
		puts("ready");
		fflush(stdout);
	}
	return 0;
}

int main(int argc, char **argv)
{
	int fd;

	if (argc != 3 ||
	    (strcmp(argv[2], "steps") != 0 && strcmp(argv[2], "forbidden") != 0 && strcmp(argv[2], "rings") != 0)) {
		fprintf(stderr, "usage: known-traffic DEVICE steps|forbidden|rings\n");
		return 2;
	}
	fd = open(argv[1], O_RDWR);
	if (fd < 0)
		return failed("open");
	return argv[2][0] == 's' ? steps(fd) : argv[2][0] == 'f' ? forbidden(fd) : rings(fd);
}
