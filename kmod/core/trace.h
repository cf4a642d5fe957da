/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints, group gpulink (docs/monitoring.md). They carry no user data and no addresses. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM gpulink

#if !defined(GLK_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define GLK_TRACE_H

#include <linux/tracepoint.h>

#include "core/card.h"
#include "core/context.h"
#include "pool/pool.h"
#include "region/region.h"
#include "registration/registration.h"
#include "window/window.h"

TRACE_DEFINE_ENUM(GLK_LIVE);
TRACE_DEFINE_ENUM(GLK_RESETTING);
TRACE_DEFINE_ENUM(GLK_SUSPENDED);
TRACE_DEFINE_ENUM(GLK_LOST);
TRACE_DEFINE_ENUM(GLK_REMOVED);

#define show_state(state)			\
	__print_symbolic(state,			\
			 { GLK_LIVE, "live" },	\
			 { GLK_RESETTING, "resetting" },	\
			 { GLK_SUSPENDED, "suspended" },	\
			 { GLK_LOST, "lost" },	\
			 { GLK_REMOVED, "removed" })

#define show_drain(kind)			\
	__print_symbolic(kind,			\
			 { 0, "card" },		\
			 { 1, "window" },	\
			 { 2, "context" },	\
			 { 3, "partition" })

#define show_cause(cause)			\
	__print_flags(cause, "|",		\
		      { 0x01, "window" },	\
		      { 0x02, "packet" },	\
		      { 0x04, "config" },	\
		      { 0x08, "dma" },		\
		      { 0x10, "endpoint" },	\
		      { 0x20, "ring" },		\
		      { 0x40, "link" })

#define show_rights(flags)				\
	__print_flags(flags, "|",			\
		      { 0x1, "read" },			\
		      { 0x2, "write" })

TRACE_EVENT(gpulink_submit,
	TP_PROTO(const struct glk_context *ctx, unsigned int count, u16 tail),
	TP_ARGS(ctx, count, tail),
	TP_STRUCT__entry(
		__field(unsigned int, card)
		__field(unsigned int, context)
		__field(unsigned int, count)
		__field(u16, tail)
	),
	TP_fast_assign(
		__entry->card = MINOR(ctx->card->dev.devt);
		__entry->context = ctx->id;
		__entry->count = count;
		__entry->tail = tail;
	),
	TP_printk("card=%u context=%u count=%u tail=%u",
		  __entry->card, __entry->context, __entry->count, __entry->tail)
);

TRACE_EVENT(gpulink_complete,
	TP_PROTO(const struct glk_context *ctx, u64 tag, u64 word),
	TP_ARGS(ctx, tag, word),
	TP_STRUCT__entry(
		__field(unsigned int, card)
		__field(unsigned int, context)
		__field(u64, tag)
		__field(u32, length)
		__field(u16, status)
	),
	TP_fast_assign(
		__entry->card = MINOR(ctx->card->dev.devt);
		__entry->context = ctx->id;
		__entry->tag = tag;
		__entry->length = GLK_FIELD(word, GLK_CQE_LENGTH);
		__entry->status = GLK_FIELD(word, GLK_CQE_STATUS);
	),
	TP_printk("card=%u context=%u tag=%llu status=%u length=%u",
		  __entry->card, __entry->context, __entry->tag, __entry->status, __entry->length)
);

TRACE_EVENT(gpulink_release_begin,
	TP_PROTO(const struct glk_context *ctx),
	TP_ARGS(ctx),
	TP_STRUCT__entry(
		__field(unsigned int, card)
		__field(unsigned int, context)
	),
	TP_fast_assign(
		__entry->card = MINOR(ctx->card->dev.devt);
		__entry->context = ctx->id;
	),
	TP_printk("card=%u context=%u", __entry->card, __entry->context)
);

