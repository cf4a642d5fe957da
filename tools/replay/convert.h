/* SPDX-License-Identifier: Apache-2.0 */
/* gpulink-replay convert: traces, and records of other tools (import/), to a trace. */
#ifndef REPLAY_CONVERT_H
#define REPLAY_CONVERT_H

int convert(int argc, char **argv);

#endif /* REPLAY_CONVERT_H */
