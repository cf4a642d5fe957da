/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Releases and drains: flush, then wait until every endpoint write posted so far is acknowledged (FinePack IV-B).
 * A wait is a mark (remote/mark.h). Internal to the model.
 */
#ifndef GLK_RELEASE_H
#define GLK_RELEASE_H

#include "base/common.h"
#include "base/context.h"
#include "region/region.h"
#include "remote/mark.h"
#include "remote/remote.h"
#include "window/endpoint.h"
#include "window/window_table.h"

/* A release by the doorbell page, until it completes. First it waits until the ring's head reaches `sq_target`, then until the
 * chunks of the context's regions that were ready by then are stored. */
enum glk_release_stage {
	GLK_RELEASE_WAITS_FOR_RING,
	GLK_RELEASE_WAITS_FOR_REGIONS,
	GLK_RELEASE_FLUSHES,
	GLK_RELEASE_WAITS_FOR_ENDPOINTS,
};

struct glk_release {
	bool pending;
	enum glk_release_stage stage;
	uint16_t sq_target;
	uint64_t value;
	struct glk_mark mark;
};

/* The releases of a context. */
struct glk_release_context {
	/* By the doorbell page: the one in progress, and all later ones as one. */
	struct glk_release current, next;
	uint64_t word, released; /* registers RELEASE and RELEASED */
	/* By the ring: the entry at sq_head waits for the context's regions; it has flushed and waits for `ring_mark`. */
	bool ring_fenced, ring_waits;
	struct glk_mark ring_mark;
	/* Partitions that the releases in progress have flushed; the context's `touched` are those since. */
	uint32_t fenced;
	uint64_t failed_before[GLK_PARTITION_COUNT]; /* failures already reported to the context, or from before it */
};

struct glk_drain {
	bool busy;
	uint64_t written; /* the last value of register DRAIN */
	struct glk_mark mark;
};

struct glk_releases {
	struct glk_common *common;
	struct glk_endpoints *endpoints;
	struct glk_remote *remote;
	struct glk_regions *regions;
	const struct glk_windows *windows;
	struct glk_context *contexts; /* GLK_CONTEXT_COUNT */
	struct glk_release_context of[GLK_CONTEXT_COUNT];
	uint32_t pending; /* bit N: of[N].current.pending. Every endpoint write looks here. */
	struct glk_drain drain;
};

/* Flushes the partitions that hold stores of the context. */
void glk_release_flush(struct glk_releases *releases, unsigned context);
/* Whether an endpoint write of the context failed since its last release; a failure is reported once. */
bool glk_release_failed(struct glk_releases *releases, unsigned context);

/* A reset of the card: no release and no drain is left. */
void glk_releases_reset(struct glk_releases *releases);
/* The context stops: nothing of its releases is left. It starts: failures before are not its own. */
void glk_release_forget(struct glk_releases *releases, unsigned context);
void glk_release_start(struct glk_releases *releases, unsigned context);
/* The doorbell page's RELEASE was written. */
void glk_release_request(struct glk_releases *releases, unsigned context, uint64_t value);
/* The ring has taken an entry or stopped, or writes were acknowledged: completes the releases that are due. */
void glk_release_progress(struct glk_releases *releases, unsigned context);
/* The same for all contexts. */
void glk_releases_progress(struct glk_releases *releases);

/* A write to register DRAIN. Returns 0, or -EINVAL: a drain is in progress, or the value names nothing. */
int glk_drain_begin(struct glk_releases *releases, uint64_t value);
bool glk_drain_busy(struct glk_releases *releases);

#endif /* GLK_RELEASE_H */
