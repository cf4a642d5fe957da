/* SPDX-License-Identifier: Apache-2.0 */
/* The commands ranges, add-range and remove-range. */
#ifndef GPULINKCTL_RANGES_H
#define GPULINKCTL_RANGES_H

#include "request.h"

enum exit_code run_ranges(struct invocation *invocation);
enum exit_code run_add_range(struct invocation *invocation);
enum exit_code run_remove_range(struct invocation *invocation);

#endif /* GPULINKCTL_RANGES_H */
