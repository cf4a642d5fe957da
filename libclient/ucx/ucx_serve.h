/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and atomics on this process's memory: of itself, and of others, of whom nothing is believed. Under the device's lock.
 */
#ifndef GLK_UCX_SERVE_H
#define GLK_UCX_SERVE_H

#include "ucx.h"

/* An atomic of an aligned word in the memory. Returns the old value. */
uint64_t glk_serve_execute(uint8_t *word, uint32_t operation, uint32_t bytes, uint64_t operand, uint64_t compare);

/* An answer without data; `id` as in the request. */
void glk_serve_answer(struct ucx *u, uint32_t process, uint64_t id, uint32_t status);

/* The body of a request. Returns whether it is one; it is answered. */
bool glk_serve_load(struct ucx *u, uint32_t process, const uint8_t *body, size_t bytes);
bool glk_serve_atomic(struct ucx *u, uint32_t process, const uint8_t *body, size_t bytes);

#endif /* GLK_UCX_SERVE_H */
