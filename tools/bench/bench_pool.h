/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_POOL_H
#define BENCH_POOL_H

/** gpulink-bench pool; returns the exit status. */
int bench_pool(int argc, char **argv);

#endif /* BENCH_POOL_H */
