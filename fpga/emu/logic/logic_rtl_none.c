// SPDX-License-Identifier: Apache-2.0
/* For builds without the Verilated RTL. */
#include <errno.h>

#include "logic.h"

int logic_rtl_create(const struct logic_config *config, struct logic *logic)
{
	(void)config;
	(void)logic;
	return -ENOTSUP;
}
