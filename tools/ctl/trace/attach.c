// SPDX-License-Identifier: Apache-2.0
#include "attach.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/capability.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#define CAP_BPF	    39
#endif

#define BTF "/sys/kernel/btf/vmlinux"

/* The last message of libbpf, which says more than its error code. */
static char last_message[256];

static int take_message(enum libbpf_print_level level, const char *format, va_list arguments)
{
	if (level <= LIBBPF_WARN) {
		vsnprintf(last_message, sizeof(last_message), format, arguments);
		last_message[strcspn(last_message, "\n")] = '\0';
	}
	return 0;
}

/* --- rights --- */

static bool have_capability(const struct __user_cap_data_struct *data, unsigned capability)
{
	return data[capability / 32].effective >> capability % 32 & 1;
}

static enum exit_code check_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};
	bool bpf, perfmon;

	if (syscall(SYS_capget, &header, data)) {
		complain("cannot read capabilities: %s", strerror(errno));
		return EXIT_FAILED;
	}
	if (have_capability(data, CAP_SYS_ADMIN))
		return EXIT_OK;
	bpf = have_capability(data, CAP_BPF);
	perfmon = have_capability(data, CAP_PERFMON);
	if (bpf && perfmon)
		return EXIT_OK;
	complain("missing %s%s%s: tracing requires CAP_BPF and CAP_PERFMON, or root", bpf ? "" : "CAP_BPF",
		 bpf || perfmon ? "" : " and ", perfmon ? "" : "CAP_PERFMON");
	return EXIT_NOT_PERMITTED;
}

enum exit_code attach_permitted(void)
{
	enum exit_code code = check_capabilities();

	libbpf_set_print(take_message);
	if (code == EXIT_OK && access(BTF, R_OK)) {
		complain(BTF ": %s; tracing requires a kernel with BTF (CONFIG_DEBUG_INFO_BTF)", strerror(errno));
		code = EXIT_FAILED;
	}
	return code;
}

enum exit_code attach_load_failed(int error)
{
	bool refused = error == -EPERM || error == -EACCES;

	complain("cannot load BPF programs: %s%s%s%s", strerror(-error), *last_message ? ": " : "", last_message,
		 refused ? "; the kernel may be locked down, or this is a user namespace" : "");
	return refused ? EXIT_NOT_PERMITTED : EXIT_FAILED;
}

/* --- probes --- */

static enum exit_code keep(struct attached *attached, struct bpf_link *link)
{
	if (attached->count == ATTACH_LINKS_MAX) {
		bpf_link__destroy(link);
		complain("too many probes: at most %d", ATTACH_LINKS_MAX);
		return EXIT_FAILED;
	}
	attached->links[attached->count++] = link;
	return EXIT_OK;
}

/* All probes of one library, or none: *error is why. */
static enum exit_code attach_library(struct attached *attached, const struct bpf_object *object, const char *path,
				     const char *const *names, int *error)
{
	size_t before = attached->count;
	enum exit_code code = EXIT_OK;
	char program[64];

	for (*error = 0; *names && code == EXIT_OK; names++) {
		struct bpf_link *link;

		snprintf(program, sizeof(program), "on_%s", *names);
		link = bpf_program__attach_usdt(bpf_object__find_program_by_name(object, program), -1, path, "gpulink", *names,
						NULL);
		if (!link) {
			*error = errno;
			while (attached->count > before)
				bpf_link__destroy(attached->links[--attached->count]);
			return EXIT_OK;
		}
		code = keep(attached, link);
	}
	attached->libraries++;
	return code;
}

enum exit_code attach_probes(struct attached *attached, const struct bpf_object *object, const char *const *names)
{
	static struct libraries libraries;
	enum exit_code code = EXIT_OK;

