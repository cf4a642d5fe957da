// SPDX-License-Identifier: Apache-2.0
/*
 * Uevents of the driver are shown as they arrive: states, link up and down, captures, cards that come and go. Each, and an
 * interval, makes gpulinkctl compare settings, endpoints, ranges and error counts with what they were.
 */
#include "monitor.h"

#include "signals.h"
#include "view.h"

#include <json-c/json.h>
#include <json_put.h>
#include <libudev.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct monitor {
	struct invocation *invocation;
	struct udev *udev;
	struct udev_monitor *uevents; /* or NULL */
	struct json_object *view;
	uint64_t events;
	bool memory; /* there was enough */
};

static bool enough(const struct monitor *m)
{
	return m->invocation->count && m->events >= m->invocation->count;
}

/* --- events --- */

static void time_text(char *text, size_t room, bool date)
{
	struct timespec now;
	struct tm utc;
	size_t used;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &utc);
	used = strftime(text, room, date ? "%Y-%m-%dT%H:%M:%S" : "%H:%M:%S", &utc);
	snprintf(text + used, room - used, ".%03ld%s", now.tv_nsec / 1000000, date ? "Z" : "");
}

static void show_as_json(struct monitor *m, const char *time, const char *card, const char *what, struct json_object *from,
			 struct json_object *to)
{
	struct json_object *event = json_object_new_object();

	/* json-c writes NULL as null. */
	m->memory = event && json_put_text(event, "time", time) && json_put_text(event, "card", card) &&
		    json_put_text(event, "what", what) && !json_object_object_add(event, "from", json_object_get(from)) &&
		    !json_object_object_add(event, "to", json_object_get(to)) &&
		    show_json(event, JSON_C_TO_STRING_PLAIN) == EXIT_OK && m->memory;
	json_object_put(event);
}

/* NULL for `from`: it was not, or is not known; for `to`: it is not. */
static void monitor_show(struct monitor *m, const char *card, const char *what, struct json_object *from,
			 struct json_object *to)
{
	char time[40];

	if (enough(m))
		return;
	m->events++;
	time_text(time, sizeof(time), m->invocation->json);
	if (m->invocation->json) {
		show_as_json(m, time, card, what, from, to);
		return;
	}
	printf("%s %s %s: ", time, card, what);
	if (from && to)
		printf("%s -> %s\n", json_object_get_string(from), json_object_get_string(to));
	else
		printf("%s\n", to ? json_object_get_string(to) : "removed");
}

static void show_text(struct monitor *m, const char *card, const char *what, const char *to)
{
	struct json_object *text = to ? json_object_new_string(to) : NULL;

	m->memory = (text || !to) && m->memory;
	monitor_show(m, card, what, NULL, text);
	json_object_put(text);
}

/* --- comparing --- */

static void compare_cards(struct monitor *m, const char *name, struct json_object *was, struct json_object *is)
{
	struct json_object *other;

	json_object_object_foreach(was, key, from) {
		if (!json_object_object_get_ex(is, key, &other))
			monitor_show(m, name, key, from, NULL);
		else if (!json_object_equal(from, other))
			monitor_show(m, name, key, from, other);
	}
	json_object_object_foreach(is, added, to) {
		if (!json_object_object_get_ex(was, added, NULL))
			monitor_show(m, name, added, NULL, to);
	}
}

static void monitor_compare(struct monitor *m, struct json_object *before, struct json_object *after)
{
	struct json_object *other;

	json_object_object_foreach(before, name, card) {
		if (json_object_object_get_ex(after, name, &other))
			compare_cards(m, name, card, other);
		else
			show_text(m, name, "card", NULL);
	}
	json_object_object_foreach(after, added, new_card) {
		(void)new_card;
		if (!json_object_object_get_ex(before, added, NULL))
			show_text(m, added, "card", "added");
	}
}

static enum exit_code monitor_look(struct monitor *m)
{
	struct json_object *before = m->view, *after = NULL;
	enum exit_code code = view_read(m->invocation, before, &after);

	if (code != EXIT_OK)
		return code;
	if (before)
		monitor_compare(m, before, after);
	m->view = after;
	json_object_put(before);
	return EXIT_OK;
}

/* --- uevents --- */

