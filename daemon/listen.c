// SPDX-License-Identifier: Apache-2.0
#include "listen.h"

#include "log.h"

#include <errno.h>
#include <libgen.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

/* Removes a stale socket. Returns 0 if the path is free, or a negative errno. */
static int clear_path(const struct sockaddr_un *address)
{
	struct stat about;
	int probe, error = 0;

	if (lstat(address->sun_path, &about))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(about.st_mode))
		return -EEXIST;
	probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (probe < 0)
		return -errno;
	if (!connect(probe, (const struct sockaddr *)address, sizeof(*address)) || errno != ECONNREFUSED)
		error = -EADDRINUSE;
	close(probe);
	if (!error && unlink(address->sun_path))
		error = -errno;
	return error;
}

static int make_folder(const char *path)
{
	char copy[sizeof(((struct sockaddr_un *)NULL)->sun_path)];

	strcpy(copy, path);
	return mkdir(dirname(copy), 0755) && errno != EEXIST ? -errno : 0;
}

int listen_bind(const struct sockaddr_un *address)
{
	int error = make_folder(address->sun_path), file;
	mode_t old_mask;

	if (!error)
		error = clear_path(address);
	if (error)
		return error;
	file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (file < 0)
		return -errno;
	/* No access for others until mode and group are set. */
	old_mask = umask(0177);
	error = bind(file, (const struct sockaddr *)address, sizeof(*address)) ? -errno : 0;
	umask(old_mask);
	if (error)
		close(file);
	return error ? error : file;
}

int listen_set_access(const char *path, mode_t mode, gid_t group)
{
	/* Without a group, back to root's, so that members of an earlier one lose access. */
	if (chown(path, (uid_t)-1, group == (gid_t)-1 ? getegid() : group) || chmod(path, mode)) {
		int error = -errno;

		log_line(LOG_ERR, "%s: cannot set mode %04o and group: %s", path, mode, strerror(-error));
		return error;
	}
	return 0;
}

const char *listen_error(int error)
{
	return error == -EADDRINUSE ? "in use by another process"
	       : error == -EEXIST   ? "file exists and is not a socket"
				    : strerror(-error);
}
