/* SPDX-License-Identifier: Apache-2.0 */
/* gpulinkctl capture: writes the frames of a card's link to a file for Wireshark (docs/capture.md). */
#ifndef GPULINKCTL_CAPTURE_H
#define GPULINKCTL_CAPTURE_H

#include "request.h"

enum exit_code run_capture(struct invocation *invocation);

#endif /* GPULINKCTL_CAPTURE_H */
