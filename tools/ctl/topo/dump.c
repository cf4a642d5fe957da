// SPDX-License-Identifier: Apache-2.0
#include "dump.h"

#include "../../../common/number.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct scan {
	struct tree *tree;
	struct function *function; /* the last one; NULL: none since the last blank line */
	FILE *plain;
	unsigned line;
	uint64_t announced;	    /* number of functions; 0: not announced */
	unsigned written, readable; /* bytes of the function's configuration space: in the dump, and in all; 0: not announced */
	struct failure *failure;
};

__attribute__((format(printf, 2, 3))) static bool dump_refuse(struct scan *scan, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	failure_set_list(scan->failure, -EINVAL, format, arguments);
	va_end(arguments);
	return false;
}

/* Copies printable characters: dumps come from others, and end on a terminal. */
static void dump_copy(char *to, size_t size, const char *from)
{
	size_t i = 0;

	for (; i + 1 < size && from[i]; i++)
		to[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
	to[i] = 0;
}

static enum answer answer_of(const char *text)
{
	return !strcmp(text, "yes") ? YES : !strcmp(text, "no") ? NO : NOT_KNOWN;
}

static const char *answer_name(enum answer answer)
{
	return answer == YES ? "yes" : answer == NO ? "no" : "unknown";
}

/* The value if the line is "KEY: VALUE", or NULL. */
static const char *value_of(const char *line, const char *key)
{
	size_t length = strlen(key);

	return !strncmp(line, key, length) && line[length] == ':' && line[length + 1] == ' ' ? line + length + 2 : NULL;
}

static void scan_cpu(struct machine *machine, const char *value)
{
	char vendor[16];
	unsigned family;

	if (sscanf(value, "%15s %9u", vendor, &family) != 2)
		return;
	dump_copy(machine->cpu_vendor, sizeof(machine->cpu_vendor), vendor);
	machine->cpu_family = family;
}

/* Lines before the first function; unknown ones are ignored. */
static bool scan_machine(struct scan *scan, const char *line)
{
	struct machine *machine = &scan->tree->machine;
	const char *value;

	if ((value = value_of(line, "gpulink-dump"))) {
		if (strcmp(value, "1"))
			return dump_refuse(scan, "unknown version of a dump: must be 1");
		machine->described = true;
	} else if ((value = value_of(line, "functions"))) {
		if (!glk_number(value, 10, FUNCTION_LIMIT, &scan->announced))
			return dump_refuse(scan, "functions: %.40s: must be 0 to %d", value, FUNCTION_LIMIT);
	} else if ((value = value_of(line, "kernel"))) {
		dump_copy(machine->kernel, sizeof(machine->kernel), value);
	} else if ((value = value_of(line, "p2pdma"))) {
		machine->p2pdma = answer_of(value);
	} else if ((value = value_of(line, "cpu"))) {
		scan_cpu(machine, value);
	} else if ((value = value_of(line, "module-loaded"))) {
		machine->module_loaded = answer_of(value);
	} else if ((value = value_of(line, "module-unsigned"))) {
		machine->module_unsigned = answer_of(value);
	} else if ((value = value_of(line, "signatures-required"))) {
		machine->signatures_required = answer_of(value);
	} else if ((value = value_of(line, "memlock"))) {
		if (!glk_number(value, 10, UINT64_MAX, &machine->memlock))
			return dump_refuse(scan, "memlock: %.40s: must be 0 to 2^64 - 1", value);
		machine->memlock_known = YES;
	}
	return true;
}

/* "Memory at 3800000000 (64-bit, prefetchable) [size=16G]" */
static void scan_region(struct function *f, const char *value)
{
	static const char units[] = "KMGTP";
	const char *size = strstr(value, "[size="), *unit;
	unsigned long long number;
	unsigned index;
	char letter = 0;

	if (sscanf(value, "Region %1u: Memory", &index) != 1 || index > 5 || !size)
		return;
	if (sscanf(size, "[size=%5llu%c", &number, &letter) != 2)
		return;
	unit = strchr(units, letter);
	f->bars[index].bytes = (uint64_t)number << (unit ? 10 * (unit - units + 1) : 0);
}

/* Indented lines: what lspci -v writes, and "gpulink:" for what it does not. */
static void scan_fact(struct function *f, const char *line)
{
	struct system_facts *system = &f->system;
	const char *value, *own = value_of(line, "gpulink");
	uint64_t number;

	if ((value = value_of(line, "NUMA node"))) {
		system->numa_node = glk_number(value, 10, INT_MAX, &number) ? (int)number : NO_NUMA_NODE;
	} else if ((value = value_of(line, "IOMMU group"))) {
		system->iommu_group = glk_number(value, 10, INT_MAX, &number) ? (int)number : -1;
	} else if ((value = value_of(line, "Kernel driver in use"))) {
		dump_copy(system->driver, sizeof(system->driver), value);
	} else if (!strncmp(line, "Region ", 7)) {
		scan_region(f, line);
	} else if (!own) {
		return;
	} else if ((value = value_of(own, "iommu-type"))) {
		dump_copy(system->iommu_type, sizeof(system->iommu_type), value);
	} else if ((value = value_of(own, "name"))) {
		if (strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789") == strlen(value))
			dump_copy(system->card_name, sizeof(system->card_name), value);
	} else if ((value = value_of(own, "state"))) {
		if (strspn(value, "abcdefghijklmnopqrstuvwxyz") == strlen(value))
			dump_copy(system->card_state, sizeof(system->card_state), value);
	} else if ((value = value_of(own, "node-open"))) {
		system->node_open = answer_of(value);
	} else if ((value = value_of(own, "unchecked-peers"))) {
		system->unchecked_peers = answer_of(value);
	} else if ((value = value_of(own, "errors"))) {
		f->aer.counted = sscanf(value, "%19" SCNu64 " %19" SCNu64 " %19" SCNu64, &f->aer.correctable_count,
					&f->aer.nonfatal_count, &f->aer.fatal_count) == 3;
	}
}

/* Matches digits (#: hexadecimal) and other characters of a pattern; returns what follows, or NULL. */
static const char *match(const char *text, const char *pattern)
{
	for (; *pattern; pattern++, text++) {
		if (*pattern == '#' ? !isxdigit((unsigned char)*text) : *text != *pattern)
			return NULL;
	}
	return text;
}

static bool end_function(struct scan *scan)
{
	struct function *f = scan->function;

	scan->function = NULL;
	if (f && scan->readable && f->config_bytes != scan->written)
		return dump_refuse(scan, "%s has %u bytes of configuration space instead of %u: the dump is cut", f->address,
				   f->config_bytes, scan->written);
	if (f && scan->readable >= f->config_bytes)
		f->config_bytes = scan->readable;
	scan->readable = 0;
	if (!f || f->config_bytes == 64 || f->config_bytes == 256 || f->config_bytes == CONFIG_BYTES)
		return true;
	if (!f->config_bytes)
		return dump_refuse(scan, "%s has no configuration space: run lspci with -xxxx", f->address);
	return dump_refuse(scan, "%s has %u bytes of configuration space: must be 64, 256 or 4096; the dump is cut", f->address,
			   f->config_bytes);
}

/* "0000:01:00.0 Class: name" or "01:00.0 ..."; domains have 4 or more digits. `*is`: whether the line is one. */
static bool scan_header(struct scan *scan, const char *line, bool *is)
{
	unsigned domain = 0, bus, slot, number;
	const char *at = line, *end;
	uint64_t value = 0;

	for (unsigned digits = 4; digits <= 8; digits++) {
		static const char pattern[] = "########:";

		if (match(line, pattern + 8 - digits)) {
			glk_number_take(line, 16, UINT32_MAX, &value);
			domain = (unsigned)value;
			at = line + digits + 1;
			break;
		}
	}
	end = match(at, "##:##.#");
	*is = end && (!*end || *end == ' ');
	if (!*is)
		return true;
	if (!end_function(scan))
		return false;
	if (sscanf(at, "%2x:%2x.%1x", &bus, &slot, &number) != 3 || slot > 31 || number > 7)
		return dump_refuse(scan, "address %.*s: the device must be 00 to 1f, the function 0 to 7", (int)(end - line),
				   line);
	scan->function = tree_add(scan->tree, domain, bus, slot, number);
	if (!scan->function && tree_find(scan->tree, domain, bus, slot, number))
		return dump_refuse(scan, "%.*s is described twice", (int)(end - line), line);
	if (!scan->function)
		return dump_refuse(scan, "too many functions: at most %d", FUNCTION_LIMIT);
	fprintf(scan->plain, "\n%04x:%02x:00.0 x\n", (unsigned)(scan->tree->count - 1) >> 8,
		(unsigned)(scan->tree->count - 1) & 0xff);
	return true;
}

/* "40: 10 00 ..." */
static bool scan_data(struct scan *scan, const char *line, const char *bytes)
{
	unsigned count = 0;
	uint64_t at = CONFIG_BYTES;

	glk_number_take(line, 16, CONFIG_BYTES, &at);
	if (!scan->function)
		return dump_refuse(scan, "data without a function");
	for (; match(bytes, " ##") && count < 17; bytes += 3)
		count++;
	if (*bytes || count != 16 || at % 16 || at > CONFIG_BYTES - 16)
		return dump_refuse(scan, "'%.60s': must be an offset and 16 bytes; the dump is cut or damaged", line);
	if (at + 16 > scan->function->config_bytes)
		scan->function->config_bytes = (unsigned)at + 16;
	fprintf(scan->plain, "%s\n", line);
	return true;
}

static bool scan_line(struct scan *scan, char *line)
{
	const char *bytes;
	bool header;

	line[strcspn(line, "\r")] = 0;
	if (!*line)
		return end_function(scan);
	if (*line == '\t') {
		if (scan->function && sscanf(line, "\tgpulink: config: %4u of %4u", &scan->written, &scan->readable) != 2)
			scan_fact(scan->function, line + 1);
		return true;
	}
	bytes = match(line, "##:");
	bytes = bytes ? bytes : match(line, "###:");
	if (bytes && *bytes == ' ')
		return scan_data(scan, line, bytes);
	if (!scan_header(scan, line, &header) || header)
		return header && scan->function;
	if (!scan->tree->count)
		return scan_machine(scan, line);
	return dump_refuse(scan, "'%.60s': not a line of lspci -xxxx", line);
}

static void clean(char *text)
{
	for (; *text; text++) {
		if (*text < ' ' || *text > '~')
			*text = '?';
	}
}

int dump_scan(char *text, size_t length, struct tree *tree, FILE *plain, unsigned *line_number, struct failure *failure)
{
	struct scan scan = { .tree = tree, .plain = plain, .failure = failure };
	bool good = !memchr(text, 0, length);

	*line_number = 0;
	if (!good)
		dump_refuse(&scan, "not a text: must be the output of lspci -Dvvxxxx or gpulinkctl topo --dump");
	for (size_t at = 0; good && at < length;) {
		char line[1024]; /* longer lines are lists of capabilities, of which nothing is read */
		const char *end = memchr(text + at, '\n', length - at);
		size_t used = end ? (size_t)(end - (text + at)) : length - at,
		       kept = used < sizeof(line) ? used : sizeof(line) - 1;

		memcpy(line, text + at, kept);
		line[kept] = 0;
		scan.line++;
		good = scan_line(&scan, line);
		at += used + 1;
	}
	good = good && end_function(&scan);
	if (good && !tree->count) {
		scan.line = 0;
		good = dump_refuse(&scan, "no PCI function: must be the output of lspci -Dvvxxxx or gpulinkctl topo --dump");
	}
	if (good && scan.announced && scan.announced != tree->count)
		good = dump_refuse(&scan, "%zu PCI functions of %" PRIu64 ": the dump is cut", tree->count, scan.announced);
	if (!good) {
		*line_number = scan.line;
		clean(failure->text);
	}
	return good ? 0 : failure->code;
}

static void write_machine(FILE *file, const struct tree *tree)
{
	const struct machine *m = &tree->machine;

	fprintf(file, "gpulink-dump: 1\nfunctions: %zu\n", tree->count);
	if (*m->kernel)
		fprintf(file, "kernel: %s\n", m->kernel);
	if (*m->cpu_vendor)
		fprintf(file, "cpu: %s %u\n", m->cpu_vendor, m->cpu_family);
	fprintf(file, "p2pdma: %s\nmodule-loaded: %s\nmodule-unsigned: %s\nsignatures-required: %s\n", answer_name(m->p2pdma),
		answer_name(m->module_loaded), answer_name(m->module_unsigned), answer_name(m->signatures_required));
	if (m->memlock_known == YES)
		fprintf(file, "memlock: %" PRIu64 "\n", m->memlock);
}

static void write_size(FILE *file, uint64_t bytes)
{
	static const char *const units[] = {"", "K", "M", "G", "T", "P"};
	unsigned unit = 0;

	for (; unit < 5 && !(bytes & 1023); unit++)
		bytes >>= 10;
	fprintf(file, " [size=%" PRIu64 "%s]\n", bytes, units[unit]);
}

static void write_facts(FILE *file, const struct function *f)
{
	const struct system_facts *s = &f->system;

	if (s->numa_node != NO_NUMA_NODE)
		fprintf(file, "\tNUMA node: %d\n", s->numa_node);
	if (s->iommu_group >= 0)
		fprintf(file, "\tIOMMU group: %d\n", s->iommu_group);
	for (unsigned b = 0; b < 6; b++) {
		if (!f->bars[b].memory || !f->bars[b].bytes)
			continue;
		fprintf(file, "\tRegion %u: Memory at %" PRIx64 "%s", b, f->bars[b].address,
			f->bars[b].prefetchable ? " (prefetchable)" : " (non-prefetchable)");
		write_size(file, f->bars[b].bytes);
	}
	if (*s->driver)
		fprintf(file, "\tKernel driver in use: %s\n", s->driver);
	if (*s->iommu_type)
		fprintf(file, "\tgpulink: iommu-type: %s\n", s->iommu_type);
	if (*s->card_name)
		fprintf(file, "\tgpulink: name: %s\n", s->card_name);
	if (*s->card_state)
		fprintf(file, "\tgpulink: state: %s\n", s->card_state);
	if (s->node_open != NOT_KNOWN)
		fprintf(file, "\tgpulink: node-open: %s\n", answer_name(s->node_open));
	if (s->unchecked_peers != NOT_KNOWN)
		fprintf(file, "\tgpulink: unchecked-peers: %s\n", answer_name(s->unchecked_peers));
	if (f->aer.counted)
		fprintf(file, "\tgpulink: errors: %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", f->aer.correctable_count,
			f->aer.nonfatal_count, f->aer.fatal_count);
}

/* Up to the last byte that is not zero: lspci -F takes what is missing for not readable. */
static void write_config(FILE *file, const struct function *f)
{
	unsigned end = f->config_bytes;

	while (end > 64 && !f->config[end - 1])
		end--;
	end = (end + 15) / 16 * 16;
	fprintf(file, "\tgpulink: config: %u of %u\n", end, f->config_bytes);
	for (unsigned at = 0; at < end; at += 16) {
		fprintf(file, "%02x:", at);
		for (unsigned i = 0; i < 16; i++)
			fprintf(file, " %02x", f->config[at + i]);
		fputc('\n', file);
	}
}

void dump_write(FILE *file, const struct tree *tree)
{
	write_machine(file, tree);
	for (size_t i = 0; i < tree->count; i++) {
		const struct function *f = &tree->functions[i];

		fprintf(file, "\n%s %s\n", f->address, f->name);
		write_facts(file, f);
		write_config(file, f);
	}
}
