/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GPULINK_TEST_UCX_PORT_H
#define GPULINK_TEST_UCX_PORT_H

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

/* A port that nobody has, for now. */
static inline unsigned free_port(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t size = sizeof(address);
	unsigned port = 1;

	if (fd >= 0 && !bind(fd, (struct sockaddr *)&address, size) && !getsockname(fd, (struct sockaddr *)&address, &size))
		port = ntohs(address.sin_port);
	if (fd >= 0)
		close(fd);
	return port;
}

#endif /* GPULINK_TEST_UCX_PORT_H */
