// SPDX-License-Identifier: Apache-2.0
/* Loads the module for "ucx:" devices: programs that use cards have nothing of UCX. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "../error_text.h"
#include "ucx_module.h"

#define MODULE "libgpulink-ucx.so"

/* Relative to the library: installed, and in a build directory. */
static const char *const places[] = { "gpulink/" MODULE, MODULE };

static void *load(void)
{
	char path[PATH_MAX];
	Dl_info own;
	const char *slash;
	void *module = NULL;

	if (!dladdr((const void *)&glk_ucx_open, &own) || !own.dli_fname)
		return NULL;
	slash = strrchr(own.dli_fname, '/');
	for (size_t i = 0; !module && i < sizeof(places) / sizeof(places[0]); i++) {
		if (snprintf(path, sizeof(path), "%.*s%s", slash ? (int)(slash + 1 - own.dli_fname) : 0, own.dli_fname,
			     places[i]) >= (int)sizeof(path))
			return NULL;
		/* UCX cannot be unloaded. */
		module = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	}
	return module;
}

/* UCX sets handlers of signals when it is loaded. They are the program's. */
static void *load_without_handlers(void)
{
	struct sigaction before[NSIG];
	bool known[NSIG];
	void *module;

	for (int s = 1; s < NSIG; s++)
		known[s] = !sigaction(s, NULL, &before[s]);
	module = load();
	for (int s = 1; s < NSIG; s++)
		if (known[s])
			sigaction(s, &before[s], NULL);
	return module;
}

/* UCX aborts the process while it is loaded if the host's name fills its buffer. */
static bool host_name_fits(void)
{
	struct utsname system;

	return uname(&system) || strlen(system.nodename) < HOST_NAME_MAX;
}

int glk_ucx_open(const char *text, const struct glk_backend_ops **ops, void **backend)
{
	const struct glk_ucx_module *module;
	const char *reason;
	int error;
	void *library;

	if (!host_name_fits()) {
		errno = ENAMETOOLONG;
		return glk_error(-GPULINK_EIO, "the host's name has %u characters or more, with which UCX aborts",
				 HOST_NAME_MAX);
	}
	library = load_without_handlers();
	reason = library ? NULL : dlerror();
	if (!library) {
		reason = reason ? reason : "not found";
		errno = ENOENT;
		return glk_error(-GPULINK_ENOTSUP, "%s of package libgpulink-ucx: %s", MODULE, reason);
	}
	module = dlsym(library, "glk_ucx_module");
	if (!module || module->interface != GLK_UCX_MODULE || strcmp(module->version, GLK_VERSION) ||
	    module->ops_bytes != sizeof(struct glk_backend_ops))
		return glk_error(-GPULINK_EABI, "%s: must be of the library's version " GLK_VERSION, MODULE);
	error = module->open(text, ops, backend);
	reason = error ? module->error_text(error) : NULL;
	return reason ? glk_error(error, "%s", reason) : error;
}
