/* SPDX-License-Identifier: Apache-2.0 */
/* Attaches BPF programs to libgpulink and the driver. What is attached belongs to this process: the kernel detaches it when
 * the process ends, however it ends. */
#ifndef GPULINKCTL_TRACE_ATTACH_H
#define GPULINKCTL_TRACE_ATTACH_H

#include "../complain.h"
#include "libraries.h"

#include <stdint.h>

#define ATTACH_LINKS_MAX (LIBRARIES_MAX * 12)

struct bpf_link;
struct bpf_object;
struct bpf_program;

struct attached {
	struct bpf_link *links[ATTACH_LINKS_MAX];
	size_t count;
	unsigned libraries; /**< with probes */
	bool driver;	    /**< tracepoints of the driver */
};

/** Whether this process may attach, and the kernel supports it; reports why not. Before any other call. */
enum exit_code attach_permitted(void);

/** Reports that a BPF object could not be loaded (-errno). */
enum exit_code attach_load_failed(int error);

/** Attaches programs on_NAME to the probes NAME of all libraries in use; libraries without them are reported and left out.
 * EXIT_FAILED if there is no other. */
enum exit_code attach_probes(struct attached *attached, const struct bpf_object *object, const char *const *names);

/** A field of a tracepoint that a program reads. */
struct attach_field {
	const char *name;
	unsigned offset, bytes;
};

/** Attaches a program to a tracepoint of the driver whose fields are these (the last has no name). Without the driver, without
 * tracefs and with another driver, which is reported, it does nothing. */
enum exit_code attach_tracepoint(struct attached *attached, const struct bpf_program *program, const char *name,
				 const struct attach_field *fields);

void attach_end(struct attached *attached);

/** Calls of the object's programs that the kernel skipped, because they would have interrupted themselves. */
uint64_t attach_skipped(const struct bpf_object *object);

#endif /* GPULINKCTL_TRACE_ATTACH_H */
