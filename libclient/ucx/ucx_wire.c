// SPDX-License-Identifier: Apache-2.0
#include "ucx_wire.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <ucp/api/ucp.h>
#include <ucs/config/global_opts.h>
#include <ucs/debug/log_def.h>

#include "../error_text.h"

#define MESSAGE 71u /* number of our active message: others on the same worker do not exist, but strangers may come */

struct glk_wire {
	struct glk_wire_events events;
	void *owner;
	ucp_context_h context;
	ucp_worker_h worker;
	ucp_address_t *address;
	size_t address_bytes;
	int descriptor;
	bool closing;
};

static int ucx_wire_code_of(ucs_status_t status)
{
	switch (status) {
	case UCS_OK:
		return 0;
	case UCS_ERR_NO_MEMORY:
		return -GPULINK_ENOMEM;
	case UCS_ERR_UNREACHABLE:
	case UCS_ERR_CONNECTION_RESET:
	case UCS_ERR_ENDPOINT_TIMEOUT:
	case UCS_ERR_NOT_CONNECTED:
		return -GPULINK_EENDPOINT;
	default:
		errno = EIO;
		return -GPULINK_EIO;
	}
}

/* --- why UCX cannot be opened --- */

/*
 * Statuses only say "I/O error". What UCX logs names the cause, for example a full /dev/shm: the first error of the thread that
 * opens a device is kept. Unless the user asked for a log, nothing but fatal errors is printed.
 */
static _Thread_local struct {
	bool on;
	char text[256];
} cause;
static bool silent;

static ucs_log_func_rc_t on_log(const char *file, unsigned line, const char *function, ucs_log_level_t level,
				const ucs_log_component_config_t *component, const char *message, va_list arguments)
{
	(void)file;
	(void)line;
	(void)function;
	(void)component;
	if (level == UCS_LOG_LEVEL_ERROR && cause.on && !cause.text[0]) {
		va_list copy;

		va_copy(copy, arguments);
		vsnprintf(cause.text, sizeof(cause.text), message, copy);
		va_end(copy);
	}
	return silent && level != UCS_LOG_LEVEL_FATAL ? UCS_LOG_FUNC_RC_STOP : UCS_LOG_FUNC_RC_CONTINUE;
}

static void begin_to_listen(void)
{
	silent = !getenv("UCX_LOG_LEVEL");
	if (silent)
		ucs_global_opts_set_value("LOG_LEVEL", "error");
	cause.on = true;
	cause.text[0] = '\0';
	ucs_log_push_handler(on_log);
}

static void end_listening(void)
{
	ucs_log_pop_handler();
	cause.on = false;
	if (silent)
		ucs_global_opts_set_value("LOG_LEVEL", "fatal");
}

static int explain(ucs_status_t status)
{
	const char *text = cause.text[0] ? cause.text : ucs_status_string(status);

	while (isspace((unsigned char)*text))
		text++;
	return glk_error(ucx_wire_code_of(status), "UCX: %s", text);
}

/* --- open and close --- */

/*
 * What UCX does by default and must not here. Versions differ in what they have, and in whether a transport's settings are
 * named with it: those that are unknown are ignored.
 */
