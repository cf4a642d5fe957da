// SPDX-License-Identifier: Apache-2.0
#include "read.h"

#include "../../../common/number.h"
#include "dump.h"

#include <pci/pci.h>

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DUMP_LIMIT (64u << 20)
#define FILL                                                                                                                   \
	(PCI_FILL_IDENT | PCI_FILL_BASES | PCI_FILL_SIZES | PCI_FILL_CLASS | PCI_FILL_NUMA_NODE | PCI_FILL_IOMMU_GROUP |       \
	 PCI_FILL_DRIVER)

/* libpci's error handler must not return, and gets no context. */
static jmp_buf on_error;
static struct failure *read_failure;

__attribute__((noreturn, format(printf, 1, 2))) static void topo_read_fail(char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	failure_set_list(read_failure, -EIO, format, arguments);
	va_end(arguments);
	longjmp(on_error, 1);
}

static void ignore(char *format, ...)
{
	(void)format;
}

static struct pci_access *access_new(struct failure *failure)
{
	struct pci_access *access = pci_alloc();

	read_failure = failure;
	access->error = topo_read_fail;
	access->warning = ignore;
	return access;
}

/* As many bytes as are readable: only root reads more than 64. */
static void read_config(struct pci_dev *dev, struct function *f)
{
	static const int sizes[] = {CONFIG_BYTES, 256, 64};

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		if (pci_read_block(dev, 0, f->config, sizes[i])) {
			f->config_bytes = (unsigned)sizes[i];
			return;
		}
	}
}

/* A function that does not answer reads as ones. The kernel remembers what it was; nothing else of it is known. */
static void restore_identity(const struct pci_dev *dev, struct function *f)
{
	memset(f->config, 0, sizeof(f->config));
	f->config[0] = (uint8_t)dev->vendor_id;
	f->config[1] = (uint8_t)(dev->vendor_id >> 8);
	f->config[2] = (uint8_t)dev->device_id;
	f->config[3] = (uint8_t)(dev->device_id >> 8);
	f->config[10] = (uint8_t)dev->device_class;
	f->config[11] = (uint8_t)(dev->device_class >> 8);
}

static void read_facts(struct pci_dev *dev, struct function *f)
{
	const char *group, *driver;
	uint64_t number;

	pci_fill_info(dev, FILL);
	if (f->config[0] == 0xff && f->config[1] == 0xff)
		restore_identity(dev, f);
	for (unsigned b = 0; b < 6; b++)
		f->bars[b].bytes = dev->size[b];
	f->system.numa_node = dev->numa_node < 0 ? NO_NUMA_NODE : dev->numa_node;
	group = pci_get_string_property(dev, PCI_FILL_IOMMU_GROUP);
	f->system.iommu_group = group && glk_number(group, 10, INT_MAX, &number) ? (int)number : -1;
	driver = pci_get_string_property(dev, PCI_FILL_DRIVER);
	if (driver)
		snprintf(f->system.driver, sizeof(f->system.driver), "%s",
			 strrchr(driver, '/') ? strrchr(driver, '/') + 1 : driver);
}

static void name_functions(struct pci_access *access, struct tree *tree)
{
	for (size_t i = 0; i < tree->count; i++) {
		struct function *f = &tree->functions[i];

		if (f->kind == KIND_CARD)
			snprintf(f->name, sizeof(f->name), "gpulink card");
		else
			pci_lookup_name(access, f->name, sizeof(f->name),
					PCI_LOOKUP_VENDOR | PCI_LOOKUP_DEVICE | PCI_LOOKUP_NO_HWDB, f->vendor,
					f->device); /* the database of udev leaks */
	}
}

int read_machine(struct tree *tree, struct failure *failure)
{
	struct pci_access *access = access_new(failure);

	if (setjmp(on_error)) {
		pci_cleanup(access);
		return failure->code;
	}
	pci_init(access);
	pci_scan_bus(access);
	for (struct pci_dev *dev = access->devices; dev; dev = dev->next) {
		struct function *f = tree_add(tree, (unsigned)dev->domain, dev->bus, dev->dev, dev->func);

		if (!f)
			topo_read_fail((char *)"too many PCI functions: at most %d", FUNCTION_LIMIT);
		read_config(dev, f);
		read_facts(dev, f);
	}
	tree_complete(tree);
	name_functions(access, tree);
	pci_cleanup(access);
	system_read(tree);
	return 0;
}

/* Reads a file; the caller frees. NULL: failed, with errno. */
static char *read_file(const char *path, size_t *length)
{
	FILE *file = fopen(path, "re");
	char *text = NULL, *larger;
	size_t used = 0, room = 0;

	while (file && !feof(file) && !ferror(file) && used < DUMP_LIMIT) {
		if (used == room) {
			room = room ? 2 * room : 65536;
			larger = realloc(text, room);
			if (!larger)
				break;
			text = larger;
		}
		used += fread(text + used, 1, room - used, file);
	}
	if (!file || !feof(file)) {
		int error = file && used >= DUMP_LIMIT ? EFBIG : errno;

		free(text);
		text = NULL;
		errno = error;
	}
	if (file)
		fclose(file);
	*length = used;
	return text;
}

/* What the dump does not contain is zero. */
static void read_rows(struct pci_dev *dev, struct function *f)
{
	for (unsigned at = 0; at < f->config_bytes && pci_read_block(dev, (int)at, f->config + at, 16); at += 16)
		;
}

/* Lets libpci read the checked dump behind `plain`. */
static int read_plain(FILE *plain, struct tree *tree, struct failure *failure)
{
	struct pci_access *access = access_new(failure);
	char path[32];

	if (setjmp(on_error)) {
		pci_cleanup(access);
		return failure->code;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(plain));
	access->method = PCI_ACCESS_DUMP;
	pci_set_param(access, (char *)"dump.name", path);
	pci_init(access);
	pci_scan_bus(access);
	for (struct pci_dev *dev = access->devices; dev; dev = dev->next) {
		size_t index = (size_t)dev->domain << 8 | dev->bus;

		if (index < tree->count)
			read_rows(dev, &tree->functions[index]);
	}
	tree_complete(tree);
	name_functions(access, tree);
	pci_cleanup(access);
	return 0;
}

int read_dump(const char *path, struct tree *tree, struct failure *failure)
{
	int memory = memfd_create("dump", MFD_CLOEXEC), status;
	FILE *plain = memory < 0 ? NULL : fdopen(memory, "w+e");
	struct failure scanned;
	char *text = NULL;
	unsigned line;
	size_t length;

	if (!plain)
		return failure_set(failure, -errno, "memfd_create: %s", strerror(errno));
	text = read_file(path, &length);
	if (!text)
		status = failure_set(failure, -errno, "%s: %s", path, strerror(errno));
	else if (dump_scan(text, length, tree, plain, &line, &scanned))
		status = line ? failure_set(failure, scanned.code, "%s:%u: %s", path, line, scanned.text) :
				failure_set(failure, scanned.code, "%s: %s", path, scanned.text);
	else if (fflush(plain))
		status = failure_set(failure, -errno, "%s: %s", path, strerror(errno));
	else
		status = read_plain(plain, tree, failure);
	free(text);
	fclose(plain);
	return status;
}
