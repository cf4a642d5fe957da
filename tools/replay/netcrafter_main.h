/* SPDX-License-Identifier: Apache-2.0 */
/* The command netcrafter. */
#ifndef REPLAY_NETCRAFTER_MAIN_H
#define REPLAY_NETCRAFTER_MAIN_H

int netcrafter(int argc, char **argv);

#endif /* REPLAY_NETCRAFTER_MAIN_H */
