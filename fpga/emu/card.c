// SPDX-License-Identifier: Apache-2.0
/*
 * gpulink-card: the card as a process. It serves one PCI function over vfio-user; its logic is the model or the Verilated RTL.
 * Packets for its own cluster loop back; a link to another card is optional.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/close_output.h"
#include "../../common/number.h"
#include "card_function.h"
#include "process/server.h"

#define NAME "gpulink-card"

static const char help[] =
	"Usage: " NAME " --socket PATH [OPTION...]\n"
	"\n"
	"Emulate a gpulink card as a vfio-user server for QEMU's vfio-user-pci device.\n"
	"\n"
	"Options:\n"
	"  -s, --socket PATH      Unix socket to listen on; a stale socket is replaced\n"
	"  -e, --endpoint FABRIC  fabric socket of a gpulink-endpoint that the card can write to; up to 16\n"
	"  -n, --serial N         serial number (default 1)\n"
	"  -l, --logic KIND       model (default) or rtl: rtl is the Verilated RTL, which is much slower\n"
	"  -i, --interrupts KIND  msix (default) or msi: msi for hot-unplug, because QEMU 11.1 exits when a device with MSI-X\n"
	"                         in use is unplugged\n"
	"  -V, --version          show version and exit\n"
	"  -h, --help             show this help and exit\n"
	"\n";

static int add_peer(struct card_function *card, const char *path)
{
	int error;

	error = fabric_connect(path, &card->peers[card->peer_count]);
	if (error)
		server_log(NAME, "--endpoint %s: %s", path, strerror(-error));
	else
		card->peer_count++;
	return error;
}

/* An endpoint sends nothing: any event is the end of the connection. */
static void peer_gone(struct fabric_peer *peer, unsigned number)
{
	server_log(NAME, "endpoint %u disconnected", number);
	fabric_disconnect(peer);
}

static uint64_t deadline(const struct card_function *card)
{
	uint64_t logic = card->logic.ops->deadline(card->logic.state),
		 link = card->link ? link_deadline(card->link) : UINT64_MAX;

	return link < logic ? link : logic;
}

static void emu_card_run(struct card_function *card, struct server *server)
{
	const struct logic *logic = &card->logic;
	bool more = false;

	do {
		struct pollfd fds[1 + LINK_SOCKET_FDS + CARD_PEERS_MAX], *peers = fds + 1 + LINK_SOCKET_FDS;

		fds[0] = server_pollfd(server);
		fds[1].fd = fds[2].fd = -1; /* ignored by poll() */
		if (card->link)
			link_pollfds(card->link, fds + 1);
		for (unsigned i = 0; i < card->peer_count; i++)
			peers[i] = (struct pollfd){ .fd = card->peers[i].socket, .events = POLLIN };
		if (!server_poll(fds, 1 + LINK_SOCKET_FDS + card->peer_count, more ? 0 : deadline(card)))
			return;
		for (unsigned i = 0; i < card->peer_count; i++)
			if (peers[i].revents)
				peer_gone(&card->peers[i], i);
		logic->ops->advance(logic->state, server_now_ns());
		if (card->link)
			link_serve(card->link);
		if (fds[0].revents)
			server_serve(server);
		more = logic->ops->serve(logic->state);
		if (card->link)
			link_serve(card->link);
	} while (true);
}

static bool parse_logic(const char *text, card_logic_create *create)
{
	*create = strcmp(text, "rtl") ? logic_model_create : logic_rtl_create;
	return !strcmp(text, "rtl") || !strcmp(text, "model");
}

static bool parse_interrupts(const char *text, bool *msi)
{
	*msi = !strcmp(text, "msi");
	return *msi || !strcmp(text, "msix");
}

/* The command line. */
struct settings {
	struct card_make make;
	struct link_config link;
	struct server *server;
	const char *endpoints[CARD_PEERS_MAX];
	unsigned endpoint_count;
};

