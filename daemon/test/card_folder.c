// SPDX-License-Identifier: Apache-2.0
#include "card_folder.h"

#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <gpulink_admin.h>
#include <temporary.h>

static void must(int good, const char *what)
{
	if (!good) {
		perror(what);
		abort();
	}
}

/* Texts that callers may keep for a few calls. */
static char *next_text(void)
{
	static char texts[8][512];
	static unsigned next;

	return texts[next++ % 8];
}

void card_folder_make(void)
{
	const char *given = getenv("TMPDIR");
	char folder[TEMPORARY_ROOM];
	struct stat about;

	/* Accessible to the other users of some tests. */
	if (given && !stat(given, &about) && !(about.st_mode & S_IXOTH))
		must(!unsetenv("TMPDIR"), "unsetenv");
	must(mkdtemp(temporary_template(folder, "gpulinkd-test")) != NULL, "mkdtemp");
	must(!chmod(folder, 0755), "chmod");
	must(!setenv("MADE_UP_CARDS", folder, 1), "setenv");
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
	(void)about;
	(void)kind;
	(void)where;
	return remove(path);
}

void card_folder_remove(void)
{
	must(!nftw(getenv("MADE_UP_CARDS"), remove_one, 8, FTW_DEPTH | FTW_PHYS), "nftw");
}

const char *card_folder_path(const char *format, ...)
{
	char *path = next_text();
	int used = snprintf(path, 512, "%s/", getenv("MADE_UP_CARDS"));
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(path + used, (size_t)(512 - used), format, arguments);
	va_end(arguments);
	return path;
}

void file_write(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	must(file != NULL, path);
	must(fputs(text, file) >= 0 && !fclose(file), path);
}

void card_make(const char *card, const char *serial, unsigned partitions)
{
	must(!mkdir(card_folder_path("%s", card), 0755), "mkdir");
	file_write(card_folder_path("%s/serial", card), serial);
	must(!mkdir(card_folder_path("%s/partitions", card), 0755), "mkdir");
	for (unsigned k = 0; k < partitions; k++) {
		must(!mkdir(card_folder_path("%s/partitions/%u", card, k), 0755), "mkdir");
		card_write(card, k, "subheader_bytes", "4\n");
		card_write(card, k, "max_payload_bytes", "1024\n");
		card_write(card, k, "flush_timeout_ns", "0\n");
		card_write(card, k, "coalesce", "1\n");
		card_write(card, k, "endpoint", "none\n");
		card_write(card, k, "stores", "42\n");
	}
}

void card_write(const char *card, unsigned partition, const char *file, const char *text)
{
	file_write(card_folder_path("%s/partitions/%u/%s", card, partition, file), text);
}

const char *card_read(const char *card, unsigned partition, const char *name)
{
	FILE *file = fopen(card_folder_path("%s/partitions/%u/%s", card, partition, name), "re");
	char *text = next_text();

	must(file != NULL, name);
	must(fgets(text, 512, file) != NULL, name);
	fclose(file);
	text[strcspn(text, "\n")] = 0;
	return text;
}

const char *card_line(const char *card, unsigned partition, const char *name, unsigned line)
{
	FILE *file = fopen(card_folder_path("%s/partitions/%u/%s", card, partition, name), "re");
	char *text = next_text();

	must(file != NULL, name);
	for (unsigned i = 0; i <= line; i++)
		if (!fgets(text, 512, file))
			text[0] = 0;
	fclose(file);
	text[strcspn(text, "\n")] = 0;
	return text;
}

void card_make_link(const char *card)
{
	must(!mkdir(card_folder_path("%s/link", card), 0755), "mkdir");
	file_write(card_folder_path("%s/link/state", card), "up\n");
	for (unsigned s = 0; s < GPULINK_LINK_SETTINGS; s++)
		file_write(card_folder_path("%s/link/%s", card, gpulink_link_setting_name((enum gpulink_link_setting)s)),
			   "1\n");
}

const char *card_read_link(const char *card, const char *setting)
{
	FILE *file = fopen(card_folder_path("%s/link/%s", card, setting), "re");
	char *text = next_text();

	must(file != NULL, setting);
	must(fgets(text, 512, file) != NULL, setting);
	fclose(file);
	text[strcspn(text, "\n")] = 0;
	return text;
}
