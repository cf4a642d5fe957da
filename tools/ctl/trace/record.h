/* SPDX-License-Identifier: Apache-2.0 */
/* gpulinkctl record: a trace of what programs store, for gpulink-replay. */
#ifndef GPULINKCTL_TRACE_RECORD_H
#define GPULINKCTL_TRACE_RECORD_H

#include "../request.h"

enum exit_code run_record(struct invocation *invocation);

#endif /* GPULINKCTL_TRACE_RECORD_H */
