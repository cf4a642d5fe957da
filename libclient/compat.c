// SPDX-License-Identifier: Apache-2.0
/* Functions of headers before the first release. Programs that were built with them start, and get an error instead of a crash.
 */
#include "error_text.h"

/* New programs cannot be linked with it: it is not the default version of its name. */
#define EARLIER(function, name) __asm__(".symver " #function ", " #name "@GPULINK_0.1")

int glk_earlier_lane_open(void);

/* Its inline functions wrote where the library now keeps other things. */
EARLIER(glk_earlier_lane_open, gpulink_lane_open);
__attribute__((used)) int glk_earlier_lane_open(void)
{
	return glk_error(-GPULINK_EABI, "the program was compiled with a gpulink_lane.h before version 1: compile it again");
}
