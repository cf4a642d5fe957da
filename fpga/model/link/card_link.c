// SPDX-License-Identifier: Apache-2.0
#include "link/card_link.h"

#include <errno.h>
#include <string.h>

#include "netcrafter/trim.h"

#define CONTROL_DEFINED                                                                                  \
	(GLK_LINK_CONTROL_ENABLE_MASK | GLK_LINK_CONTROL_STITCHING_MASK | GLK_LINK_CONTROL_POOLING_MASK | \
	 GLK_LINK_CONTROL_SELECTIVE_MASK | GLK_LINK_CONTROL_SEQUENCING_MASK | GLK_LINK_CONTROL_TRIMMING_MASK |   \
	 GLK_LINK_CONTROL_YIELDING_MASK)
#define TRIM_SIZES ((1u << 2 | 1u << 3 | 1u << 4 | 1u << 5))

/* --- packets and flits --- */

int glk_link_push(struct glk_card_link *link, const struct glk_link_header *header, const void *body, size_t length)
{
	uint8_t packet[GLK_LINK_HEADER_BYTES + 16 + GLK_LINK_LINE_BYTES];

	glk_link_header_put(packet, header);
	if (length)
		memcpy(packet + GLK_LINK_HEADER_BYTES, body, length);
	return glk_cluster_queue_push(link->queue, link->now, header->kind, packet, GLK_LINK_HEADER_BYTES + length);
}

static void on_packet(void *user, enum glk_kind kind, const uint8_t *packet, size_t length, unsigned pieces)
{
	struct glk_card_link *link = user;

	if (glk_link_layer_hold(link->layer, glk_kind_class(kind), pieces)) {
		link->malformed = true;
		return;
	}
	link->ops->packet(link->user, kind, packet, length, pieces);
}

static int on_flit(void *user, const struct glk_flit *flit)
{
	struct glk_card_link *link = user;

	link->malformed = false;
	return glk_unstitch_flit(link->unstitch, flit) || link->malformed ? -EBADMSG : 0;
}

/* --- the session --- */

uint64_t glk_link_bound(const struct glk_card_link *link)
{
	return link->now + link->timeout_ns / GLK_LINK_CLOCK_NS;
}

static void session_begins(struct glk_card_link *link)
{
	link->session = true;
	link->leases = glk_link_layer_peer(link->layer)->version >= GLK_LINK_VERSION_LEASES;
	glk_unstitch_define(link->unstitch, link->leases ? GLK_KIND_ALL : GLK_KIND_COUNT);
	link->ops->session_begins(link->user);
}

static void session_ends(struct glk_card_link *link)
{
	link->session = link->leases = false;
	glk_cluster_queue_reset(link->queue);
	glk_unstitch_reset(link->unstitch);
	link->ops->session_ends(link->user);
}

static void on_event(void *user, enum glk_link_event event)
{
	struct glk_card_link *link = user;
	bool was_up = link->up;

	link->up = event == GLK_LINK_UP || event == GLK_LINK_RESUMED;
	switch (event) {
	case GLK_LINK_UP:
		session_begins(link);
		break;
	case GLK_LINK_LOST:
		link->session_until = glk_link_bound(link);
		break;
	case GLK_LINK_ENDED:
		session_ends(link);
		break;
	case GLK_LINK_RESUMED:
		break;
	}
	if (link->up != was_up)
		glk_note_error(link->common, GLK_CARD_ERROR_CAUSE_LINK_MASK);
}

void glk_link_give_up(struct glk_card_link *link)
{
	(*glk_link_counter(link, GLK_LINK_TIMEOUTS))++;
	glk_link_layer_reset(link->layer, link->now);
}

/* --- clocks and blocks --- */

void glk_link_set_now(struct glk_card_link *link, uint64_t now)
{
	if (now > link->now)
		link->now = now;
}

static bool enabled(const struct glk_card_link *link)
{
	return link->control & GLK_LINK_CONTROL_ENABLE_MASK;
}

static void clock_queue(struct glk_card_link *link)
{
	unsigned *credits = glk_link_layer_credits(link->layer);
	bool ready = glk_link_layer_ready(link->layer);
	struct glk_flit flit;

	if (ready && glk_cluster_queue_starved(link->queue, link->now, credits))
		glk_link_layer_stalled(link->layer, 1);
	if (glk_cluster_queue_clock(link->queue, link->now, ready, credits, &flit))
		glk_link_layer_send(link->layer, &flit);
}

