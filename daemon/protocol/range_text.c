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

static bool find_user(const char *name, uint32_t *id)
{
	struct passwd entry, *found = NULL;
	char buffer[16384];

	if (getpwnam_r(name, &entry, buffer, sizeof(buffer), &found) || !found)
		return false;
	*id = found->pw_uid;
	return true;
}

static bool find_group(const char *name, uint32_t *id)
{
	struct group entry, *found = NULL;
	char buffer[16384];

	if (getgrnam_r(name, &entry, buffer, sizeof(buffer), &found) || !found)
		return false;
	*id = found->gr_gid;
	return true;
}

/* "user=" or "group=" and a name or number; each may occur once. */
static enum range_text parse_owner(const char *word, struct gpulink_admin_range *range)
{
	bool user = !strncmp(word, "user=", 5);
	uint32_t *id = user ? &range->user : &range->group;
	const char *name = word + (user ? 5 : 6);

	if ((!user && strncmp(word, "group=", 6)) || *id != GPULINK_NO_OWNER || !*name)
		return RANGE_TEXT_MALFORMED;
	if (parse_number(name, id) || (user ? find_user(name, id) : find_group(name, id)))
		return RANGE_TEXT_GOOD;
	*id = GPULINK_NO_OWNER;
	/* The name of a user or group is no number. */
	return glk_number_digit(*name) < 10 ? RANGE_TEXT_MALFORMED : RANGE_TEXT_UNKNOWN;
}

static bool parse_rights(const char *word, uint32_t *rights)
{
	*rights = (strchr(word, 'r') ? GPULINK_READ : 0) | (strchr(word, 'w') ? GPULINK_WRITE : 0);
	return !strcmp(word, "r") || !strcmp(word, "w") || !strcmp(word, "rw");
}

enum range_text range_text_parse(const char *text, struct gpulink_admin_range *range, char unknown[RANGE_TEXT_BYTES])
{
	char copy[RANGE_TEXT_BYTES], *words[6] = {0}, *rest = NULL;
	enum range_text result = RANGE_TEXT_GOOD;
	unsigned count = 0;

	if (strlen(text) >= sizeof(copy))
		return RANGE_TEXT_MALFORMED;
	strcpy(copy, text);
	for (char *word = strtok_r(copy, " \t", &rest); word && count < 6; word = strtok_r(NULL, " \t", &rest))
		words[count++] = word;
	if (count < 4 || count > 5)
		return RANGE_TEXT_MALFORMED;
	range->user = range->group = GPULINK_NO_OWNER;
	range->bytes = GPULINK_RANGE_ALL;
	if (!parse_size(words[0], &range->offset) ||
	    (strcmp(words[1], "all") && (!parse_size(words[1], &range->bytes) || !range->bytes)) ||
	    !parse_rights(words[2], &range->rights))
		return RANGE_TEXT_MALFORMED;
	for (unsigned i = 3; i < count; i++) {
		enum range_text owner = parse_owner(words[i], range);

		if (owner == RANGE_TEXT_MALFORMED)
			return owner;
		if (owner == RANGE_TEXT_UNKNOWN && result == RANGE_TEXT_GOOD) {
			strcpy(unknown, words[i]);
			result = owner;
		}
	}
	return result;
}

static uint64_t last_byte(const struct gpulink_admin_range *range)
{
	uint64_t last;

	return range->bytes == GPULINK_RANGE_ALL || __builtin_add_overflow(range->offset, range->bytes - 1, &last) ?
		       UINT64_MAX :
		       last;
}

static bool contains(const struct gpulink_admin_range *outer, const struct gpulink_admin_range *inner)
{
	return outer->offset <= inner->offset && last_byte(inner) <= last_byte(outer);
}

bool range_text_conflict(const struct gpulink_admin_range *a, const struct gpulink_admin_range *b)
{
	bool same_owners = a->user == b->user && a->group == b->group;

	if (last_byte(a) < b->offset || last_byte(b) < a->offset)
		return false;
	return (!same_owners && a->rights & b->rights & GPULINK_WRITE) || (!contains(a, b) && !contains(b, a));
}
