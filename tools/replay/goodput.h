/* SPDX-License-Identifier: Apache-2.0 */
/* gpulink-replay goodput: how much of a store's wire bytes are its own. */
#ifndef REPLAY_GOODPUT_H
#define REPLAY_GOODPUT_H

/** The command. Returns the exit status. */
int goodput(int argc, char **argv);

#endif /* REPLAY_GOODPUT_H */
