/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One benchmark for several libraries: each process stores words of 8 bytes to the others, in one of several patterns; a round
 * ends when all stores of all processes are visible, and everybody checks what it got. A program defines, before it includes
 * this:
 *
 *   static inline int peer_store(unsigned to, uint64_t word, const uint64_t *value);  *value stays until peer_complete()
 *   static int peer_complete(void);        all that this process stored is visible, and all processes have come here
 *
 * and calls peer_run(). They return 0, or what is printed as an error.
 */
#ifndef PEER_H
#define PEER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PEER_WORDS (UINT64_C(8) << 20) /* of each process's memory: 64 MiB */

struct peer {
	unsigned me, count;
	const volatile uint64_t *memory; /* of this process */
	uint32_t stores, rounds;
	char pattern;
	uint16_t *to;
	uint32_t *word;
	uint64_t *value;
};

/* splitmix64 (Steele et al., 2014). */
static inline uint64_t peer_mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* A process has a part of each memory for its stores. */
static inline uint64_t peer_part(const struct peer *p)
{
	return PEER_WORDS / p->count / 16 * 16;
}

/* The word of store i, in the part: anywhere; in a row; with the probabilities of R-MAT's columns in 8 MiB; 16 in a row,
 * anywhere. */
static inline uint64_t peer_place(const struct peer *p, unsigned from, uint32_t i)
{
	const uint64_t part = peer_part(p), seed = (uint64_t)from << 32;
	uint64_t at = 0, graph = part < 1 << 20 ? part : 1 << 20, dice;

	switch (p->pattern) {
	case 'r':
		return peer_mix(seed + i) % part;
	case 's':
		return i % part;
	case 'h':
		return peer_mix(seed + i / 16) % (part / 16) * 16 + i % 16;
	default:
		dice = peer_mix(seed + i);
		for (uint64_t bit = 1; bit < graph; bit *= 2, dice = peer_mix(dice))
			at |= dice >> 40 < (uint64_t)(0.24 * (1 << 24)) ? bit : 0;
		return at % part;
	}
}

/* To the other one; of more, to others in turn, a line at a time. */
static inline unsigned peer_destination(const struct peer *p, unsigned from, uint32_t i)
{
	return p->count == 1 ? 0 : (from + 1 + (unsigned)(peer_mix(i / 16 ^ (uint64_t)from << 40) % (p->count - 1))) % p->count;
}

static inline bool peer_prepare(struct peer *p)
{
	p->to = calloc(p->stores, sizeof(*p->to));
	p->word = calloc(p->stores, sizeof(*p->word));
	p->value = calloc(p->stores, sizeof(*p->value));
	if (!p->to || !p->word || !p->value)
		return false;
	for (uint32_t i = 0; i < p->stores; i++) {
		p->to[i] = (uint16_t)peer_destination(p, p->me, i);
		p->word[i] = (uint32_t)(peer_part(p) * p->me + peer_place(p, p->me, i));
	}
	return true;
}

/* From the last store on, each place that was not seen. */
static inline bool peer_check(const struct peer *p, uint64_t mark)
{
	uint8_t *seen = calloc(PEER_WORDS, 1);
	bool good = seen;

	for (unsigned from = 0; from < p->count && good; from++)
		for (uint32_t i = p->stores; i-- && good;) {
			uint64_t word = peer_part(p) * from + peer_place(p, from, i);

			if (peer_destination(p, from, i) != p->me || seen[word])
				continue;
			good = p->memory[word] == mark + i;
			seen[word] = 1;
		}
	free(seen);
	return good;
}

static inline double peer_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Arguments: STORES PATTERN ROUNDS; memory, me and count are set. Process 0 prints ns a store of each round, each one "good" at
 * the end. Returns the exit status. */
static inline int peer_run(struct peer *p, char **arguments)
{
	int error;

	p->stores = (uint32_t)strtoul(arguments[0], NULL, 10);
	p->pattern = arguments[1][0];
	p->rounds = (uint32_t)strtoul(arguments[2], NULL, 10);
	if (!p->stores || !strchr("rsgh", p->pattern) || !peer_prepare(p))
		return 2;
	error = peer_complete();
	for (uint32_t round = 0; round <= p->rounds && !error; round++) { /* the first one is not counted */
		uint64_t mark = (uint64_t)(round + 1) << 32;
		double begin;

		for (uint32_t i = 0; i < p->stores; i++)
			p->value[i] = mark + i;
		error = peer_complete();
		begin = peer_now();
		for (uint32_t i = 0; i < p->stores && !error; i++)
			error = peer_store(p->to[i], p->word[i], &p->value[i]);
		error = error ? error : peer_complete();
		if (!p->me && round)
			printf("%.2f\n", (peer_now() - begin) / p->stores);
		if (!error && !peer_check(p, mark))
			error = -1;
	}
	error = error ? error : peer_complete();
	if (!error)
		puts("good");
	fflush(stdout);
	if (error)
		fprintf(stderr, "process %u: %s %d\n", p->me, error == -1 ? "the memory has not what was stored" : "error",
			error);
	free(p->to);
	free(p->word);
	free(p->value);
	return error != 0;
}

#endif /* PEER_H */
