// SPDX-License-Identifier: Apache-2.0
#include "study.h"

#include <math.h>

const struct study_row study_rows[STUDY_WAYS] = {
	[STUDY_HOST_PUT] = { "host put", false, false, 530, 229, 0.074, 5, 0 },
	[STUDY_HOST_GET] = { "host get", false, true, 530, 247, 0.067, 5, 0 },
	[STUDY_DEVICE_PUT] = { "device put", true, false, 530, 219, 0, 5, 4380 },
	[STUDY_DEVICE_GET] = { "device get", true, true, 530, 237, 0, 5, 4570 },
};

double study_single(enum study_way way, double bytes)
{
	const struct study_row *r = &study_rows[way];
	double trip = 2 * (r->latency + bytes / STUDY_BANDWIDTH) + 4 * (r->overhead + r->gap);
	double once = r->device ? r->sync : r->overhead_byte * bytes;

	return trip + (r->get ? 2 * once : once);
}

double study_processor(bool get, double bytes)
{
	const double memory = 250; /* of L: the GPU's, beyond DRAM (section IV-A) */

	return study_single(get ? STUDY_HOST_GET : STUDY_HOST_PUT, bytes) - 2 * memory;
}

double study_speedup(double gpu, double processor)
{
	const double communication = 0.25, faster = 5;

	return 1 / ((1 - communication) / faster + communication * gpu / processor);
}

double study_pipelined(enum study_pipeline pipeline, double bytes, bool message)
{
	static const struct {
		double factor, exponent;
	} overhead[STUDY_PIPELINES] = {
		[STUDY_VERBS] = { 290, -1.15 }, [STUDY_HOST] = { 624, -1.09 }, [STUDY_DEVICE] = { 1411, -0.781 }
	};
	double gap = fmax(study_rows[STUDY_HOST_PUT].gap, bytes / STUDY_BANDWIDTH);

	double fitted = overhead[pipeline].factor * pow(bytes, overhead[pipeline].exponent);

	return fmax(message ? fitted : bytes * fitted, gap);
}
