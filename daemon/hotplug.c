// SPDX-License-Identifier: Apache-2.0
#include "hotplug.h"

#include <errno.h>
#include <libudev.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

struct hotplug {
	struct udev *udev;
	struct udev_monitor *monitor;
	sd_event_source *io;
	hotplug_callback *callback;
	void *user;
};

/* A change to this value. */
static bool is_now(struct udev_device *device, const char *property, const char *value)
{
	const char *now = udev_device_get_property_value(device, property);

	return !strcmp(udev_device_get_action(device), "change") && now && !strcmp(now, value);
}

static int on_announcement(sd_event_source *source, int fd, uint32_t events, void *user)
{
	struct hotplug *hotplug = user;
	struct udev_device *device;

	(void)source;
	(void)fd;
	(void)events;
	errno = 0;
	device = udev_monitor_receive_device(hotplug->monitor);
	if (!device) {
		if (errno == ENOBUFS)
			hotplug->callback(hotplug->user, NULL, HOTPLUG_LOST);
		return 0;
	}
	if (udev_device_get_action(device) && udev_device_get_sysname(device)) {
		if (!strcmp(udev_device_get_action(device), "add"))
			hotplug->callback(hotplug->user, udev_device_get_sysname(device), HOTPLUG_ADDED);
		else if (!strcmp(udev_device_get_action(device), "remove"))
			hotplug->callback(hotplug->user, udev_device_get_sysname(device), HOTPLUG_REMOVED);
		else if (is_now(device, "GPULINK_LINK", "up"))
			hotplug->callback(hotplug->user, udev_device_get_sysname(device), HOTPLUG_LINK_UP);
		else if (is_now(device, "GPULINK_STATE", "lost"))
			hotplug->callback(hotplug->user, udev_device_get_sysname(device), HOTPLUG_CARD_LOST);
		else if (is_now(device, "GPULINK_STATE", "live"))
			hotplug->callback(hotplug->user, udev_device_get_sysname(device), HOTPLUG_CARD_LIVE);
	}
	udev_device_unref(device);
	return 0;
}

int hotplug_open(struct hotplug **out, sd_event *event, hotplug_callback *callback, void *user)
{
	struct hotplug *hotplug = calloc(1, sizeof(*hotplug));
	int error = -ENOMEM;

	if (!hotplug)
		return -ENOMEM;
	hotplug->callback = callback;
	hotplug->user = user;
	hotplug->udev = udev_new();
	if (hotplug->udev) {
		errno = ENOMEM;
		hotplug->monitor = udev_monitor_new_from_netlink(hotplug->udev, "kernel");
		error = hotplug->monitor ? 0 : -errno;
	}
	if (!error)
		error = udev_monitor_filter_add_match_subsystem_devtype(hotplug->monitor, "gpulink", NULL);
	if (error >= 0)
		error = udev_monitor_enable_receiving(hotplug->monitor);
	if (error >= 0)
		error = sd_event_add_io(event, &hotplug->io, udev_monitor_get_fd(hotplug->monitor), EPOLLIN,
					on_announcement, hotplug);
	if (error < 0) {
		hotplug_close(hotplug);
		return error;
	}
	*out = hotplug;
	return 0;
}

void hotplug_close(struct hotplug *hotplug)
{
	if (!hotplug)
		return;
	sd_event_source_disable_unref(hotplug->io);
	udev_monitor_unref(hotplug->monitor);
	udev_unref(hotplug->udev);
	free(hotplug);
}