TRACE_EVENT(gpulink_release_end,
	TP_PROTO(const struct glk_context *ctx, int result, u64 ns),
	TP_ARGS(ctx, result, ns),
	TP_STRUCT__entry(
		__field(unsigned int, card)
		__field(unsigned int, context)
		__field(int, result)
		__field(u64, ns)
	),
	TP_fast_assign(
		__entry->card = MINOR(ctx->card->dev.devt);
		__entry->context = ctx->id;
		__entry->result = result;
		__entry->ns = ns;
	),
	TP_printk("card=%u context=%u result=%d ns=%llu",
		  __entry->card, __entry->context, __entry->result, __entry->ns)
);

TRACE_EVENT(gpulink_drain,
	TP_PROTO(const struct glk_card *card, unsigned int kind, unsigned int id, int result,
		 u64 ns),
	TP_ARGS(card, kind, id, result, ns),
	TP_STRUCT__entry(
		__field(unsigned int, card)
		__field(unsigned int, kind)
		__field(unsigned int, id)
		__field(int, result)
		__field(u64, ns)
	),
	TP_fast_assign(
		__entry->card = MINOR(card->dev.devt);
		__entry->kind = kind;
		__entry->id = id;
		__entry->result = result;
		__entry->ns = ns;
	),
	TP_printk("card=%u kind=%s id=%u result=%d ns=%llu",
		  __entry->card, show_drain(__entry->kind), __entry->id, __entry->result,
		  __entry->ns)
);

TRACE_EVENT(gpulink_error,
	TP_PROTO(const struct glk_card *card, u64 cause),
	TP_ARGS(card, cause),
	TP_STRUCT__entry(
		__field(unsigned int, card)
		__field(u64, cause)
	),
	TP_fast_assign(
		__entry->card = MINOR(card->dev.devt);
		__entry->cause = cause;
	),
	TP_printk("card=%u cause=%s", __entry->card, show_cause(__entry->cause))
);

TRACE_EVENT(gpulink_window_map,
	TP_PROTO(const struct glk_context *ctx, const struct glk_window *window),
	TP_ARGS(ctx, window),
	TP_STRUCT__entry(
		__field(unsigned int, card)
		__field(unsigned int, context)
		__field(unsigned int, handle)
		__field(unsigned int, partition)
		__field(u64, offset)
		__field(u64, bytes)
		__field(u32, rights)
	),
	TP_fast_assign(
		__entry->card = MINOR(ctx->card->dev.devt);
		__entry->context = ctx->id;
		__entry->handle = window->handle;
		__entry->partition = window->partition;
		__entry->offset = window->offset;
		__entry->bytes = window->bytes;
		__entry->rights = window->rights;
	),
	TP_printk("card=%u context=%u handle=%u partition=%u offset=%llu bytes=%llu rights=%s",
		  __entry->card, __entry->context, __entry->handle, __entry->partition,
		  __entry->offset, __entry->bytes, show_rights(__entry->rights))
);

DECLARE_EVENT_CLASS(gpulink_handle,
	TP_PROTO(const struct glk_context *ctx, unsigned int handle),
	TP_ARGS(ctx, handle),
	TP_STRUCT__entry(
		__field(unsigned int, card)
		__field(unsigned int, context)
		__field(unsigned int, handle)
	),
	TP_fast_assign(
		__entry->card = MINOR(ctx->card->dev.devt);
		__entry->context = ctx->id;
		__entry->handle = handle;
	),
	TP_printk("card=%u context=%u handle=%u", __entry->card, __entry->context, __entry->handle)
);

/* The window was revoked: it is being unmapped, or its endpoint or range removed. */
DEFINE_EVENT(gpulink_handle, gpulink_window_revoke,
	TP_PROTO(const struct glk_context *ctx, unsigned int handle),
	TP_ARGS(ctx, handle)
);

DEFINE_EVENT(gpulink_handle, gpulink_window_unmap,
	TP_PROTO(const struct glk_context *ctx, unsigned int handle),
	TP_ARGS(ctx, handle)
);

DEFINE_EVENT(gpulink_handle, gpulink_unregister,
	TP_PROTO(const struct glk_context *ctx, unsigned int handle),
	TP_ARGS(ctx, handle)
);

