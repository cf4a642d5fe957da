/* SPDX-License-Identifier: Apache-2.0 */
/* The commands link, link-counters and set-link. */
#ifndef GPULINKCTL_LINK_H
#define GPULINKCTL_LINK_H

#include "request.h"

enum exit_code run_link(struct invocation *invocation);
enum exit_code run_link_counters(struct invocation *invocation);
enum exit_code run_set_link(struct invocation *invocation);

#endif /* GPULINKCTL_LINK_H */
