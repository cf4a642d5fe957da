// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include "../../common/number.h"
#include "mcap.h"
#include "signature.h"
#include "xclbin.h"

#include <json-c/json.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef GLK_PCI_DEVICES
#define GLK_PCI_DEVICES "/sys/bus/pci/devices"
#endif
#ifndef GLK_PCI_DRIVER
#define GLK_PCI_DRIVER "/sys/bus/pci/drivers/gpulink"
#endif
#ifndef GLK_LOGIC_FOLDER
#define GLK_LOGIC_FOLDER "/var/lib/gpulink"
#endif

#define APPEAR_MS  10000

/* Parts that have boards: the platform of an image, and what the configuration port must identify itself as. */
static const struct part {
	const char *platform;
	uint32_t id, mask; /* without the revision */
} parts[] = {
	{ "gpulink:emulated:card:1.0", 0x06c6b093, 0x0fffffff },
	{ "gpulink:xcvu9p:card:1.0", 0x04b31093, 0x0fffffff },
};
#define PLATFORMS "gpulink:emulated:card:1.0 or gpulink:xcvu9p:card:1.0"

/* Of program_demand_signature(). */
static char demanded[PATH_MAX];

void program_demand_signature(const char *certificate)
{
	snprintf(demanded, sizeof(demanded), "%s", certificate);
}

bool program_demands_signature(void)
{
	return *demanded;
}

/* Of program_on_progress(). */
static void (*on_progress)(void);

void program_on_progress(void (*callback)(void))
{
	on_progress = callback;
}

/* An image in memory. */
struct image {
	const char *name; /* in messages */
	uint8_t *file;
	size_t bytes;
	struct xclbin xclbin;
	const uint8_t *stream;
	size_t stream_bytes;
};

/* --- images --- */

/* Reads all of it: the file may change later. */
static int read_image(struct program *p, struct image *image, int fd)
{
	struct stat status;
	size_t done = 0;

	if (fstat(fd, &status) || !S_ISREG(status.st_mode) || status.st_size <= 0 ||
	    (uint64_t)status.st_size > PROGRAM_FILE_BYTES)
		return failure_set(&p->failure, -GPULINK_EINVAL, "%s: must be a file of 1 byte to 256 MiB", image->name);
	image->bytes = (size_t)status.st_size;
	image->file = malloc(image->bytes);
	if (!image->file)
		return failure_set(&p->failure, -GPULINK_ENOMEM, "out of memory for %s", image->name);
	while (done < image->bytes) {
		ssize_t got = pread(fd, image->file + done, image->bytes - done, (off_t)done);

		if (got <= 0)
			return failure_set(&p->failure, -GPULINK_EIO, "cannot read %s: %s", image->name,
					   got ? strerror(errno) : "it became shorter");
		done += (size_t)got;
	}
	return 0;
}

/* {"gpulink": {"hw_version": "1.0.0"}}; false: there is no such text. */
static bool image_version(const struct image *image, char *version, size_t room)
{
	struct json_object *root = NULL, *ours, *value;
	size_t bytes;
	const char *text = xclbin_find(&image->xclbin, XCLBIN_USER_METADATA, &bytes);
	struct json_tokener *tokener = text && bytes < INT_MAX ? json_tokener_new_ex(8) : NULL;
	bool found;

	if (tokener)
		root = json_tokener_parse_ex(tokener, text, (int)bytes);
	found = root && json_object_object_get_ex(root, "gpulink", &ours) &&
		json_object_object_get_ex(ours, "hw_version", &value) && json_object_is_type(value, json_type_string);
	if (found)
		snprintf(version, room, "%s", json_object_get_string(value));
	json_object_put(root);
	if (tokener)
		json_tokener_free(tokener);
	return found;
}

/* The driver supports one major version: that of the card's present logic. */
static int check_version(struct program *p, const struct image *image)
{
	uint64_t major, present;
	char version[32];

	if (!*p->info.hw_version) /* the card has no logic */
		return 0;
	if (!image_version(image, version, sizeof(version)))
		return failure_set(&p->failure, -GPULINK_EINVAL, "%s: no hw_version in its metadata: no logic for gpulink",
				   image->name);
	if (!glk_number_take(version, 10, UINT64_MAX, &major) ||
	    !glk_number_take(p->info.hw_version, 10, UINT64_MAX, &present) || major != present)
		return failure_set(&p->failure, -GPULINK_EINVAL,
				   "%s: logic of version %.20s: must be of the major version of the card's, %s", image->name,
				   version, p->info.hw_version);
	return 0;
}

static int check_part(struct program *p, const struct image *image, const struct mcap *mcap)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (strcmp(parts[i].platform, image->xclbin.platform))
			continue;
		if ((mcap->part & parts[i].mask) == parts[i].id)
			return 0;
		return failure_set(&p->failure, -GPULINK_EINVAL, "%s: for another part, %s; the card's is %08x", image->name,
				   parts[i].platform, mcap->part);
	}
	return failure_set(&p->failure, -GPULINK_EINVAL, "%s: for platform '%s': must be " PLATFORMS, image->name,
			   image->xclbin.platform);
}

