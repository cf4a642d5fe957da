/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GPULINKCTL_LOAD_H
#define GPULINKCTL_LOAD_H

#include "request.h"

/** program FILE [PREVIOUS]: loads logic into a card. */
enum exit_code run_program(struct invocation *invocation);

#endif /* GPULINKCTL_LOAD_H */
