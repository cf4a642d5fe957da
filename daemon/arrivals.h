/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cards that come and go, and links that come up, as the kernel announces them. The kernel's own announcements are taken, not udevd's: they
 * come on machines without udevd too, and nothing that udevd adds is needed.
 */
#ifndef GPULINKD_ARRIVALS_H
#define GPULINKD_ARRIVALS_H

#include <stdbool.h>
#include <systemd/sd-event.h>

struct arrivals;

enum arrival {
	ARRIVAL_CAME,
	ARRIVAL_WENT,
	ARRIVAL_LINK_UP, /**< its link to another card came up */
	ARRIVAL_LOST,	 /**< announcements were lost: any card may have come; `card` is NULL */
};

/** `card`: "gpulink0". */
typedef void arrivals_told(void *user, const char *card, enum arrival what);

/** Tells of cards from now on. Returns 0 or a negative errno. Must be closed before the event loop goes. */
int arrivals_open(struct arrivals **arrivals, sd_event *event, arrivals_told *told, void *user);

/** NULL is allowed. */
void arrivals_close(struct arrivals *arrivals);

#endif /* GPULINKD_ARRIVALS_H */
