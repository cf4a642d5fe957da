// SPDX-License-Identifier: Apache-2.0
/* The messages of vfio-user: validation and dispatch to vfu_ops. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "vfio_user_session.h"

typedef int (*handler)(struct vfu_session *session, struct vfu_message *message, struct vfu_answer *answer);

/* Copies the fixed part of a payload; false if it is too short. */
static bool vfio_messages_take(const struct vfu_message *message, void *to, size_t bytes)
{
	if (message->bytes < bytes)
		return false;
	memcpy(to, message->payload, bytes);
	return true;
}

static void give(struct vfu_session *session, struct vfu_answer *answer, const void *from, size_t bytes)
{
	memcpy(session->reply, from, bytes);
	answer->bytes = bytes;
}

/* The client's capabilities must be JSON; a server that sends no requests needs none of them. */
static int check_capabilities(const char *text, size_t bytes)
{
	struct json_object *object;
	bool good;

	if (bytes == 0)
		return 0;
	if (text[bytes - 1] != '\0')
		return -EINVAL;
	object = json_tokener_parse(text);
	good = json_object_is_type(object, json_type_object);
	json_object_put(object);
	return good ? 0 : -EINVAL;
}

/* The reply must fit the smallest buffer of known clients, 214 bytes. */
static int on_version(struct vfu_session *session, struct vfu_message *message, struct vfu_answer *answer)
{
	struct vfu_version version;
	int length;

	if (!vfio_messages_take(message, &version, sizeof(version)) ||
	    check_capabilities((const char *)message->payload + sizeof(version), message->bytes - sizeof(version)))
		return -EINVAL;
	if (version.major != 0)
		return -ENOTSUP;
	version.minor = 0;
	give(session, answer, &version, sizeof(version));
	length = snprintf((char *)session->reply + sizeof(version), 160,
			  "{\"capabilities\":{\"max_msg_fds\":%u,\"max_data_xfer_size\":%u,\"write_multiple\":true}}",
			  VFU_FDS_MAX, 32768);
	answer->bytes += (size_t)length + 1;
	session->agreed = true;
	return 0;
}

static int on_dma_map(struct vfu_session *session, struct vfu_message *message, struct vfu_answer *answer)
{
	const struct vfu_function *f = session->function;
	struct vfu_wire_dma_map wire;
	struct vfu_dma_map map;

	(void)answer;
	if (!vfio_messages_take(message, &wire, sizeof(wire)) || message->fd_count > 1 || wire.size == 0 ||
	    wire.address > UINT64_MAX - wire.size || (wire.flags & ~(VFU_DMA_READABLE | VFU_DMA_WRITABLE)))
		return -EINVAL;
	map = (struct vfu_dma_map){
		.address = wire.address,
		.size = wire.size,
		.offset = wire.offset,
		.readable = wire.flags & VFU_DMA_READABLE,
		.writable = wire.flags & VFU_DMA_WRITABLE,
	};
	return f->ops->dma_map(f->device, &map, message->fd_count ? message->fds[0] : -1);
}

static int on_dma_unmap(struct vfu_session *session, struct vfu_message *message, struct vfu_answer *answer)
{
	const struct vfu_function *f = session->function;
	struct vfu_wire_dma_unmap wire;
	int error = 0;

	if (!vfio_messages_take(message, &wire, sizeof(wire)) || (wire.flags & ~VFU_DMA_UNMAP_ALL))
		return -EINVAL;
	if (wire.flags & VFU_DMA_UNMAP_ALL)
		f->ops->dma_unmap_all(f->device);
	else if (wire.size == 0 || wire.address > UINT64_MAX - wire.size)
		error = -EINVAL;
	else
		error = f->ops->dma_unmap(f->device, wire.address, wire.size);
	give(session, answer, &wire, sizeof(wire));
	return error;
}

static int on_get_info(struct vfu_session *session, struct vfu_message *message, struct vfu_answer *answer)
{
	struct vfu_wire_info info;

	if (!vfio_messages_take(message, &info, sizeof(info)))
		return -EINVAL;
	info = (struct vfu_wire_info){ sizeof(info), VFU_INFO_RESET | VFU_INFO_PCI, VFU_REGIONS, VFU_IRQS };
	give(session, answer, &info, sizeof(info));
	return 0;
}

static int on_get_region_info(struct vfu_session *session, struct vfu_message *message, struct vfu_answer *answer)
{
	struct vfu_wire_region_info info;
	const struct vfu_region *region;

	if (!vfio_messages_take(message, &info, sizeof(info)) || info.index >= VFU_REGIONS)
		return -EINVAL;
	region = &session->function->regions[info.index];
	info.argsz = sizeof(info);
	info.flags = region->size ? VFU_REGION_FLAG_READ | VFU_REGION_FLAG_WRITE : 0;
	if (region->mappable) {
		info.flags |= VFU_REGION_FLAG_MMAP;
		answer->fd = region->fd;
	}
	/* QEMU posts no writes if a region can be mapped: of one without bytes there is nothing to map. */
	if (session->function->waits && !region->size)
		info.flags |= VFU_REGION_FLAG_MMAP;
	info.cap_offset = 0;
	info.size = region->size;
	info.offset = 0;
	give(session, answer, &info, sizeof(info));
	return 0;
}

static int on_get_irq_info(struct vfu_session *session, struct vfu_message *message, struct vfu_answer *answer)
{
	struct vfu_wire_irq_info info;

	if (!vfio_messages_take(message, &info, sizeof(info)) || info.index >= VFU_IRQS)
		return -EINVAL;
	info.argsz = sizeof(info);
	info.count = info.index == session->function->irq ? session->function->vectors : 0;
	info.flags = info.count ? VFU_IRQ_FLAG_EVENTFD : 0;
	give(session, answer, &info, sizeof(info));
	return 0;
}

