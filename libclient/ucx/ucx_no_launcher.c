// SPDX-License-Identifier: Apache-2.0
/* Without PMIx. */
#include "../error_text.h"
#include "ucx_launcher.h"

int glk_launcher_open(struct glk_ucx_options *options)
{
	(void)options;
	return glk_error(-GPULINK_ENOTSUP, "options rank, processes and at: must be given, the module was built without PMIx");
}

void glk_launcher_close(void)
{
}

int glk_launcher_meet(const struct glk_ucx_options *options, const struct glk_meet_item *own, struct glk_meet_item *items)
{
	(void)options;
	(void)own;
	(void)items;
	return -GPULINK_ENOTSUP;
}
