/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model of Groves et al., Performance Trade-offs in GPU Communication (PMBS 2020): its parameters and equations,
 * in nanoseconds and bytes.
 */
#ifndef LOGGOP_STUDY_H
#define LOGGOP_STUDY_H

#include <stdbool.h>

enum study_way { STUDY_HOST_PUT, STUDY_HOST_GET, STUDY_DEVICE_PUT, STUDY_DEVICE_GET, STUDY_WAYS };

/** A row of Table I: parameters of single messages below 8 KiB. */
struct study_row {
	const char *name;
	bool device, get;
	double latency, overhead, overhead_byte, gap, sync; /**< L, o, O per byte, g, S */
};

extern const struct study_row study_rows[STUDY_WAYS];

/** Link bandwidth, bytes per nanosecond: G(m) = m / this (section IV-B). */
#define STUDY_BANDWIDTH 12.5

/** Time of one blocking message: equations 1 to 4, with O(m) and G(m). m = 0 leaves both out, as the paper does at 8 bytes. */
double study_single(enum study_way way, double bytes);

/** The rows of Table II. */
enum study_pipeline { STUDY_VERBS, STUDY_HOST, STUDY_DEVICE, STUDY_PIPELINES };

/**
 * Time per message of many in a row (Table II; section V-1a): the larger of overhead and gap. Table II's O(m) was fitted to
 * the time of a byte (Fig. 5); its label has it, and the study's section VI uses it, as that of a message (`message`).
 */
double study_pipelined(enum study_pipeline pipeline, double bytes, bool message);

/** Time of one message of a CPU to remote DRAM, as in the first two equations' host rows, but with the latency of DRAM (Fig.
 * 2). */
double study_processor(bool get, double bytes);

/**
 * Speed-up of a program that is ported to the GPU with its problem's size (section VI): a quarter of its time on the CPU is
 * communication; the GPU computes 5 times as fast, and its messages take `gpu` where the CPU's took `processor`.
 */
double study_speedup(double gpu, double processor);

#endif /* LOGGOP_STUDY_H */
