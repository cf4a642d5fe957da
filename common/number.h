/* SPDX-License-Identifier: Apache-2.0 */
/* The parser of unsigned integers, of library, daemon and tools: no sign, no blanks, and nothing that saturates or wraps. */
#ifndef GLK_NUMBER_H
#define GLK_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 99: none. */
static inline unsigned glk_number_digit(char c)
{
	return c >= '0' && c <= '9' ? (unsigned)(c - '0') : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 :
	       c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10 : 99;
}

/**
 * Reads the number that `text` begins with, 0 to `most`. base: 8, 10, 16 with or without 0x, or 0: 16 with 0x, else 10. Returns
 * what follows its digits; NULL: there are none, or the number is larger.
 */
static inline const char *glk_number_take(const char *text, unsigned base, uint64_t most, uint64_t *value)
{
	bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') && glk_number_digit(text[2]) < 16;
	uint64_t number = 0;

	if (hexadecimal && (base == 0 || base == 16)) {
		text += 2;
		base = 16;
	}
	base = base ? base : 10;
	if (glk_number_digit(*text) >= base)
		return NULL;
	for (; glk_number_digit(*text) < base; text++)
		if (__builtin_mul_overflow(number, base, &number) ||
		    __builtin_add_overflow(number, glk_number_digit(*text), &number) || number > most)
			return NULL;
	*value = number;
	return text;
}

/** The same for a text that is a number and nothing else. *value is written only if it is. */
static inline bool glk_number(const char *text, unsigned base, uint64_t most, uint64_t *value)
{
	uint64_t number;
	const char *end = glk_number_take(text, base, most, &number);

	if (!end || *end)
		return false;
	*value = number;
	return true;
}

#endif /* GLK_NUMBER_H */
