// SPDX-License-Identifier: Apache-2.0
/* The commands topo and doctor in a build without libpci. */
#include "topo.h"

static enum exit_code absent(const char *command)
{
	complain("%s: this gpulinkctl was built without libpci", command);
	return EXIT_FAILED;
}

enum exit_code run_topo(struct invocation *invocation)
{
	(void)invocation;
	return absent("topo");
}

enum exit_code run_doctor(struct invocation *invocation)
{
	(void)invocation;
	return absent("doctor");
}
