/* SPDX-License-Identifier: GPL-2.0-only */
/* The only place that knows kernel versions: what changed since 6.1, under one name each. */
#ifndef GLK_COMPAT_H
#define GLK_COMPAT_H

#include <linux/device/class.h>
#include <linux/mm.h>
#include <linux/version.h>
#include <linux/workqueue.h>

/* 6.3 made vm_flags read-only but for helpers. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_mod(struct vm_area_struct *vma, vm_flags_t set, vm_flags_t clear)
{
	vma->vm_flags = (vma->vm_flags & ~clear) | set;
}
#endif

/*
 * 6.2 made pins for reading break copy-on-write; before, the page that was pinned was not the
 * process' any more when it next wrote to it. A pin for writing breaks it too, at a price: of
 * shared mappings only those can be pinned that may be written.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define GLK_FOLL_READ (FOLL_WRITE | FOLL_FORCE)
#else
#define GLK_FOLL_READ 0
#endif

/* 6.4 took the owner from classes. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define glk_class_create(name) class_create(THIS_MODULE, name)
#else
#define glk_class_create(name) class_create(name)
#endif

/* 6.13 made namespaces of symbols strings. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define GLK_IMPORT_NS_DMA_BUF MODULE_IMPORT_NS(DMA_BUF)
#else
#define GLK_IMPORT_NS_DMA_BUF MODULE_IMPORT_NS("DMA_BUF")
#endif

/* 6.19 lets exporters of memory without pages map it for importers. */
#if defined(CONFIG_PCI_P2PDMA) && LINUX_VERSION_CODE >= KERNEL_VERSION(6, 19, 0)
#define GLK_HAVE_P2P_EXPORT
#endif

/* 7.1 gave the call by which exporters tell that memory moves another name. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 1, 0)
#define GLK_INVALIDATE_MAPPINGS move_notify
#define dma_buf_invalidate_mappings dma_buf_move_notify
#else
#define GLK_INVALIDATE_MAPPINGS invalidate_mappings
#endif

/* 6.17 gave it a name that says what it is. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#define glk_wq system_wq
#else
#define glk_wq system_percpu_wq
#endif

#endif /* GLK_COMPAT_H */
