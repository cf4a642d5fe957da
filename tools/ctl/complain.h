/* SPDX-License-Identifier: Apache-2.0 */
/* How a command ends. */
#ifndef GPULINKCTL_COMPLAIN_H
#define GPULINKCTL_COMPLAIN_H

/** Exit codes, as the man page documents them. */
enum exit_code {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_NO_DAEMON = 3,
	EXIT_NO_CARD = 4,
	EXIT_NOT_PERMITTED = 5,
	EXIT_WARNINGS = 6, /* doctor */
	EXIT_ERRORS = 7,   /* doctor */
};

/** Prints a line to standard error. */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);

#endif /* GPULINKCTL_COMPLAIN_H */
