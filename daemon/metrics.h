/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serves the counters to Prometheus over HTTP: GET /metrics. In the daemon's event loop, without a thread. Idle
 * connections are closed after 10 s, after 1 s if there are many.
 */
#ifndef GPULINKD_METRICS_H
#define GPULINKD_METRICS_H

#include <sys/types.h>
#include <systemd/sd-event.h>

struct metrics;

/**
 * Serves at `address` (config.h) from `event`; a UNIX socket gets this mode and group. Failures are logged; returns 0 or a
 * negative errno. On success *metrics must be closed by metrics_close() before the event loop is freed.
 */
int metrics_open(struct metrics **metrics, sd_event *event, const char *address, mode_t mode, gid_t group);

/**
 * Changes mode and group of a UNIX socket, which is never open to others than the group; without effect on a port. Returns 0 or
 * a negative errno, which has been logged.
 */
int metrics_set_access(struct metrics *metrics, mode_t mode, gid_t group);

/** Closes all connections, and removes a UNIX socket. NULL is allowed. */
void metrics_close(struct metrics *metrics);

#endif /* GPULINKD_METRICS_H */
