// SPDX-License-Identifier: Apache-2.0
#include "fabric.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define CONTROL_BYTES 4096u
#define GREETING_MAGIC UINT32_C(0x666b6c67) /* "glkf" */
#define SEALS	      (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/* Written only by the endpoint. The sequence is odd during an update. */
struct fabric_control {
	uint32_t sequence;
	uint32_t decode;
	uint64_t bus_address;
};

struct greeting {
	uint32_t magic, version;
	uint64_t bytes;
};

static int create_sealed(const char *name, uint64_t bytes, int *fd, void **memory)
{
	int error;

	*fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (*fd < 0)
		return -errno;
	if (!ftruncate(*fd, (off_t)bytes) && !fcntl(*fd, F_ADD_SEALS, SEALS)) {
		*memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
		if (*memory != MAP_FAILED)
			return 0;
	}
	error = -errno;
	close(*fd);
	return error;
}

int fabric_memory_create(struct fabric_memory *memory, uint64_t bytes)
{
	void *at, *control;
	int error = create_sealed("gpulink-endpoint", bytes, &memory->memory_fd, &at);

	if (error)
		return error;
	error = create_sealed("gpulink-fabric", CONTROL_BYTES, &memory->control_fd, &control);
	if (error) {
		munmap(at, bytes);
		close(memory->memory_fd);
		return error;
	}
	memory->memory = at;
	memory->bytes = bytes;
	memory->control = control;
	return 0;
}

void fabric_memory_place(struct fabric_memory *memory, uint64_t bus_address, bool decode)
{
	struct fabric_control *c = memory->control;

	/* Called for every configuration write. Cards must see an update only if the endpoint moves. */
	if (c->bus_address == bus_address && c->decode == decode)
		return;
	__atomic_fetch_add(&c->sequence, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&c->bus_address, bus_address, __ATOMIC_SEQ_CST);
	__atomic_store_n(&c->decode, decode, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&c->sequence, 1, __ATOMIC_SEQ_CST);
}

union two_fds {
	char bytes[CMSG_SPACE(2 * sizeof(int))];
	struct cmsghdr align;
};

int fabric_memory_share(const struct fabric_memory *memory, int client)
{
	struct greeting greeting = { GREETING_MAGIC, 1, memory->bytes };
	struct iovec from = { &greeting, sizeof(greeting) };
	union two_fds control = { 0 };
	struct msghdr message = {
		.msg_iov = &from, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&message);
	const int fds[2] = { memory->memory_fd, memory->control_fd };

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fds));
	memcpy(CMSG_DATA(c), fds, sizeof(fds));
	return sendmsg(client, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof(greeting) ? 0 : -EIO;
}

/* Maps memory of exactly that size that is sealed against shrinking. */
static void *map_sealed(int fd, uint64_t bytes, int protection)
{
	struct stat status;
	int seals = fcntl(fd, F_GET_SEALS);
	void *at;

	if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(fd, &status) || (uint64_t)status.st_size != bytes)
		return NULL;
	at = mmap(NULL, bytes, protection, MAP_SHARED, fd, 0);
	return at == MAP_FAILED ? NULL : at;
}

static int receive_greeting(int socket, struct greeting *greeting, int fds[2])
{
	struct iovec to = { greeting, sizeof(*greeting) };
	union two_fds control;
	struct msghdr message = {
		.msg_iov = &to, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c;

	if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL) != sizeof(*greeting))
		return -EPROTO;
	c = CMSG_FIRSTHDR(&message);
	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS || c->cmsg_len != CMSG_LEN(2 * sizeof(int)))
		return -EPROTO;
	memcpy(fds, CMSG_DATA(c), 2 * sizeof(int));
	return greeting->magic == GREETING_MAGIC && greeting->version == 1 ? 0 : -EPROTO;
}

int fabric_connect(const char *path, struct fabric_peer *peer)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct greeting greeting;
	int fds[2] = { -1, -1 }, error;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	*peer = (struct fabric_peer){ .socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) };
	if (peer->socket < 0)
		return -errno;
	error = connect(peer->socket, (const struct sockaddr *)&address, sizeof(address)) ? -errno : 0;
	if (!error)
		error = receive_greeting(peer->socket, &greeting, fds);
	if (!error) {
		peer->bytes = greeting.bytes;
		peer->memory = map_sealed(fds[0], greeting.bytes, PROT_READ | PROT_WRITE);
		peer->control = map_sealed(fds[1], CONTROL_BYTES, PROT_READ);
		if (!peer->memory || !peer->control)
			error = -EPROTO;
	}
	for (unsigned i = 0; i < 2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	if (error)
		fabric_disconnect(peer);
	return error;
}

void fabric_disconnect(struct fabric_peer *peer)
{
	if (peer->memory)
		munmap(peer->memory, peer->bytes);
	if (peer->control)
		munmap((void *)(uintptr_t)peer->control, CONTROL_BYTES);
	if (peer->socket >= 0)
		close(peer->socket);
	*peer = (struct fabric_peer){ .socket = -1 };
}

/* The bus address. False while decoding is off or the address is changing: the access is then not claimed. */
static bool placed(const struct fabric_control *control, uint64_t *bus_address)
{
	uint32_t before = __atomic_load_n(&control->sequence, __ATOMIC_SEQ_CST);
	uint32_t decode = __atomic_load_n(&control->decode, __ATOMIC_SEQ_CST);

	*bus_address = __atomic_load_n(&control->bus_address, __ATOMIC_SEQ_CST);
	return decode && before % 2 == 0 && before == __atomic_load_n(&control->sequence, __ATOMIC_SEQ_CST);
}

uint8_t *fabric_find(const struct fabric_peer *peer, uint64_t address, size_t len)
{
	uint64_t base;

	if (!peer->memory || !placed(peer->control, &base))
		return NULL;
	if (address < base || address - base > peer->bytes || len > peer->bytes - (address - base))
		return NULL;
	return peer->memory + (address - base);
}
