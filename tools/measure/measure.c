// SPDX-License-Identifier: Apache-2.0
#include "measure.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "path.h"
#include "way.h"

enum { PAGE = 4096, LATENCY_BYTES = 8, DELAYED = 16 };
static const unsigned counts[] = { 1, 16, 256 };
enum { COUNTS = sizeof(counts) / sizeof(counts[0]) };

/* So that slow devices, such as emulated ones, are measured in bounded time. */
enum { REPETITIONS_LEAST = 3 };
#define REPEAT_NS   UINT64_C(300000000) /* further repetitions begin only before that */
#define MESSAGES_NS 2000000000.0       /* so long may several messages take, by the time of one */
#define MESSAGE_NS  100000000.0	       /* a size at which one message takes longer is the last */

struct session {
	const struct measure_plan *plan;
	struct loggop_file *file;
	struct gpulink *device;
	struct gpulink_info info;
	struct site site;
	double latency;		/* negative: unknown */
	unsigned number, count; /* sets that have begun, and all */
	struct failure *error;
};

static bool stopped(const struct session *s)
{
	return s->plan->stop && *s->plan->stop;
}

static int measure_fail(const struct session *s, int code, const char *what)
{
	return failure_set(s->error, code, "%s: %s", what, gpulink_error_text(code));
}

