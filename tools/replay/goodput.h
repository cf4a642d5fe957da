/* SPDX-License-Identifier: Apache-2.0 */
/* gpulink-replay goodput: a store's own bytes as a share of its wire bytes. */
#ifndef REPLAY_GOODPUT_H
#define REPLAY_GOODPUT_H

/** The command. Returns the exit status. */
int goodput(int argc, char **argv);

#endif /* REPLAY_GOODPUT_H */
