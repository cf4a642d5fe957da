// SPDX-License-Identifier: Apache-2.0
/*
 * gpulinkd: configures gpulink cards at start and when they appear, and serves the control socket. One thread, one event
 * loop; not part of the data path.
 */
#include "../common/close_output.h"
#include "apply.h"
#include "hotplug.h"
#include "config.h"
#include "log.h"
#include "metrics.h"
#include "protocol/program.h"
#include "protocol/requests.h"
#include "server.h"

#include <ask.h>
#include <json-c/json.h>

#include <gpulink.h>
#include <gpulink_admin.h>

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <time.h>

#define DEFAULT_CONFIG "/etc/gpulink/gpulinkd.conf"
#define DEFAULT_SOCKET "/run/gpulink/gpulinkd.sock"

/* A card that has just appeared may still lack sysfs directories or the devices of its endpoints: retry, then give up. */
#define RETRY_USEC  (500 * 1000ull)
#define RETRY_TIMES 10
#define CARDS_MOST  64

/* A reload changes the settings of all cards. */
#define RELOAD_SECONDS 60

struct daemon {
	const char *config_file;
	bool config_may_lack;
	struct config config;
	sd_event *event;
	struct server *server;
	struct metrics *metrics;
	struct hotplug *hotplug;
	sd_event_source *retry;
	unsigned retries_left;
	unsigned failures; /* of the last application */
};

static void report_to_log(void *user, const char *file, unsigned line, const char *text)
{
	(void)user;
	if (line)
		log_line(LOG_ERR, "%s:%u: %s", file, line, text);
	else
		log_line(LOG_ERR, "%s: %s", file, text);
}

/* --- applying --- */

/* Users and groups that did not exist may do so now. Returns 1 if the configured group does not. */
static unsigned find_names(struct daemon *daemon, bool again)
{
	struct config *config = &daemon->config;
	bool lacked = config->unknown_group;

	config_find_names(config);
	if (lacked && !config->unknown_group) {
		log_line(LOG_NOTICE, "the configured group exists now");
		server_set_access(daemon->server, config->socket_mode, config->socket_group);
		if (daemon->metrics)
			metrics_set_access(daemon->metrics, config->socket_mode, config->socket_group);
	} else if (lacked && !again) {
		log_line(LOG_ERR, "group '%s' does not exist: only root may change cards", config->unknown_group);
	}
	return config->unknown_group ? 1 : 0;
}

/* Members of both could grant themselves all memory. */
static void check_group(const struct daemon *daemon)
{
	char names[CARDS_MOST][16], path[32];
	int count = gpulink_admin_list(names, CARDS_MOST);
	struct stat about;

	for (int i = 0; i < count && i < CARDS_MOST; i++) {
		snprintf(path, sizeof(path), "/dev/%.15s", names[i]);
		if (!stat(path, &about) && about.st_gid == daemon->config.socket_group && about.st_mode & S_IRGRP)
			log_line(LOG_WARNING,
				 "INSECURE: group %u may open %s and change settings: its members can grant themselves all "
				 "memory; configure another group, such as gpulink-admin",
				 about.st_gid, path);
	}
}

/* `again`: a retry, whose failures have been logged before. */
static void gpulinkd_apply(struct daemon *daemon, bool again)
{
	unsigned failures, groups = find_names(daemon, again);
	unsigned cards = apply_to_all(&daemon->config, again, &failures);

	failures += groups;
	daemon->failures = failures;
	if (!again)
		check_group(daemon);
	sd_notifyf(0, "STATUS=cards: %u, configuration lines: %zu, failed settings: %u", cards, daemon->config.rule_count,
		   failures);
	if (!failures) {
		sd_event_source_set_enabled(daemon->retry, SD_EVENT_OFF);
		return;
	}
	if (daemon->retries_left && daemon->retries_left-- &&
	    sd_event_source_set_time_relative(daemon->retry, RETRY_USEC) >= 0)
		sd_event_source_set_enabled(daemon->retry, SD_EVENT_ONESHOT);
	else
		log_line(LOG_ERR, "giving up, settings that failed: %u; reload to retry", failures);
}

static int on_retry(sd_event_source *source, uint64_t usec, void *user)
{
	(void)source;
	(void)usec;
	gpulinkd_apply(user, true);
	return 0;
}

static void on_card(void *user, const char *card, enum hotplug_event what)
{
	struct daemon *daemon = user;

	if (what == HOTPLUG_LOST)
		log_line(LOG_WARNING, "uevents lost, rescanning all cards");
	else if (what == HOTPLUG_LINK_UP)
		log_line(LOG_NOTICE, "%s: link is up", card);
	else if (what == HOTPLUG_CARD_LOST)
		log_line(LOG_ERR, "%s: lost: it does not answer; a reset may recover it", card);
	else if (what == HOTPLUG_CARD_LIVE)
		log_line(LOG_NOTICE, "%s: live after a reset", card);
	else
		log_line(LOG_NOTICE, what == HOTPLUG_ADDED ? "%s: added" : "%s: removed", card);
	/* A reset keeps the settings; those that failed before it are missing. */
	if (what == HOTPLUG_CARD_LIVE && !daemon->failures)
		return;
	if (what != HOTPLUG_REMOVED && what != HOTPLUG_CARD_LOST) {
		daemon->retries_left = RETRY_TIMES;
		gpulinkd_apply(daemon, false);
	}
}

