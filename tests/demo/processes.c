// SPDX-License-Identifier: Apache-2.0
#include "processes.h"

#include "../../examples/together.h"
#include "side.h"

#include <string.h>

struct report {
	uint64_t failed;
	struct pagerank_traffic traffic;
};

/* In the memories: the first word is that of together.h. */
enum { SUMS = 64, REPORTS = 1024, REPORT_BYTES = 896 };

_Static_assert(SUMS + 2 * PAGERANK_MOST_ENDPOINTS * sizeof(double) <= REPORTS, "sums have room");
_Static_assert(sizeof(struct report) <= REPORT_BYTES && REPORTS + PAGERANK_MOST_ENDPOINTS * REPORT_BYTES <= PROCESSES_FIRST,
	       "reports too");

struct processes {
	struct together all;
	uint64_t stores;
};

struct processes *processes_open(struct gpulink *device, char *reason)
{
	struct processes *p = calloc(1, sizeof(*p));
	void *memory;
	size_t bytes;
	int error = p ? together_open(&p->all, device, PROCESSES_FIRST) : -GPULINK_ENOMEM;

	if (!error) {
		error = gpulink_endpoint_memory(device, p->all.process, &memory, &bytes);
		p->all.memory = memory; /* also of a process that is alone */
	}
	if (!error)
		return p;
	fail(reason, "windows to all processes: %s", gpulink_error_text(error));
	processes_free(p);
	return NULL;
}

void processes_free(struct processes *p)
{
	if (p)
		free(p->all.windows);
	free(p);
}

unsigned processes_own(const struct processes *p)
{
	return p->all.process;
}

uint64_t processes_stores(const struct processes *p)
{
	return p->stores;
}

int processes_meet(struct processes *p, char *reason)
{
	int error = together_meet(&p->all);

	return error ? fail(reason, "waiting for the other processes: %s", gpulink_error_text(error)) : 0;
}

static uint64_t place_of_sum(unsigned kind, unsigned process)
{
	return SUMS + sizeof(double) * (kind * PAGERANK_MOST_ENDPOINTS + process);
}

int processes_sum(struct processes *p, unsigned kind, double *value, char *reason)
{
	int error = 0;

	for (unsigned q = 0; q < p->all.processes && !error; q++)
		error = gpulink_store(p->all.windows[q], place_of_sum(kind, p->all.process), value, sizeof(*value));
	if (error)
		return fail(reason, "sum: %s", gpulink_error_text(error));
	if (processes_meet(p, reason))
		return -1;
	p->stores += p->all.processes;
	*value = 0;
	for (unsigned q = 0; q < p->all.processes; q++) {
		double part;

		memcpy(&part, p->all.memory + place_of_sum(kind, q), sizeof(part));
		*value += part;
	}
	return 0;
}

int processes_gather(struct processes *p, int failed, struct pagerank_traffic *traffic, char *reason)
{
	struct report report = {.failed = failed != 0};
	int error;

	if (!failed)
		report.traffic = *traffic;
	error = gpulink_store(p->all.windows[0], REPORTS + REPORT_BYTES * p->all.process, &report, sizeof(report));
	if (failed) { /* the reason is there already */
		(void)together_meet(&p->all);
		return -1;
	}
	if (error)
		return fail(reason, "report: %s", gpulink_error_text(error));
	if (processes_meet(p, reason))
		return -1;
	for (unsigned q = 0; q < p->all.processes && p->all.process == 0; q++) {
		memcpy(&report, p->all.memory + REPORTS + REPORT_BYTES * q, sizeof(report));
		if (report.failed)
			return fail(reason, "process %u failed", q);
		traffic[q] = report.traffic;
	}
	return 0;
}
