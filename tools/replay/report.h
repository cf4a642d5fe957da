/* SPDX-License-Identifier: Apache-2.0 */
/* A page for people: a stream through the paradigms, and again for each value of what matters most. */
#ifndef REPLAY_REPORT_H
#define REPLAY_REPORT_H

/** The subcommand: report FILE.html and the options of run. Returns an exit status. */
int report(int argc, char **argv);

#endif /* REPLAY_REPORT_H */
