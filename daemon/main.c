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
#include "server.h"

#include <gpulink.h>

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <time.h>

#define DEFAULT_CONFIG "/etc/gpulink/gpulinkd.conf"
#define DEFAULT_SOCKET "/run/gpulink/gpulinkd.sock"

/* A card that has just appeared may still lack sysfs directories or the devices of its endpoints: retry, then give up. */
#define RETRY_USEC  (500 * 1000ull)
#define RETRY_TIMES 10

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

/* `again`: a retry, whose failures have been logged before. */
static void apply(struct daemon *daemon, bool again)
{
	unsigned failures;
	unsigned cards = apply_to_all(&daemon->config, again, &failures);

	daemon->failures = failures;
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
	apply(user, true);
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
		apply(daemon, false);
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
		log_line(LOG_WARNING, "%s: an interrupted load left the card without logic: the previous logic is loaded", pci_address);
}

/* --- metrics --- */

static int open_metrics(struct daemon *daemon)
{
	const struct config *config = &daemon->config;

	return *config->metrics ? metrics_open(&daemon->metrics, daemon->event, config->metrics, config->socket_mode,
					       config->socket_group)
				: 0;
}

static void reopen_metrics(struct daemon *daemon)
{
	metrics_close(daemon->metrics);
	daemon->metrics = NULL;
	open_metrics(daemon);
}

/* --- signals --- */

static int on_reload(sd_event_source *source, const struct signalfd_siginfo *info, void *user)
{
	struct daemon *daemon = user;
	struct config config;
	unsigned errors;

	(void)source;
	(void)info;
	sd_notify(0, "RELOADING=1");
	errors = config_read(&config, daemon->config_file, daemon->config_may_lack, report_to_log, NULL);
	if (!errors && server_set_access(daemon->server, config.socket_mode, config.socket_group))
		errors = 1;
	if (errors) {
		config_free(&config);
		log_line(LOG_ERR, "invalid configuration, keeping the previous one");
	} else {
		config_free(&daemon->config);
		daemon->config = config;
		reopen_metrics(daemon);
		program_demand_signature(daemon->config.logic_certificate);
		daemon->retries_left = RETRY_TIMES;
		log_line(LOG_NOTICE, "configuration reloaded");
		apply(daemon, false);
	}
	sd_notify(0, "READY=1");
	return 0;
}

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
		error = sd_event_add_signal(daemon->event, NULL, SIGHUP, on_reload, daemon);
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
	return error < 0 ? error : open_metrics(daemon);
}

static int run(struct daemon *daemon, const char *socket)
{
	int error = open_all(daemon, socket);

	if (error >= 0) {
		daemon->retries_left = RETRY_TIMES;
		program_on_progress(on_progress);
		program_recover(report_recovery);
		apply(daemon, false);
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

static void print_help(void)
{
	printf("Usage: gpulinkd [OPTION...]\n\n"
	       "Configure gpulink cards and serve the control socket of gpulinkctl.\n\n"
	       "Options:\n"
	       "  -c, --config FILE    configuration file (default " DEFAULT_CONFIG ")\n"
	       "  -s, --socket PATH    control socket (default " DEFAULT_SOCKET ")\n"
	       "      --check-config   check the configuration and exit\n"
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
		{"check-config", no_argument, NULL, 'k'}, {"version", no_argument, NULL, 'V'},
		{"help", no_argument, NULL, 'h'},	  {0},
	};
	struct daemon daemon = {.config_file = DEFAULT_CONFIG, .config_may_lack = true};
	const char *socket = DEFAULT_SOCKET;
	bool check_only = false;
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
	errors = config_read(&daemon.config, daemon.config_file, daemon.config_may_lack, report_to_log, NULL);
	if (errors)
		log_line(LOG_ERR, "%s: errors: %u%s", daemon.config_file, errors, check_only ? "" : ", not starting");
	else if (check_only)
		status = 0;
	else
		status = run(&daemon, socket);
	config_free(&daemon.config);
	return status;
}