static void open_uevents(struct monitor *m)
{
	m->udev = udev_new();
	m->uevents = m->udev ? udev_monitor_new_from_netlink(m->udev, "kernel") : NULL;
	if (m->uevents && udev_monitor_filter_add_match_subsystem_devtype(m->uevents, "gpulink", NULL) >= 0 &&
	    udev_monitor_enable_receiving(m->uevents) >= 0)
		return;
	udev_monitor_unref(m->uevents);
	m->uevents = NULL;
	complain("cannot receive uevents: captures are not shown, and changes only once in an interval");
}

/* The view has the state, too, and follows: each change is shown once, whether it or the uevent has it first. */
static void show_state(struct monitor *m, const char *name, const char *state)
{
	struct json_object *card = NULL, *from = NULL, *to = json_object_new_string(state);

	json_object_object_get_ex(m->view, name, &card);
	json_object_object_get_ex(card, "state", &from);
	m->memory = to && m->memory;
	if (!from || !json_object_equal(from, to))
		monitor_show(m, name, "state", from, to);
	if (card)
		m->memory = json_put(card, "state", to) && m->memory;
	else
		json_object_put(to);
}

static void take_uevent(struct monitor *m)
{
	static const struct {
		const char *property, *what;
	} kinds[] = {{"GPULINK_LINK", "link"}, {"GPULINK_CAPTURE", "capture"}};
	const char *state;
	struct udev_device *device = udev_monitor_receive_device(m->uevents);
	const char *name = device ? udev_device_get_sysname(device) : NULL;

	for (unsigned i = 0; name && i < sizeof(kinds) / sizeof(*kinds); i++) {
		const char *value = udev_device_get_property_value(device, kinds[i].property);

		if (value && (!m->invocation->card || !strcmp(m->invocation->card, name)))
			show_text(m, name, kinds[i].what, value);
	}
	state = name ? udev_device_get_property_value(device, "GPULINK_STATE") : NULL;
	if (state && (!m->invocation->card || !strcmp(m->invocation->card, name)))
		show_state(m, name, state);
	udev_device_unref(device);
}

/* --- the command --- */

/* Waits for uevents, until a time, or a signal. Returns whether there was one. */
static bool wait_until(struct monitor *m, double until, const struct ending_signals *signals)
{
	struct pollfd fd = {.fd = m->uevents ? udev_monitor_get_fd(m->uevents) : -1, .events = POLLIN};
	double left = until - seconds_now();
	struct timespec time = {.tv_sec = (time_t)left, .tv_nsec = (long)((left - (double)(time_t)left) * 1e9)};

	if (left <= 0 || ppoll(&fd, 1, &time, &signals->open) <= 0 || !fd.revents)
		return false;
	/* All that have arrived, before what takes longer. */
	do
		take_uevent(m);
	while (poll(&fd, 1, 0) > 0 && !enough(m));
	fflush(stdout);
	return true;
}

static enum exit_code watch_cards(struct monitor *m, const struct ending_signals *signals)
{
	unsigned interval = m->invocation->watch_seconds ? m->invocation->watch_seconds : 1;
	double next = seconds_now() + interval, end = seconds_now() + (double)m->invocation->seconds;
	enum exit_code code = EXIT_OK;

	while (code == EXIT_OK && !signals_arrived() && !enough(m) && (!m->invocation->seconds || seconds_now() < end)) {
		bool last = m->invocation->seconds && end < next;

		if (!wait_until(m, last ? end : next, signals))
			next = seconds_now() + interval;
		if (!signals_arrived())
			code = monitor_look(m);
		if (code == EXIT_OK && !m->memory) {
			complain("out of memory");
			code = EXIT_FAILED;
		}
		if (fflush(stdout))
			return EXIT_FAILED; /* exit() reports it */
	}
	return code;
}

enum exit_code run_monitor(struct invocation *invocation)
{
	struct monitor m = {.invocation = invocation, .memory = true};
	struct ending_signals signals;
	enum exit_code code;

	if (!signals_catch(&signals))
		return EXIT_FAILED;
	open_uevents(&m); /* before the first look, so that nothing is missed */
	code = monitor_look(&m);
	if (code == EXIT_OK && invocation->card && !json_object_object_get_ex(m.view, invocation->card, NULL)) {
		complain("no such card '%.40s'", invocation->card);
		code = EXIT_NO_CARD;
	}
	if (code == EXIT_OK) {
		int cards = json_object_object_length(m.view);

		fprintf(stderr, "gpulinkctl: watching %d card%s\n", cards, cards == 1 ? "" : "s");
		code = watch_cards(&m, &signals);
	}
	json_object_put(m.view);
	udev_monitor_unref(m.uevents);
	udev_unref(m.udev);
	return code;
}