static int on_set_irqs(struct vfu_session *session, struct vfu_message *message, struct vfu_answer *answer)
{
	const struct vfu_function *f = session->function;
	struct vfu_wire_set_irqs set;
	int error;

	(void)answer;
	if (!vfio_messages_take(message, &set, sizeof(set)) || set.index >= VFU_IRQS)
		return -EINVAL;
	if (set.index != f->irq)
		return set.count == 0 ? 0 : -EINVAL;
	if (set.start > f->vectors || set.count > f->vectors - set.start)
		return -EINVAL;
	if (!(set.flags & VFU_SET_ACTION_TRIGGER))
		return 0; /* masking is done by the client */
	if ((set.flags & VFU_SET_DATA_NONE) && set.count == 0)
		return f->ops->set_vectors(f->device, 0, f->vectors, NULL);
	if (!(set.flags & VFU_SET_DATA_EVENTFD) || (message->fd_count && message->fd_count != set.count))
		return -EINVAL;
	error = f->ops->set_vectors(f->device, set.start, set.count, message->fd_count ? message->fds : NULL);
	for (unsigned i = 0; i < message->fd_count; i++)
		message->fds[i] = -1;
	return error;
}

static int check_access(const struct vfu_session *session, const struct vfu_wire_access *access)
{
	const struct vfu_region *region;

	if (access->region >= VFU_REGIONS || access->count == 0)
		return -EINVAL;
	region = &session->function->regions[access->region];
	if (access->count > region->size || access->offset > region->size - access->count)
		return -EINVAL;
	return 0;
}

static int on_region_read(struct vfu_session *session, struct vfu_message *message, struct vfu_answer *answer)
{
	const struct vfu_function *f = session->function;
	struct vfu_wire_access access;
	int error;

	if (!vfio_messages_take(message, &access, sizeof(access)) || check_access(session, &access) ||
	    access.count > VFU_MESSAGE_MAX - sizeof(struct vfu_header) - sizeof(access))
		return -EINVAL;
	error = f->ops->region_read(f->device, access.region, access.offset, session->reply + sizeof(access),
				    access.count);
	if (error)
		return error;
	give(session, answer, &access, sizeof(access));
	answer->bytes += access.count;
	return 0;
}

static int on_region_write(struct vfu_session *session, struct vfu_message *message, struct vfu_answer *answer)
{
	const struct vfu_function *f = session->function;
	struct vfu_wire_access access;

	if (!vfio_messages_take(message, &access, sizeof(access)) || check_access(session, &access) ||
	    message->bytes - sizeof(access) != access.count)
		return -EINVAL;
	give(session, answer, &access, sizeof(access));
	return f->ops->region_write(f->device, access.region, access.offset, message->payload + sizeof(access),
				    access.count);
}

static int on_region_write_multi(struct vfu_session *session, struct vfu_message *message, struct vfu_answer *answer)
{
	const struct vfu_function *f = session->function;
	struct vfu_wire_write_one one;
	uint64_t count;
	int error = 0;

	if (!vfio_messages_take(message, &count, sizeof(count)) || count > message->bytes / sizeof(one) ||
	    message->bytes != sizeof(count) + count * sizeof(one))
		return -EINVAL;
	for (uint64_t i = 0; i < count && !error; i++) {
		memcpy(&one, message->payload + sizeof(count) + i * sizeof(one), sizeof(one));
		if (check_access(session, &one.access) || one.access.count > sizeof(one.data))
			return -EINVAL;
		error = f->ops->region_write(f->device, one.access.region, one.access.offset, one.data,
					     one.access.count);
	}
	give(session, answer, &count, sizeof(count));
	return error;
}

static int on_device_reset(struct vfu_session *session, struct vfu_message *message, struct vfu_answer *answer)
{
	(void)message;
	(void)answer;
	session->function->ops->reset(session->function->device);
	return 0;
}

static const handler handlers[] = {
	[VFU_VERSION] = on_version,
	[VFU_DMA_MAP] = on_dma_map,
	[VFU_DMA_UNMAP] = on_dma_unmap,
	[VFU_GET_INFO] = on_get_info,
	[VFU_GET_REGION_INFO] = on_get_region_info,
	[VFU_GET_IRQ_INFO] = on_get_irq_info,
	[VFU_SET_IRQS] = on_set_irqs,
	[VFU_REGION_READ] = on_region_read,
	[VFU_REGION_WRITE] = on_region_write,
	[VFU_DEVICE_RESET] = on_device_reset,
	[VFU_REGION_WRITE_MULTI] = on_region_write_multi,
};

int vfu_handle(struct vfu_session *session, struct vfu_message *message, struct vfu_answer *answer)
{
	const struct vfu_header *header = &message->header;
	int error;

	*answer = (struct vfu_answer){ .fd = -1 };
	if ((header->flags & VFU_FLAG_TYPE) != 0)
		return -EPROTO; /* a reply to no request */
	if (header->command >= sizeof(handlers) / sizeof(handlers[0]) || !handlers[header->command])
		error = -ENOTSUP;
	else if (session->agreed != (header->command != VFU_VERSION))
		error = -EINVAL; /* version first, once */
	else
		error = handlers[header->command](session, message, answer);
	if (error)
		*answer = (struct vfu_answer){ .error = error, .fd = -1 };
	return 0;
}
