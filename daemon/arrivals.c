// SPDX-License-Identifier: Apache-2.0
#include "arrivals.h"

#include <errno.h>
#include <libudev.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

struct arrivals {
	struct udev *udev;
	struct udev_monitor *monitor;
	sd_event_source *io;
	arrivals_told *told;
	void *user;
};

static bool is_link_up(struct udev_device *device)
{
	const char *link = udev_device_get_property_value(device, "GPULINK_LINK");

	return !strcmp(udev_device_get_action(device), "change") && link && !strcmp(link, "up");
}

static int on_announcement(sd_event_source *source, int fd, uint32_t events, void *user)
{
	struct arrivals *arrivals = user;
	struct udev_device *device;

	(void)source;
	(void)fd;
	(void)events;
	errno = 0;
	device = udev_monitor_receive_device(arrivals->monitor);
	if (!device) {
		if (errno == ENOBUFS)
			arrivals->told(arrivals->user, NULL, ARRIVAL_LOST);
		return 0;
	}
	if (udev_device_get_action(device) && udev_device_get_sysname(device)) {
		if (!strcmp(udev_device_get_action(device), "add"))
			arrivals->told(arrivals->user, udev_device_get_sysname(device), ARRIVAL_CAME);
		else if (!strcmp(udev_device_get_action(device), "remove"))
			arrivals->told(arrivals->user, udev_device_get_sysname(device), ARRIVAL_WENT);
		else if (is_link_up(device))
			arrivals->told(arrivals->user, udev_device_get_sysname(device), ARRIVAL_LINK_UP);
	}
	udev_device_unref(device);
	return 0;
}

int arrivals_open(struct arrivals **out, sd_event *event, arrivals_told *told, void *user)
{
	struct arrivals *arrivals = calloc(1, sizeof(*arrivals));
	int error = -ENOMEM;

	if (!arrivals)
		return -ENOMEM;
	arrivals->told = told;
	arrivals->user = user;
	arrivals->udev = udev_new();
	if (arrivals->udev) {
		errno = ENOMEM;
		arrivals->monitor = udev_monitor_new_from_netlink(arrivals->udev, "kernel");
		error = arrivals->monitor ? 0 : -errno;
	}
	if (!error)
		error = udev_monitor_filter_add_match_subsystem_devtype(arrivals->monitor, "gpulink", NULL);
	if (error >= 0)
		error = udev_monitor_enable_receiving(arrivals->monitor);
	if (error >= 0)
		error = sd_event_add_io(event, &arrivals->io, udev_monitor_get_fd(arrivals->monitor), EPOLLIN,
					on_announcement, arrivals);
	if (error < 0) {
		arrivals_close(arrivals);
		return error;
	}
	*out = arrivals;
	return 0;
}

void arrivals_close(struct arrivals *arrivals)
{
	if (!arrivals)
		return;
	sd_event_source_disable_unref(arrivals->io);
	udev_monitor_unref(arrivals->monitor);
	udev_unref(arrivals->udev);
	free(arrivals);
}
