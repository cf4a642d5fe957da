/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coverage-guided fuzzer of the driver's user interface. Programs of a few operations each (open, ioctl, mmap, touch, fork,
 * ...) are generated at random, or mutated from programs that reached new code of the module (KCOV).
 *
 * program.c   generates, mutates, prints and parses programs
 * execute.c   executes a program and cleans up
 * settings.c  the card's files in sysfs and debugfs
 * coverage.c  coverage of the module
 * main.c      the loop, its options and reports
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
	OPS_MAX = 24,		/* per program */
	VALUES = 13,		/* per operation */
	FILES = 4,		/* open files, and mappings, that a program can address */
	RESULTS = 8,		/* handles and mmap offsets that a program can address */
	ARENA_BYTES = 1 << 18,	/* memory that programs pass to the driver; starts with the ring entries */
	ENTRIES_BYTES = 1 << 14,
	LOOKED_IN_DEBUGFS = 7,
};

enum kind {
	OP_OPEN,     /* file, of what: the card, the other card, a dma-buf of ordinary memory */
	OP_CLOSE,    /* file */
	OP_DUP,	     /* file, other file */
	OP_IOCTL,    /* file, number in shapes[], place of the structure, fields of the structure */
	OP_ENTRY,    /* number of the entry in the arena, its eight words in parts */
	OP_MMAP,     /* file, mapping, offset, bytes, protection, flags */
	OP_TOUCH,    /* mapping, offset, width, whether to write */
	OP_MUNMAP,   /* mapping, offset, bytes */
	OP_MPROTECT, /* mapping, protection */
	OP_MADVISE,  /* mapping, advice */
	OP_MREMAP,   /* mapping, bytes */
	OP_URING,    /* file, cmd_op, flags, addr, words of the command */
	OP_FILE,     /* file, which of read, write, poll, lseek, fsync */
	OP_FORK,     /* number of following operations that the child executes too; whether it is then killed */
	OP_BESIDE,   /* runs the next operation in a thread, concurrently with those after it */
	OP_SYSFS,    /* number of the file in sysfs_files[], number in sysfs_values[] */
	OP_RING, /* mapping of a ring, first entry in the arena, how many, first place in the ring; mapping of a doorbell page,
		  * word in it, what to write there */
	OP_LOOK, /* number of the file in looked_files[] */
	OP_KINDS
};

/* Source of a value: literal, a handle or mmap offset returned by the driver, an address in the arena, an open file. */
enum source { LITERAL, HANDLE, OFFSET, ADDRESS, DESCRIPTOR, SOURCES };

struct value {
	enum source source;
	uint64_t v;
};

struct op {
	enum kind kind;
	struct value values[VALUES];
};

struct program {
	unsigned count;
	struct op ops[OPS_MAX];
};

/* Meaning of a field, so that most generated values pass the first check. */
enum hint { ANY, SIZE, FLAGS, PARTITION, PAGES, BYTES, COUNT, TIMEOUT, MEMORY, ENTRIES, ORDER, FILE_IN, HANDLE_IN, HANDLE_OUT,
	    OFFSET_OUT, GRAIN };

enum { IOCTL_FIELDS = 3 }; /* where the structure's fields begin among the values of OP_IOCTL */

struct shape {
	const char *name;
	unsigned long call;
	struct {
		uint8_t width; /* 0: no more fields */
		enum hint hint;
	} fields[VALUES - IOCTL_FIELDS];
};

extern const struct shape shapes[];
extern const unsigned shape_count;
extern const char *const sysfs_files[];
extern const char *const sysfs_values[];
extern const char
	*const looked_files[]; /* the first LOOKED_IN_DEBUGFS in the card's folder in debugfs, the rest in that in sysfs */

void random_seed(uint64_t seed);
uint64_t random_below(uint64_t bound);
void program_draw(struct program *p);
void program_mutate(struct program *p, const struct program *other);
void program_print(const struct program *p, FILE *out);
int program_read(struct program *p, FILE *in); /* 1: read; 0: end; -1: syntax error */

/* other: the device of the remote card, or NULL. */
int execute_init(const char *device, const char *sysfs, const char *other);
void execute(const struct program *p);
bool execute_card_works(void);
extern unsigned long calls_made;

void settings_init(const char *sysfs, bool link);
void do_sysfs(const struct op *op);
void do_look(const struct op *op);
bool link_up(void); /* waits for it */
void restore_settings(void);

int coverage_init(void);
void coverage_begin(void);
/* Adds the coverage since coverage_begin(). Returns 0: nothing new; 1: new edges; 2: new places. */
int coverage_end(void);
unsigned coverage_places(void);
void coverage_report(FILE *out);

#endif
