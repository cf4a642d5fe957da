/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads with caches over the pool of a card: each has a context, whose ring, window and doorbell page it uses, and writes to
 * BAR 4. The caches follow the rules of pool/test/leases.c; every access is logged with its logical time, and the log checked.
 * A store that waits in the card's write queue is logged when it arrives.
 */
#ifndef GLK_TEST_LEASE_RANDOM_H
#define GLK_TEST_LEASE_RANDOM_H

#include <stdint.h>

/* What may be broken, to see that it is noticed. */
enum lease_plant {
	LEASE_PLANT_NONE,
	LEASE_PLANT_NO_FLOOR,	/* evicted entries leave nothing */
	LEASE_PLANT_UNSTAMPED,	/* writes to BAR 4 are not stamped */
	LEASE_PLANT_CLOCK_BACK, /* the card forgets its clock */
	LEASE_PLANT_NO_CLOCK,	/* an acquire does not take over the clock */
	LEASE_PLANT_NO_TIME,	/* requests do not have their cache's time */
	LEASE_PLANT_LATE_HIT,	/* a copy is read a time after its lease */
	LEASE_PLANT_EPOCHS,	/* leases of epochs are mixed up */
	LEASE_PLANT_OWN_COPY,	/* a store leaves the thread's own copy */
	LEASE_PLANT_SAME,	/* every renewal is taken for one of an unchanged copy */
	LEASE_PLANT_COUNT,
};

/* What was met, over all rounds. */
struct lease_sums {
	uint64_t accesses, hits, same, evictions, epochs, errors, arrived, refused;
};

/* Runs `accesses` accesses on a card of random shape. Returns NULL, or what is wrong; adds to *sums. */
const char *lease_random_round(uint64_t seed, uint64_t round, unsigned accesses, enum lease_plant plant,
			       struct lease_sums *sums);

#endif /* GLK_TEST_LEASE_RANDOM_H */
