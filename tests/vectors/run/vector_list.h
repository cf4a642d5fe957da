/* SPDX-License-Identifier: Apache-2.0 */
/* A runner's command line: the files that are named, or all vectors of a directory. */
#ifndef VECTOR_LIST_H
#define VECTOR_LIST_H

#include <stdbool.h>

/* Runs them one by one, each as a test of TAP, for which `run` prints the line. Returns main()'s result: 2 without any. */
int vector_run_all(const char *name, int argc, char **argv, bool (*run)(const char *path, unsigned number));

#endif /* VECTOR_LIST_H */
