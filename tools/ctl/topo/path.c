// SPDX-License-Identifier: Apache-2.0
/* Follows drivers/pci/p2pdma.c of Linux 6.12 where the kernel decides: the same walk, the same distances, the same list. */
#include "path.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Header, sequence number and CRC of a write. */
enum { WRITE_OVERHEAD = 24 };

/* Root complexes that forward peer-to-peer writes, as the kernel lists them; AMD's are listed by CPU family. */
static const struct {
	uint16_t vendor, device;
	bool same_host_bridge;
} forwarding[] = {
	{0x8086, 0x3c00, true},	 {0x8086, 0x3c01, true},  {0x8086, 0x2f00, true},  {0x8086, 0x2f01, true},
	{0x8086, 0x2030, false}, {0x8086, 0x2031, false}, {0x8086, 0x2032, false}, {0x8086, 0x2033, false},
	{0x8086, 0x2020, false}, {0x8086, 0x09a2, false},
};

const char *verdict_name(enum verdict verdict)
{
	static const char *const names[] = {"direct", "root complex", "blocked", "unknown"};

	return names[verdict];
}

bool function_redirects(const struct function *function)
{
	return function->has_acs &&
	       function->acs_enabled & (ACS_REQUEST_REDIRECT | ACS_COMPLETION_REDIRECT | ACS_EGRESS_CONTROL);
}

bool card_is_translated(const struct function *card)
{
	return !strncmp(card->system.iommu_type, "DMA", 3);
}

bool function_has_link_above(const struct tree *tree, const struct function *function)
{
	const struct function *above = function_above(tree, function);

	return above && (above->port == PORT_ROOT || above->port == PORT_DOWNSTREAM);
}

/* Either may be unknown. */
static struct link_rate slower(struct link_rate a, struct link_rate b)
{
	if (!a.lanes || !b.lanes)
		return a.lanes ? a : b;
	return (struct link_rate){.generation = a.generation < b.generation ? a.generation : b.generation,
				  .lanes = a.lanes < b.lanes ? a.lanes : b.lanes};
}

struct link_rate function_link(const struct tree *tree, const struct function *function)
{
	const struct function *above = function_above(tree, function);

	if (!function_has_link_above(tree, function))
		return (struct link_rate){0};
	/* Not above what the port supports: emulated functions do not negotiate. */
	return slower(function->rate.lanes ? function->rate : above->rate, above->rate_most);
}

struct link_rate function_link_most(const struct tree *tree, const struct function *function)
{
	if (!function_has_link_above(tree, function))
		return (struct link_rate){0};
	return slower(function->rate_most, function_above(tree, function)->rate_most);
}

unsigned payload_mbytes(unsigned mbytes, unsigned payload)
{
	return payload ? (unsigned)((uint64_t)mbytes * payload / (payload + WRITE_OVERHEAD)) : 0;
}

static const struct function *topmost(const struct tree *tree, const struct function *f)
{
	while (function_above(tree, f))
		f = function_above(tree, f);
	return f;
}

/* The kernel's host bridge device: the first function of the root bus, if it is 00.0 or a root port. `f` is on that bus. */
static const struct function *host_bridge(const struct tree *tree, const struct function *f)
{
	for (size_t i = 0; i < tree->count; i++) {
		const struct function *first = &tree->functions[i];

		if (first->domain != f->domain || first->bus != f->bus)
			continue;
		return (!first->slot && !first->number) || first->port == PORT_ROOT ? first : NULL;
	}
	return NULL;
}

static bool listed(const struct function *host, bool same)
{
	for (size_t i = 0; host && i < sizeof(forwarding) / sizeof(*forwarding); i++) {
		if (host->vendor == forwarding[i].vendor && host->device == forwarding[i].device)
			return same || !forwarding[i].same_host_bridge;
	}
	return false;
}

static bool cpu_forwards(const struct machine *machine)
{
	return !strcmp(machine->cpu_vendor, "AuthenticAMD") && machine->cpu_family >= 0x17;
}

__attribute__((format(printf, 3, 4))) static void conclude(struct path *path, enum verdict verdict, const char *format, ...)
{
	va_list arguments;

	path->verdict = verdict;
	va_start(arguments, format);
	vsnprintf(path->reason, sizeof(path->reason), format, arguments);
	va_end(arguments);
}

/* Finds the shared bridge, counts the distance and the redirecting ports. */
static void walk(const struct tree *tree, const struct function *endpoint, const struct function *card, struct path *path)
{
	int up = 0, down = 0;

	for (const struct function *a = endpoint; a; a = function_above(tree, a), up++) {
		path->redirects += function_redirects(a);
		down = 0;
		for (const struct function *b = card; b; b = function_above(tree, b), down++) {
			if (a != b)
				continue;
			path->shared = a;
			path->distance = up + down;
			for (b = card; b != a; b = function_above(tree, b))
				path->redirects += function_redirects(b);
			return;
		}
	}
	path->distance = up + down;
}

static const struct function *first_redirect(const struct tree *tree, const struct function *from, const struct function *to)
{
	for (; from && from != to; from = function_above(tree, from)) {
		if (function_redirects(from))
			return from;
	}
	return from && function_redirects(from) ? from : NULL;
}

/* The first function from `from` up to and including `to` whose registers were not readable. */
static const struct function *first_unread(const struct tree *tree, const struct function *from, const struct function *to)
{
	for (; from; from = function_above(tree, from)) {
		if (!from->extended_known)
			return from;
		if (from == to)
			return NULL;
	}
	return NULL;
}

