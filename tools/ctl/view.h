/* SPDX-License-Identifier: Apache-2.0 */
/* What gpulinkctl monitor compares: everything about the cards that does not change with traffic, but errors. */
#ifndef GPULINKCTL_VIEW_H
#define GPULINKCTL_VIEW_H

#include "request.h"

struct json_object;

/**
 * Reads all cards, or invocation->card: {"gpulink0":{"generation":1,"partition 0 coalesce":1,"partition 0 range a":"...",...}}.
 * Cards and parts that cannot be read, for example during a reset, are as in `before` (NULL: absent). The caller owns *view on
 * EXIT_OK. Other results have been reported.
 */
enum exit_code view_read(struct invocation *invocation, struct json_object *before, struct json_object **view);

#endif /* GPULINKCTL_VIEW_H */
