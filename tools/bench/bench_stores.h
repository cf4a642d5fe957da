/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_STORES_H
#define BENCH_STORES_H

/** gpulink-bench stores; returns the exit status. */
int bench_stores(int argc, char **argv);

#endif /* BENCH_STORES_H */
