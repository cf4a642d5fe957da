// SPDX-License-Identifier: Apache-2.0
/*
 * A session is identified by two numbers, one of each card. A card resumes a session only if the other card names both numbers.
 * A card that discards its state takes a new number, which makes the other card discard its state too. A number under which
 * nothing has been sent or received is kept: there is no state to discard.
 */
#include <string.h>

#include "link/link_state.h"

static void notify(struct glk_link_layer *link, enum glk_link_event event)
{
	link->config.ops->event(link->config.user, event);
}

static void down(struct glk_link_layer *link)
{
	struct glk_link_session *session = &link->session;

	if (session->up)
		link->counters.downs++;
	session->up = false;
	session->answer = false;
	session->hello_at = link->now;
	glk_link_send_stop(link);
	link->receiver.gap = false;
}

void glk_link_session_lost(struct glk_link_layer *link)
{
	bool was = link->session.up;

	down(link);
	if (was)
		notify(link, GLK_LINK_LOST);
}

void glk_link_session_end(struct glk_link_layer *link, uint16_t other)
{
	struct glk_link_session *session = &link->session;
	bool begun = session->begun;

	down(link);
	session->begun = false;
	session->version = link->config.self.version;
	session->own = (uint16_t)(session->own == UINT16_MAX ? 1 : session->own + 1);
	session->other = other;
	glk_link_send_reset(link);
	glk_link_receive_reset(link);
	if (begun)
		notify(link, GLK_LINK_ENDED);
}

void glk_link_session_protocol_error(struct glk_link_layer *link)
{
	link->counters.protocol_errors++;
	if (link->session.up)
		glk_link_session_end(link, 0);
}

static void up(struct glk_link_layer *link, const struct glk_link_hello *hello)
{
	struct glk_link_session *session = &link->session;
	bool resumed = session->begun;

	session->up = true;
	session->begun = true;
	session->answer = true;
	link->counters.ups++;
	if (resumed) {
		link->sender.replay_wanted = glk_link_outstanding(link) > 0;
	} else {
		session->peer = *hello;
		for (unsigned class = 0; class < GLK_CLASS_COUNT; class++)
			link->sender.credits[class] = hello->credits[class];
	}
	link->receiver.news = (1u << GLK_CLASS_COUNT) - 1;
	glk_link_send_owe(link, 0);
	notify(link, resumed ? GLK_LINK_RESUMED : GLK_LINK_UP);
}

/* Checks the version first: another version may have another format. */
static bool acceptable(struct glk_link_layer *link, const struct glk_link_word *word,
		       const uint8_t flits[GLK_HELLO_FLITS][GLK_FLIT_BYTES], struct glk_link_hello *hello, uint16_t *other)
{
	bool valid;

	if (word->flits != GLK_HELLO_FLITS) {
		glk_link_session_protocol_error(link);
		return false;
	}
	valid = glk_link_hello_get(flits, hello, other);
	if (hello->version < GLK_LINK_VERSION || hello->version > link->config.self.version) {
		link->counters.version_errors++;
		if (link->session.up)
			glk_link_session_end(link, 0);
		return false;
	}
	if (!valid || word->types || word->credit_class != GLK_CLASS_COUNT || word->credit || word->sequence ||
	    word->acknowledge) {
		glk_link_session_protocol_error(link);
		return false;
	}
	return true;
}

void glk_link_session_hello(struct glk_link_layer *link, const struct glk_link_word *word,
			    const uint8_t flits[GLK_HELLO_FLITS][GLK_FLIT_BYTES])
{
	struct glk_link_session *session = &link->session;
	struct glk_link_hello hello;
	bool ready = word->pass;
	uint16_t names;

	if (!acceptable(link, word, flits, &hello, &names))
		return;
	if (hello.session != session->other) {
		if (session->begun)
			glk_link_session_end(link, hello.session);
		session->other = hello.session;
	}
	if (hello.version < session->version && !session->begun)
		session->version = hello.version;
	if (!ready)
		session->answer = true;
	if (!session->up && names == session->own && hello.version == session->version)
		up(link, &hello);
}

void glk_link_layer_reset(struct glk_link_layer *link, uint64_t now)
{
	link->now = now;
	glk_link_session_end(link, 0);
}

void glk_link_layer_cut(struct glk_link_layer *link, uint64_t now)
{
	link->now = now;
	glk_link_session_lost(link);
	glk_link_receive_forget(link); /* the next block arrives on a new wire */
}

bool glk_link_layer_up(const struct glk_link_layer *link)
{
	return link->session.up;
}

const struct glk_link_hello *glk_link_layer_peer(const struct glk_link_layer *link)
{
	return link->session.up ? &link->session.peer : NULL;
}
