/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REPLAY_CACHES_H
#define REPLAY_CACHES_H

/** gpulink-replay caches; returns the exit status. */
int caches(int argc, char **argv);

#endif /* REPLAY_CACHES_H */