bool glk_link_clock(struct glk_card_link *link, uint64_t now, bool ready, struct glk_block *block)
{
	bool sent = false;

	glk_link_set_now(link, now);
	if (!enabled(link))
		return false;
	link->nested++;
	link->ops->push(link->user);
	if (link->up)
		clock_queue(link);
	if (ready)
		sent = glk_link_layer_clock(link->layer, link->now, block);
	if (sent)
		glk_capture_sent(&link->capture, link->now, block);
	link->nested--;
	return sent;
}

void glk_link_block(struct glk_card_link *link, uint64_t now, const struct glk_block *block)
{
	uint64_t wrong;

	glk_link_set_now(link, now);
	if (!enabled(link))
		return;
	link->nested++;
	wrong = glk_link_layer_counters(link->layer)->crc_errors;
	glk_link_layer_receive(link->layer, link->now, block);
	glk_capture_received(&link->capture, link->now, block, glk_link_layer_counters(link->layer)->crc_errors > wrong);
	link->nested--;
}

void glk_link_cut(struct glk_card_link *link, uint64_t now)
{
	glk_link_set_now(link, now);
	link->nested++;
	glk_link_layer_cut(link->layer, link->now);
	glk_capture_cut(&link->capture);
	link->nested--;
}

uint64_t glk_link_next(const struct glk_card_link *link, uint64_t now)
{
	uint64_t next, queue;

	if (!enabled(link))
		return UINT64_MAX;
	next = glk_link_layer_next(link->layer, now);
	if (!link->up || !glk_link_layer_ready(link->layer) ||
	    glk_cluster_queue_starved(link->queue, now, glk_link_layer_credits(link->layer)))
		return next;
	queue = glk_cluster_queue_next(link->queue, now);
	return queue < next ? queue : next;
}

void glk_link_expire(struct glk_card_link *link)
{
	if (link->session && !link->up && link->now >= link->session_until)
		glk_link_give_up(link);
}

uint64_t glk_link_deadline(const struct glk_card_link *link)
{
	return link->session && !link->up ? link->session_until : UINT64_MAX;
}

/* --- registers --- */

static struct glk_cluster_queue_config queue_config(const struct glk_card_link *link)
{
	return (struct glk_cluster_queue_config){
		.entries = GLK_LINK_ENTRIES,
		.flit_bytes = GLK_FLIT_BYTES,
		.stitching = link->control & GLK_LINK_CONTROL_STITCHING_MASK,
		.pooling = link->control & GLK_LINK_CONTROL_POOLING_MASK,
		.selective = link->control & GLK_LINK_CONTROL_SELECTIVE_MASK,
		.sequencing = link->control & GLK_LINK_CONTROL_SEQUENCING_MASK,
		.yielding = link->control & GLK_LINK_CONTROL_YIELDING_MASK,
		.pool_cycles = (unsigned)link->pool_cycles,
		.burst = (unsigned)link->burst,
	};
}

static void reset_settings(struct glk_card_link *link)
{
	link->control = GLK_LINK_CONTROL_RESET;
	link->pool_cycles = GLK_LINK_POOL_CYCLES_RESET;
	link->burst = GLK_LINK_BURST_RESET;
	link->trim_bytes = GLK_LINK_TRIM_BYTES_RESET;
	link->timeout_ns = GLK_LINK_TIMEOUT_NS_RESET;
}

/* The highest that the card supports. */
static uint8_t version(const struct glk_card_link *link)
{
	return link->common->config.tsu_sets ? GLK_LINK_VERSION_LEASES : GLK_LINK_VERSION;
}

static uint64_t status(const struct glk_card_link *link)
{
	const struct glk_link_hello *peer = link->up ? glk_link_layer_peer(link->layer) : NULL;

	return (link->up ? GLK_LINK_STATUS_UP_MASK : 0) | (link->session ? GLK_LINK_STATUS_SESSION_MASK : 0) |
	       (peer && peer->compact ? GLK_LINK_STATUS_PEER_COMPACT_MASK : 0) |
	       (peer ? (uint64_t)peer->cluster << GLK_LINK_STATUS_PEER_CLUSTER_SHIFT |
			       (uint64_t)peer->version << GLK_LINK_STATUS_PEER_VERSION_SHIFT
		     : 0) |
	       (uint64_t)glk_cluster_queue_fill(link->queue) << GLK_LINK_STATUS_QUEUED_SHIFT;
}