/* --- logic --- */

static void on_progress(void)
{
	sd_notify(0, "WATCHDOG=1");
}

static void report_recovery(const char *pci_address, const char *failure)
{
	if (failure)
		log_line(LOG_ERR, "%s: an interrupted load left the card without logic: %s", pci_address, failure);
	else
		log_line(LOG_WARNING, "%s: an interrupted load left the card without logic: the previous logic is loaded",
			 pci_address);
}

/* --- metrics --- */

/* Serves metrics as `config` says, in *metrics: those that are served already, if their address is the same. */
static int open_metrics(struct daemon *daemon, const struct config *config, struct metrics **metrics)
{
	*metrics = NULL;
	if (!*config->metrics)
		return 0;
	if (!daemon->metrics || strcmp(config->metrics, daemon->config.metrics))
		return metrics_open(metrics, daemon->event, config->metrics, config->socket_mode, config->socket_group);
	*metrics = daemon->metrics;
	return metrics_set_access(*metrics, config->socket_mode, config->socket_group);
}

/* --- reloading --- */

/* The first error of a reload is for its client. */
static void report_to_client(void *user, const char *file, unsigned line, const char *text)
{
	struct failure *first = user;

	report_to_log(NULL, file, line, text);
	if (first->code)
		return;
	if (line)
		failure_set(first, -EINVAL, "%s:%u: %s", file, line, text);
	else
		failure_set(first, -EINVAL, "%s: %s", file, text);
}

/* Takes over the configuration if all of it can be put into effect, or nothing of it. */
static int change_config(struct daemon *daemon, struct config *config, struct failure *failure)
{
	struct metrics *metrics;
	int error = open_metrics(daemon, config, &metrics);

	if (error < 0)
		return failure_set(failure, -EINVAL, "cannot serve metrics at %s: %s", config->metrics, strerror(-error));
	error = server_set_access(daemon->server, config->socket_mode, config->socket_group);
	if (error) {
		if (metrics != daemon->metrics)
			metrics_close(metrics);
		return failure_set(failure, -EINVAL, "cannot set mode and group of the control socket: %s", strerror(-error));
	}
	if (metrics != daemon->metrics)
		metrics_close(daemon->metrics);
	daemon->metrics = metrics;
	config_free(&daemon->config);
	daemon->config = *config;
	program_demand_signature(daemon->config.logic_certificate);
	return 0;
}

static int reload(void *user, struct failure *failure)
{
	struct daemon *daemon = user;
	struct config config;

	failure->code = 0;
	sd_notify(0, "RELOADING=1");
	if (!config_read(&config, daemon->config_file, daemon->config_may_lack, report_to_client, failure) &&
	    !change_config(daemon, &config, failure)) {
		daemon->retries_left = RETRY_TIMES;
		log_line(LOG_NOTICE, "configuration reloaded");
		gpulinkd_apply(daemon, false);
	} else {
		config_free(&config);
		log_line(LOG_ERR, "invalid configuration, keeping the previous one");
		sd_notify(0, "STATUS=reload failed: invalid configuration, keeping the previous one");
	}
	sd_notify(0, "READY=1");
	return failure->code;
}

static int on_hangup(sd_event_source *source, const struct signalfd_siginfo *info, void *user)
{
	struct failure failure;

	(void)source;
	(void)info;
	reload(user, &failure);
	return 0;
}

/* --- signals --- */

static int add_signals(struct daemon *daemon)
{
	sigset_t signals;
	int error;

	signal(SIGPIPE, SIG_IGN); /* a client that ends is an error of its own connection */
	sigemptyset(&signals);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	if (sigprocmask(SIG_BLOCK, &signals, NULL))
		return -errno;
	/* Without a handler a signal ends the loop with result 0. */
	error = sd_event_add_signal(daemon->event, NULL, SIGTERM, NULL, NULL);
	if (error >= 0)
		error = sd_event_add_signal(daemon->event, NULL, SIGINT, NULL, NULL);
	if (error >= 0)
		error = sd_event_add_signal(daemon->event, NULL, SIGHUP, on_hangup, daemon);
	return error;
}

/* --- start and end --- */

