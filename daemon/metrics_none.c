// SPDX-License-Identifier: Apache-2.0
/* Instead of metrics.c, in a gpulinkd built without libmicrohttpd. */
#include "metrics.h"

#include "log.h"

#include <errno.h>
#include <syslog.h>

int metrics_open(struct metrics **metrics, sd_event *event, const char *address, mode_t mode, gid_t group)
{
	(void)metrics;
	(void)event;
	(void)mode;
	(void)group;
	log_line(LOG_ERR, "cannot serve metrics at %s: built without libmicrohttpd", address);
	return -ENOTSUP;
}

int metrics_set_access(struct metrics *metrics, mode_t mode, gid_t group)
{
	(void)metrics;
	(void)mode;
	(void)group;
	return 0;
}

void metrics_close(struct metrics *metrics)
{
	(void)metrics;
}
