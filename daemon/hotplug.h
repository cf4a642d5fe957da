/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notifications about cards: added, removed, lost, live again, link up. They come from the kernel's uevents and do not require
 * udevd.
 */
#ifndef GPULINKD_HOTPLUG_H
#define GPULINKD_HOTPLUG_H

#include <stdbool.h>
#include <systemd/sd-event.h>

struct hotplug;

enum hotplug_event {
	HOTPLUG_ADDED,
	HOTPLUG_REMOVED,
	HOTPLUG_LINK_UP, /**< the card's link is up */
	HOTPLUG_CARD_LOST, /**< the card does not answer */
	HOTPLUG_CARD_LIVE, /**< the card was reset */
	HOTPLUG_LOST,	 /**< uevents were lost: rescan all cards; `card` is NULL */
};

/** `card`: "gpulink0". */
typedef void hotplug_callback(void *user, const char *card, enum hotplug_event what);

/** Calls `callback` from `event` for every notification from now on. Returns 0 or a negative errno. Must be closed before the
 *  event loop is freed. */
int hotplug_open(struct hotplug **hotplug, sd_event *event, hotplug_callback *callback, void *user);

/** NULL is allowed. */
void hotplug_close(struct hotplug *hotplug);

#endif /* GPULINKD_HOTPLUG_H */
