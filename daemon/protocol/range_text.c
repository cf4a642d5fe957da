// SPDX-License-Identifier: Apache-2.0
#include "range_text.h"

#include "../../common/number.h"

#include <gpulink_admin.h>

#include <grp.h>
#include <pwd.h>
#include <string.h>

#define PAGE 4096

bool range_name_valid(const char *name)
{
	size_t length = strlen(name);

	if (!length || length >= sizeof(((struct gpulink_admin_range *)NULL)->name) || strchr("_-.", name[0]) ||
	    !strcmp(name, "add") || !strcmp(name, "remove"))
		return false;
	return strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") == length;
}

/* A multiple of a page, in decimal or 0x hexadecimal, with an optional suffix. */
static bool parse_size(const char *text, uint64_t *value)
{
	static const char suffixes[] = "KMG";
	const char *suffix, *end = glk_number_take(text, 0, UINT64_MAX, value);

	if (!end)
		return false;
	if (*end) {
		suffix = strchr(suffixes, *end);
		if (!suffix || end[1] || __builtin_mul_overflow(*value, UINT64_C(1024) << 10 * (suffix - suffixes), value))
			return false;
	}
	return *value % PAGE == 0;
}

static bool parse_number(const char *text, uint32_t *id)
{
	uint64_t value;

	if (!glk_number(text, 10, GPULINK_NO_OWNER - 1, &value))
		return false;
	*id = (uint32_t)value;
	return true;
}

/* The function whose result `owner` receives is that of its word; each may occur once. */
static bool parse_owner(const char *word, struct gpulink_admin_range *range)
{
	char buffer[16384];

	if (!strncmp(word, "user=", 5) && range->user == GPULINK_NO_OWNER) {
		struct passwd entry, *found = NULL;

		if (parse_number(word + 5, &range->user))
			return true;
		if (getpwnam_r(word + 5, &entry, buffer, sizeof(buffer), &found) || !found)
			return false;
		range->user = found->pw_uid;
		return true;
	}
	if (!strncmp(word, "group=", 6) && range->group == GPULINK_NO_OWNER) {
		struct group entry, *found = NULL;

		if (parse_number(word + 6, &range->group))
			return true;
		if (getgrnam_r(word + 6, &entry, buffer, sizeof(buffer), &found) || !found)
			return false;
		range->group = found->gr_gid;
		return true;
	}
	return false;
}

static bool parse_rights(const char *word, uint32_t *rights)
{
	*rights = (strchr(word, 'r') ? GPULINK_READ : 0) | (strchr(word, 'w') ? GPULINK_WRITE : 0);
	return !strcmp(word, "r") || !strcmp(word, "w") || !strcmp(word, "rw");
}

bool range_text_parse(const char *text, struct gpulink_admin_range *range)
{
	char copy[256], *words[6] = {0}, *rest = NULL;
	unsigned count = 0;

	if (strlen(text) >= sizeof(copy))
		return false;
	strcpy(copy, text);
	for (char *word = strtok_r(copy, " \t", &rest); word && count < 6; word = strtok_r(NULL, " \t", &rest))
		words[count++] = word;
	if (count < 4 || count > 5)
		return false;
	range->user = range->group = GPULINK_NO_OWNER;
	range->bytes = GPULINK_RANGE_ALL;
	return parse_size(words[0], &range->offset) &&
	       (!strcmp(words[1], "all") || (parse_size(words[1], &range->bytes) && range->bytes)) &&
	       parse_rights(words[2], &range->rights) && parse_owner(words[3], range) &&
	       (count == 4 || parse_owner(words[4], range));
}
