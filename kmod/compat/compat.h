/* SPDX-License-Identifier: GPL-2.0-only */
/* All kernel version checks: one name for each API that changed since 6.1. */
#ifndef GLK_COMPAT_H
#define GLK_COMPAT_H

#include <linux/device/class.h>
#include <linux/mm.h>
#include <linux/version.h>

/* 6.3 made vm_flags read-only, changed only by helpers. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_mod(struct vm_area_struct *vma, vm_flags_t set, vm_flags_t clear)
{
	vma->vm_flags = (vma->vm_flags & ~clear) | set;
}
#endif

/*
 * Since 6.2 read pins break copy-on-write. Before that, a later write by the process replaced the
 * pinned page. Write pins break it too, but shared mappings must then be writable.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define GLK_FOLL_READ (FOLL_WRITE | FOLL_FORCE)
#else
#define GLK_FOLL_READ 0
#endif

/* 6.4 removed the owner argument of class_create(). */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define glk_class_create(name) class_create(THIS_MODULE, name)
#else
#define glk_class_create(name) class_create(name)
#endif

/* 6.13 made symbol namespaces strings. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define GLK_IMPORT_NS_DMA_BUF MODULE_IMPORT_NS(DMA_BUF)
#else
#define GLK_IMPORT_NS_DMA_BUF MODULE_IMPORT_NS("DMA_BUF")
#endif

/* 6.19 lets exporters map memory without struct pages for importers. */
#if defined(CONFIG_PCI_P2PDMA) && LINUX_VERSION_CODE >= KERNEL_VERSION(6, 19, 0)
#define GLK_HAVE_P2P_EXPORT
#endif

/*
 * Large mappings of memory without struct pages need pmd_special() (6.12). On 6.12 page faults fall
 * back to small pages anyway; 6.17 also dropped pfn_t.
 */
#if defined(CONFIG_ARCH_SUPPORTS_PMD_PFNMAP) && LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
#include <linux/huge_mm.h>
#define GLK_HAVE_HUGE_FAULT
#endif

/* 7.1 renamed the move notification of dma-buf exporters. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 1, 0)
#define GLK_INVALIDATE_MAPPINGS move_notify
#define dma_buf_invalidate_mappings dma_buf_move_notify
#else
#define GLK_INVALIDATE_MAPPINGS invalidate_mappings
#endif

#endif /* GLK_COMPAT_H */
