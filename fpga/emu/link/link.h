/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A card's link: its logic clocked, the wire behind it, and the stream to the other card's process. The link's clock is the time
 * in units of 4 ns; it runs while there is something to do, then a little ahead of the time, for it takes software longer.
 */
#ifndef GPULINK_EMU_LINK_H
#define GPULINK_EMU_LINK_H

#include <getopt.h>

#include "link_socket.h"
#include "link_wire.h"
#include "../logic/logic.h"

struct link_config {
	const char *address; /* NULL: there is no link */
	uint8_t cluster;
	struct link_wire_config wire;
};

struct link {
	struct link_config config;
	struct link_socket socket;
	struct link_wire wire; /* towards the other card */
	const struct logic *logic;
	uint64_t clock;
	bool more; /* the clock has not come to its end */
};

/** Options of the command line: their numbers for getopt_long() begin here. */
#define LINK_OPTION 0x100
extern const struct option link_options[];
extern const char link_help[];
/** Takes one. Returns false when its text is not what it has to be. */
bool link_option(struct link_config *config, int option, const char *text);

/** Returns 0 or a negative errno; says what is wrong. */
int link_open(struct link *link, const struct link_config *config);
void link_close(struct link *link);
void link_attach(struct link *link, const struct logic *logic);
uint16_t link_new_session(void);

/** As of link_socket.h. */
void link_pollfds(const struct link *link, struct pollfd fds[LINK_SOCKET_FDS]);
/** Does what there is to do, for a bounded time. */
void link_serve(struct link *link);
/** When it has to be served though nothing came; nanoseconds. */
uint64_t link_deadline(const struct link *link);

/** Moves the link until a block came or its clock is `until`; returns the clock. */
uint64_t link_wait(struct link *link, uint64_t until);

#endif /* GPULINK_EMU_LINK_H */
