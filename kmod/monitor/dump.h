/* SPDX-License-Identifier: GPL-2.0-only */
/* State of card and driver as text. */
#ifndef GLK_DUMP_H
#define GLK_DUMP_H

#include <linux/types.h>

struct glk_card;
struct seq_file;

/* dump.c: callers hold state_lock and card->lock, except of the last one */
struct glk_dump {
	struct seq_file *m;
	struct glk_card *card;
	bool registers;		/* can be read */
};

struct glk_coredump {
	void *text;
	size_t bytes;
};

void glk_dump_state(struct glk_dump *dump);
void glk_dump_partitions(struct glk_dump *dump);
void glk_dump_rings(struct glk_dump *dump);
void glk_dump_windows(struct glk_dump *dump);
void glk_dump_registrations(struct glk_dump *dump);
void glk_dump_regions(struct glk_dump *dump);
void glk_dump_pool(struct glk_dump *dump);
int glk_dump_counters(struct glk_dump *dump);
struct glk_coredump glk_coredump_make(struct glk_card *card, const char *why);
void glk_coredump_publish(struct glk_card *card, struct glk_coredump core);

#endif /* GLK_DUMP_H */
