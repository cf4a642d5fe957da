// SPDX-License-Identifier: Apache-2.0
/*
 * gpulink-card: the card as a process. It serves one PCI function over vfio-user; its logic is the model or the Verilog; what
 * it sends to its own cluster comes back to itself, and it may have a link to another one.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "card_function.h"
#include "process/server.h"

#define NAME "gpulink-card"

static const char help[] =
	"usage: " NAME " --socket PATH [--endpoint FABRIC]... [--serial N] [--logic model|rtl]\n"
	"                    [--interrupts msix|msi] [--link ADDRESS [--cluster N] [--link-...]...]\n"
	"\n"
	"Emulates a gpulink card as a vfio-user server, for QEMU's vfio-user-pci device.\n"
	"\n"
	"  --socket PATH      Unix socket to serve at; taken over when a socket is there already\n"
	"  --endpoint FABRIC  fabric socket of a gpulink-endpoint that the card can write to; up to 16\n"
	"  --serial N         serial number (default 1)\n"
	"  --logic KIND       what the card is: model (default), or rtl: its Verilog in simulation, which is much slower\n"
	"  --interrupts KIND  what the card has: msix (default), or msi, for hot unplug: QEMU 11.1 ends where a device with\n"
	"                     MSI-X in use is unplugged\n"
	"  --help             this text\n"
	"\n";

/* Returns false when a number is not all of the text. */
static bool parse_number(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	return !errno && end != text && !*end && text[0] != '-';
}

static int add_peer(struct card_function *card, const char *path)
{
	int error;

	error = fabric_connect(path, &card->peers[card->peer_count]);
	if (error)
		server_say(NAME, "--endpoint %s: %s", path, strerror(-error));
	else
		card->peer_count++;
	return error;
}

/* The only thing that comes from there is the end. */
static void peer_gone(struct fabric_peer *peer, unsigned number)
{
	server_say(NAME, "endpoint %u is gone", number);
	fabric_disconnect(peer);
}

static uint64_t deadline(const struct card_function *card)
{
	uint64_t logic = card->logic.ops->deadline(card->logic.state), link = card->link ? link_deadline(card->link) : UINT64_MAX;

	return link < logic ? link : logic;
}

static void run(struct card_function *card, struct server *server)
{
	const struct logic *logic = &card->logic;
	bool more = false;

	do {
		struct pollfd fds[1 + LINK_SOCKET_FDS + CARD_PEERS_MAX], *peers = fds + 1 + LINK_SOCKET_FDS;

		fds[0] = server_pollfd(server);
		fds[1].fd = fds[2].fd = -1; /* poll() passes over it */
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

/* What the command line asks for. */
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
		server_say(NAME, "--logic rtl: this program was built without the Verilog (meson -Drtl=false, or sanitizers): it has the model only");
	else if (error)
		server_say(NAME, "%s", strerror(-error));
	for (unsigned i = 0; !error && i < s->endpoint_count; i++)
		error = add_peer(card, s->endpoints[i]);
	return error;
}

/* Returns what is wanted instead of what is there; NULL: it is right. */
static const char *take_option(struct settings *s, int option, const char *text)
{
	switch (option) {
	case 's':
		s->server->path = text;
		return NULL;
	case 'n':
		return parse_number(text, &s->make.serial) ? NULL : "not a number";
	case 'l':
		return parse_logic(text, &s->make.create) ? NULL : "model or rtl";
	case 'i':
		return parse_interrupts(text, &s->make.msi) ? NULL : "msix or msi";
	case 'e':
		if (s->endpoint_count == CARD_PEERS_MAX)
			return "there are enough: 16 are allowed";
		s->endpoints[s->endpoint_count++] = text;
		return NULL;
	default:
		return link_option(&s->link, option, text) ? NULL : "not a number, or beyond its limits";
	}
}

/* All options, the link's behind the others. */
static void list_options(struct option all[32])
{
	static const struct option own[] = {
		{ "socket", required_argument, NULL, 's' }, { "endpoint", required_argument, NULL, 'e' },
		{ "serial", required_argument, NULL, 'n' }, { "logic", required_argument, NULL, 'l' },
		{ "interrupts", required_argument, NULL, 'i' }, { "help", no_argument, NULL, 'h' },
	};
	unsigned count = sizeof(own) / sizeof(own[0]);

	memcpy(all, own, sizeof(own));
	for (unsigned i = 0; i == 0 || link_options[i - 1].name; i++)
		all[count + i] = link_options[i];
}

/* Returns 0, or the status to end with. */
static int parse(int argc, char **argv, struct settings *s)
{
	struct option options[32];
	const char *wanted;
	int option, at;

	list_options(options);
	while ((option = getopt_long(argc, argv, "", options, &at)) != -1) {
		if (option == 'h') {
			fputs(help, stdout);
			fputs(link_help, stdout);
			exit(0);
		}
		if (option == '?')
			return 2;
		wanted = take_option(s, option, optarg);
		if (wanted) {
			server_say(NAME, "--%s %s: %s", options[at].name, optarg, wanted);
			return 2;
		}
	}
	if (!s->server->path || optind != argc) {
		fputs(help, stderr);
		return 2;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static struct card_function card;
	struct server server = {
		.name = NAME, .function = &card.vfu, .disconnected = card_function_disconnected,
	};
	struct settings settings = { .make = { .serial = 1, .create = logic_model_create }, .server = &server };
	int error = parse(argc, argv, &settings);

	if (error)
		return error;
	if (make_card(&card, &settings))
		return 1;
	error = server_open(&server);
	if (error) {
		server_say(NAME, "%s: %s", server.path, strerror(-error));
		return 1;
	}
	server_say(NAME, "serving at %s, %u endpoints, logic %s", server.path, card.peer_count, card.logic.name);
	run(&card, &server);
	server_close(&server);
	card_function_destroy(&card);
	return 0;
}