uint64_t glk_card_link_get(const struct glk_card_link *link, unsigned reg)
{
	switch (reg) {
	case GLK_LINK_STATUS:
		return status(link);
	case GLK_LINK_CAPS:
		return (uint64_t)GLK_LINK_ENTRIES << GLK_LINK_CAPS_ENTRIES_SHIFT |
		       (uint64_t)GLK_LINK_POOL_CYCLES_MAX << GLK_LINK_CAPS_POOL_CYCLES_SHIFT |
		       (uint64_t)TRIM_SIZES << GLK_LINK_CAPS_TRIM_BYTES_SHIFT |
		       (uint64_t)version(link) << GLK_LINK_CAPS_VERSION_SHIFT;
	case GLK_LINK_CONTROL:
		return link->control;
	case GLK_LINK_CLUSTER:
		return link->common->config.cluster;
	case GLK_LINK_PEER_SERIAL:
		return link->up ? glk_link_layer_peer(link->layer)->serial : 0;
	case GLK_LINK_POOL_CYCLES:
		return link->pool_cycles;
	case GLK_LINK_BURST:
		return link->burst;
	case GLK_LINK_TRIM_BYTES:
		return link->trim_bytes;
	case GLK_LINK_TIMEOUT_NS:
		return link->timeout_ns;
	}
	if (reg >= GLK_LINK_COUNTER_FIRST && reg <= GLK_LINK_COUNTER_LAST)
		return link->latched.value[(reg - GLK_LINK_COUNTER_FIRST) / 8];
	return 0;
}

static bool card_link_allowed(unsigned reg, uint64_t value)
{
	switch (reg) {
	case GLK_LINK_CONTROL:
		return (value & ~CONTROL_DEFINED) == 0;
	case GLK_LINK_POOL_CYCLES:
		return value <= GLK_LINK_POOL_CYCLES_MAX;
	case GLK_LINK_BURST:
		return value >= 1 && value <= GLK_LINK_BURST_MAX;
	case GLK_LINK_TRIM_BYTES:
		return glk_trim_bytes_valid(value);
	case GLK_LINK_TIMEOUT_NS:
		return value >= GLK_LINK_TIMEOUT_MIN_NS && value <= GLK_LINK_TIMEOUT_MAX_NS;
	default:
		return false;
	}
}

int glk_card_link_set(struct glk_card_link *link, unsigned reg, uint64_t value)
{
	struct glk_cluster_queue_config config;
	bool was_enabled = enabled(link);

	if (!card_link_allowed(reg, value))
		return -EINVAL;
	switch (reg) {
	case GLK_LINK_CONTROL:
		link->control = value;
		break;
	case GLK_LINK_POOL_CYCLES:
		link->pool_cycles = value;
		break;
	case GLK_LINK_BURST:
		link->burst = value;
		break;
	case GLK_LINK_TRIM_BYTES:
		link->trim_bytes = value;
		break;
	default:
		link->timeout_ns = value;
		break;
	}
	config = queue_config(link);
	if (was_enabled && !enabled(link))
		glk_link_layer_reset(link->layer, link->now);
	return glk_cluster_queue_set(link->queue, &config);
}

static void copy_by_kind(struct glk_card_link *link, unsigned reg, const uint64_t from[GLK_KIND_ALL])
{
	memcpy(glk_link_counter(link, reg), from + GLK_KIND_READ_REQUEST,
	       (GLK_KIND_COUNT - GLK_KIND_READ_REQUEST) * sizeof(from[0]));
}

static uint64_t sum(const uint64_t by_kind[GLK_KIND_ALL])
{
	uint64_t all = 0;

	for (unsigned i = 0; i < GLK_KIND_ALL; i++)
		all += by_kind[i];
	return all;
}

