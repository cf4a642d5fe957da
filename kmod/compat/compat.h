/* SPDX-License-Identifier: GPL-2.0-only */
/* The only place that knows kernel versions: what changed between 6.1 and now, under one name each. */
#ifndef GLK_COMPAT_H
#define GLK_COMPAT_H

#include <linux/device/class.h>
#include <linux/mm.h>
#include <linux/version.h>

/* 6.3 made vm_flags read-only but for helpers. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_mod(struct vm_area_struct *vma, vm_flags_t set, vm_flags_t clear)
{
	vma->vm_flags = (vma->vm_flags & ~clear) | set;
}
#endif

/* 6.4 took the owner from classes. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define glk_class_create(name) class_create(THIS_MODULE, name)
#else
#define glk_class_create(name) class_create(name)
#endif

#endif /* GLK_COMPAT_H */
