/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vfio-user protocol, server side: a PCI function offered to a virtual machine over a Unix socket (QEMU's
 * docs/interop/vfio-user.rst). What the function does is behind vfu_ops; here are messages, lengths and file
 * descriptors, all of which the client may get wrong.
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

/** Region as the client sees it. A size of 0: not there. */
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

/** What the function does. Those that return int give 0 or a negative errno, which the client gets. */
struct vfu_ops {
	/** Access inside a region; 1 or more bytes. */
	int (*region_read)(void *device, unsigned region, uint64_t offset, void *data, size_t len);
	int (*region_write)(void *device, unsigned region, uint64_t offset, const void *data, size_t len);
	/** Memory of the virtual machine comes or goes. fd is -1 for what is no file, and stays the caller's. */
	int (*dma_map)(void *device, const struct vfu_dma_map *map, int fd);
	int (*dma_unmap)(void *device, uint64_t address, uint64_t size);
	void (*dma_unmap_all)(void *device);
	/** Eventfds for vectors start .. start+count-1, inside the declared count; they are the callee's from
	 *  here on, also when it refuses. fds is NULL: these vectors have none any more. */
	int (*set_vectors)(void *device, unsigned start, unsigned count, const int *fds);
	void (*reset)(void *device);
};

/** A function to serve. */
struct vfu_function {
	const struct vfu_ops *ops;
	void *device;
	struct vfu_region regions[VFU_REGIONS];
	unsigned vectors; /* of interrupts; 0: none */
	unsigned irq;	  /* what they are: VFU_IRQ_MSI or VFU_IRQ_MSIX */
};

struct vfu_session;

/** Makes a listening Unix socket at `path`, in place of a socket that was there. Returns it, or a negative errno. */
int vfu_listen(const char *path);

/** Takes a client from a listening socket. 0, -EAGAIN when none is there, -ENOMEM, ... */
int vfu_accept(int listener, const struct vfu_function *function, struct vfu_session **session);

/** The socket, for poll(). */
int vfu_session_fd(const struct vfu_session *session);

/** Reads what is there without waiting and serves all whole messages in it. Returns 0, or a negative value when the
 *  session is over: -ECONNRESET the client left, else why it was thrown out. */
int vfu_session_serve(struct vfu_session *session);

void vfu_session_close(struct vfu_session *session);

#endif /* GPULINK_VFIO_USER_H */
