/* SPDX-License-Identifier: Apache-2.0 */
/* What paradigms without a queue share: a link and a tally, and nothing to do where the stream asks for nothing. */
#ifndef REPLAY_DIRECT_H
#define REPLAY_DIRECT_H

#include "paradigm.h"

struct direct {
	struct link link;
	struct tally tally;
	bool flits; /* of setting */
};

void *direct_create(const struct setting *setting);
void direct_send(struct direct *direct, uint64_t address, uint64_t size);
void direct_nothing(void *state, uint64_t address, uint32_t size);
void direct_no_release(void *state);
const struct tally *direct_tally(const void *state);

#endif /* REPLAY_DIRECT_H */