TRACE_EVENT(gpulink_register,
	TP_PROTO(const struct glk_context *ctx, const struct glk_registration *reg),
	TP_ARGS(ctx, reg),
	TP_STRUCT__entry(
		__field(unsigned int, card)
		__field(unsigned int, context)
		__field(unsigned int, handle)
		__field(u64, bytes)
		__field(u64, pages)
		__field(u32, rights)
	),
	TP_fast_assign(
		__entry->card = MINOR(ctx->card->dev.devt);
		__entry->context = ctx->id;
		__entry->handle = reg->handle;
		__entry->bytes = reg->bytes;
		__entry->pages = reg->page_count;
		__entry->rights = reg->flags;
	),
	TP_printk("card=%u context=%u handle=%u bytes=%llu pages=%llu rights=%s",
		  __entry->card, __entry->context, __entry->handle, __entry->bytes,
		  __entry->pages, show_rights(__entry->rights))
);

TRACE_EVENT(gpulink_region_create,
	TP_PROTO(const struct glk_context *ctx, const struct glk_region *region),
	TP_ARGS(ctx, region),
	TP_STRUCT__entry(
		__field(unsigned int, card)
		__field(unsigned int, context)
		__field(unsigned int, handle)
		__field(u64, bytes)
		__field(unsigned int, chunks)
		__field(unsigned int, targets)
	),
	TP_fast_assign(
		__entry->card = MINOR(ctx->card->dev.devt);
		__entry->context = ctx->id;
		__entry->handle = region->handle;
		__entry->bytes = region->bytes;
		__entry->chunks = region->chunks;
		__entry->targets = region->target_count;
	),
	TP_printk("card=%u context=%u handle=%u bytes=%llu chunks=%u targets=%u",
		  __entry->card, __entry->context, __entry->handle, __entry->bytes,
		  __entry->chunks, __entry->targets)
);

DEFINE_EVENT(gpulink_handle, gpulink_region_destroy,
	TP_PROTO(const struct glk_context *ctx, unsigned int handle),
	TP_ARGS(ctx, handle));

DECLARE_EVENT_CLASS(gpulink_pool_object,
	TP_PROTO(const struct glk_pool_object *object),
	TP_ARGS(object),
	TP_STRUCT__entry(
		__field(unsigned int, card)
		__field(u64, offset)
		__field(u64, bytes)
		__field(unsigned int, grain)
	),
	TP_fast_assign(
		__entry->card = MINOR(object->card->dev.devt);
		__entry->offset = (u64)object->first * GLK_PAGE_SIZE;
		__entry->bytes = object->bytes;
		__entry->grain = BIT(object->grain_order);
	),
	TP_printk("card=%u offset=%llu bytes=%llu grain=%u", __entry->card, __entry->offset,
		  __entry->bytes, __entry->grain)
);

DEFINE_EVENT(gpulink_pool_object, gpulink_pool_create,
	TP_PROTO(const struct glk_pool_object *object),
	TP_ARGS(object)
);

/* The last descriptor, mapping or window of the object is gone. */
DEFINE_EVENT(gpulink_pool_object, gpulink_pool_free,
	TP_PROTO(const struct glk_pool_object *object),
	TP_ARGS(object)
);

TRACE_EVENT(gpulink_state,
	TP_PROTO(const struct glk_card *card, enum glk_state from, enum glk_state to),
	TP_ARGS(card, from, to),
	TP_STRUCT__entry(
		__field(unsigned int, card)
		__field(int, from)
		__field(int, to)
		__field(u64, generation)
	),
	TP_fast_assign(
		__entry->card = MINOR(card->dev.devt);
		__entry->from = from;
		__entry->to = to;
		__entry->generation = card->generation;
	),
	TP_printk("card=%u from=%s to=%s generation=%llu",
		  __entry->card, show_state(__entry->from), show_state(__entry->to),
		  __entry->generation)
);

#endif /* GLK_TRACE_H */

/* Not in include/trace/events: Kbuild adds this folder to the include path of trace.o. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH core
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
