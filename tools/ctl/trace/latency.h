/* SPDX-License-Identifier: Apache-2.0 */
/* gpulinkctl latency: how long releases, waits and drains take. */
#ifndef GPULINKCTL_TRACE_LATENCY_H
#define GPULINKCTL_TRACE_LATENCY_H

#include "../request.h"

enum exit_code run_latency(struct invocation *invocation);

#endif /* GPULINKCTL_TRACE_LATENCY_H */
