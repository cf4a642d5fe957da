// SPDX-License-Identifier: Apache-2.0
#include "client.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "process.h"

#define PATIENCE_S	10
#define SEND_FDS_MAX	64u /* more than a server may take, to see it refuse */
#define CAPABILITIES	0x34u
#define EXPRESS		0x10u
#define DEVICE_CONTROL	8u
#define START_FLR	0x8000u

static void close_fds(struct client *client)
{
	for (unsigned i = 0; i < client->fd_count; i++)
		close(client->fds[i]);
	client->fd_count = 0;
}

int client_connect(struct client *client, const char *path)
{
	const struct timeval patience = { .tv_sec = PATIENCE_S };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int error = -ETIMEDOUT;

	*client = (struct client){ .fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) };
	if (client->fd < 0 || strlen(path) >= sizeof(address.sun_path))
		return -EINVAL;
	strcpy(address.sun_path, path);
	setsockopt(client->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(client->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	for (unsigned i = 0; i < PATIENCE_S * 1000; i++) {
		if (!connect(client->fd, (const struct sockaddr *)&address, sizeof(address)))
			return 0;
		error = -errno;
		if (error != -ENOENT && error != -ECONNREFUSED)
			break;
		wait_a_millisecond();
	}
	client_close(client);
	return error;
}

void client_close(struct client *client)
{
	close_fds(client);
	if (client->fd >= 0)
		close(client->fd);
	client->fd = -1;
}

int client_open(struct client *client, const char *path)
{
	int error = client_connect(client, path);

	return error ? error : client_version(client, CLIENT_GOOD_CAPABILITIES);
}

/* Unix sockets report a peer that left in several ways, which mean the same here. */
static int transport_error(void)
{
	if (errno == EAGAIN)
		return -ETIMEDOUT;
	return errno == EPIPE ? -ECONNRESET : -errno;
}

int client_send(struct client *client, const void *bytes, size_t len, const int *fds, unsigned fd_count)
{
	union {
		char bytes[CMSG_SPACE(SEND_FDS_MAX * sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec from = { (void *)(uintptr_t)bytes, len };
	struct msghdr message = { .msg_iov = &from, .msg_iovlen = 1 };

	if (fd_count > SEND_FDS_MAX)
		return -EINVAL;
	if (fd_count) {
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
		CMSG_FIRSTHDR(&message)->cmsg_level = SOL_SOCKET;
		CMSG_FIRSTHDR(&message)->cmsg_type = SCM_RIGHTS;
		CMSG_FIRSTHDR(&message)->cmsg_len = CMSG_LEN(fd_count * sizeof(int));
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), fds, fd_count * sizeof(int));
	}
	while (from.iov_len) {
		ssize_t sent = sendmsg(client->fd, &message, MSG_NOSIGNAL);

		if (sent < 0)
			return transport_error();
		from.iov_base = (uint8_t *)from.iov_base + sent;
		from.iov_len -= (size_t)sent;
		message.msg_control = NULL;
		message.msg_controllen = 0;
	}
	return 0;
}

static int receive_exactly(struct client *client, void *to, size_t len)
{
	union {
		char bytes[CMSG_SPACE(VFU_FDS_MAX * sizeof(int))];
		struct cmsghdr align;
	} control;

	while (len) {
		struct iovec part = { to, len };
		struct msghdr message = {
			.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control),
		};
		ssize_t got = recvmsg(client->fd, &message, MSG_CMSG_CLOEXEC);
		struct cmsghdr *c = CMSG_FIRSTHDR(&message);

		if (got < 0)
			return transport_error();
		if (got == 0)
			return -ECONNRESET;
		if (c && c->cmsg_type == SCM_RIGHTS) {
			close_fds(client);
			client->fd_count = (unsigned)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
			memcpy(client->fds, CMSG_DATA(c), client->fd_count * sizeof(int));
		}
		to = (uint8_t *)to + got;
		len -= (size_t)got;
	}
	return 0;
}

int client_receive(struct client *client)
{
	int error;

	close_fds(client);
	client->bytes = 0;
	error = receive_exactly(client, &client->header, sizeof(client->header));
	if (error)
		return error;
	if (client->header.size < sizeof(client->header) ||
	    client->header.size > sizeof(client->header) + sizeof(client->payload))
		return -EPROTO;
	error = receive_exactly(client, client->payload, client->header.size - sizeof(client->header));
	if (!error)
		client->bytes = client->header.size - sizeof(client->header);
	return error;
}

struct vfu_header client_header(struct client *client, unsigned command, size_t bytes)
{
	return (struct vfu_header){
		.id = ++client->id,
		.command = (uint16_t)command,
		.size = (uint32_t)(sizeof(struct vfu_header) + bytes),
	};
}

int client_request(struct client *client, unsigned command, const void *payload, size_t bytes, const int *fds,
		   unsigned fd_count)
{
	struct vfu_header header = client_header(client, command, bytes);
	uint8_t message[VFU_MESSAGE_MAX];
	bool failed;
	int error;

	if (header.size > sizeof(message))
		return -EMSGSIZE;
	memcpy(message, &header, sizeof(header));
	if (bytes)
		memcpy(message + sizeof(header), payload, bytes);
	error = client_send(client, message, header.size, fds, fd_count);
	if (!error)
		error = client_receive(client);
	if (error)
		return error;
	failed = client->header.flags & VFU_FLAG_ERROR;
	if (client->header.id != header.id || client->header.command != header.command ||
	    (client->header.flags & ~VFU_FLAG_ERROR) != VFU_FLAG_REPLY || failed != (client->header.error != 0) ||
	    (failed && (client->bytes || client->fd_count)))
		return -EPROTO;
	return -(int)client->header.error;
}

int client_version(struct client *client, const char *capabilities)
{
	struct vfu_version version = { .major = 0, .minor = 1 };
	uint8_t payload[4096];
	size_t length = capabilities ? strlen(capabilities) + 1 : 0;

	if (length > sizeof(payload) - sizeof(version))
		return -EMSGSIZE;
	memcpy(payload, &version, sizeof(version));
	if (length)
		memcpy(payload + sizeof(version), capabilities, length);
	return client_request(client, VFU_VERSION, payload, sizeof(version) + length, NULL, 0);
}

/* The reply has to be as long as said. */
static int take(const struct client *client, void *to, size_t len)
{
	if (client->bytes != len)
		return -EPROTO;
	memcpy(to, client->payload, len);
	return 0;
}

int client_region_info(struct client *client, unsigned region, struct vfu_wire_region_info *info)
{
	int error;

	*info = (struct vfu_wire_region_info){ .argsz = sizeof(*info), .index = region };
	error = client_request(client, VFU_GET_REGION_INFO, info, sizeof(*info), NULL, 0);
	return error ? error : take(client, info, sizeof(*info));
}

int client_irq_info(struct client *client, unsigned index, struct vfu_wire_irq_info *info)
{
	int error;

	*info = (struct vfu_wire_irq_info){ .argsz = sizeof(*info), .index = index };
	error = client_request(client, VFU_GET_IRQ_INFO, info, sizeof(*info), NULL, 0);
	return error ? error : take(client, info, sizeof(*info));
}

int client_read(struct client *client, unsigned region, uint64_t offset, void *data, size_t len)
{
	struct vfu_wire_access access = { offset, region, (uint32_t)len };
	int error = client_request(client, VFU_REGION_READ, &access, sizeof(access), NULL, 0);

	if (error)
		return error;
	if (client->bytes != sizeof(access) + len || memcmp(client->payload, &access, sizeof(access)))
		return -EPROTO;
	memcpy(data, client->payload + sizeof(access), len);
	return 0;
}

int client_write(struct client *client, unsigned region, uint64_t offset, const void *data, size_t len)
{
	struct vfu_wire_access access = { offset, region, (uint32_t)len };
	uint8_t payload[VFU_MESSAGE_MAX];
	int error;

	if (len > sizeof(payload) - sizeof(access))
		return -EMSGSIZE;
	memcpy(payload, &access, sizeof(access));
	memcpy(payload + sizeof(access), data, len);
	error = client_request(client, VFU_REGION_WRITE, payload, sizeof(access) + len, NULL, 0);
	if (!error && (client->bytes != sizeof(access) || memcmp(client->payload, &access, sizeof(access))))
		return -EPROTO;
	return error;
}

int client_dma_map(struct client *client, uint64_t address, uint64_t size, uint64_t offset, uint32_t flags, int fd)
{
	const struct vfu_wire_dma_map map = { sizeof(map), flags, offset, address, size };

	return client_request(client, VFU_DMA_MAP, &map, sizeof(map), &fd, fd >= 0);
}

int client_dma_unmap(struct client *client, uint64_t address, uint64_t size, uint32_t flags)
{
	const struct vfu_wire_dma_unmap unmap = { sizeof(unmap), flags, address, size };

	return client_request(client, VFU_DMA_UNMAP, &unmap, sizeof(unmap), NULL, 0);
}

int client_set_vectors(struct client *client, unsigned start, unsigned count, const int *fds, unsigned fd_count)
{
	const struct vfu_wire_set_irqs set = {
		sizeof(set), VFU_SET_DATA_EVENTFD | VFU_SET_ACTION_TRIGGER, VFU_IRQ_MSIX, start, count,
	};

	return client_request(client, VFU_SET_IRQS, &set, sizeof(set), fds, fd_count);
}

int client_reset(struct client *client)
{
	return client_request(client, VFU_DEVICE_RESET, NULL, 0, NULL, 0);
}

uint32_t client_config(struct client *client, uint64_t offset, size_t len)
{
	uint32_t value = 0;

	return client_read(client, CLIENT_CONFIG, offset, &value, len) ? UINT32_MAX : value;
}

int client_set_config(struct client *client, uint64_t offset, size_t len, uint32_t value)
{
	return client_write(client, CLIENT_CONFIG, offset, &value, len);
}

unsigned client_find_capability(struct client *client, unsigned id)
{
	unsigned at = client_config(client, CAPABILITIES, 1);

	for (unsigned i = 0; at && i < 48; i++) {
		if (client_config(client, at, 1) == id)
			return at;
		at = client_config(client, at + 1, 1);
	}
	return 0;
}

int client_function_level_reset(struct client *client)
{
	unsigned express = client_find_capability(client, EXPRESS);
	uint32_t control = client_config(client, express + DEVICE_CONTROL, 2);

	return express ? client_set_config(client, express + DEVICE_CONTROL, 2, control | START_FLR) : -ENODEV;
}
