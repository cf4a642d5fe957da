/* SPDX-License-Identifier: Apache-2.0 */
/* gpulinkctl monitor: shows changes of cards as they happen. */
#ifndef GPULINKCTL_MONITOR_H
#define GPULINKCTL_MONITOR_H

#include "request.h"

enum exit_code run_monitor(struct invocation *invocation);

#endif /* GPULINKCTL_MONITOR_H */
