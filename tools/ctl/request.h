/* SPDX-License-Identifier: Apache-2.0 */
/* The invocation of a command, and the requests it sends. */
#ifndef GPULINKCTL_REQUEST_H
#define GPULINKCTL_REQUEST_H

#include "complain.h"

#include <ask.h>

#include <stdint.h>

#define ALL_PARTITIONS (-1)
/* Exceeds every card; gpulinkd checks against the card. */
#define PARTITION_LIMIT 65535

/** Options and arguments of the command line. */
struct invocation {
	struct asker asker;
	const char *card;	 /**< NULL: the only card */
	char found_card[16];	 /**< storage for `card` then */
	bool quiet;		 /**< errors in answers are not reported */
	int partition;		 /**< or ALL_PARTITIONS */
	bool json;
	unsigned watch_seconds; /**< 0: once */
	uint64_t count, seconds; /**< limits of capture, latency, monitor and record; 0: none */
	bool once;
	const char *from, *dump; /**< files of topo and doctor; NULL: none */
	char **arguments;	 /**< of the command */
	int argument_count;
};

/** Returns {"op":OP}, with the card unless it is NULL. NULL: out of memory, which send_request() reports. */
struct json_object *new_request(const char *op, const char *card);

/** Adds a member; takes over both. NULL: the request was NULL, or out of memory; both are freed then. */
struct json_object *with(struct json_object *request, const char *key, struct json_object *value);

/** Adds the partition, unless it is ALL_PARTITIONS. As with(). */
struct json_object *with_partition(struct json_object *request, int partition);

/** Prints a result as JSON, with flags of json-c. */
enum exit_code show_json(struct json_object *result, int flags);

/** Answers requests by this process: for asker.direct. */
struct json_object *answer_directly(struct json_object *request, const struct asker *asker);

/** Runs a request as ask() does. What failed has been reported. */
enum exit_code send_request(struct invocation *invocation, struct json_object *request, struct json_object **result);

/** Runs a request and prints its result, as JSON or with `print`. */
enum exit_code ask_and_print(struct invocation *invocation, struct json_object *request,
			     bool (*print)(struct json_object *result));

/** As ask_and_print(), but nothing happens, with EXIT_OK, where the card does not support it. */
enum exit_code ask_if_supported(struct invocation *invocation, struct json_object *request,
				bool (*print)(struct json_object *result));

/** Runs a request about the card that has no arguments, and prints the object that it returns. */
enum exit_code show_of_card(struct invocation *invocation, const char *op);

/** Reports a malformed answer. Returns EXIT_FAILED. */
enum exit_code unexpected(void);

/** Points invocation->card to the selected card: the given one, or the only one. */
enum exit_code find_card(struct invocation *invocation);

/** Index of a setting by name; reports an unknown one, and returns `count`. */
unsigned find_setting(const char *text, const char *(*name)(unsigned index), unsigned count);

#endif /* GPULINKCTL_REQUEST_H */
