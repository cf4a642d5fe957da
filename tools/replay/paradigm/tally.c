// SPDX-License-Identifier: Apache-2.0
#include "paradigm.h"

void tally_add(struct tally *sum, const struct tally *other)
{
	sum->wire_bytes += other->wire_bytes;
	sum->data_bytes += other->data_bytes;
	sum->packets += other->packets;
	sum->sub_packets += other->sub_packets;
	sum->writes.bytes += other->writes.bytes;
	sum->writes.transactions += other->writes.transactions;
	sum->asked.bytes += other->asked.bytes;
	sum->asked.transactions += other->asked.transactions;
	sum->flit_bytes += other->flit_bytes;
	sum->written_beats += other->written_beats;
	sum->packed_bytes += other->packed_bytes;
	for (unsigned i = 0; i < TALLY_REASONS; i++)
		sum->left[i] += other->left[i];
}
