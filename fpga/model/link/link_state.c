// SPDX-License-Identifier: Apache-2.0
/* Operations on the sending and receiving sides that sessions need too. They call no other file of the link layer. */
#include "link/link_state.h"

#include <string.h>

/* --- the sending side --- */

void glk_link_send_reset(struct glk_link_layer *link)
{
	struct glk_link_sender *sender = &link->sender;
	struct glk_link_frame *frames = sender->frames;
	bool broken = sender->broken;

	memset(sender, 0, sizeof(*sender));
	sender->frames = frames;
	sender->broken = broken;
	sender->crc = GLK_CRC32C_BEGIN;
	sender->word_at = UINT64_MAX;
	sender->credit_class = GLK_CLASS_COUNT - 1;
}

void glk_link_send_close(struct glk_link_layer *link)
{
	struct glk_link_sender *sender = &link->sender;

	if (sender->acked == sender->next)
		sender->timer = link->now;
	glk_link_frame_of(link, sender->next)->count = sender->open;
	sender->next = (uint16_t)((sender->next + 1u) % GLK_SEQUENCE_COUNT);
	sender->open = 0;
	link->counters.frames_sent++;
}

void glk_link_send_stop(struct glk_link_layer *link)
{
	struct glk_link_sender *sender = &link->sender;

	if (sender->open)
		glk_link_send_close(link);
	sender->taken = false;
	sender->replaying = false;
	sender->replay_wanted = false;
	sender->replay_flit = 0;
	sender->replays = 0;
	sender->hello_block = 0;
	sender->word_at = UINT64_MAX;
}

void glk_link_send_acknowledged(struct glk_link_layer *link, uint16_t acknowledge)
{
	struct glk_link_sender *sender = &link->sender;

	if (acknowledge == sender->acked)
		return;
	sender->acked = acknowledge;
	sender->timer = link->now;
	sender->replays = 0;
}

void glk_link_send_owe(struct glk_link_layer *link, unsigned clocks)
{
	if (link->now + clocks < link->sender.word_at)
		link->sender.word_at = link->now + clocks;
}

/* --- the receiving side --- */

void glk_link_receive_forget(struct glk_link_layer *link)
{
	link->receiver.count = 0;
	link->receiver.crc = GLK_CRC32C_BEGIN;
}

void glk_link_receive_reset(struct glk_link_layer *link)
{
	memset(&link->receiver, 0, sizeof(link->receiver));
	glk_link_receive_forget(link);
}
