// SPDX-License-Identifier: Apache-2.0
#include "http_head.h"

#include <ctype.h>
#include <string.h>

/* The bytes up to the end of the head, an empty line, or 0. Lines end with CR LF, or LF. */
static size_t head_bytes(const char *text, size_t bytes)
{
	size_t line = 0;

	for (size_t i = 0; i < bytes; i++) {
		if (text[i] != '\n')
			continue;
		if (i == line || (i == line + 1 && text[line] == '\r'))
			return i + 1;
		line = i + 1;
	}
	return 0;
}

static bool word_is(const char *word, size_t length, const char *text)
{
	return length == strlen(text) && !memcmp(word, text, length);
}

static unsigned status_of(const char *line, size_t length, const char *path, bool *body)
{
	const char *target = memchr(line, ' ', length), *version, *query;
	size_t rest = target ? length - (size_t)(++target - line) : 0, part;

	version = target ? memchr(target, ' ', rest) : NULL;
	part = version ? (size_t)(version - target) : 0;
	if (!part || rest - part != strlen(" HTTP/1.x") || memcmp(version, " HTTP/1.", 8) || !isdigit((unsigned char)version[8]))
		return 400;
	*body = !word_is(line, (size_t)(target - 1 - line), "HEAD");
	if (*body && !word_is(line, (size_t)(target - 1 - line), "GET"))
		return 405;
	query = memchr(target, '?', part);
	return word_is(target, query ? (size_t)(query - target) : part, path) ? 200 : 404;
}

bool http_head_read(const char *text, size_t bytes, size_t room, const char *path, struct http_head *head)
{
	const char *end = memchr(text, '\n', bytes);
	size_t length = end ? (size_t)(end - text) : 0;

	*head = (struct http_head){431, true};
	if (!head_bytes(text, bytes))
		return bytes >= room;
	if (length && text[length - 1] == '\r')
		length--;
	head->status = status_of(text, length, path, &head->body);
	return true;
}
