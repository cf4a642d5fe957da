/* SPDX-License-Identifier: Apache-2.0 */
/* The commands topo and doctor. */
#ifndef GPULINKCTL_TOPO_H
#define GPULINKCTL_TOPO_H

#include "../request.h"

/** Shows the PCI tree, and which card reaches which endpoint. */
enum exit_code run_topo(struct invocation *invocation);

/** Shows what keeps cards from their endpoints. Returns EXIT_OK without findings above notes, EXIT_WARNINGS or EXIT_ERRORS. */
enum exit_code run_doctor(struct invocation *invocation);

#endif /* GPULINKCTL_TOPO_H */