/* Collects the counters that the cluster queue and the link layer keep. */
static void gather(struct glk_card_link *link)
{
	const struct glk_cluster_queue_counters *q = glk_cluster_queue_counters(link->queue);
	const struct glk_link_layer_counters *l = glk_link_layer_counters(link->layer);
	const struct {
		unsigned reg;
		uint64_t value;
	} gathered[] = {
		{ GLK_LINK_FLITS_IN, sum(q->flits_in) },
		{ GLK_LINK_FLITS_OUT, q->flits_out },
		{ GLK_LINK_FLITS_PADDED, q->flits_padded },
		{ GLK_LINK_PARENTS, q->parents },
		{ GLK_LINK_STITCHED, sum(q->stitched) },
		{ GLK_LINK_PARTIAL, q->partial },
		{ GLK_LINK_POOLED, q->pooled },
		{ GLK_LINK_POOL_STITCHED, q->pool_stitched },
		{ GLK_LINK_POOL_TIMED_OUT, q->pool_timed_out },
		{ GLK_LINK_FLITS_RECEIVED, l->flits_received },
		{ GLK_LINK_FRAMES_SENT, l->frames_sent },
		{ GLK_LINK_FRAMES_RECEIVED, l->frames_received },
		{ GLK_LINK_REPLAYS, l->replays },
		{ GLK_LINK_FRAMES_REPLAYED, l->frames_replayed },
		{ GLK_LINK_FRAMES_REPEATED, l->frames_repeated },
		{ GLK_LINK_CRC_ERRORS, l->crc_errors },
		{ GLK_LINK_SEQUENCE_ERRORS, l->sequence_errors },
		{ GLK_LINK_PROTOCOL_ERRORS, l->protocol_errors },
		{ GLK_LINK_VERSION_ERRORS, l->version_errors },
		{ GLK_LINK_CREDIT_STALLS, l->credit_stalls },
		{ GLK_LINK_UPS, l->ups },
		{ GLK_LINK_DOWNS, l->downs },
	};

	for (unsigned i = 0; i < sizeof(gathered) / sizeof(gathered[0]); i++)
		*glk_link_counter(link, gathered[i].reg) = gathered[i].value;
	copy_by_kind(link, GLK_LINK_PACKETS_READ_REQUEST, q->packets);
	copy_by_kind(link, GLK_LINK_FLITS_READ_REQUEST, q->flits_in);
	copy_by_kind(link, GLK_LINK_WAITED_READ_REQUEST, q->waited);
}

void glk_card_link_snapshot(struct glk_card_link *link)
{
	gather(link);
	link->latched = link->counters;
}

/* --- creation and reset --- */

static const struct glk_link_layer_ops layer_ops = { .flit = on_flit, .event = on_event };

static int create_layer(struct glk_card_link *link)
{
	const struct glk_card_config *c = &link->common->config;
	struct glk_link_layer_config config;

	glk_link_layer_config_default(&config);
	config.self = (struct glk_link_hello){
		.serial = c->serial,
		.version = version(link),
		.cluster = c->cluster,
		.compact = !c->no_packing,
		.session = c->link_session,
		.credits = { GLK_LINK_POSTED_ROOM, GLK_LINK_REQUEST_ROOM, GLK_LINK_RESPONSE_ROOM },
	};
	if (c->link_replay_cycles)
		config.replay_cycles = c->link_replay_cycles;
	if (c->link_ack_cycles)
		config.ack_cycles = c->link_ack_cycles;
	if (c->link_hello_cycles)
		config.hello_cycles = c->link_hello_cycles;
	config.ops = &layer_ops;
	config.user = link;
	return glk_link_layer_create(&config, &link->layer);
}

int glk_card_link_create(struct glk_card_link *link, struct glk_common *common, const struct glk_card_link_ops *ops,
			 void *user)
{
	struct glk_cluster_queue_config queue;

	link->common = link->capture.common = common;
	link->ops = ops;
	link->user = user;
	reset_settings(link);
	queue = queue_config(link);
	if (glk_cluster_queue_create(&queue, &link->queue) ||
	    glk_unstitch_create(GLK_FLIT_BYTES, on_packet, link, &link->unstitch) || create_layer(link)) {
		glk_card_link_destroy(link);
		return -ENOMEM;
	}
	return 0;
}

void glk_card_link_destroy(struct glk_card_link *link)
{
	if (link->layer)
		glk_link_layer_destroy(link->layer);
	if (link->unstitch)
		glk_unstitch_destroy(link->unstitch);
	if (link->queue)
		glk_cluster_queue_destroy(link->queue);
}

void glk_card_link_reset(struct glk_card_link *link)
{
	struct glk_cluster_queue_config config;

	glk_link_layer_reset(link->layer, link->now);
	glk_capture_reset(&link->capture);
	reset_settings(link);
	config = queue_config(link);
	glk_cluster_queue_set(link->queue, &config);
}
