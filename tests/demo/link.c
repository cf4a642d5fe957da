// SPDX-License-Identifier: Apache-2.0
#include "link.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* docs/link-format.md: a 76-byte write request is five flits, its response one. */
enum { FLIT_BYTES = 16, WRITE_REQUEST_FLITS = 5, WRITE_RESPONSE_FLITS = 1 };

int link_read(const char *const names[2], struct link_state *state, char *reason)
{
	for (unsigned c = 0; c < 2; c++) {
		const char *slash = strrchr(names[c], '/');
		int error =
			gpulink_admin_get_link_counters(slash ? slash + 1 : names[c], state->card[c], GPULINK_LINK_COUNTERS);

		if (error) {
			snprintf(reason, LINK_REASON_BYTES, "link counters of %.128s: %s", names[c], gpulink_strerror(error));
			return -1;
		}
	}
	return 0;
}

uint64_t link_grown(const struct link_state *before, const struct link_state *after, unsigned card, const char *counter)
{
	for (unsigned i = 0; i < GPULINK_LINK_COUNTERS; i++)
		if (strcmp(gpulink_link_counter_name(i), counter) == 0)
			return after->card[card][i] - before->card[card][i];
	abort(); /* unknown name */
}

int link_check(const struct link_state *before, const struct link_state *after, char *reason)
{
	static const char *const never[] = {"lost_packets", "denied", "strays", "timeouts", "protocol_errors", "downs"};

	for (unsigned c = 0; c < 2; c++) {
		uint64_t in = link_grown(before, after, c, "flits_in"), out = link_grown(before, after, c, "flits_out");
		uint64_t stitched = link_grown(before, after, c, "stitched");
		uint64_t received = link_grown(before, after, !c, "flits_received");

		if (in != out + stitched || out != received) {
			snprintf(reason, LINK_REASON_BYTES,
				 "card %u: %" PRIu64 " flits: %" PRIu64 " sent, %" PRIu64
				 " stitched into others; the other card received %" PRIu64, c, in, out, stitched, received);
			return -1;
		}
		for (unsigned i = 0; i < sizeof(never) / sizeof(never[0]); i++) {
			uint64_t times = link_grown(before, after, c, never[i]);

			if (times) {
				snprintf(reason, LINK_REASON_BYTES, "card %u: %" PRIu64 " %s on the link", c, times, never[i]);
				return -1;
			}
		}
	}
	return 0;
}

/* Link statistics of the stores from one card to the other, or of all. */
struct row {
	uint64_t stores, packets, flits, stitched, sent, unpacked;
};

static void show_row(const char *name, const struct row *r)
{
	printf("%-8s  %10" PRIu64 "  %8" PRIu64 "  %8" PRIu64 "  %8" PRIu64 "  %8" PRIu64 "  %10" PRIu64 "  %16" PRIu64
	       "  %14" PRIu64 "  %5.2f\n", name, r->stores, r->packets, r->flits, r->stitched, r->sent, r->sent * FLIT_BYTES,
	       r->flits * FLIT_BYTES, r->unpacked * FLIT_BYTES, r->sent ? (double)r->unpacked / (double)r->sent : 0);
}

static void show_harm(const struct link_state *before, const struct link_state *after)
{
	uint64_t wrong = 0, replays = 0, again = 0;

	for (unsigned c = 0; c < 2; c++) {
		wrong += link_grown(before, after, c, "crc_errors") + link_grown(before, after, c, "sequence_errors");
		replays += link_grown(before, after, c, "replays");
		again += link_grown(before, after, c, "frames_replayed");
	}
	printf("%" PRIu64 " frames arrived corrupted or out of sequence; %" PRIu64 " replays resent %" PRIu64
	       " frames; no packets were lost\n", wrong, replays, again);
}

void link_show(const struct link_state *before, const struct link_state *after, const uint64_t stores[2],
	       struct link_sums *sums)
{
	struct row total = {0};

	printf("over the link, in flits of %d bytes\n%-8s  %10s  %8s  %8s  %8s  %8s  %10s  %16s  %14s  %5s\n", FLIT_BYTES,
	       "cards", "stores", "finepack", "flits", "stitched", "sent", "link_bytes", "unstitched_bytes", "unpacked_bytes",
	       "ratio");
	for (unsigned c = 0; c < 2; c++) {
		struct row r = {
			.stores = stores[c],
			.packets = link_grown(before, after, c, "packets_finepack"),
			.flits = link_grown(before, after, c, "flits_in"),
			.stitched = link_grown(before, after, c, "stitched"),
			.sent = link_grown(before, after, c, "flits_out"),
			.unpacked = WRITE_REQUEST_FLITS * stores[c] + WRITE_RESPONSE_FLITS * stores[!c],
		};

		show_row(c ? "1 to 0" : "0 to 1", &r);
		total.stores += r.stores;
		total.packets += r.packets;
		total.flits += r.flits;
		total.stitched += r.stitched;
		total.sent += r.sent;
		total.unpacked += r.unpacked;
	}
	show_row("total", &total);
	show_harm(before, after);
	*sums = (struct link_sums){
		.flits = total.sent,
		.stitched = total.stitched,
		.bytes = total.sent * FLIT_BYTES,
		.unpacked_bytes = total.unpacked * FLIT_BYTES,
	};
}
