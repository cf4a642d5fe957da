/* SPDX-License-Identifier: Apache-2.0 */
/* A runner's command line: the files that are named, or all vectors of a directory. */
#ifndef VECTOR_LIST_H
#define VECTOR_LIST_H

#include <stdbool.h>

/*
 * Runs them one by one, each as a test of TAP. `run` returns whether it passed, having printed why not, and may set `*skip` to
 * why it did not run it. Returns main()'s result: 2 without any.
 */
int vector_run_all(const char *name, int argc, char **argv, bool (*run)(const char *path, const char **skip));

#endif /* VECTOR_LIST_H */
