/* SPDX-License-Identifier: Apache-2.0 */
/* The counters of all cards in Prometheus's text format, version 0.0.4 (docs/monitoring.md). */
#ifndef GPULINKD_METRICS_TEXT_H
#define GPULINKD_METRICS_TEXT_H

#include <stddef.h>

#define METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

/** Returns the text, to be freed, and its length; NULL: out of memory. Cards that cannot be read, for example during a reset,
 * are left out. */
char *metrics_text(size_t *length);

#endif /* GPULINKD_METRICS_TEXT_H */