static void configure(ucp_config_t *config)
{
	static const char *const settings[][2] = {
		{ "RCACHE_ENABLE", "n" }, /* hooks of malloc() and mmap() */
		/* A machine that is gone is noticed in about 8 s. */
		{ "KEEPIDLE", "5s" }, { "TCP_KEEPIDLE", "5s" }, { "KEEPINTVL", "1s" }, { "TCP_KEEPINTVL", "1s" },
		{ "KEEPALIVE_INTERVAL", "5s" },
	};

	for (unsigned i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		(void)ucp_config_modify(config, settings[i][0], settings[i][1]);
}

static ucs_status_t open_context(struct glk_wire *w, unsigned processes)
{
	const ucp_params_t params = {
		.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS | UCP_PARAM_FIELD_NAME,
		.features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP,
		.estimated_num_eps = processes,
		.name = "gpulink",
	};
	ucp_config_t *config;
	ucs_status_t status;

	status = ucp_config_read(NULL, NULL, &config);
	if (status != UCS_OK)
		return status;
	configure(config);
	status = ucp_init(&params, config, &w->context);
	ucp_config_release(config);
	return status;
}

static ucs_status_t on_message(void *context, const void *header, size_t header_bytes, void *data, size_t bytes,
			       const ucp_am_recv_param_t *param)
{
	struct glk_wire *w = context;

	(void)header;
	/* Ours have no header and arrive at once. */
	if (!header_bytes && !(param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) && !w->closing)
		w->events.received(w->owner, data, bytes);
	return UCS_OK;
}

static ucs_status_t open_worker(struct glk_wire *w)
{
	const ucp_worker_params_t params = {
		.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE, .thread_mode = UCS_THREAD_MODE_SERIALIZED,
	};
	const ucp_am_handler_param_t handler = {
		.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS | UCP_AM_HANDLER_PARAM_FIELD_CB |
			      UCP_AM_HANDLER_PARAM_FIELD_ARG,
		.id = MESSAGE, .flags = UCP_AM_FLAG_WHOLE_MSG, .cb = on_message, .arg = w,
	};
	ucs_status_t status = ucp_worker_create(w->context, &params, &w->worker);

	if (status == UCS_OK)
		status = ucp_worker_set_am_recv_handler(w->worker, &handler);
	if (status == UCS_OK)
		status = ucp_worker_get_address(w->worker, &w->address, &w->address_bytes);
	if (status == UCS_OK)
		status = ucp_worker_get_efd(w->worker, &w->descriptor);
	return status;
}

int glk_wire_open(const struct glk_wire_events *events, void *owner, unsigned processes, struct glk_wire **wire)
{
	struct glk_wire *w = calloc(1, sizeof(*w));
	ucs_status_t status;

	if (!w)
		return -GPULINK_ENOMEM;
	w->events = *events;
	w->owner = owner;
	begin_to_listen();
	status = open_context(w, processes);
	if (status == UCS_OK)
		status = open_worker(w);
	if (status != UCS_OK)
		glk_wire_close(w);
	end_listening();
	if (status != UCS_OK)
		return explain(status);
	*wire = w;
	return 0;
}

void glk_wire_close(struct glk_wire *w)
{
	w->closing = true;
	if (w->address)
		ucp_worker_release_address(w->worker, w->address);
	if (w->worker)
		ucp_worker_destroy(w->worker);
	if (w->context)
		ucp_cleanup(w->context);
	free(w);
}

const void *glk_wire_address(const struct glk_wire *w, size_t *bytes)
{
	*bytes = w->address_bytes;
	return w->address;
}

/* --- connections --- */

static void on_error(void *context, ucp_ep_h endpoint, ucs_status_t status)
{
	struct glk_wire_end *end = context;

	(void)endpoint;
	(void)status;
	if (!end->wire->closing)
		end->wire->events.lost(end->wire->owner, end->process);
}

int glk_wire_connect(struct glk_wire *w, struct glk_wire_end *end, const void *address, bool watched)
{
	ucp_ep_params_t params = {
		.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
			      UCP_EP_PARAM_FIELD_ERR_HANDLER,
		.address = address,
		/* Shared memory has no mode with errors. */
		.err_mode = watched ? UCP_ERR_HANDLING_MODE_NONE : UCP_ERR_HANDLING_MODE_PEER,
		.err_handler = { .cb = on_error, .arg = end },
	};
	ucp_ep_h endpoint;
	ucs_status_t status = ucp_ep_create(w->worker, &params, &endpoint);

	if (status == UCS_OK)
		end->endpoint = endpoint;
	return ucx_wire_code_of(status);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void glk_wire_disconnect(struct glk_wire_end *end, uint64_t deadline)
{
	const ucp_request_param_t flush = { .op_attr_mask = 0 };
	const ucp_request_param_t force = { .op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS, .flags = UCP_EP_CLOSE_FLAG_FORCE };
	ucs_status_ptr_t request;

	if (!end->endpoint)
		return;
	request = ucp_ep_close_nbx(end->endpoint, now_ns() < deadline ? &flush : &force);
	end->endpoint = NULL;
	if (!UCS_PTR_IS_PTR(request))
		return;
	while (ucp_request_check_status(request) == UCS_INPROGRESS && now_ns() < deadline)
		ucp_worker_progress(end->wire->worker);
	ucp_request_free(request);
}

/* --- messages --- */

static void on_sent(void *request, ucs_status_t status, void *cookie)
{
	struct glk_wire *w;

	(void)status; /* a lost connection is reported by itself */
	w = *(struct glk_wire **)cookie;
	w->events.sent(w->owner, cookie);
	ucp_request_free(request);
}

int glk_wire_send(const struct glk_wire_end *end, const void *message, size_t bytes, void *cookie)
{
	const ucp_request_param_t param = {
		.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS,
		.flags = UCP_AM_SEND_FLAG_EAGER, .cb.send = on_sent, .user_data = cookie,
	};
	ucs_status_ptr_t request = ucp_am_send_nbx(end->endpoint, MESSAGE, NULL, 0, message, bytes, &param);

	if (UCS_PTR_IS_ERR(request))
		return ucx_wire_code_of(UCS_PTR_STATUS(request));
	return request ? 0 : 1;
}

bool glk_wire_progress(struct glk_wire *w)
{
	return ucp_worker_progress(w->worker) != 0;
}

int glk_wire_descriptor(const struct glk_wire *w)
{
	return w->descriptor;
}

bool glk_wire_arm(struct glk_wire *w)
{
	return ucp_worker_arm(w->worker) == UCS_OK;
}
