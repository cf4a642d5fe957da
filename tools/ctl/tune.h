/* SPDX-License-Identifier: Apache-2.0 */
/* gpulinkctl tune: measures which way to send is the cheapest for which size. */
#ifndef GPULINKCTL_TUNE_H
#define GPULINKCTL_TUNE_H

#include <stdio.h>

#include <advice.h>

#include "request.h"

enum exit_code run_tune(struct invocation *invocation);

/** advice_row.ring_from as text. */
void tune_ring_from(char *text, size_t room, int count);

/** The parameters as a self-contained page with plots, and the advice as a table. The caller checks ferror(). */
void tune_page(FILE *to, const struct loggop_file *file, const struct advice *advice);

#endif /* GPULINKCTL_TUNE_H */
