// SPDX-License-Identifier: Apache-2.0
#include "metrics_text.h"

#include <gpulink_admin.h>
#include <gpulink_tables.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CARDS_MAX 64

/*
 * A card as it was when all of it was read, so that no metric has half of the cards. What a card does not answer, because it is
 * lost or being reset, is missing; its state is there.
 */
struct snapshot {
	struct gpulink_admin_info info; /* the name always */
	bool has_info, has_counters;
	struct gpulink_admin_link link;
	struct gpulink_admin_pool pool;
	bool has_link, has_pool;
	uint64_t link_counters[GPULINK_LINK_COUNTERS];
	uint64_t pool_counters[GPULINK_POOL_COUNTERS];
	uint64_t counters[GPULINK_CARD_COUNTERS];
	struct snapshot_partition {
		bool known;
		struct gpulink_admin_partition about;
		struct gpulink_counters counters;
	} *partitions;
};

struct snapshots {
	unsigned count;
	struct snapshot cards[CARDS_MAX];
};

struct counter {
	const char *name, *help;
	const char *label; /* of a metric with one sample for each reason */
	size_t offset;
};

static const struct counter counters[] = {GLK_PARTITION_METRIC_ROWS};

/* --- reading --- */

static void free_snapshots(struct snapshots *all)
{
	for (unsigned i = 0; i < all->count; i++)
		free(all->cards[i].partitions);
	free(all);
}

/* False: the card is not there, or memory is exhausted. */
static bool metrics_text_read_card(struct snapshot *card, const char *name)
{
	int code = gpulink_admin_get_info(name, &card->info, sizeof(card->info));

	if (code == -GPULINK_ENODEV)
		return false;
	card->has_info = !code;
	if (code) {
		card->info = (struct gpulink_admin_info){.state = "unknown"};
		strcpy(card->info.name, name);
	}
	card->has_counters = !gpulink_admin_get_card_counters(name, card->counters, GPULINK_CARD_COUNTERS);
	card->has_link = !gpulink_admin_get_link(name, &card->link, sizeof(card->link)) &&
			 !gpulink_admin_get_link_counters(name, card->link_counters, GPULINK_LINK_COUNTERS);
	card->has_pool = !gpulink_admin_get_pool(name, &card->pool, sizeof(card->pool)) &&
			 !gpulink_admin_get_pool_counters(name, card->pool_counters, GPULINK_POOL_COUNTERS);
	card->partitions = calloc(card->info.partitions + 1, sizeof(*card->partitions));
	if (!card->partitions)
		return false;
	for (unsigned k = 0; k < card->info.partitions; k++) {
		struct snapshot_partition *partition = &card->partitions[k];

		partition->known = !gpulink_admin_get_partition(name, k, &partition->about, sizeof(partition->about)) &&
				   !gpulink_admin_get_counters(name, k, &partition->counters, sizeof(partition->counters));
	}
	return true;
}

static struct snapshots *read_cards(void)
{
	struct snapshots *all = calloc(1, sizeof(*all));
	char names[CARDS_MAX][16];
	int count = all ? gpulink_admin_list(names, CARDS_MAX) : 0;

	for (int i = 0; i < count && i < CARDS_MAX; i++)
		all->count += metrics_text_read_card(&all->cards[all->count], names[i]);
	return all;
}

/* --- writing --- */

static void head(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# HELP gpulink_%s %s\n# TYPE gpulink_%s %s\n", name, help, name, type);
}

/* All counters of the card are shown for partitions with an endpoint, or with stores from the time when they had one. */
static bool is_used(const struct snapshot_partition *partition)
{
	if (!partition->known)
		return false;
	return strcmp(partition->about.endpoint, "none") || partition->counters.stores || partition->counters.loads;
}

static void write_counter(FILE *out, const struct snapshots *all, const struct counter *counter)
{
	for (unsigned i = 0; i < all->count; i++)
		for (unsigned k = 0; k < all->cards[i].info.partitions; k++) {
			const struct snapshot_partition *partition = &all->cards[i].partitions[k];
			uint64_t value;

			memcpy(&value, (const char *)&partition->counters + counter->offset, sizeof(value));
			if (!is_used(partition) || value == GPULINK_UNKNOWN)
				continue;
			fprintf(out, "gpulink_partition_%s_total{card=\"%s\",partition=\"%u\"", counter->name,
				all->cards[i].info.name, k);
			if (counter->label)
				fprintf(out, ",reason=\"%s\"", counter->label);
			fprintf(out, "} %" PRIu64 "\n", value);
		}
}

static void write_partitions(FILE *out, const struct snapshots *all)
{
	const char *last = "";
	char name[64];

	head(out, "partition_info", "gauge", "Endpoint of a partition. The value is 1.");
	for (unsigned i = 0; i < all->count; i++)
		for (unsigned k = 0; k < all->cards[i].info.partitions; k++)
			if (is_used(&all->cards[i].partitions[k]))
				fprintf(out, "gpulink_partition_info{card=\"%s\",partition=\"%u\",endpoint=\"%s\"} 1\n",
					all->cards[i].info.name, k, all->cards[i].partitions[k].about.endpoint);
	for (size_t c = 0; c < sizeof(counters) / sizeof(*counters); c++) {
		snprintf(name, sizeof(name), "partition_%s_total", counters[c].name);
		if (strcmp(counters[c].name, last))
			head(out, name, "counter", counters[c].help);
		last = counters[c].name;
		write_counter(out, all, &counters[c]);
	}
}

