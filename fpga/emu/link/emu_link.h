/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A card's link: clocks the link logic, and connects it through the emulated wire and a stream to the other card's process. The
 * link clock is real time in units of 4 ns. While there is work it may run slightly ahead, since software is slower.
 */
#ifndef GPULINK_EMU_LINK_H
#define GPULINK_EMU_LINK_H

#include <getopt.h>

#include "link_socket.h"
#include "link_wire.h"
#include "../logic/logic.h"

struct link_config {
	const char *address; /* NULL: no link */
	uint8_t cluster;
	struct link_wire_config wire;
};

struct link {
	struct link_config config;
	struct link_socket socket;
	struct link_wire wire; /* to the other card */
	const struct logic *logic;
	uint64_t clock;
	bool more; /* the clock has more work at once */
};

/** Command-line options; their getopt_long() values start here. */
#define LINK_OPTION 0x100
extern const struct option link_options[];
extern const char link_help[];
/** Parses an option. Returns the allowed values, to follow "must be", if the text is invalid; else NULL. */
const char *link_option(struct link_config *config, int option, const char *text);

/** Returns 0, or a negative errno after logging the error. */
int link_open(struct link *link, const struct link_config *config);
void link_close(struct link *link);
void link_attach(struct link *link, const struct logic *logic);
uint16_t link_new_session(void);

/** As link_socket_pollfds(). */
void link_pollfds(const struct link *link, struct pollfd fds[LINK_SOCKET_FDS]);
/** Does pending work, for a bounded time. */
void link_serve(struct link *link);
/** When link_serve() is due without an event; nanoseconds. */
uint64_t link_deadline(const struct link *link);

/** Runs the link until a block arrives or its clock reaches `until`. Returns the clock. */
uint64_t link_wait(struct link *link, uint64_t until);

#endif /* GPULINK_EMU_LINK_H */
