/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that a launcher started, with PMIx: mpirun, srun. */
#ifndef GLK_UCX_LAUNCHER_H
#define GLK_UCX_LAUNCHER_H

#include "ucx_meet.h"

/* Fills in process and processes. Errors: ENOTSUP (built without PMIx), ENODEV (no launcher started this process). */
int glk_launcher_open(struct glk_ucx_options *options);
void glk_launcher_close(void);

/* As glk_meet_tcp(). */
int glk_launcher_meet(const struct glk_ucx_options *options, const struct glk_meet_item *own, struct glk_meet_item *items);

#endif /* GLK_UCX_LAUNCHER_H */
