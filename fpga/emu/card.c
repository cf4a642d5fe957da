// SPDX-License-Identifier: Apache-2.0
/*
 * gpulink-card: the card as a process. It serves one PCI function over vfio-user; its logic is the model or the Verilog; what
 * it sends on the link comes back to itself.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "card_function.h"
#include "server.h"

#define NAME "gpulink-card"

static const char help[] =
	"usage: " NAME " --socket PATH [--endpoint FABRIC]... [--serial N] [--logic model|rtl]\n"
	"                    [--interrupts msix|msi]\n"
	"\n"
	"Emulates a gpulink card as a vfio-user server, for QEMU's vfio-user-pci device.\n"
	"\n"
	"  --socket PATH      Unix socket to serve at; taken over when a socket is there already\n"
	"  --endpoint FABRIC  fabric socket of a gpulink-endpoint that the card can write to; up to 16\n"
	"  --serial N         serial number (default 1)\n"
	"  --logic KIND       what the card is: model (default), or rtl: its Verilog in simulation, which is much slower\n"
	"  --interrupts KIND  what the card has: msix (default), or msi, for hot unplug: QEMU 11.1 ends where a device with\n"
	"                     MSI-X in use is unplugged\n"
	"  --help             this text\n";

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

	if (card->peer_count == CARD_PEERS_MAX) {
		server_say(NAME, "--endpoint: at most %u are allowed", CARD_PEERS_MAX);
		return -EINVAL;
	}
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

static void run(struct card_function *card, struct server *server)
{
	const struct logic *logic = &card->logic;
	bool more = false;
	uint64_t until;

	do {
		struct pollfd fds[1 + CARD_PEERS_MAX];

		fds[0] = server_pollfd(server);
		for (unsigned i = 0; i < card->peer_count; i++) /* fd -1: poll() passes over it */
			fds[1 + i] = (struct pollfd){ .fd = card->peers[i].socket, .events = POLLIN };
		until = more ? 0 : logic->ops->deadline(logic->state);
		if (!server_poll(fds, 1 + card->peer_count, until))
			return;
		for (unsigned i = 0; i < card->peer_count; i++)
			if (fds[1 + i].revents)
				peer_gone(&card->peers[i], i);
		logic->ops->advance(logic->state, server_now_ns());
		if (fds[0].revents)
			server_serve(server);
		more = logic->ops->serve(logic->state);
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

/* What the card itself is made of. */
struct make {
	uint64_t serial;
	card_logic_create create;
	bool msi;
};

static int make(struct card_function *card, const struct make *m)
{
	int error = card_function_create(card, m->serial, m->create, m->msi);

	if (error == -ENOTSUP)
		server_say(NAME, "--logic rtl: this program was built without the Verilog (meson -Drtl=false, or sanitizers): it has the model only");
	else if (error)
		server_say(NAME, "%s", strerror(-error));
	return error;
}

static int parse(int argc, char **argv, struct card_function *card, struct server *server)
{
	static const struct option options[] = {
		{ "socket", required_argument, NULL, 's' }, { "endpoint", required_argument, NULL, 'e' },
		{ "serial", required_argument, NULL, 'n' }, { "logic", required_argument, NULL, 'l' },
		{ "interrupts", required_argument, NULL, 'i' }, { "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct make m = { .serial = 1, .create = logic_model_create };
	int option;

	for (int pass = 0; pass < 2; pass++) { /* the card is made with its serial before endpoints are joined to it */
		optind = 1;
		while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
			if (option == 'h' && pass == 0) {
				fputs(help, stdout);
				exit(0);
			} else if (option == 's') {
				server->path = optarg;
			} else if (option == 'n' && !parse_number(optarg, &m.serial)) {
				server_say(NAME, "--serial %s: not a number", optarg);
				return 2;
			} else if (option == 'l' && !parse_logic(optarg, &m.create)) {
				server_say(NAME, "--logic %s: model or rtl", optarg);
				return 2;
			} else if (option == 'i' && !parse_interrupts(optarg, &m.msi)) {
				server_say(NAME, "--interrupts %s: msix or msi", optarg);
				return 2;
			} else if (option == 'e' && pass == 1 && add_peer(card, optarg)) {
				return 1;
			} else if (option == '?') {
				return 2;
			}
		}
		if (!server->path || optind != argc) {
			fputs(help, stderr);
			return 2;
		}
		if (pass == 0 && make(card, &m))
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static struct card_function card;
	struct server server = {
		.name = NAME, .function = &card.vfu, .disconnected = card_function_disconnected,
	};
	int error = parse(argc, argv, &card, &server);

	if (error)
		return error;
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