/* Bitstreams have a sync word behind some padding; what precedes it is not configuration. Words of the stream are aligned to
 * it. */
static int find_stream(struct program *p, struct image *image)
{
	static const uint8_t sync[4] = { 0xaa, 0x99, 0x55, 0x66 };
	size_t bytes;
	const uint8_t *section = xclbin_find(&image->xclbin, XCLBIN_BITSTREAM, &bytes), *at;

	if (!section)
		return failure_set(&p->failure, -GPULINK_EINVAL, "%s: has no bitstream", image->name);
	at = memmem(section, bytes, sync, sizeof(sync));
	if (!at)
		return failure_set(&p->failure, -GPULINK_EINVAL, "%s: its bitstream has no sync word aa995566", image->name);
	image->stream = section + (size_t)(at - section) % 4;
	image->stream_bytes = bytes - (size_t)(image->stream - section);
	return 0;
}

/* Everything that can be known of an image before the card is touched. `ours`: this program kept it. */
static int open_image(struct program *p, struct image *image, int fd, const struct mcap *mcap, bool ours)
{
	struct failure why;

	if (read_image(p, image, fd))
		return -1;
	if (xclbin_open(image->file, image->bytes, &image->xclbin, &why))
		return failure_set(&p->failure, why.code, "%s: %s", image->name, why.text);
	if (*demanded && !ours && signature_check(&image->xclbin, demanded, &why))
		return failure_set(&p->failure, why.code, "%s: %s", image->name, why.text);
	return check_part(p, image, mcap) || check_version(p, image) || find_stream(p, image) ? -1 : 0;
}

/* --- the previous image --- */

static void stored_path(const struct program *p, char path[128], const char *suffix)
{
	snprintf(path, 128, GLK_LOGIC_FOLDER "/%.32s.xclbin%s", p->info.pci_address, suffix);
}

/* The image to put back: that which was loaded last, else the one of the request. */
static int open_fallback(struct program *p, struct image *image, int given, const struct mcap *mcap)
{
	char path[128];
	int fd, result;

	stored_path(p, path, "");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && given < 0)
		return failure_set(
			&p->failure, -GPULINK_EINVAL,
			"%s: no image to put back if the new logic does not answer: give that of its present logic (--fallback)",
			p->info.name);
	result = open_image(p, image, fd < 0 ? given : fd, mcap, fd >= 0);
	if (fd >= 0)
		close(fd);
	return result;
}

/*
 * Files of a card: ADDRESS.xclbin is the image of its logic; ADDRESS.xclbin.new is there while another one is loaded, and
 * afterwards if the card was left without logic (program_recover()).
 */
static int write_image(struct program *p, const struct image *image, const char *suffix)
{
	char path[128];
	bool written;
	int fd;

	stored_path(p, path, suffix);
	mkdir(GLK_LOGIC_FOLDER, 0755);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return failure_set(&p->failure, -GPULINK_EIO, "cannot keep the image: %s: %s", path, strerror(errno));
	written = write(fd, image->file, image->bytes) == (ssize_t)image->bytes && !fsync(fd);
	close(fd);
	if (written)
		return 0;
	unlink(path);
	return failure_set(&p->failure, -GPULINK_EIO, "cannot keep the image: %s: %s", path, strerror(errno));
}

static int rename_image(struct program *p, const char *from, const char *to)
{
	char path[128], new_path[128];

	stored_path(p, path, from);
	stored_path(p, new_path, to);
	return rename(path, new_path) ?
		       failure_set(&p->failure, -GPULINK_EIO, "cannot keep the image: %s: %s", new_path, strerror(errno)) :
		       0;
}

/* Before the card is touched. */
static int store_images(struct program *p, const struct image *image, const struct image *fallback)
{
	return write_image(p, fallback, ".old") || rename_image(p, ".old", "") || write_image(p, image, ".new") ? -1 : 0;
}

static void remove_new(const struct program *p)
{
	char path[128];

	stored_path(p, path, ".new");
	unlink(path);
}

/* --- the card --- */

static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), error = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		error = -errno;
	close(fd);
	return error;
}

static int write_device(const struct program *p, const char *file, const char *text)
{
	char path[160];

	snprintf(path, sizeof(path), GLK_PCI_DEVICES "/%.32s/%s", p->info.pci_address, file);
	return write_text(path, text);
}

/* The card at the PCI address, once it appears: it may have another number. */
static bool find_again(struct program *p)
{
	char names[64][16];

	for (unsigned waited = 0; waited < APPEAR_MS; waited += 50) {
		int count = gpulink_admin_list(names, 64);

		for (int i = 0; i < count && i < 64; i++) {
			struct gpulink_admin_info info;

			if (!gpulink_admin_get_info(names[i], &info, sizeof(info)) &&
			    !strcmp(info.pci_address, p->info.pci_address) && strcmp(info.state, "lost")) {
				p->info = info;
				return true;
			}
		}
		nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	}
	return false;
}

