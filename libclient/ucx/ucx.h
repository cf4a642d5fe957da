/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device of several processes: state and lock. Files from the bottom: ucx_wire (UCX), ucx_peer (messages to a process),
 * ucx_request (loads and atomics that wait for answers), ucx_serve (those of others), ucx_hop (routing), ucx_receive, ucx_run
 * (entries of queues), ucx_progress (who does all that, and when), ucx_lane (stores), ucx_queue (rings), backend_ucx.
 *
 * One lock protects the device, UCX included: whoever holds it makes progress for all. Stores take it when a packet leaves.
 */
#ifndef GLK_UCX_H
#define GLK_UCX_H

#include <pthread.h>
#include <stdbool.h>

#include <gpulink_regs.h>

#include "../backend.h"
#include "../cancel.h"
#include "../lane/lane.h"
#include "../ready_event.h"
#include "ucx_machine.h"
#include "ucx_options.h"
#include "ucx_wire.h"

#define UCX_QUEUES	 32u /* of a device */
#define UCX_BUCKETS	 1024u
#define UCX_NO_PROCESS	 UINT32_MAX

struct ucx_hop;
struct ucx_message;
struct ucx_request;

/* Another process. */
struct ucx_peer {
	struct glk_wire_end end;
	uint8_t *address;
	uint64_t bytes; /* of its memory */
	int watch;	/* descriptor that is readable when it has ended, or -1 */
	bool lost;
	bool listed;			/* in the list of those to send to */
	uint32_t next;			/* in this list */
	struct ucx_message *filling;	/* or NULL */
	struct ucx_message *full, **last_full; /* those before it that could not leave yet */
	uint64_t unsent;		/* bytes in those, and in messages that UCX has */
	uint32_t number_out, number_in; /* messages */
	uint64_t sent, acked, asked;	/* packets to it; up to where an acknowledgement was asked for */
	uint64_t received, applied;	/* packets from it */
	uint64_t wanted, told;		/* up to where it asked for an acknowledgement; up to where it has one */
	unsigned requests;		/* without an answer */
};

struct ucx_window {
	bool open;
	uint32_t partition;
	unsigned rights;
	uint64_t offset, bytes;
};

struct ucx_memory {
	uint8_t *address; /* NULL: free */
	uint64_t bytes;
	unsigned rights;
};

/* The stores of a queue to a process; with routing, to those of a column by the process that is the relay. */
struct ucx_link {
	struct ucx_queue *queue;
	struct ucx_link *next; /* of the queue */
	struct glk_lane *lane;
	uint32_t process;
	uint64_t last; /* the peer's count with the last packet of this link */
	uint64_t due;  /* what the release that runs waits for */
	bool failed;   /* packets were lost */
};

enum ucx_slot_state { UCX_SLOT_WAITS, UCX_SLOT_RUNS, UCX_SLOT_DONE };

/* An entry of a ring. */
struct ucx_slot {
	enum ucx_slot_state state;
	uint32_t status, pieces; /* pieces: without an answer */
	uint64_t asked;		 /* bytes of a get that are requested */
	enum {
		UCX_FENCE_NOT,
		UCX_FENCE_ASKED,
		UCX_FENCE_DONE
	} fence; /* with routing: of what was stored before a load or atomic */
	uint64_t words[GLK_SQE_WORDS];
};

struct ucx_queue {
	struct ucx *ucx;
	struct ucx_queue *next;
	unsigned number;
	bool first;	       /* the default queue: its lanes are used by several threads, under `lanes` */
	struct glk_mutex lanes; /* before the device's lock */
	struct ucx_link **links; /* by process, or column; NULL before the first store */
	struct ucx_link *list;	 /* those that are there */
	struct ucx_slot slots[GLK_RING_MAX];
	uint64_t submitted, started, finished, taken; /* entries */
	struct glk_ready_event event;
};

struct ucx {
	struct glk_mutex lock;
	pthread_cond_t changed; /* something that a thread may wait for */
	unsigned wanting;	/* atomic: threads that wait for the lock */
	struct glk_ucx_options options;
	uint32_t process, processes;
	uint64_t job;
	uint8_t *memory;
	struct glk_ucx_machine machine;
	struct glk_wire *wire;
	struct ucx_peer *peers;	  /* by process */
	struct ucx_hop *hop;	  /* two-hop routing, or NULL: stores go to their process directly */
	uint32_t first_dirty;	  /* peers to send to */
	struct ucx_message *lent; /* messages that UCX has */
	bool news;		  /* since `changed` was signalled */
	bool receiving;		  /* UCX calls back: nothing is sent */
	bool losses;		  /* of peers whose requests are not done yet */
	bool stopping;
	bool has_thread, asleep;
	pthread_t thread;
	int poll, wake; /* of the thread: epoll and eventfd */
	struct ucx_queue *queues;
	uint32_t numbers; /* of queues, in use, a bit each */
	struct ucx_window *windows;
	uint32_t windows_max;
	struct ucx_memory *memories;
	uint32_t memories_max;
	struct ucx_request *requests[UCX_BUCKETS]; /* by id */
	uint64_t next_id;
	struct gpulink_counters *closed; /* by process: of lanes that are closed, and of operations */
	uint64_t malformed;		 /* messages and records of others that were dropped */
};

/* Threads that hold the lock for long let others have it. */
static inline void ucx_lock(struct ucx *u)
{
	__atomic_add_fetch(&u->wanting, 1, __ATOMIC_RELAXED);
	glk_mutex_lock(&u->lock);
	__atomic_sub_fetch(&u->wanting, 1, __ATOMIC_RELAXED);
}

static inline void ucx_unlock(struct ucx *u)
{
	glk_mutex_unlock(&u->lock);
}

/* As glk_mutex_leave() and glk_mutex_return(). */
static inline int ucx_leave(struct ucx *u)
{
	return glk_mutex_leave(&u->lock);
}

static inline void ucx_return(struct ucx *u, int state)
{
	__atomic_add_fetch(&u->wanting, 1, __ATOMIC_RELAXED);
	glk_mutex_return(&u->lock, state);
	__atomic_sub_fetch(&u->wanting, 1, __ATOMIC_RELAXED);
}

static inline struct ucx_slot *ucx_slot(struct ucx_queue *queue, uint64_t entry)
{
	return &queue->slots[entry % GLK_RING_MAX];
}

#endif /* GLK_UCX_H */
