// SPDX-License-Identifier: Apache-2.0
#include "packet_form.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <finepack/compact.h>
#include <finepack/packetizer.h>
#include <finepack/packing.h>

static unsigned count_compact_runs(const uint8_t *payload, unsigned bytes, const struct glk_compact_coding *coding)
{
	struct glk_compact_reader reader;
	struct glk_compact_run run;
	unsigned runs = 0;

	glk_compact_open(&reader, coding, payload, bytes);
	while (!glk_compact_ended(&reader) && glk_compact_next(&reader, &run))
		runs++;
	return runs;
}

/* Why a packet has kept its sub-headers. */
static void look_at_runs(struct packet_form *f, struct glk_run *run)
{
	struct glk_compact_coding coding;

	for (unsigned i = 1; i < f->runs; i++)
		f->adjoin = f->adjoin || run[i].address == run[i - 1].address + run[i - 1].length;
	f->equal = !f->adjoin && glk_compact_measure(run, f->runs, &coding) == f->payload;
}

static void look_at_subheaders(struct packet_form *f, const uint8_t *payload, unsigned subheader_bytes, bool compact)
{
	struct glk_run run[GLK_PAYLOAD_MAX / 3];

	for (unsigned at = 0; at < f->payload; at += subheader_bytes + run[f->runs++].length) {
		uint64_t subheader = 0;

		memcpy(&subheader, payload + at, subheader_bytes);
		run[f->runs] = (struct glk_run){
			.address = subheader >> GLK_SUBHEADER_LENGTH_BITS,
			.length = subheader % 1024 ? subheader % 1024 : 1024,
		};
	}
	f->form = compact ? FORM_SUBHEADERS : FORM_NONE;
	if (compact)
		look_at_runs(f, run);
}

void packet_form_find(struct packet_form *f, const uint8_t *packet, unsigned subheader_bytes, bool compact)
{
	const uint8_t *payload = packet + GLK_PACKET_HEADER_BYTES;
	unsigned dwords = (unsigned)(packet[2] & 3) << 8 | packet[3];
	struct glk_compact_coding coding;

	*f = (struct packet_form){ .payload = 4 * ((dwords ? dwords : 1024) - 1) };
	for (unsigned last_be = packet[7] >> 4; last_be & 1; last_be >>= 1)
		f->payload++;
	if ((packet[7] & 15) < GLK_COMPACT_FIRST_BE || !glk_compact_coding_of(packet[7] & 15, packet[6] & 63, &coding)) {
		look_at_subheaders(f, payload, subheader_bytes, compact);
		return;
	}
	f->runs = count_compact_runs(payload, f->payload, &coding);
	f->form = !compact ? FORM_NONE : coding.single ? FORM_SINGLE : FORM_COMPACT;
	f->repeats = coding.repeats;
	f->unit_shift = coding.unit_shift;
}

void packet_forms_count(struct packet_forms *forms, const struct packet_form *f)
{
	forms->subheaders += f->form == FORM_SUBHEADERS;
	forms->adjoin += f->adjoin;
	forms->equal += f->equal;
	forms->single += f->form == FORM_SINGLE;
	if (f->form == FORM_COMPACT)
		forms->compact[f->repeats][f->unit_shift]++;
	forms->longest += f->form == FORM_COMPACT && f->runs == GLK_PACKING_RUNS;
}

bool packet_forms_report(const struct packet_forms *forms)
{
	bool all = forms->subheaders > forms->adjoin + forms->equal && forms->adjoin && forms->equal && forms->single &&
		   forms->longest;

	printf("# with compact: %" PRIu64 " packets with sub-headers, in %" PRIu64 " of them runs adjoin, in %" PRIu64
	       " the compact form is as long; %" PRIu64 " single runs\n",
	       forms->subheaders, forms->adjoin, forms->equal, forms->single);
	for (unsigned i = 0; i < 2; i++) {
		const uint64_t *c = forms->compact[i];

		printf("# compact form, %s repetitions, units of 1 to 8 bytes: %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		       "\n",
		       i ? "with" : "without", c[0], c[1], c[2], c[3]);
		all = all && c[0] && c[1] && c[2] && c[3];
	}
	printf("# compact form of %u runs: %" PRIu64 "\n", GLK_PACKING_RUNS, forms->longest);
	return all;
}
