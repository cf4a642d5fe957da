// SPDX-License-Identifier: Apache-2.0
#include "ucx_machine.h"

#include <endian.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

void glk_ucx_machine_own(struct glk_ucx_machine *machine)
{
	static const char *const namespaces[GLK_UCX_MACHINE_NAMESPACES] = { "/proc/self/ns/pid", "/proc/self/ns/net",
									    "/proc/self/ns/ipc" };
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	struct stat about;

	memset(machine, 0, sizeof(*machine));
	machine->process = htole64((uint64_t)getpid());
	for (unsigned i = 0; i < GLK_UCX_MACHINE_NAMESPACES; i++)
		machine->namespaces[i] = htole64(stat(namespaces[i], &about) ? 0 : (uint64_t)about.st_ino);
	if (fd < 0)
		return;
	if (read(fd, machine->boot, sizeof(machine->boot) - 1) <= 0)
		machine->boot[0] = '\0'; /* then no machine is the same */
	close(fd);
}

int glk_ucx_machine_watch(const struct glk_ucx_machine *own, const struct glk_ucx_machine *other)
{
	if (!own->boot[0] || memcmp(own->boot, other->boot, sizeof(own->boot)) ||
	    memcmp(own->namespaces, other->namespaces, sizeof(own->namespaces)))
		return -1;
	return (int)syscall(SYS_pidfd_open, (pid_t)le64toh(other->process), 0);
}
