/* SPDX-License-Identifier: Apache-2.0 */
/* gpulinkctl top: what each process does with its cards. */
#ifndef GPULINKCTL_TRACE_TOP_H
#define GPULINKCTL_TRACE_TOP_H

#include "../request.h"

enum exit_code run_top(struct invocation *invocation);

#endif /* GPULINKCTL_TRACE_TOP_H */
