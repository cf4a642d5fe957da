// SPDX-License-Identifier: GPL-2.0-only
/*
 * Descriptors of pool objects: anonymous files whose mode is the right to the object, and their
 * mappings of its memory through BAR 4.
 *
 * Each object has an address space of its own, so that its mappings can be revoked together. They
 * are revoked when the card is reset or goes: under state_lock for writing, while page faults hold
 * it for reading.
 */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/seq_file.h>

#include "core/card.h"
#include "core/memory.h"
#include "object/object.h"
#include "pool/pool.h"

static int pool_file_release(struct inode *inode, struct file *file)
{
	glk_pool_drop(file->private_data);
	return 0;
}

/*
 * A card that is being reset comes back with its memory: the access waits. When the card is gone,
 * the process gets a dummy page, as in a window.
 */
static vm_fault_t pool_file_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct glk_pool_object *object = vma->vm_private_data;
	struct glk_card *card = object->card;
	pgprot_t prot = vma->vm_page_prot;
	vm_fault_t ret = VM_FAULT_NOPAGE;
	unsigned long pfn;
	int err;

	glk_fault_add_page_table(vmf);
	down_read(&card->state_lock);
	err = object->dead ? -ENODEV : glk_card_error(card);
	if (err != -ESTALE) {
		pfn = PHYS_PFN(card->pool.start + (u64)object->first * GLK_PAGE_SIZE) + vmf->pgoff;
		if (err) {
			pfn = page_to_pfn(virt_to_page(object->dummy_page));
			prot = vm_get_page_prot(vma->vm_flags);
		}
		ret = vmf_insert_pfn_prot(vma, vmf->address, pfn, prot);
	}
	up_read(&card->state_lock);
	return err == -ESTALE ? glk_fault_again() : ret;
}

static const struct vm_operations_struct pool_vm_ops = {
	.fault = pool_file_fault,
};

/*
 * do_mmap() has compared the protection with the file's mode, and keeps mprotect() to it. Hence a
 * descriptor without the right to read cannot be mapped: CPUs have no write-only memory.
 */
static int pool_file_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct glk_pool_object *object = file->private_data;
	unsigned long pages = PAGE_ALIGN(object->bytes) >> PAGE_SHIFT;

	if (READ_ONCE(object->dead) || glk_card_error(object->card) == -ENODEV)
		return -ENODEV;
	if (!(vma->vm_flags & VM_MAYSHARE) || (vma->vm_flags & VM_EXEC) ||
	    vma->vm_pgoff >= pages || vma_pages(vma) > pages - vma->vm_pgoff)
		return -EINVAL;
	vm_flags_mod(vma, VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY,
		     VM_MAYEXEC | (file->f_mode & FMODE_WRITE ? 0 : VM_MAYWRITE));
	vma->vm_page_prot = pgprot_decrypted(pgprot_noncached(vma->vm_page_prot));
	vma->vm_private_data = object;
	vma->vm_ops = &pool_vm_ops;
	return 0;
}

static void pool_file_show_fdinfo(struct seq_file *m, struct file *file)
{
	const struct glk_pool_object *object = file->private_data;
	u32 rights = glk_pool_file_rights(file);

	seq_printf(m, "gpulink-card:\t%s\n", dev_name(&object->card->dev));
	seq_printf(m, "gpulink-pool-bytes:\t%llu\n", object->bytes);
	seq_printf(m, "gpulink-pool-grain:\t%lu\n", BIT(object->grain_order));
	seq_printf(m, "gpulink-pool-rights:\t%s%s\n", rights & GPULINK_ALLOW_READ ? "r" : "-",
		   rights & GPULINK_ALLOW_WRITE ? "w" : "-");
}

static const struct file_operations pool_fops = {
	.owner = THIS_MODULE,
	.release = pool_file_release,
	.mmap = pool_file_mmap,
	.show_fdinfo = pool_file_show_fdinfo,
	.llseek = noop_llseek,
};

u32 glk_pool_file_rights(const struct file *file)
{
	return (file->f_mode & FMODE_READ ? GPULINK_ALLOW_READ : 0) |
	       (file->f_mode & FMODE_WRITE ? GPULINK_ALLOW_WRITE : 0);
}

/* NULL: it is not a descriptor of an object. */
struct glk_pool_object *glk_pool_file_object(const struct file *file)
{
	return file->f_op == &pool_fops ? file->private_data : NULL;
}

/* Makes a descriptor, which takes over the caller's use of the object. */
int glk_pool_file_make(struct glk_pool_object *object, u32 rights, struct glk_new_file *new)
{
	int flags = rights == GPULINK_ALLOW_READ ? O_RDONLY :
		    rights == GPULINK_ALLOW_WRITE ? O_WRONLY : O_RDWR;
	struct file *file;
	int fd;

	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;
	file = anon_inode_getfile("[gpulink-pool]", &pool_fops, object, flags);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		return PTR_ERR(file);
	}
	file->f_mapping = object->inode->i_mapping;
	*new = (struct glk_new_file){ .file = file, .fd = fd };
	return 0;
}

/* Installs the descriptor, if there is one, or gives it up. Without locks. */
void glk_pool_file_finish(struct glk_new_file *new, bool install)
{
	if (!new->file)
		return;
	if (install) {
		fd_install(new->fd, new->file);
		return;
	}
	put_unused_fd(new->fd);
	fput(new->file);
}
