/* SPDX-License-Identifier: Apache-2.0 */
/* The HTML report: one run, and sweeps over the main settings. */
#ifndef REPLAY_REPORT_H
#define REPLAY_REPORT_H

/** The subcommand: report FILE.html and the options of run. Returns an exit status. */
int report(int argc, char **argv);

#endif /* REPLAY_REPORT_H */