/* A bridge above the endpoint whose windows do not contain its memory. */
static const struct function *closed_bridge(const struct tree *tree, const struct function *endpoint)
{
	const struct bar *bar = &endpoint->bars[function_endpoint_bar(endpoint)];
	uint64_t last = bar->address + (bar->bytes ? bar->bytes - 1 : 0);

	for (const struct function *b = function_above(tree, endpoint); b; b = function_above(tree, b)) {
		bool open = false;

		for (unsigned w = 0; w < 2; w++)
			open |= b->windows[w].first <= bar->address && last <= b->windows[w].last;
		if (!open)
			return b;
	}
	return NULL;
}

/* What sends the writes to the root complex although a bridge is above both; NULL: nothing. */
static const char *detour(const struct tree *tree, const struct function *card, const struct function *endpoint,
			  const struct function *shared, char *why, size_t size)
{
	const struct function *redirect = first_redirect(tree, endpoint, shared);

	redirect = redirect ? redirect : first_redirect(tree, card, shared);
	if (redirect)
		snprintf(why, size, "ACS of %s redirects peer writes upstream", redirect->address);
	else if (card_is_translated(card))
		snprintf(why, size, "an IOMMU translates the card's addresses");
	else
		return NULL;
	return why;
}

/* `checked`: the kernel finds no bridge that forwards, and so consults its list. */
static void judge_root_complex(const struct tree *tree, const struct function *card, const struct function *endpoint,
			       const char *why, bool checked, struct path *path)
{
	const struct function *top = topmost(tree, card), *other = topmost(tree, endpoint);
	const struct function *a = host_bridge(tree, top), *b = host_bridge(tree, other);
	bool same = top->domain == other->domain && top->bus == other->bus;

	if (!why)
		why = same ? "only the root complex is above both" : "different host bridges are above them";
	if (cpu_forwards(&tree->machine) || (listed(a, same) && listed(b, same)))
		conclude(path, PATH_ROOT_COMPLEX, "%s; the root complex is listed as forwarding", why);
	else if (checked && tree->machine.p2pdma == YES && card->system.unchecked_peers != YES)
		conclude(path, PATH_BLOCKED, "%s; the kernel does not list the root complex as forwarding", why);
	else if (checked && tree->machine.p2pdma == YES)
		conclude(path, PATH_UNKNOWN, "%s; the root complex is not listed as forwarding; unchecked_peers is 1", why);
	else if (tree->machine.p2pdma == NO)
		conclude(path, PATH_UNKNOWN, "%s; the root complex is not listed as forwarding; this kernel does not check",
			 why);
	else
		conclude(path, PATH_UNKNOWN, "%s; the root complex is not listed as forwarding", why);
}

static void judge(const struct tree *tree, const struct function *card, const struct function *endpoint, struct path *path)
{
	const struct function *unread, *closed;
	const char *why = NULL;
	char text[96];

	if (!endpoint->decodes_memory) {
		conclude(path, PATH_BLOCKED, "memory decoding of %s is off", endpoint->address);
		return;
	}
	closed = closed_bridge(tree, endpoint);
	if (closed) {
		conclude(path, PATH_BLOCKED, "the windows of bridge %s do not contain BAR %d of %s", closed->address,
			 function_endpoint_bar(endpoint), endpoint->address);
		return;
	}
	if (path->shared) {
		unread = first_unread(tree, endpoint, path->shared);
		unread = unread ? unread : first_unread(tree, card, path->shared);
		if (unread) {
			conclude(path, PATH_UNKNOWN, "ACS of %s is not readable (requires root)", unread->address);
			return;
		}
		why = detour(tree, card, endpoint, path->shared, text, sizeof(text));
		if (!why) {
			conclude(path, PATH_DIRECT, "%s is above both", path->shared->address);
			return;
		}
	}
	judge_root_complex(tree, card, endpoint, why, !path->shared || path->redirects, path);
}

/* Narrows the bandwidth to the links from a function up to `to` (not included), or to the root complex. */
static void narrow(const struct tree *tree, const struct function *from, const struct function *to, struct path *path)
{
	for (; from && from != to; from = function_above(tree, from)) {
		unsigned mbytes = link_rate_mbytes(function_link(tree, from));

		if (mbytes && (!path->narrowest || mbytes < path->mbytes)) {
			path->mbytes = mbytes;
			path->narrowest = from;
		}
		if (from->payload && (!path->payload || from->payload < path->payload))
			path->payload = from->payload;
	}
}

static void path_measure(const struct tree *tree, const struct function *card, const struct function *endpoint,
			 struct path *path)
{
	const struct function *top = path->verdict == PATH_DIRECT ? path->shared : NULL;
	unsigned most = payload_mbytes(link_rate_mbytes(card->rate_most), card->payload_most);

	narrow(tree, card, top, path);
	narrow(tree, endpoint, top, path);
	path->mbytes = payload_mbytes(path->mbytes, path->payload);
	path->percent = most ? (unsigned)((uint64_t)path->mbytes * 100 / most) : 0;
	if (!path->mbytes)
		path->narrowest = NULL;
}

struct path path_judge(const struct tree *tree, const struct function *card, const struct function *endpoint)
{
	struct path path = {0};

	walk(tree, endpoint, card, &path);
	judge(tree, card, endpoint, &path);
	if (path.verdict != PATH_BLOCKED)
		path_measure(tree, card, endpoint, &path);
	return path;
}
