/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vfio-user protocol, server side: provides a PCI function to a virtual machine over a Unix socket (QEMU's
 * docs/interop/vfio-user.rst). vfu_ops implements the function; this part validates messages, lengths and file
 * descriptors, none of which is trusted.
 *
 * One client at a time, one thread, no global state.
 */
#ifndef GPULINK_VFIO_USER_H
#define GPULINK_VFIO_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VFU_REGIONS	  9u /* BAR 0..5, ROM, configuration space, VGA */
#define VFU_REGION_CONFIG 7u
#define VFU_IRQS	  5u /* INTx, MSI, MSI-X, error, request */
#define VFU_IRQ_MSI	  1u
#define VFU_IRQ_MSIX	  2u
#define VFU_MESSAGE_MAX	  (64u * 1024u)
#define VFU_FDS_MAX	  16u

/** A region. Size 0: not present. */
struct vfu_region {
	uint64_t size;
	bool mappable; /* the client may map `fd` instead of sending messages */
	int fd;
};

struct vfu_dma_map {
	uint64_t address, size;
	uint64_t offset; /* in the file */
	bool readable, writable;
};

/** The function's operations. Those that return int return 0 or a negative errno, which is sent to the client. */
struct vfu_ops {
	/** Accesses inside a region; `len` is 1 or more. */
	int (*region_read)(void *device, unsigned region, uint64_t offset, void *data, size_t len);
	int (*region_write)(void *device, unsigned region, uint64_t offset, const void *data, size_t len);
	/** Maps and unmaps guest memory. fd is -1 for memory that is not a file; the caller keeps it. */
	int (*dma_map)(void *device, const struct vfu_dma_map *map, int fd);
	int (*dma_unmap)(void *device, uint64_t address, uint64_t size);
	void (*dma_unmap_all)(void *device);
	/** Sets the eventfds of vectors start .. start+count-1, within the declared count, and takes ownership of them, also on
	 *  failure. fds NULL: removes them. */
	int (*set_vectors)(void *device, unsigned start, unsigned count, const int *fds);
	void (*reset)(void *device);
};

/** A PCI function. */
struct vfu_function {
	const struct vfu_ops *ops;
	void *device;
	struct vfu_region regions[VFU_REGIONS];
	unsigned vectors; /* number of interrupt vectors */
	unsigned irq;	  /* their type: VFU_IRQ_MSI or VFU_IRQ_MSIX */
	/* The client has to wait for each write. Otherwise QEMU posts writes, without a limit, and the next read, which it
	 * gives 5 s, waits behind all of them. */
	bool waits;
};

struct vfu_session;

/** Listens on a Unix socket at `path`, replacing an existing socket. Returns it, or a negative errno. */
int vfu_listen(const char *path);

/** Accepts a client. Returns 0, -EAGAIN if there is none, or another negative errno. */
int vfu_accept(int listener, const struct vfu_function *function, struct vfu_session **session);

/** The socket, for poll(). */
int vfu_session_fd(const struct vfu_session *session);

/** Reads available data without blocking and serves all complete messages. Returns 0, or a negative errno if the session is
 *  over: -ECONNRESET if the client disconnected, else a protocol error. */
int vfu_session_serve(struct vfu_session *session);

void vfu_session_close(struct vfu_session *session);

#endif /* GPULINK_VFIO_USER_H */
