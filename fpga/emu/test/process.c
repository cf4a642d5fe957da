// SPDX-License-Identifier: Apache-2.0
#include "process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "temporary.h"

#define PATIENCE_MS 10000

void wait_a_millisecond(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

/* Between fork() and exec: only what a signal handler may do. */
static _Noreturn void become(const char *log, const char *const argv[], pid_t parent)
{
	int fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || fd < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0)
		_exit(126);
	execv(argv[0], (char *const *)(uintptr_t)argv);
	_exit(127);
}

int process_start(struct process *process, const char *log, const char *const argv[])
{
	pid_t parent = getpid(), pid;

	snprintf(process->log, sizeof(process->log), "%s", log);
	/* Sanitizer findings must make the program fail. */
	setenv("UBSAN_OPTIONS", "halt_on_error=1:print_stacktrace=1", 0);
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		become(log, argv, parent);
	process->pid = pid;
	return 0;
}

static void show_log(const struct process *process)
{
	char line[512];
	FILE *file = fopen(process->log, "re");

	fprintf(stderr, "# %s:\n", process->log);
	while (file && fgets(line, sizeof(line), file))
		fprintf(stderr, "# %s", line);
	if (file)
		fclose(file);
}

static bool wait_for(pid_t pid, int *status)
{
	for (unsigned i = 0; i < PATIENCE_MS; i++) {
		if (waitpid(pid, status, WNOHANG) == pid)
			return true;
		wait_a_millisecond();
	}
	return false;
}

int process_end(struct process *process, int signal)
{
	pid_t pid = process->pid;
	bool in_time;
	int status;

	if (signal)
		kill(pid, signal);
	in_time = wait_for(pid, &status);
	if (!in_time) {
		fprintf(stderr, "# process %d does not end\n", (int)pid);
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
	process->pid = 0;
	in_time = in_time && WIFEXITED(status);
	/* A program terminated by a signal must not report errors. */
	if (!in_time ? signal != SIGKILL : signal && WEXITSTATUS(status))
		show_log(process);
	return in_time ? WEXITSTATUS(status) : -1;
}

bool process_alive(const struct process *process)
{
	siginfo_t info = { 0 };

	/* Checks without reaping it. */
	return process->pid && !waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT) &&
	       info.si_pid == 0;
}

unsigned process_fds(const struct process *process)
{
	char path[64];
	unsigned count = 0;
	struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)process->pid);
	folder = opendir(path);
	while (folder && (entry = readdir(folder)))
		count += entry->d_name[0] != '.';
	if (folder)
		closedir(folder);
	return count;
}

unsigned process_mappings(const struct process *process, const char *part)
{
	char line[512];
	unsigned count = 0;
	FILE *file;

	snprintf(line, sizeof(line), "/proc/%d/maps", (int)process->pid);
	file = fopen(line, "re");
	while (file && fgets(line, sizeof(line), file))
		count += strstr(line, part) != NULL;
	if (file)
		fclose(file);
	return count;
}

int folder_create(char path[PROCESS_PATH_MAX])
{
	_Static_assert(PROCESS_PATH_MAX >= TEMPORARY_ROOM, "a folder's name fits");

	return mkdtemp(temporary_template(path, "gpulink-emu")) ? 0 : -errno;
}

void folder_remove(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(folder), entry->d_name, 0);
	if (folder)
		closedir(folder);
	rmdir(path);
}
