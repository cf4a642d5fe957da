// SPDX-License-Identifier: Apache-2.0
/* Facts from sysfs and procfs that libpci does not provide. */
#include "read.h"

#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define DEVICES "/sys/bus/pci/devices"

/* Reads the first bytes of a file, up to its last line break. Empty: not readable. */
__attribute__((format(printf, 3, 4))) static bool read_text(char *text, size_t size, const char *format, ...)
{
	char path[192];
	va_list arguments;
	FILE *file;
	size_t used;

	va_start(arguments, format);
	vsnprintf(path, sizeof(path), format, arguments);
	va_end(arguments);
	*text = 0;
	file = fopen(path, "re");
	if (!file)
		return false;
	used = fread(text, 1, size - 1, file);
	text[used] = 0;
	if (used && text[used - 1] == '\n')
		text[used - 1] = 0;
	fclose(file);
	return used;
}

static bool count_errors(const struct function *f, const char *kind, const char *total, uint64_t *count)
{
	char text[1024];
	const char *at;

	if (!read_text(text, sizeof(text), DEVICES "/%s/aer_dev_%s", f->address, kind))
		return false;
	at = strstr(text, total);
	return at && sscanf(at + strlen(total), "%20" SCNu64, count) == 1;
}

/* gpulinkN, in the folder gpulink of the function. */
static void read_card_name(struct function *f)
{
	char path[64];
	struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof(path), DEVICES "/%s/gpulink", f->address);
	folder = opendir(path);
	while (folder && (entry = readdir(folder))) {
		if (!strncmp(entry->d_name, "gpulink", 7))
			snprintf(f->system.card_name, sizeof(f->system.card_name), "%.15s", entry->d_name);
	}
	if (folder)
		closedir(folder);
}

/* Whether the user who called sudo is in the group of the device file. */
static enum answer in_group(const char *user, gid_t group)
{
	const struct passwd *entry = getpwnam(user);
	gid_t groups[64];
	int count = 64;

	if (!entry || getgrouplist(user, entry->pw_gid, groups, &count) < 0)
		return NOT_KNOWN;
	for (int i = 0; i < count; i++) {
		if (groups[i] == group)
			return YES;
	}
	return NO;
}

static enum answer may_open(const char *name)
{
	const char *user = getenv("SUDO_USER");
	char path[32];
	struct stat info;

	snprintf(path, sizeof(path), "/dev/%s", name);
	if (stat(path, &info))
		return NOT_KNOWN;
	if (geteuid())
		return access(path, R_OK | W_OK) ? NO : YES;
	return !user ? NOT_KNOWN : (info.st_mode & 06) == 06 ? YES : in_group(user, info.st_gid);
}

static void topo_system_read_card(struct function *f)
{
	char text[8];

	read_card_name(f);
	if (!*f->system.card_name)
		return;
	read_text(f->system.card_state, sizeof(f->system.card_state), "/sys/class/gpulink/%s/state", f->system.card_name);
	f->system.node_open = may_open(f->system.card_name);
	if (read_text(text, sizeof(text), "/sys/class/gpulink/%s/unchecked_peers", f->system.card_name))
		f->system.unchecked_peers = *text == '1' ? YES : NO;
}

/* Prefers the kernel's configuration: the list of symbols is long. */
static enum answer has_p2pdma(const char *release)
{
	static const char symbol[] = " pci_p2pdma_distance_many";
	char path[128], line[256];
	enum answer found = NO;
	FILE *file;

	snprintf(path, sizeof(path), "/boot/config-%s", release);
	file = fopen(path, "re");
	for (; file && fgets(line, sizeof(line), file);) {
		if (!strcmp(line, "CONFIG_PCI_P2PDMA=y\n"))
			found = YES;
	}
	if (!file) {
		file = fopen("/proc/kallsyms", "re");
		for (; file && found == NO && fgets(line, sizeof(line), file);) {
			const char *at = strstr(line, symbol);

			if (at && strchr("\n\t ", at[sizeof(symbol) - 1]))
				found = YES;
		}
	}
	if (!file)
		return NOT_KNOWN;
	fclose(file);
	return found;
}

static void read_cpu(struct machine *machine)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[256];

	while (file && fgets(line, sizeof(line), file) && (!*machine->cpu_vendor || !machine->cpu_family)) {
		sscanf(line, "vendor_id : %15s", machine->cpu_vendor);
		sscanf(line, "cpu family : %9u", &machine->cpu_family);
	}
	if (file)
		fclose(file);
}

static void read_module(struct machine *machine)
{
	char text[128];

	machine->module_loaded = access("/sys/module/gpulink", F_OK) ? NO : YES;
	if (machine->module_loaded == YES && read_text(text, sizeof(text), "/sys/module/gpulink/taint"))
		machine->module_unsigned = strchr(text, 'E') ? YES : NO;
	if (read_text(text, sizeof(text), "/sys/module/module/parameters/sig_enforce"))
		machine->signatures_required = *text == 'Y' ? YES : NO;
	if (read_text(text, sizeof(text), "/sys/kernel/security/lockdown") && strchr(text, '[') && !strstr(text, "[none]"))
		machine->signatures_required = YES;
}

/* Root's own limit says nothing: it may exceed it. */
static void read_memlock(struct machine *machine)
{
	struct rlimit limit;

	if ((!geteuid() && !getenv("SUDO_USER")) || getrlimit(RLIMIT_MEMLOCK, &limit))
		return;
	machine->memlock_known = YES;
	machine->memlock = limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
}

void system_read(struct tree *tree)
{
	struct machine *machine = &tree->machine;
	struct utsname name;

	machine->described = true;
	if (!uname(&name))
		snprintf(machine->kernel, sizeof(machine->kernel), "%.*s", (int)sizeof(machine->kernel) - 1, name.release);
	machine->p2pdma = has_p2pdma(machine->kernel);
	read_cpu(machine);
	read_module(machine);
	read_memlock(machine);
	for (size_t i = 0; i < tree->count; i++) {
		struct function *f = &tree->functions[i];

		if (f->system.iommu_group >= 0)
			read_text(f->system.iommu_type, sizeof(f->system.iommu_type), "/sys/kernel/iommu_groups/%d/type",
				  f->system.iommu_group);
		f->aer.counted = count_errors(f, "correctable", "TOTAL_ERR_COR", &f->aer.correctable_count) &&
				 count_errors(f, "nonfatal", "TOTAL_ERR_NONFATAL", &f->aer.nonfatal_count) &&
				 count_errors(f, "fatal", "TOTAL_ERR_FATAL", &f->aer.fatal_count);
		if (f->kind == KIND_CARD)
			topo_system_read_card(f);
	}
}