static int make_card(struct card_function *card, const struct settings *s)
{
	static struct link link;
	struct card_make make = s->make;
	int error = s->link.address ? link_open(&link, &s->link) : 0;

	if (error)
		return error;
	if (s->link.address)
		make.link = &link;
	error = card_function_create(card, &make);
	if (error == -ENOTSUP)
		server_log(NAME, "--logic rtl: not supported by this build (meson -Drtl=false or sanitizers): must be model");
	else if (error)
		server_log(NAME, "cannot create the card: %s", strerror(-error));
	for (unsigned i = 0; !error && i < s->endpoint_count; i++)
		error = add_peer(card, s->endpoints[i]);
	return error;
}

/* Returns the allowed values, to follow "must be", if the value is invalid; else NULL. */
static const char *take_option(struct settings *s, int option, const char *text)
{
	switch (option) {
	case 's':
		s->server->path = text;
		return NULL;
	case 'n':
		return glk_number(text, 0, UINT64_MAX, &s->make.serial) ? NULL : "an integer, 0 to 18446744073709551615";
	case 'l':
		return parse_logic(text, &s->make.create) ? NULL : "model or rtl";
	case 'i':
		return parse_interrupts(text, &s->make.msi) ? NULL : "msix or msi";
	case 'e':
		if (s->endpoint_count == CARD_PEERS_MAX)
			return "given at most 16 times";
		s->endpoints[s->endpoint_count++] = text;
		return NULL;
	default:
		return link_option(&s->link, option, text);
	}
}

/* All options: the card's, then the link's. */
static void list_options(struct option all[32])
{
	static const struct option own[] = {
		{ "socket", required_argument, NULL, 's' }, { "endpoint", required_argument, NULL, 'e' },
		{ "serial", required_argument, NULL, 'n' }, { "logic", required_argument, NULL, 'l' },
		{ "interrupts", required_argument, NULL, 'i' }, { "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
	};
	unsigned count = sizeof(own) / sizeof(own[0]);

	memcpy(all, own, sizeof(own));
	for (unsigned i = 0; i == 0 || link_options[i - 1].name; i++)
		all[count + i] = link_options[i];
}

/* Returns 0, or the exit status. Exits after --help and --version. */
static int parse(int argc, char **argv, struct settings *s)
{
	struct option options[32];
	const char *wanted;
	int option, at = 0;

	list_options(options);
	while ((option = getopt_long(argc, argv, "s:e:n:l:i:Vh", options, NULL)) != -1) {
		if (option == 'V') {
			puts(NAME " " GLK_VERSION);
			exit(0);
		}
		if (option == 'h') {
			fputs(help, stdout);
			fputs(link_help, stdout);
			exit(0);
		}
		if (option == '?')
			return 2;
		wanted = take_option(s, option, optarg);
		if (wanted) {
			for (at = 0; options[at].val != option; at++)
				;
			server_log(NAME, "--%s %s: must be %s", options[at].name, optarg, wanted);
			return 2;
		}
	}
	if (optind != argc) {
		server_log(NAME, "unexpected argument '%s'; see " NAME " --help", argv[optind]);
		return 2;
	}
	if (!s->server->path) {
		server_log(NAME, "missing option --socket; see " NAME " --help");
		return 2;
	}
	return 0;
}

static struct card_function card;

static void on_hangup(int signal)
{
	(void)signal;
	card_function_reprogram(&card);
}

int main(int argc, char **argv)
{
	struct sigaction hangup = { .sa_handler = on_hangup };
	struct server server = {
		.name = NAME, .function = &card.vfu, .disconnected = card_function_disconnected,
	};
	struct settings settings = { .make = { .serial = 1, .create = logic_model_create }, .server = &server };
	int error;

	close_output_at_exit();
	error = parse(argc, argv, &settings);
	if (error)
		return error;
	if (make_card(&card, &settings))
		return 1;
	sigaction(SIGHUP, &hangup, NULL);
	error = server_open(&server);
	if (error) {
		server_log(NAME, "cannot listen on %s: %s", server.path, strerror(-error));
		return 1;
	}
	server_log(NAME, "listening on %s, %u endpoints, logic %s", server.path, card.peer_count, card.logic.name);
	emu_card_run(&card, &server);
	server_close(&server);
	card_function_destroy(&card);
	return 0;
}
