/* SPDX-License-Identifier: Apache-2.0 */
/* Messages to other processes, and the packets that they have and that they acknowledged. Under the device's lock. */
#ifndef GLK_UCX_PEER_H
#define GLK_UCX_PEER_H

#include "ucx.h"
#include "ucx_message.h"

/* A record for a process, sent with the next glk_peers_send() at the latest. Returns its body, or NULL: the process is lost. */
void *glk_peer_record(struct ucx *u, uint32_t process, enum glk_record type, size_t bytes);

/* Whether a packet may be sent now: few are not acknowledged. Always, if the process is lost. */
bool glk_peer_has_room(const struct ucx *u, uint32_t process);
/* Sends a packet. Returns the count of packets sent to the process, for glk_peer_has(), or 0: it is lost. */
uint64_t glk_peer_packet(struct ucx *u, uint32_t process, const uint8_t *packet, size_t bytes);
/* Asks for an acknowledgement up to this count. */
void glk_peer_ask(struct ucx *u, uint32_t process, uint64_t count);

/* Takes a message's head. Returns the process, or UCX_NO_PROCESS: the message is to be dropped. */
uint32_t glk_peer_head(struct ucx *u, const uint8_t *message, size_t bytes);
/* The process asked for an acknowledgement of what it has sent. */
void glk_peer_asked(struct ucx *u, uint32_t process);
/* The packets of the process up to this count are in memory: an acknowledgement leaves when it is due. */
void glk_peer_applied(struct ucx *u, uint32_t process, uint64_t count);

/* Nothing comes from or goes to the process any more. */
void glk_peer_lose(struct ucx *u, uint32_t process);

/* Sends what is to be sent. */
void glk_peers_send(struct ucx *u);

/* UCX is done with a message. */
void glk_peer_sent(struct ucx *u, struct ucx_message *message);

/* Before the wire closes: what was sent leaves, until a time of CLOCK_MONOTONIC. */
void glk_peers_close(struct ucx *u, uint64_t deadline);
/* Behind it. */
void glk_peers_free(struct ucx *u);

#endif /* GLK_UCX_PEER_H */