/* Loads it, and binds the driver, whose probe reads and checks the capabilities. NULL, or what failed. */
static const char *program_load(struct program *p, struct mcap *mcap, const struct image *image)
{
	if (mcap_load(mcap, image->stream, image->stream_bytes, on_progress))
		return "the part does not accept its bitstream";
	if (write_device(p, "reset", "1\n"))
		return "the card cannot be reset";
	if (write_text(GLK_PCI_DRIVER "/bind", p->info.pci_address))
		return "the driver rejects it (see the kernel log)";
	return find_again(p) ? NULL : "the card does not appear";
}

/* The marker stays if the card has no logic now. */
static int put_back(struct program *p, struct mcap *mcap, const struct image *image, const struct image *fallback,
		    const char *why)
{
	const char *again;

	write_device(p, "driver/unbind", p->info.pci_address); /* it may have been bound */
	again = program_load(p, mcap, fallback);
	if (again)
		return failure_set(
			&p->failure, -GPULINK_EIO,
			"%s: %s; and %s could not be put back: %s. The card at %s has no logic; gpulinkd tries again when it starts",
			image->name, why, fallback->name, again, p->info.pci_address);
	remove_new(p);
	return failure_set(&p->failure, -GPULINK_EIO, "%s: %s; the previous logic is back in %s", image->name, why,
			   p->info.name);
}

static int swap(struct program *p, struct mcap *mcap, const struct image *image, const struct image *fallback)
{
	const char *why;
	int error = write_device(p, "driver/unbind", p->info.pci_address);

	if (error) {
		remove_new(p);
		return failure_set(&p->failure, -GPULINK_EIO, "cannot unbind the driver from %s: %s", p->info.pci_address,
				   strerror(-error));
	}
	why = program_load(p, mcap, image);
	return why ? put_back(p, mcap, image, fallback, why) : rename_image(p, ".new", "");
}

static int open_port(struct program *p, struct mcap *mcap)
{
	int error = mcap_open(mcap, p->info.pci_address);

	if (error == -ENOTSUP)
		return failure_set(
			&p->failure, -GPULINK_ENOTSUP,
			"%s: the card has no configuration port (MCAP), or a link: its logic cannot be loaded over PCIe",
			p->info.name);
	if (error == -EACCES || error == -EPERM)
		return failure_set(&p->failure, -GPULINK_EACCES,
				   "%s: no access to extended configuration space: CAP_SYS_ADMIN is missing (docs/program.md)",
				   p->info.name);
	return error ? failure_set(&p->failure, -GPULINK_EIO, "%s: cannot open its configuration space: %s", p->info.name,
				   strerror(-error)) :
		       0;
}

int program_card(struct program *p, const struct program_files *files)
{
	struct image image = { .name = "the image" }, fallback = { .name = "the previous image" };
	struct mcap mcap;
	int result = -1;

	if (files->image < 0)
		return failure_set(&p->failure, -GPULINK_EINVAL, "no file came with the request");
	if (open_port(p, &mcap))
		return -1;
	if (!open_image(p, &image, files->image, &mcap, false) && !open_fallback(p, &fallback, files->fallback, &mcap) &&
	    !store_images(p, &image, &fallback))
		result = swap(p, &mcap, &image, &fallback);
	mcap_close(&mcap);
	free(image.file);
	free(fallback.file);
	return result;
}

/* The card at p->info.pci_address, whose load did not end. */
static int recover(struct program *p)
{
	struct image image = { .name = "the previous image" };
	struct mcap mcap;
	const char *why;
	int result = -1;

	if (open_port(p, &mcap))
		return -1;
	if (!open_fallback(p, &image, -1, &mcap)) {
		write_device(p, "driver/unbind", p->info.pci_address);
		why = program_load(p, &mcap, &image);
		result = why ? failure_set(&p->failure, -GPULINK_EIO, "the previous logic could not be loaded: %s", why) : 0;
	}
	mcap_close(&mcap);
	free(image.file);
	if (!result)
		remove_new(p);
	return result;
}

void program_recover(void (*report)(const char *pci_address, const char *failure))
{
	static const char suffix[] = ".xclbin.new";
	DIR *folder = opendir(GLK_LOGIC_FOLDER);
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		struct program p = { 0 };
		size_t length = strlen(entry->d_name), rest = sizeof(suffix) - 1;

		if (length <= rest || length - rest >= sizeof(p.info.pci_address) ||
		    strcmp(entry->d_name + length - rest, suffix))
			continue;
		memcpy(p.info.pci_address, entry->d_name, length - rest);
		snprintf(p.info.name, sizeof(p.info.name), "%s", p.info.pci_address);
		report(p.info.pci_address, recover(&p) ? p.failure.text : NULL);
	}
	if (folder)
		closedir(folder);
}