/* Counters by name, up to the last that has one. */
static void write_events(FILE *out, const char *of, const char *card, const char *(*name)(unsigned index),
			 const uint64_t *values)
{
	for (unsigned c = 0; name(c); c++)
		if (values[c] != GPULINK_UNKNOWN)
			fprintf(out, "gpulink_%s_events_total{card=\"%s\",counter=\"%s\"} %" PRIu64 "\n", of, card, name(c), values[c]);
}

static void write_links(FILE *out, const struct snapshots *all)
{
	head(out, "link_up", "gauge", "Whether the link to the remote card is up.");
	for (unsigned i = 0; i < all->count; i++)
		if (all->cards[i].has_link && strcmp(all->cards[i].info.link_state, "unknown"))
			fprintf(out, "gpulink_link_up{card=\"%s\"} %d\n", all->cards[i].info.name,
				!strcmp(all->cards[i].info.link_state, "up"));
	head(out, "link_events_total", "counter", "Counters of the link by name, as in docs/sysfs.md.");
	for (unsigned i = 0; i < all->count; i++)
		if (all->cards[i].has_link)
			write_events(out, "link", all->cards[i].info.name, gpulink_link_counter_name, all->cards[i].link_counters);
}

static void write_pool_gauge(FILE *out, const struct snapshots *all, const char *name, const char *help, size_t offset)
{
	head(out, name, "gauge", help);
	for (unsigned i = 0; i < all->count; i++) {
		uint64_t value;

		memcpy(&value, (const char *)&all->cards[i].pool + offset, sizeof(value));
		if (all->cards[i].has_pool && value != GPULINK_UNKNOWN)
			fprintf(out, "gpulink_%s{card=\"%s\"} %" PRIu64 "\n", name, all->cards[i].info.name, value);
	}
}

static void write_pools(FILE *out, const struct snapshots *all)
{
	write_pool_gauge(out, all, "pool_bytes", "Size of the pool.", offsetof(struct gpulink_admin_pool, bytes));
	write_pool_gauge(out, all, "pool_free_bytes", "Bytes of the pool in no object.", offsetof(struct gpulink_admin_pool, free));
	write_pool_gauge(out, all, "pool_objects", "Objects in the pool.", offsetof(struct gpulink_admin_pool, objects));
	head(out, "pool_events_total", "counter", "Counters of the pool's timestamps by name, as in docs/sysfs.md.");
	for (unsigned i = 0; i < all->count; i++)
		if (all->cards[i].has_pool)
			write_events(out, "pool", all->cards[i].info.name, gpulink_pool_counter_name, all->cards[i].pool_counters);
}

/* A series for each state, so that one that has ended is 0. */
static void write_states(FILE *out, const struct snapshots *all)
{
	static const char *const states[] = {"live", "resetting", "suspended", "lost", "removed", "unknown"};

	head(out, "card_state", "gauge", "Whether a card is in this state (docs/recovery.md).");
	for (unsigned i = 0; i < all->count; i++)
		for (unsigned s = 0; s < sizeof(states) / sizeof(*states); s++)
			fprintf(out, "gpulink_card_state{card=\"%s\",state=\"%s\"} %d\n", all->cards[i].info.name, states[s],
				!strcmp(all->cards[i].info.state, states[s]));
}

static void write_cards(FILE *out, const struct snapshots *all)
{
	write_states(out, all);
	head(out, "card_info", "gauge", "A card. The value is 1.");
	for (unsigned i = 0; i < all->count; i++) {
		if (!all->cards[i].has_info)
			continue;
		fprintf(out, "gpulink_card_info{card=\"%s\",pci_address=\"%s\",serial=\"%s\",driver_version=\"%s\"} 1\n",
			all->cards[i].info.name, all->cards[i].info.pci_address, all->cards[i].info.serial,
			all->cards[i].info.driver_version);
	}
	head(out, "card_resets_total", "counter", "Resets of a card.");
	for (unsigned i = 0; i < all->count; i++)
		if (all->cards[i].has_info && all->cards[i].info.generation != GPULINK_UNKNOWN)
			fprintf(out, "gpulink_card_resets_total{card=\"%s\"} %" PRIu64 "\n", all->cards[i].info.name,
				all->cards[i].info.generation);
	head(out, "card_events_total", "counter", "Counters of the card by name, as in docs/sysfs.md.");
	for (unsigned i = 0; i < all->count; i++)
		if (all->cards[i].has_counters)
			write_events(out, "card", all->cards[i].info.name, gpulink_card_counter_name, all->cards[i].counters);
}

char *metrics_text(size_t *length)
{
	struct snapshots *all = read_cards();
	char *text = NULL;
	FILE *out = all ? open_memstream(&text, length) : NULL;

	if (out) {
		write_cards(out, all);
		write_partitions(out, all);
		write_links(out, all);
		write_pools(out, all);
		if (fclose(out)) {
			free(text);
			text = NULL;
		}
	}
	if (all)
		free_snapshots(all);
	return text;
}