	libraries_find(&libraries);
	if (libraries.more)
		complain("%zu more copies of libgpulink in use: at most %d are watched", libraries.more, LIBRARIES_MAX);
	for (size_t i = 0; i < libraries.count && code == EXIT_OK; i++) {
		const char *path = libraries.files[i].path;
		int error;

		code = attach_library(attached, object, path, names, &error);
		if (error == EPERM || error == EACCES) {
			complain("%s: %s: %s", path, strerror(error), last_message);
			return EXIT_NOT_PERMITTED;
		}
		if (error)
			complain("%s: not watched: %s", path,
				 error == ENOENT ? "no USDT probes (built without sys/sdt.h), or the file is gone" :
						   last_message);
	}
	if (code == EXIT_OK && !attached->libraries) {
		complain("no libgpulink with USDT probes found");
		code = EXIT_FAILED;
	}
	return code;
}

/* --- tracepoints --- */

static const char *tracefs(void)
{
	static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		char path[64];

		snprintf(path, sizeof(path), "%s/events", places[i]);
		if (!access(path, F_OK))
			return places[i];
	}
	return NULL;
}

static bool has_field(FILE *format, const struct attach_field *field)
{
	char line[256], name[64];
	unsigned offset, bytes;

	rewind(format);
	while (fgets(line, sizeof(line), format)) {
		const char *end = strchr(line, ';'), *start = end;

		while (start && start > line && start[-1] != ' ')
			start--;
		if (!start || !end || (size_t)(end - start) >= sizeof(name))
			continue;
		memcpy(name, start, (size_t)(end - start));
		name[end - start] = '\0';
		if (!strcmp(name, field->name) && sscanf(end, "; offset:%9u; size:%9u;", &offset, &bytes) == 2)
			return offset == field->offset && bytes == field->bytes;
	}
	return false;
}

/* Returns NULL, after reporting it, unless the running driver's tracepoint has these fields. */
static bool format_fits(const char *place, const char *name, const struct attach_field *fields)
{
	char path[128];
	bool fits = true;
	FILE *format;

	snprintf(path, sizeof(path), "%s/events/gpulink/%s/format", place, name);
	format = fopen(path, "re");
	if (!format) {
		complain("%s: %s; not watched%s", path, strerror(errno),
			 errno == EACCES ? " (missing CAP_DAC_READ_SEARCH)" : "");
		return false;
	}
	for (; fields->name && fits; fields++) {
		fits = has_field(format, fields);
		if (!fits)
			complain("%s: not watched: no field %s of %u bytes at offset %u; the driver is of another version",
				 path, fields->name, fields->bytes, fields->offset);
	}
	fclose(format);
	return fits;
}

enum exit_code attach_tracepoint(struct attached *attached, const struct bpf_program *program, const char *name,
				 const struct attach_field *fields)
{
	const char *place = tracefs();
	struct bpf_link *link;

	if (access("/sys/module/gpulink", F_OK))
		return EXIT_OK;
	if (!place) {
		complain("%s: not watched: tracefs is not mounted at /sys/kernel/tracing", name);
		return EXIT_OK;
	}
	if (!format_fits(place, name, fields))
		return EXIT_OK;
	link = bpf_program__attach_tracepoint(program, "gpulink", name);
	if (!link) {
		complain("tracepoint %s: %s: %s", name, strerror(errno), last_message);
		return errno == EPERM || errno == EACCES ? EXIT_NOT_PERMITTED : EXIT_FAILED;
	}
	attached->driver = true;
	return keep(attached, link);
}

/* --- end --- */

void attach_end(struct attached *attached)
{
	while (attached->count)
		bpf_link__destroy(attached->links[--attached->count]);
}

uint64_t attach_skipped(const struct bpf_object *object)
{
	struct bpf_program *program;
	uint64_t skipped = 0;

	bpf_object__for_each_program(program, object) {
		struct bpf_prog_info info = {0};
		unsigned bytes = sizeof(info);
		int fd = bpf_program__fd(program);

		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &bytes))
			skipped += info.recursion_misses;
	}
	return skipped;
}
