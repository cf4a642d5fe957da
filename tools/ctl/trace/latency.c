// SPDX-License-Identifier: Apache-2.0
#include "latency.h"

#include "result.h"
#include "watch.h"

#include <json-c/json.h>

#include <inttypes.h>
#include <stdio.h>

static const struct {
	const char *name, *title;
} kinds[WATCH_KINDS] = {
	[WATCH_RELEASE] = {"release", "gpulink_release()"},
	[WATCH_WAIT] = {"wait", "gpulink_wait()"},
	[WATCH_RELEASE_DRIVER] = {"release_ioctl", "releases by ioctl, in the driver"},
	[WATCH_DRAIN] = {"drain", "drains"},
};

struct report {
	struct watch_latency kinds[WATCH_KINDS];
	struct watch_losses losses;
	double seconds;
};

static bool take_latency(const struct watch_id *id, struct watch_latency *latency, void *context)
{
	struct report *report = context;

	if (id->kind < WATCH_KINDS)
		histogram_add(&report->kinds[id->kind], latency);
	return true;
}

static void print_report(const struct report *report)
{
	char p50[16], p99[16], max[16];

	for (unsigned k = 0; k < WATCH_KINDS; k++) {
		const struct watch_latency *latency = &report->kinds[k];

		printf("%s: %" PRIu64 " calls, %" PRIu64 " failed", kinds[k].title, latency->count, latency->failed);
		if (latency->count)
			printf(", p50 %s, p99 %s, max %s; ns:", histogram_time(histogram_percentile(latency, 50), p50),
			       histogram_time(histogram_percentile(latency, 99), p99), histogram_time(latency->max_ns, max));
		printf("\n");
		histogram_print(latency);
		printf("\n");
	}
	printf("%.1f s; ", report->seconds);
	watch_print_losses(&report->losses);
}

static bool put_latency(struct json_object *all, const char *name, const struct watch_latency *latency)
{
	struct json_object *one = json_object_new_object();

	return put_value(all, name, one) && put_number(one, "count", latency->count) &&
	       put_number(one, "failed", latency->failed) && put_number(one, "sum_ns", latency->sum_ns) &&
	       put_number(one, "p50_ns", histogram_percentile(latency, 50)) &&
	       put_number(one, "p99_ns", histogram_percentile(latency, 99)) &&
	       put_number(one, "max_ns", latency->max_ns) && put_value(one, "histogram", histogram_json(latency));
}

static enum exit_code print_as_json(const struct report *report)
{
	struct json_object *all = json_object_new_object();
	bool complete = put_value(all, "seconds", json_object_new_double(report->seconds));

	for (unsigned k = 0; k < WATCH_KINDS && complete; k++)
		complete = put_latency(all, kinds[k].name, &report->kinds[k]);
	complete = complete && put_value(all, "lost", watch_losses_json(&report->losses));
	return print_result(all, complete, false);
}

enum exit_code run_latency(struct invocation *invocation)
{
	static struct report report;
	struct ending_signals signals;
	struct watch watch;
	unsigned pid;
	enum exit_code code = check_process(invocation->argument_count ? invocation->arguments[0] : NULL, &pid);
	double start;

	if (code != EXIT_OK)
		return code;
	if (!signals_catch(&signals))
		return EXIT_FAILED;
	code = watch_begin(&watch, pid, false);
	if (code == EXIT_OK) {
		fprintf(stderr, "gpulinkctl: watching %u libgpulink%s\n", watch.attached.libraries,
			watch.attached.driver ? " and the driver" : "; the driver is not watched");
		start = seconds_now();
		wait_seconds(&signals, invocation->once ? 1 : invocation->seconds);
		report.seconds = seconds_now() - start;
		attach_end(&watch.attached);
		watch_each_latency(&watch, take_latency, &report);
		watch_get_losses(&watch, &report.losses);
		if (invocation->json)
			code = print_as_json(&report);
		else
			print_report(&report);
	}
	watch_end(&watch);
	return code;
}
