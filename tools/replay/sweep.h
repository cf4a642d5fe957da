/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one stream once for each value of a setting. */
#ifndef REPLAY_SWEEP_H
#define REPLAY_SWEEP_H

/** The subcommand: sweep SETTING=VALUE,VALUE,... and the options of run. Returns an exit status. */
int sweep(int argc, char **argv);

#endif /* REPLAY_SWEEP_H */