static int open_all(struct daemon *daemon, const char *socket)
{
	int error = sd_event_new(&daemon->event);

	if (error >= 0)
		error = add_signals(daemon);
	if (error >= 0)
		error = sd_event_set_watchdog(daemon->event, true);
	if (error >= 0)
		error = sd_event_add_time(daemon->event, &daemon->retry, CLOCK_MONOTONIC, 0, 0, on_retry, daemon);
	if (error >= 0)
		error = sd_event_source_set_enabled(daemon->retry, SD_EVENT_OFF);
	if (error < 0) {
		log_line(LOG_ERR, "cannot create event loop: %s", strerror(-error));
		return error;
	}
	/* Before the first scan, so that no card is missed. */
	error = hotplug_open(&daemon->hotplug, daemon->event, on_card, daemon);
	if (error < 0) {
		log_line(LOG_ERR, "cannot receive uevents: %s", strerror(-error));
		return error;
	}
	error = server_open(&daemon->server, daemon->event, socket, daemon->config.socket_mode, daemon->config.socket_group);
	program_demand_signature(daemon->config.logic_certificate);
	return error < 0 ? error : open_metrics(daemon, &daemon->config, &daemon->metrics);
}

static int gpulinkd_run(struct daemon *daemon, const char *socket)
{
	int error = open_all(daemon, socket);

	if (error >= 0) {
		daemon->retries_left = RETRY_TIMES;
		program_on_progress(on_progress);
		program_recover(report_recovery);
		request_on_reload(reload, daemon);
		gpulinkd_apply(daemon, false);
		log_line(LOG_NOTICE, "gpulinkd %s listening on %s", gpulink_version(), socket);
		sd_notify(0, "READY=1");
		error = sd_event_loop(daemon->event);
		sd_notify(0, "STOPPING=1");
		if (error < 0)
			log_line(LOG_ERR, "event loop failed: %s", strerror(-error));
		else
			log_line(LOG_NOTICE, "exiting; the cards keep their configuration");
	}
	metrics_close(daemon->metrics);
	server_close(daemon->server);
	hotplug_close(daemon->hotplug);
	sd_event_source_disable_unref(daemon->retry);
	sd_event_unref(daemon->event);
	return error < 0 ? 1 : 0;
}

/* --- the command line --- */

/* Asks the gpulinkd that is running. */
static int ask_to_reload(const char *socket)
{
	struct asker asker = {.socket_path = socket, .socket = -1, .seconds = RELOAD_SECONDS};
	struct json_object *request = json_object_new_object(), *result = NULL;
	struct failure failure;
	int error;

	if (request && json_object_object_add(request, "op", json_object_new_string("reload"))) {
		json_object_put(request);
		request = NULL;
	}
	error = ask(&asker, request, &result, &failure);
	if (error)
		fprintf(stderr, "gpulinkd: %s\n", failure.text);
	json_object_put(result);
	asker_close(&asker);
	return error ? 1 : 0;
}

static void print_help(void)
{
	printf("Usage: gpulinkd [OPTION...]\n\n"
	       "Configure gpulink cards and serve the control socket of gpulinkctl.\n\n"
	       "Options:\n"
	       "  -c, --config FILE    configuration file (default " DEFAULT_CONFIG ")\n"
	       "  -s, --socket PATH    control socket (default " DEFAULT_SOCKET ")\n"
	       "      --check-config   check the configuration and exit\n"
	       "      --reload         let the running gpulinkd reload its configuration, and exit\n"
	       "  -V, --version        show version and exit\n"
	       "  -h, --help           show this help and exit\n\n"
	       "Signals: SIGHUP reloads the configuration; SIGTERM and SIGINT end gpulinkd.\n"
	       "Exit status: 0 success, 1 failure, 2 invalid arguments.\n"
	       "See gpulinkd(8) and gpulinkd.conf(5).\n");
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"config", required_argument, NULL, 'c'}, {"socket", required_argument, NULL, 's'},
		{"check-config", no_argument, NULL, 'k'}, {"reload", no_argument, NULL, 'r'},
		{"version", no_argument, NULL, 'V'},	  {"help", no_argument, NULL, 'h'},
		{0},
	};
	struct daemon daemon = {.config_file = DEFAULT_CONFIG, .config_may_lack = true};
	const char *socket = DEFAULT_SOCKET;
	bool check_only = false, reload_only = false;
	int option, status = 1;
	unsigned errors;

	close_output_at_exit();
	while ((option = getopt_long(argc, argv, "c:s:Vh", options, NULL)) != -1) {
		switch (option) {
		case 'c':
			daemon.config_file = optarg;
			daemon.config_may_lack = false;
			break;
		case 's':
			socket = optarg;
			break;
		case 'k':
			check_only = true;
			break;
		case 'r':
			reload_only = true;
			break;
		case 'V':
			printf("gpulinkd %s\n", gpulink_version());
			return 0;
		case 'h':
			print_help();
			return 0;
		default:
			return 2;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "gpulinkd: unexpected argument '%s'; see gpulinkd --help\n", argv[optind]);
		return 2;
	}
	if (reload_only)
		return ask_to_reload(socket);
	errors = config_read(&daemon.config, daemon.config_file, daemon.config_may_lack, report_to_log, NULL);
	if (!errors && check_only)
		errors = config_check_names(&daemon.config, report_to_log, NULL);
	if (errors)
		log_line(LOG_ERR, "%s: errors: %u%s", daemon.config_file, errors, check_only ? "" : ", not starting");
	else if (check_only)
		status = 0;
	else
		status = gpulinkd_run(&daemon, socket);
	config_free(&daemon.config);
	return status;
}