/* --- statistics --- */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, unsigned count)
{
	qsort(values, count, sizeof(*values), ascending);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Replaces the values by their deviations. */
static double deviation(double *values, unsigned count, double middle)
{
	for (unsigned i = 0; i < count; i++)
		values[i] = fabs(values[i] - middle);
	return median(values, count);
}

/* --- one time --- */

static double cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void spin(double ns)
{
	uint64_t until = measure_now() + (uint64_t)ns;

	while (measure_now() < until)
		;
}

/* `count` operations, `delay` apart, and the release behind them. */
static int run_once(const struct site *site, const struct way *way, struct driver *d, const struct loggop_sample *at)
{
	unsigned count = (unsigned)at->count;
	int error = 0;

	for (unsigned i = 0; !error && i < count; i++) {
		error = way->operate(site, d->queue, i, (size_t)at->bytes);
		if (at->delay > 0 && i + 1 < count && !error) {
			if (d->path->flush)
				error = d->path->flush(d);
			spin(at->delay);
		}
	}
	return error ? error : d->path->finish(d);
}

static bool goes_on(const struct session *s, unsigned done, uint64_t since)
{
	return done < s->plan->repetitions && !stopped(s) && (done < REPETITIONS_LEAST || measure_now() - since < REPEAT_NS);
}

/* Fills in times of a sample. Returns the number of repetitions, which a stop may cut to 0, or an error. */
static int repeat(const struct session *s, const struct way *way, struct driver *d, struct loggop_sample *sample)
{
	double times[MEASURE_REPETITIONS_MAX], cpu[MEASURE_REPETITIONS_MAX];
	unsigned done = 0;
	uint64_t since = measure_now();
	int error = run_once(&s->site, way, d, sample); /* the first one takes page faults, and opens the window in the queue */

	for (; !error && goes_on(s, done, since); done++) {
		uint64_t begin = measure_now();
		double used = cpu_now();

		error = run_once(&s->site, way, d, sample);
		times[done] = (double)(measure_now() - begin);
		cpu[done] = (cpu_now() - used) / sample->count;
	}
	if (error)
		return error;
	if (done) {
		sample->time = median(times, done);
		sample->spread = deviation(times, done, sample->time);
		sample->cpu = median(cpu, done);
	}
	return (int)done;
}

/* --- all times of a way on a path --- */

static int add_sample(const struct session *s, const struct way *way, struct driver *d, struct loggop_set *set,
		      struct loggop_sample at)
{
	int done;

	if (at.bytes * at.count > (double)MEASURE_BYTES_MAX || set->samples == LOGGOP_SAMPLES_MAX)
		return 0;
	done = repeat(s, way, d, &at);
	if (done > 0)
		set->sample[set->samples++] = at;
	return done < 0 ? done : 0;
}

static int measure_size(const struct session *s, const struct way *way, struct driver *d, struct loggop_set *set,
			uint64_t bytes)
{
	unsigned before = set->samples;
	int error = 0;

	for (unsigned i = 0; !error && !stopped(s) && i < COUNTS; i++)
		if (i == 0 || (set->samples > before && counts[i] * set->sample[before].time <= MESSAGES_NS))
			error = add_sample(s, way, d, set,
					   (struct loggop_sample){ .bytes = (double)bytes, .count = counts[i] });
	if (error || stopped(s) || set->samples == before || 2 * DELAYED * set->sample[before].time > MESSAGES_NS)
		return error;
	return add_sample(s, way, d, set, (struct loggop_sample){ .bytes = (double)bytes, .count = DELAYED,
								  .delay = set->sample[before].time });
}

static uint64_t largest(const struct session *s, const struct way *way)
{
	uint64_t most = s->plan->most < way->most ? s->plan->most : way->most;

	return most < s->site.room / way->span ? most : s->site.room / way->span;
}

/* Why packets left, from counters before and after. */
static void tell_packets(struct loggop_set *set, const struct gpulink_counters *before, const struct gpulink_counters *after)
{
	double packets = (double)(after->packets - before->packets);

	if (packets <= 0)
		return;
	set->timeouts = (double)(after->flush_timeout - before->flush_timeout) / packets;
	set->full = (double)(after->flush_payload_full - before->flush_payload_full) / packets;
	set->packet_bytes = (double)(after->payload_bytes - before->payload_bytes) / packets;
}

static int measure_sizes(const struct session *s, const struct way *way, struct driver *d, struct loggop_set *set)
{
	struct gpulink_counters before = { 0 }, after = { 0 };
	int error = gpulink_get_counters(s->device, s->plan->partition, &before, sizeof(before));
	bool slow = false;

	for (uint64_t bytes = 1; !error && !slow && !stopped(s) && bytes <= largest(s, way); bytes *= 2) {
		if (bytes >= s->plan->least)
			error = measure_size(s, way, d, set, bytes);
		for (unsigned i = 0; i < set->samples; i++)
			slow |= set->sample[i].count == 1 && set->sample[i].time > MESSAGE_NS;
	}
	if (!error)
		error = gpulink_get_counters(s->device, s->plan->partition, &after, sizeof(after));
	if (!error)
		tell_packets(set, &before, &after);
	return error;
}

static int measure_set(struct session *s, unsigned way, unsigned path)
{
	struct loggop_set *set = &s->file->set[s->file->sets];
	char what[64];
	struct driver d;
	int error;

	memset(set, 0, sizeof(*set));
	snprintf(set->way, sizeof(set->way), "%s", measure_way_names[way]);
	snprintf(set->path, sizeof(set->path), "%s", measure_path_names[path]);
	set->latency = s->latency;
	if (s->plan->begin)
		s->plan->begin(set->way, set->path, ++s->number, s->count);
	error = driver_open(&d, s->device, path);
	if (!error)
		error = measure_sizes(s, &measure_ways[way], &d, set);
	driver_close(&d);
	/* Without a single sample there is nothing to keep: the way ends below the least size, or a stop came. */
	if (set->samples && loggop_set_fit(set) == 0)
		s->file->sets++;
	snprintf(what, sizeof(what), "%s by %s", set->way, set->path);
	/* A signal may end a system call early. */
	return error && !stopped(s) ? measure_fail(s, error, what) : 0;
}

/* --- latency --- */

/* From the end of the calls for an inline put and a release until the word is in the endpoint's memory. */
static int latency_once(const struct session *s, struct driver *d, const volatile uint64_t *word, uint64_t value, double *time)
{
	uint64_t offset = s->site.room - LATENCY_BYTES, begin, now;
	struct gpulink_completion done;
	int error = gpulink_queue_put(d->queue, s->site.window, offset, &value, LATENCY_BYTES, GPULINK_NO_TAG);

	if (!error)
		error = gpulink_queue_post_release(d->queue, 1);
	begin = measure_now();
	for (now = begin; !error && *word != value; now = measure_now())
		if (now - begin > PATH_TIMEOUT_NS)
			error = -GPULINK_ETIMEDOUT;
	*time = (double)(now - begin);
	if (!error)
		error = gpulink_queue_wait(d->queue, &done, 1, 1, PATH_TIMEOUT_NS);
	return error < 0 ? error : done.error;
}

/* Unknown where the endpoint's memory cannot be mapped. */
static int measure_latency(struct session *s)
{
	double times[MEASURE_REPETITIONS_MAX];
	const volatile uint64_t *word;
	unsigned count = 0;
	struct driver d;
	void *memory;
	size_t bytes;
	int error = 0;

	s->latency = -1;
	if (gpulink_endpoint_memory(s->device, s->plan->partition, &memory, &bytes))
		return 0;
	word = (const volatile uint64_t *)((const uint8_t *)memory + s->plan->offset + s->site.room - LATENCY_BYTES);
	error = driver_open(&d, s->device, MEASURE_POLLING);
	for (; !error && count < s->plan->repetitions && !stopped(s); count++)
		error = latency_once(s, &d, word, ~*word, &times[count]);
	driver_close(&d);
	if (!error && count)
		s->latency = median(times, count);
	return error ? measure_fail(s, error, "latency") : 0;
}

/* --- device --- */

static bool is_card(const struct session *s)
{
	return !strcmp(s->info.kind, "card");
}

static bool has(const struct session *s, unsigned way, unsigned path)
{
	bool kernel = path == MEASURE_IOCTL || path == MEASURE_URING;

	if (!is_card(s) && !measure_paths[path]->soft)
		return false;
	if (path == MEASURE_URING && !path_has_uring())
		return false;
	return path == MEASURE_DOORBELL ? measure_ways[way].direct : measure_ways[way].collected || !kernel;
}

static int check_paths(struct session *s)
{
	for (unsigned path = 0; path < MEASURE_PATHS; path++) {
		bool any = false;

		for (unsigned way = 0; way < MEASURE_WAYS; way++)
			any |= (s->plan->ways & 1u << way) && has(s, way, path);
		if (any || !(s->plan->paths & 1u << path))
			continue;
		return failure_set(s->error, -GPULINK_ENOTSUP, "path %s: %s", measure_path_names[path],
				   !is_card(s)		    ? "only a card has it: other devices have asleep and polling" :
				   path == MEASURE_DOORBELL ? "only the ways window and scatter have it" :
							      "this way, or this build, does not have it");
	}
	return 0;
}

static int open_site(struct session *s)
{
	const struct measure_plan *p = s->plan;
	uint64_t span = p->most > WAY_APART_MAX ? p->most : WAY_APART_MAX;
	uint64_t want = (span * counts[COUNTS - 1] + PAGE - 1) / PAGE * PAGE;
	struct gpulink_endpoint_info endpoint;
	struct site *site = &s->site;
	int error = gpulink_get_endpoint(s->device, p->partition, &endpoint, sizeof(endpoint));

	if (!error && !endpoint.present)
		error = -GPULINK_ENOENDPOINT;
	if (!error && p->offset + PAGE > endpoint.bytes)
		error = -GPULINK_ERANGE;
	if (error)
		return measure_fail(s, error, "endpoint");
	want = want < MEASURE_BYTES_MAX ? want : MEASURE_BYTES_MAX;
	site->room = want < endpoint.bytes - p->offset ? want : (endpoint.bytes - p->offset) / PAGE * PAGE;
	/* The aperture may have less room. */
	while ((error = gpulink_window_open(s->device, p->partition, p->offset, site->room, GPULINK_READ | GPULINK_WRITE,
					    &site->window)) == -GPULINK_ENOSPC && site->room >= 2 * PAGE)
		site->room = site->room / 2 / PAGE * PAGE;
	if (error)
		return measure_fail(s, error, "window");
	site->data = aligned_alloc(PAGE, site->room);
	site->vector = calloc(WAY_PIECES_MAX, sizeof(*site->vector));
	if (!site->data || !site->vector)
		return measure_fail(s, -GPULINK_ENOMEM, "buffers");
	for (uint64_t i = 0; i < site->room; i++)
		site->data[i] = (uint8_t)(i * 7 % 251);
	error = gpulink_memory_register(s->device, site->data, site->room, GPULINK_READ | GPULINK_WRITE, &site->memory);
	return error ? measure_fail(s, error, "registered memory") : 0;
}

static bool file_contains(const char *path, const char *word)
{
	FILE *from = fopen(path, "r");
	char text[16384];
	size_t bytes = from ? fread(text, 1, sizeof(text), from) : 0;

	if (from)
		fclose(from);
	return memmem(text, bytes, word, strlen(word));
}

/* In a virtual machine, as far as that can be seen. */
static bool is_virtual(void)
{
	return file_contains("/proc/cpuinfo", " hypervisor") || file_contains("/sys/class/dmi/id/sys_vendor", "QEMU") ||
	       file_contains("/sys/firmware/devicetree/base/compatible", "dummy-virt");
}

static bool wanted(const struct session *s, unsigned way, unsigned path)
{
	return (s->plan->ways & 1u << way) && (!s->plan->paths || (s->plan->paths & 1u << path)) && has(s, way, path);
}

static int measure_all(struct session *s)
{
	int error = 0;

	for (unsigned i = 0; i < MEASURE_WAYS * MEASURE_PATHS; i++)
		s->count += wanted(s, i / MEASURE_PATHS, i % MEASURE_PATHS);
	for (unsigned way = 0; !error && way < MEASURE_WAYS; way++)
		for (unsigned path = 0; !error && !stopped(s) && path < MEASURE_PATHS; path++)
			if (wanted(s, way, path))
				error = measure_set(s, way, path);
	return error;
}

int measure_device(const char *name, const struct measure_plan *plan, struct loggop_file *file, struct failure *error)
{
	struct session s = { .plan = plan, .file = file, .error = error };
	int status = gpulink_open(name, &s.device);

	file->complete = false;
	file->sets = 0;
	snprintf(file->device, sizeof(file->device), "%s", name);
	snprintf(file->unit, sizeof(file->unit), "ns");
	if (status)
		return measure_fail(&s, status, name);
	status = gpulink_get_info(s.device, &s.info, sizeof(s.info));
	snprintf(file->basis, sizeof(file->basis), "%s",
		 !strcmp(s.info.kind, "soft") ? "CPU cost of the model in the process" :
		 !is_card(&s)		      ? "stores of processors, without a card" :
		 is_virtual()		      ? "virtual machine: only ratios" :
						"device");
	if (!status)
		status = check_paths(&s);
	if (!status)
		status = open_site(&s);
	if (!status)
		status = measure_latency(&s);
	if (!status)
		status = measure_all(&s);
	if (!status && !file->sets && !stopped(&s))
		status = failure_set(error, -GPULINK_EINVAL, "no way has sizes from %llu to %llu bytes",
				     (unsigned long long)plan->least, (unsigned long long)plan->most);
	gpulink_close(s.device);
	free(s.site.data);
	free(s.site.vector);
	file->complete = !status && !stopped(&s);
	return status;
}
