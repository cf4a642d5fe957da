/* SPDX-License-Identifier: Apache-2.0 */
/* What the module libgpulink-ucx.so gives libgpulink, which loads it with the first "ucx:" device. Private to the two. */
#ifndef GLK_UCX_MODULE_H
#define GLK_UCX_MODULE_H

#include <stdint.h>

#include "../backend.h"

#define GLK_UCX_MODULE 2u /* of this structure and what it leads to */

struct glk_ucx_module {
	uint32_t interface; /* GLK_UCX_MODULE */
	char version[28];   /* of the library that it was built with */
	size_t ops_bytes;
	int (*open)(const char *text, const struct glk_backend_ops **ops, void **backend);
	const char *(*error_text)(int error); /* of open() in this thread, or NULL */
};

extern const struct glk_ucx_module glk_ucx_module;

#endif /* GLK_UCX_MODULE_H */
