// SPDX-License-Identifier: Apache-2.0
#include "card_time.h"

#include <math.h>
#include <stdlib.h>

#include "card_clocks.h"
#include "topology.h"

enum { PAGE = 4096, BANK_RUNS = 64, BANKS = 4 };

struct card {
	double taken, sent, written, engine; /* until when each part is busy */
	double tail;			     /* how much later the last packet has left, if no other comes */
	double bytes, busy;		     /* on the hop before it, and the time that these stores took */
	uint64_t runs;			     /* since the last barrier */
};

struct cards {
	struct card_setting setting;
	unsigned gpus;
	struct card card[];
};

struct cards *cards_create(unsigned gpus, const struct card_setting *setting)
{
	struct cards *c = calloc(1, sizeof(*c) + setting->count * sizeof(c->card[0]));

	if (!c)
		return NULL;
	c->setting = *setting;
	c->gpus = gpus;
	return c;
}

void cards_free(struct cards *c)
{
	free(c);
}

double cards_flit_rate(double mhz)
{
	return 16 * mhz * 1e6 / CARD_FLIT_CLOCKS;
}

static unsigned card_of(const struct cards *c, unsigned gpu)
{
	return c->setting.count == 2 ? topology_cluster(gpu, c->gpus) : gpu * c->setting.count / c->gpus;
}

static double clocks_time(const struct cards *c, double clocks)
{
	return clocks * 1e6 / c->setting.mhz;
}

static double term_time(const struct cards *c, const struct card_term *term)
{
	return clocks_time(c, term->clocks) + term->reads * (double)c->setting.read_ps;
}

struct card_passed cards_pass(struct cards *c, unsigned source, unsigned destination, enum card_form form, double time,
			      const struct card_load *load)
{
	struct card *from = &c->card[card_of(c, source)];
	struct card *to = c->setting.count == 2 ? &c->card[card_of(c, destination)] : from;
	double run = clocks_time(c, card_run_clocks[form]), beat = clocks_time(c, CARD_WRITTEN_CLOCKS);
	double packs = fmax(fmax((double)load->runs * run, (double)load->written * beat),
			    clocks_time(c, (double)load->packed * CARD_PACKED_CLOCKS));
	struct card_passed p;

	from->taken = fmax(time, from->taken) + clocks_time(c, (double)load->taken * CARD_TAKEN_CLOCKS);
	p = (struct card_passed){ from->taken, from->taken, from->taken };
	if (!load->runs)
		return p;
	p.sent = from->sent = fmax(from->taken, from->sent) + packs;
	from->tail = fmin((double)load->runs, BANK_RUNS) * clocks_time(c, card_tail_clocks[form]);
	from->taken = fmax(from->taken, from->sent - BANKS * BANK_RUNS * run);
	from->runs += load->runs;
	p.written = p.sent;
	if (to == from)
		return p;
	to->runs += load->runs;
	p.written = to->written = fmax(p.sent, to->written) + (double)load->written * beat;
	return p;
}

double cards_buffer_time(const struct cards *c, unsigned source, double buffer_bytes)
{
	const struct card *from = &c->card[card_of(c, source)];

	return from->bytes > 0 ? buffer_bytes * from->busy / from->bytes : 0;
}

void cards_count(struct cards *c, unsigned source, uint64_t bytes, const struct card_load *load)
{
	struct card *from = &c->card[card_of(c, source)];

	from->bytes += (double)bytes;
	from->busy += clocks_time(c, (double)load->taken * CARD_TAKEN_CLOCKS);
}

double cards_transfer(struct cards *c, unsigned source, double time, uint64_t bytes, unsigned targets, double *end)
{
	struct card *from = &c->card[card_of(c, source)];
	double pages = (double)((bytes + PAGE - 1) / PAGE), begin = fmax(time, from->engine);
	double page = term_time(c, &card_region_page) + (targets - 1) * term_time(c, &card_region_target);

	*end = from->engine = begin + (term_time(c, &card_region_chunk) + pages * page) / targets;
	from->runs++;
	return begin;
}

static double card_released(const struct cards *c, const struct card *card)
{
	double idle = fmax(fmax(card->taken, card->sent + card->tail), fmax(card->written, card->engine));

	return card->runs ? idle + term_time(c, card->runs > 1 ? &card_release_batch : &card_release) : 0;
}

double cards_released(const struct cards *c, unsigned source)
{
	return card_released(c, &c->card[card_of(c, source)]);
}

double cards_barrier(struct cards *c)
{
	double end = 0;

	for (unsigned i = 0; i < c->setting.count; i++) {
		end = fmax(end, card_released(c, &c->card[i]));
		c->card[i].runs = 0;
	}
	return end;
}
