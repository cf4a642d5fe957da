// SPDX-License-Identifier: Apache-2.0
#include "tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t tree_key_of(unsigned domain, unsigned bus, unsigned slot, unsigned number)
{
	return (uint64_t)domain << 16 | (uint64_t)bus << 8 | (uint64_t)slot << 3 | number;
}

static uint64_t key(const struct function *f)
{
	return tree_key_of(f->domain, f->bus, f->slot, f->number);
}

struct function *tree_find(const struct tree *tree, unsigned domain, unsigned bus, unsigned slot, unsigned number)
{
	for (size_t i = 0; i < tree->count; i++) {
		if (key(&tree->functions[i]) == tree_key_of(domain, bus, slot, number))
			return &tree->functions[i];
	}
	return NULL;
}

struct function *tree_add(struct tree *tree, unsigned domain, unsigned bus, unsigned slot, unsigned number)
{
	struct function *f;

	if (tree->count == FUNCTION_LIMIT || tree_find(tree, domain, bus, slot, number))
		return NULL;
	if (!(tree->count & (tree->count - 1))) { /* grows at powers of two */
		f = realloc(tree->functions, (tree->count ? 2 * tree->count : 1) * sizeof(*f));
		if (!f)
			return NULL;
		tree->functions = f;
	}
	f = &tree->functions[tree->count++];
	memset(f, 0, sizeof(*f));
	f->domain = domain;
	f->bus = (uint8_t)bus;
	f->slot = (uint8_t)slot;
	f->number = (uint8_t)number;
	f->parent = -1;
	f->system.numa_node = NO_NUMA_NODE;
	f->system.iommu_group = -1;
	snprintf(f->address, sizeof(f->address), "%04x:%02x:%02x.%u", domain, bus & 0xff, slot & 0x1f, number & 7);
	return f;
}

static int tree_compare(const void *a, const void *b)
{
	uint64_t x = key(a), y = key(b);

	return (x > y) - (x < y);
}

/* The bridge whose secondary bus is the function's; if none names it (virtual functions), the closest around it. */
static int find_parent(const struct tree *tree, const struct function *f)
{
	int best = -1;

	for (size_t i = 0; i < tree->count; i++) {
		const struct function *b = &tree->functions[i];

		if (!b->has_windows || b->domain != f->domain || b->secondary <= b->bus || b->secondary > f->bus ||
		    b->subordinate < f->bus)
			continue;
		if (best < 0 || b->secondary > tree->functions[best].secondary)
			best = (int)i;
	}
	return best;
}

void tree_complete(struct tree *tree)
{
	if (!tree->count)
		return;
	for (size_t i = 0; i < tree->count; i++)
		function_decode(&tree->functions[i]);
	qsort(tree->functions, tree->count, sizeof(*tree->functions), tree_compare);
	for (size_t i = 0; i < tree->count; i++)
		tree->functions[i].parent = find_parent(tree, &tree->functions[i]);
	for (size_t i = 0; i < tree->count; i++) {
		struct function *f = &tree->functions[i];

		if (f->kind == KIND_CARD || f->kind == KIND_GPU || f->kind == KIND_NIC) {
			for (; !f->useful; f = &tree->functions[f->parent]) {
				f->useful = true;
				if (f->parent < 0)
					break;
			}
		}
	}
}

void tree_free(struct tree *tree)
{
	free(tree->functions);
	tree->functions = NULL;
	tree->count = 0;
}

const struct function *function_above(const struct tree *tree, const struct function *function)
{
	return function->parent < 0 ? NULL : &tree->functions[function->parent];
}

int function_endpoint_bar(const struct function *function)
{
	int best = -1;

	for (int b = 0; b < 6; b++) {
		const struct bar *bar = &function->bars[b], *than = best < 0 ? NULL : &function->bars[best];

		if (!bar->memory)
			continue;
		if (!than || bar->prefetchable > than->prefetchable ||
		    (bar->prefetchable == than->prefetchable && bar->bytes > than->bytes))
			best = b;
	}
	return best;
}

bool function_is_endpoint(const struct function *function)
{
	return function->kind == KIND_GPU && function_endpoint_bar(function) >= 0;
}

void function_endpoint_name(const struct function *function, char name[32])
{
	/* A BAR's number fits a char, which gcc must see. */
	snprintf(name, 32, "%s %d", function->address, (signed char)function_endpoint_bar(function));
}

const char *function_card_name(const struct function *function)
{
	return *function->system.card_name ? function->system.card_name : function->address;
}

unsigned link_rate_mbytes(struct link_rate rate)
{
	/* A lane, after 8b/10b, 128b/130b, or the 236 of 256 bytes of a flit. */
	static const unsigned kbytes[] = {0, 250000, 500000, 984615, 1969231, 3938462, 7375000};

	return rate.generation < sizeof(kbytes) / sizeof(*kbytes) ? kbytes[rate.generation] * rate.lanes / 1000 : 0;
}
