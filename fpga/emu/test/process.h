/* SPDX-License-Identifier: Apache-2.0 */
/* Programs under test: start, observe, terminate. None survives the test. */
#ifndef GPULINK_EMU_TEST_PROCESS_H
#define GPULINK_EMU_TEST_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#define PROCESS_PATH_MAX 100u /* of sockets and logs: sun_path has no more */

struct process {
	pid_t pid; /* 0: not running */
	char log[PROCESS_PATH_MAX];
};

/** Starts argv[0] with its standard error in the file `log`. Returns 0 or a negative errno. */
int process_start(struct process *process, const char *log, const char *const argv[]);

/** Sends the signal, unless that is 0, and waits. Returns the exit status, or -1 when a signal ended it or it had to be
 *  killed for not ending. Shows the log of what did not end as it should. */
int process_end(struct process *process, int signal);

bool process_alive(const struct process *process);

/** Open file descriptors. */
unsigned process_fds(const struct process *process);
/** Mappings of files whose name has `part` in it. */
unsigned process_mappings(const struct process *process, const char *part);

/** Creates a temporary directory; removes it with its files. */
int folder_create(char path[PROCESS_PATH_MAX]);
void folder_remove(const char *path);

void wait_a_millisecond(void);

#endif /* GPULINK_EMU_TEST_PROCESS_H */
