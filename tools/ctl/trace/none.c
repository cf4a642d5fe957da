// SPDX-License-Identifier: Apache-2.0
/* Instead of the commands that trace, in a gpulinkctl built without libbpf. */
#include "latency.h"
#include "record.h"
#include "top.h"

static enum exit_code not_built(void)
{
	complain("built without libbpf: tracing is not available");
	return EXIT_FAILED;
}

enum exit_code run_latency(struct invocation *invocation)
{
	(void)invocation;
	return not_built();
}

enum exit_code run_top(struct invocation *invocation)
{
	(void)invocation;
	return not_built();
}

enum exit_code run_record(struct invocation *invocation)
{
	(void)invocation;
	return not_built();
}
