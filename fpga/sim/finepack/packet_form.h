/* SPDX-License-Identifier: Apache-2.0 */
/* The forms of sent packets, for the transmitter's bench: those that random stores must have led to. */
#ifndef GLK_PACKET_FORM_H
#define GLK_PACKET_FORM_H

#include <stdbool.h>
#include <stdint.h>

struct packet_form {
	enum { FORM_NONE, FORM_SUBHEADERS, FORM_SINGLE, FORM_COMPACT } form; /* none: MODE.COMPACT has no effect */
	unsigned payload, runs; /* bytes without padding */
	bool adjoin;	    /* with sub-headers although MODE.COMPACT is set: two runs do, */
	bool equal;	    /* or the compact form takes as many bytes */
	bool repeats;	    /* compact */
	unsigned unit_shift;
};

/** Packets by form. */
struct packet_forms {
	uint64_t subheaders, adjoin, equal, single, longest, compact[2][4]; /* [repeats][log2 of the unit] */
};

/** Looks into a valid packet with header. `compact`: of a partition with MODE.PACKING and MODE.COMPACT. */
void packet_form_find(struct packet_form *f, const uint8_t *packet, unsigned subheader_bytes, bool compact);

void packet_forms_count(struct packet_forms *forms, const struct packet_form *f);

/** Prints how many packets had each form. Returns false if one never occurred. */
bool packet_forms_report(const struct packet_forms *forms);

#endif /* GLK_PACKET_FORM_H */
