// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test driver of the emulated GPU endpoints: exports their memory as a dma-buf, which it moves on request, and imports other
 * drivers' buffers. The CPU performs the stores that a GPU would.
 */
#include <linux/delay.h>
#include <linux/dma-buf.h>
#include <linux/dma-fence.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/io.h>
#include <linux/kprobes.h>
#include <linux/log2.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/pci-p2pdma.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#include "compat.h"
#include "gpulink_regs.h"
#include "gpulink-test-gpu.h"

#define GPU_VENDOR	0x1234
#define GPU_DEVICE	0x6c65

struct test_gpu {
	struct pci_dev *pdev;
	struct miscdevice misc;
	struct mutex lock;		/* outside reservation locks */
	void __iomem *memory;
	bool upper;			/* which half holds the buffer; under its reservation lock, like the next */
	struct test_gpu_pieces pieces;	/* of the buffer; piece 0: it is contiguous */
	unsigned int pins, attached;
	int mode;			/* of the descriptors */
	bool hold_map;			/* the buffer's mappings and moves are held */
	struct dma_buf *exported;	/* while it exists */
	unsigned int reached;		/* moves after which a card still had access */
	struct dma_buf_attachment *import;
	struct sg_table *sgt;		/* under the import's reservation lock */
	void __iomem *mapped;
	unsigned int lag;		/* TEST_GPU_LAG_* */
	struct dma_fence *fence;
	spinlock_t fence_lock;
};

static struct test_gpu *move_on_revoke;

/* --- what is held until TEST_GPU_UNHOLD, or until the holder is killed --- */

static DECLARE_WAIT_QUEUE_HEAD(unhold_wait);
static unsigned int unholds;
static atomic_t holders;

static void hold(void)
{
	unsigned int before = READ_ONCE(unholds);

	atomic_inc(&holders);
	wait_event_killable(unhold_wait, READ_ONCE(unholds) != before);
	atomic_dec(&holders);
}

static void unhold(void)
{
	WRITE_ONCE(unholds, unholds + 1);
	wake_up_all(&unhold_wait);
}

/* As an exporter during a move, or an importer of a window. */
static long hold_reservation(int fd)
{
	struct dma_buf *dmabuf = dma_buf_get(fd);

	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	dma_resv_lock(dmabuf->resv, NULL);
	hold();
	dma_resv_unlock(dmabuf->resv);
	dma_buf_put(dmabuf);
	return 0;
}

static char *move_bar = "";
module_param(move_bar, charp, 0444);
MODULE_PARM_DESC(move_bar, "PCI address of a device whose BAR moves when this driver binds to it, as if it was resized");

static resource_size_t half(const struct test_gpu *gpu)
{
	return pci_resource_len(gpu->pdev, 0) / 2;
}

/* --- export --- */

/* The bytes of the BAR that the buffer uses, and their number of pieces. */
static size_t used(const struct test_gpu *gpu, const struct dma_buf *dmabuf)
{
	return gpu->pieces.piece ? half(gpu) + gpu->pieces.shift : dmabuf->size;
}

static struct sg_table *map_buffer(struct dma_buf_attachment *attach, enum dma_data_direction dir)
{
	struct test_gpu *gpu = attach->dmabuf->priv;
	phys_addr_t start = pci_resource_start(gpu->pdev, 0) + (gpu->upper ? half(gpu) : 0);
	u64 piece = gpu->pieces.piece ?: attach->dmabuf->size, slots = div64_u64(half(gpu), piece);
	struct scatterlist *sg;
	struct sg_table *sgt;
	dma_addr_t address;
	int err, i;

	if (READ_ONCE(gpu->hold_map))
		hold();
	sgt = kzalloc(sizeof(*sgt), GFP_KERNEL);
	if (!sgt)
		return ERR_PTR(-ENOMEM);
	err = sg_alloc_table(sgt, div64_u64(attach->dmabuf->size, piece), GFP_KERNEL);
	if (err)
		goto free;
	address = dma_map_resource(attach->dev, start, used(gpu, attach->dmabuf), dir, DMA_ATTR_SKIP_CPU_SYNC);
	err = dma_mapping_error(attach->dev, address);
	if (err)
		goto free_table;
	for_each_sgtable_dma_sg(sgt, sg, i) {
		sg_set_page(sg, NULL, piece, 0);
		sg_dma_address(sg) = address;
		if (gpu->pieces.piece)
			sg_dma_address(sg) += gpu->pieces.shift + TEST_GPU_PIECE((u64)i, slots) * piece;
		sg_dma_len(sg) = piece;
	}
	return sgt;
free_table:
	sg_free_table(sgt);
free:
	kfree(sgt);
	return ERR_PTR(err);
}

static void unmap_buffer(struct dma_buf_attachment *attach, struct sg_table *sgt, enum dma_data_direction dir)
{
	struct test_gpu *gpu = attach->dmabuf->priv;
	dma_addr_t address = sg_dma_address(sgt->sgl);

	if (gpu->pieces.piece)
		address -= gpu->pieces.shift + TEST_GPU_PIECE(0, div64_u64(half(gpu), gpu->pieces.piece)) * gpu->pieces.piece;
	dma_unmap_resource(attach->dev, address, used(gpu, attach->dmabuf), dir, DMA_ATTR_SKIP_CPU_SYNC);
	sg_free_table(sgt);
	kfree(sgt);
}

/* As in GPU drivers whose memory cannot move to host memory. */
static int attach_buffer(struct dma_buf *dmabuf, struct dma_buf_attachment *attach)
{
	struct test_gpu *gpu = dmabuf->priv;

	WRITE_ONCE(gpu->attached, gpu->attached + 1);
#ifdef CONFIG_PCI_P2PDMA
	if (pci_p2pdma_distance(gpu->pdev, attach->dev, false) < 0)
		return -EOPNOTSUPP;
#endif
	return 0;
}

/* Maps the current place: tests that move the buffer do not mmap it. Write-combining, as GPU drivers map their memory. */
static int mmap_buffer(struct dma_buf *dmabuf, struct vm_area_struct *vma)
{
	struct test_gpu *gpu = dmabuf->priv;
	phys_addr_t start = pci_resource_start(gpu->pdev, 0) + (gpu->upper ? half(gpu) : 0);

	vma->vm_page_prot = pgprot_writecombine(vma->vm_page_prot);
	return io_remap_pfn_range(vma, vma->vm_start, PHYS_PFN(start) + vma->vm_pgoff, vma->vm_end - vma->vm_start,
				  vma->vm_page_prot);
}

/* Kernels without DMABUF_MOVE_NOTIFY pin mapped buffers. */
static int pin_buffer(struct dma_buf_attachment *attach)
{
	struct test_gpu *gpu = attach->dmabuf->priv;

	gpu->pins++;
	return 0;
}

static void unpin_buffer(struct dma_buf_attachment *attach)
{
	struct test_gpu *gpu = attach->dmabuf->priv;

	gpu->pins--;
}

static void release_buffer(struct dma_buf *dmabuf)
{
	struct test_gpu *gpu = dmabuf->priv;

	mutex_lock(&gpu->lock);
	gpu->exported = NULL;
	mutex_unlock(&gpu->lock);
}

static const struct dma_buf_ops buffer_ops = {
	.attach = attach_buffer,
	.map_dma_buf = map_buffer,
	.unmap_dma_buf = unmap_buffer,
	.pin = pin_buffer,
	.unpin = unpin_buffer,
	.mmap = mmap_buffer,
	.release = release_buffer,
};

static long export_buffer(struct test_gpu *gpu, u64 bytes, const struct test_gpu_pieces *pieces)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct dma_buf *dmabuf;
	int fd;

	if (gpu->exported)
		return -EBUSY;
	if (!bytes || !PAGE_ALIGNED(bytes) || (!pieces->piece && bytes > half(gpu)))
		return -EINVAL;
	gpu->pieces = *pieces;
	info.ops = &buffer_ops;
	info.size = bytes;
	info.flags = gpu->mode | O_CLOEXEC;
	info.priv = gpu;
	dmabuf = dma_buf_export(&info);
	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	gpu->exported = dmabuf;
	fd = dma_buf_fd(dmabuf, O_CLOEXEC);
	if (fd < 0) {
		mutex_unlock(&gpu->lock);	/* for release_buffer() */
		dma_buf_put(dmabuf);
		mutex_lock(&gpu->lock);
	}
	return fd;
}

/* Returns whether the card has any of its first registrations in its table, and can use them. */
static bool card_has_access(struct pci_dev *card)
{
	void __iomem *regs;
	bool access = false;
	unsigned int i;
	u16 command;

	if (card->vendor != GLK_PCI_VENDOR || card->device != GLK_PCI_DEVICE ||
	    pci_read_config_word(card, PCI_COMMAND, &command) || !(command & PCI_COMMAND_MASTER))
		return false;
	regs = ioremap(pci_resource_start(card, 0), GLK_BAR0_SIZE);
	if (!regs)
		return true;
	if (readq(regs + GLK_CARD_CONTROL) & GLK_CARD_CONTROL_ENABLE_MASK)
		for (i = 0; i < 8; i++)
			access |= readq(regs + GLK_REGISTRATION_ARRAY + i * GLK_REGISTRATION_STRIDE +
					GLK_REGISTRATION_Q0) & GLK_REGISTRATION_Q0_VALID_MASK;
	iounmap(regs);
	return access;
}

/*
 * Moves the buffer as a GPU's memory manager would: importers unmap, the contents are copied, importers map the new place.
 * Copying takes additional milliseconds.
 */
static long move_locked(struct test_gpu *gpu, unsigned long ms)
{
	struct dma_buf_attachment *attach;
	void __iomem *from, *to;
	size_t i;

	if (gpu->pins)
		return -EBUSY;
	from = gpu->memory + (gpu->upper ? half(gpu) : 0);
	to = gpu->memory + (gpu->upper ? 0 : half(gpu));
	dma_buf_invalidate_mappings(gpu->exported);
	list_for_each_entry(attach, &gpu->exported->attachments, node)
		gpu->reached += card_has_access(to_pci_dev(attach->dev));
	for (i = 0; i < gpu->exported->size; i += 8)
		writeq(readq(from + i), to + i);
	/* Late writes to the old place are detected. */
	memset_io(from, 0xee, gpu->exported->size);
	msleep(min(ms, 1000UL));
	if (READ_ONCE(gpu->hold_map))
		hold();
	gpu->upper = !gpu->upper;
	return gpu->upper ? half(gpu) : 0;
}

static long export_pieces(struct test_gpu *gpu, const void __user *arg)
{
	struct test_gpu_pieces p;

	if (copy_from_user(&p, arg, sizeof(p)))
		return -EFAULT;
	if (!is_power_of_2(p.piece) || !PAGE_ALIGNED(p.piece | p.shift) || p.piece > half(gpu) ||
	    p.shift > half(gpu) || p.bytes % p.piece || gpu->upper)
		return -EINVAL;
	return export_buffer(gpu, p.bytes, &p);
}

static long move_buffer(struct test_gpu *gpu, unsigned long ms)
{
	long ret;

	if (!gpu->exported || gpu->pieces.piece)
		return -ENXIO;
	dma_resv_lock(gpu->exported->resv, NULL);
	ret = move_locked(gpu, ms);
	dma_resv_unlock(gpu->exported->resv);
	return ret;
}

/* Runs in a notification of another buffer, with its reservation lock held: only try-locks. */
static void move_now(struct test_gpu *gpu)
{
	if (!gpu || !mutex_trylock(&gpu->lock))
		return;
	if (gpu->exported && dma_resv_trylock(gpu->exported->resv)) {
		move_locked(gpu, 0);
		dma_resv_unlock(gpu->exported->resv);
	}
	mutex_unlock(&gpu->lock);
}

/* --- import --- */

static const char *fence_name(struct dma_fence *fence)
{
	return "gpulink-test-gpu";
}

static const struct dma_fence_ops fence_ops = {
	.get_driver_name = fence_name,
	.get_timeline_name = fence_name,
};

/* An operation that ends when the import is dropped. */
static int begin_operation(struct test_gpu *gpu, struct dma_resv *resv)
{
	int err = dma_resv_reserve_fences(resv, 1);

	if (err)
		return err;
	gpu->fence = kzalloc(sizeof(*gpu->fence), GFP_KERNEL);
	if (!gpu->fence)
		return -ENOMEM;
	dma_fence_init(gpu->fence, &fence_ops, &gpu->fence_lock, dma_fence_context_alloc(1), 1);
	dma_resv_add_fence(resv, gpu->fence, DMA_RESV_USAGE_BOOKKEEP);
	return 0;
}

static void let_go(struct test_gpu *gpu)
{
	if (!gpu->sgt)
		return;
	iounmap(gpu->mapped);
	dma_buf_unmap_attachment(gpu->import, gpu->sgt, DMA_BIDIRECTIONAL);
	gpu->sgt = NULL;
}

static void taken_away(struct dma_buf_attachment *attach)
{
	struct test_gpu *gpu = attach->importer_priv;

	move_now(xchg(&move_on_revoke, NULL));
	if (!(gpu->lag & TEST_GPU_LAG_MAPPING))
		let_go(gpu);
}

static const struct dma_buf_attach_ops import_ops = {
	.allow_peer2peer = true,
	.GLK_INVALIDATE_MAPPINGS = taken_away,
};

static long drop_import(struct test_gpu *gpu)
{
	struct dma_buf *dmabuf;

	if (!gpu->import)
		return -ENXIO;
	dmabuf = gpu->import->dmabuf;
	dma_resv_lock(dmabuf->resv, NULL);
	let_go(gpu);
	dma_resv_unlock(dmabuf->resv);
	if (gpu->fence) {
		dma_fence_signal(gpu->fence);
		dma_fence_put(gpu->fence);
		gpu->fence = NULL;
	}
	gpu->lag = 0;
	dma_buf_detach(dmabuf, gpu->import);
	dma_buf_put(dmabuf);
	gpu->import = NULL;
	return 0;
}

static int map_import(struct test_gpu *gpu)
{
	struct sg_table *sgt;
	int err = 0;

	dma_resv_lock(gpu->import->dmabuf->resv, NULL);
	sgt = dma_buf_map_attachment(gpu->import, DMA_BIDIRECTIONAL);
	if (IS_ERR(sgt)) {
		err = PTR_ERR(sgt);
		goto unlock;
	}
	gpu->sgt = sgt;
	gpu->mapped = ioremap(sg_dma_address(sgt->sgl), PAGE_SIZE);
	if (!gpu->mapped) {
		dma_buf_unmap_attachment(gpu->import, sgt, DMA_BIDIRECTIONAL);
		gpu->sgt = NULL;
		err = -ENOMEM;
	}
	if (!err && gpu->lag & TEST_GPU_LAG_FENCE)
		err = begin_operation(gpu, gpu->import->dmabuf->resv);
unlock:
	dma_resv_unlock(gpu->import->dmabuf->resv);
	return err;
}

static long import_buffer(struct test_gpu *gpu, int fd)
{
	struct dma_buf *dmabuf;
	int err;

	if (gpu->import)
		return -EBUSY;
	dmabuf = dma_buf_get(fd);
	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	gpu->import = dma_buf_dynamic_attach(dmabuf, &gpu->pdev->dev, &import_ops, gpu);
	if (IS_ERR(gpu->import)) {
		err = PTR_ERR(gpu->import);
		gpu->import = NULL;
		dma_buf_put(dmabuf);
		return err;
	}
	err = map_import(gpu);
	if (err)
		drop_import(gpu);
	return err;
}

static long store(struct test_gpu *gpu, unsigned long value)
{
	long ret = -ENXIO;

	if (!gpu->import)
		return ret;
	dma_resv_lock(gpu->import->dmabuf->resv, NULL);
	if (gpu->sgt) {
		writeq(value, gpu->mapped);
		wmb();	/* a window is write-combining */
		ret = 0;
	}
	dma_resv_unlock(gpu->import->dmabuf->resv);
	return ret;
}

/* --- drains of the card --- */

static atomic_t failing_drains, held_drains, drains;
static struct kprobe drain_probe;

/* Instead of the drain: the card is asked for nothing, and its stores stay queued. */
static noinline int failing_drain(void)
{
	return -ETIMEDOUT;
}

/* Before the drain, with the locks of its caller. */
static noinline int held_drain(void *card, unsigned int kind, unsigned int id)
{
	int (*drain)(void *card, unsigned int kind, unsigned int id) = (void *)drain_probe.addr;

	hold();
	return drain(card, kind, id);
}

static int drain_begins(struct kprobe *probe, struct pt_regs *regs)
{
	if (atomic_dec_if_positive(&held_drains) >= 0) {
		instruction_pointer_set(regs, (unsigned long)held_drain);
		return 1;
	}
	atomic_inc(&drains);
	if (atomic_dec_if_positive(&failing_drains) < 0)
		return 0;
	instruction_pointer_set(regs, (unsigned long)failing_drain);
	return 1;
}

/* Its presence prevents the optimization of the probe, which would ignore the changed instruction pointer. */
static void drain_does_not_begin(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe drain_probe = {
	.symbol_name = "glk_card_drain_unlocked",
	.pre_handler = drain_begins,
	.post_handler = drain_does_not_begin,
};
static bool drain_probed;

static long probe_drains(atomic_t *number, unsigned int count)
{
	int err = drain_probed ? 0 : register_kprobe(&drain_probe);

	drain_probed |= !err;
	atomic_set(number, count);
	return err;
}

/* --- resets of the card that do not end --- */

static atomic_t skipped_recoveries;

static noinline void skipped_recovery(void)
{
}

static int recovery_begins(struct kprobe *probe, struct pt_regs *regs)
{
	if (atomic_dec_if_positive(&skipped_recoveries) < 0)
		return 0;
	instruction_pointer_set(regs, (unsigned long)skipped_recovery);
	return 1;
}

static struct kprobe recovery_probe = {
	.symbol_name = "card_reset_done",
	.pre_handler = recovery_begins,
	.post_handler = drain_does_not_begin,
};
static bool recovery_probed;

static long skip_recoveries(unsigned int count)
{
	int err = recovery_probed ? 0 : register_kprobe(&recovery_probe);

	recovery_probed |= !err;
	atomic_set(&skipped_recoveries, count);
	return err;
}

/* --- the device --- */

/* Whether a partition of the card has the BAR as its endpoint now. */
static bool card_may_write(struct pci_dev *pdev)
{
	struct pci_dev *card = pci_get_device(GLK_PCI_VENDOR, GLK_PCI_DEVICE, NULL);
	void __iomem *regs = card ? ioremap(pci_resource_start(card, 0), GLK_BAR0_SIZE) : NULL;
	bool may = false;
	unsigned int i;

	for (i = 0; regs && i < GLK_PARTITION_COUNT; i++) {
		void __iomem *partition = regs + GLK_PARTITION_ARRAY + i * GLK_PARTITION_STRIDE;

		may |= readq(partition + GLK_PARTITION_EP_KIND) == GLK_EP_BUS &&
		       readq(partition + GLK_PARTITION_EP_BASE) == pci_resource_start(pdev, 0);
	}
	if (regs)
		iounmap(regs);
	pci_dev_put(card);
	return may;
}

/* Moves the BAR: something else is put where it was. */
static int shift_bar(struct pci_dev *pdev)
{
	struct resource before = pdev->resource[0], *taken;
	u16 command;
	int err;

	if (card_may_write(pdev))
		dev_info(&pdev->dev, "BAR 0 moves, and the card may write to it\n");

	pci_read_config_word(pdev, PCI_COMMAND, &command);
	pci_write_config_word(pdev, PCI_COMMAND, command & ~PCI_COMMAND_MEMORY);
	pci_release_resource(pdev, 0);
	taken = request_mem_region(before.start, PAGE_SIZE, KBUILD_MODNAME);
	err = taken ? pci_assign_resource(pdev, 0) : -EBUSY;
	if (taken)
		release_mem_region(before.start, PAGE_SIZE);
	pci_write_config_word(pdev, PCI_COMMAND, command);
	dev_info(&pdev->dev, "BAR 0 moved from %pa to %pa (%d)\n", &before.start, &pdev->resource[0].start, err);
	return err;
}

/* Not under the lock, which others hold meanwhile. */
static long hold_ioctl(struct test_gpu *gpu, unsigned int cmd, unsigned long arg)
{
	switch (cmd) {
	case TEST_GPU_HOLD:
		return hold_reservation(arg);
	case TEST_GPU_UNHOLD:
		unhold();
		return 0;
	case TEST_GPU_HOLDERS:
		return atomic_read(&holders);
	case TEST_GPU_HOLD_MAP:
		WRITE_ONCE(gpu->hold_map, arg);
		return 0;
	default:
		return -ENOIOCTLCMD;
	}
}

static long gpu_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct test_gpu *gpu = container_of(file->private_data, struct test_gpu, misc);
	long ret = hold_ioctl(gpu, cmd, arg);

	if (ret != -ENOIOCTLCMD)
		return ret;
	mutex_lock(&gpu->lock);
	switch (cmd) {
	case TEST_GPU_HOLD_DRAINS:
		ret = probe_drains(&held_drains, arg);
		break;
	case TEST_GPU_DRAINS:
		ret = atomic_read(&drains) ?: probe_drains(&drains, 0);
		break;
	case TEST_GPU_EXPORT:
		ret = export_buffer(gpu, arg, &(struct test_gpu_pieces){ });
		break;
	case TEST_GPU_EXPORT_PIECES:
		ret = export_pieces(gpu, (const void __user *)arg);
		break;
	case TEST_GPU_MOVE:
		ret = move_buffer(gpu, arg);
		break;
	case TEST_GPU_IMPORT:
		ret = import_buffer(gpu, arg);
		break;
	case TEST_GPU_STORE:
		ret = store(gpu, arg);
		break;
	case TEST_GPU_DROP:
		ret = drop_import(gpu);
		break;
	case TEST_GPU_MOVE_ON_REVOKE:
		move_on_revoke = gpu;
		ret = 0;
		break;
	case TEST_GPU_LAG:
		gpu->lag = arg;
		ret = 0;
		break;
	case TEST_GPU_FAIL_DRAINS:
		ret = probe_drains(&failing_drains, arg);
		break;
	case TEST_GPU_ATTACHED:
		ret = READ_ONCE(gpu->attached);
		break;
	case TEST_GPU_EXPORT_MODE:
		gpu->mode = arg & O_ACCMODE;
		ret = 0;
		break;
	case TEST_GPU_SKIP_RECOVERIES:
		ret = skip_recoveries(arg);
		break;
	case TEST_GPU_SHIFT_BAR:
		ret = shift_bar(gpu->pdev);
		break;
	case TEST_GPU_REACHED:
		ret = gpu->reached;
		break;
	default:
		ret = -ENOTTY;
	}
	mutex_unlock(&gpu->lock);
	return ret;
}

static const struct file_operations gpu_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = gpu_ioctl,
};

static int gpu_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct test_gpu *gpu;
	int err;

	gpu = devm_kzalloc(&pdev->dev, sizeof(*gpu), GFP_KERNEL);
	if (!gpu)
		return -ENOMEM;
	if (!strcmp(pci_name(pdev), move_bar)) {
		err = shift_bar(pdev);
		if (err)
			return err;
	}
	err = pcim_enable_device(pdev);
	if (err)
		return err;
	gpu->pdev = pdev;
	gpu->mode = O_RDWR;
	mutex_init(&gpu->lock);
	spin_lock_init(&gpu->fence_lock);
	gpu->memory = devm_ioremap(&pdev->dev, pci_resource_start(pdev, 0), pci_resource_len(pdev, 0));
	if (!gpu->memory)
		return -ENOMEM;
	err = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (err)
		return err;
	pci_set_drvdata(pdev, gpu);
	gpu->misc.minor = MISC_DYNAMIC_MINOR;
	gpu->misc.fops = &gpu_fops;
	gpu->misc.name = devm_kasprintf(&pdev->dev, GFP_KERNEL, "gpulink-test-gpu-%s", pci_name(pdev));
	if (!gpu->misc.name)
		return -ENOMEM;
	return misc_register(&gpu->misc);
}

/* Tests close their files before. */
static void gpu_remove(struct pci_dev *pdev)
{
	struct test_gpu *gpu = pci_get_drvdata(pdev);

	misc_deregister(&gpu->misc);
	cmpxchg(&move_on_revoke, gpu, NULL);
	drop_import(gpu);
}

static const struct pci_device_id gpu_ids[] = {
	{ PCI_DEVICE(GPU_VENDOR, GPU_DEVICE) },
	{ }
};
MODULE_DEVICE_TABLE(pci, gpu_ids);

static struct pci_driver gpu_driver = {
	.name = KBUILD_MODNAME,
	.id_table = gpu_ids,
	.probe = gpu_probe,
	.remove = gpu_remove,
};
static int __init gpu_init(void)
{
	return pci_register_driver(&gpu_driver);
}
module_init(gpu_init);

static void __exit gpu_exit(void)
{
	pci_unregister_driver(&gpu_driver);
	if (drain_probed)
		unregister_kprobe(&drain_probe);
	if (recovery_probed)
		unregister_kprobe(&recovery_probe);
}
module_exit(gpu_exit);

MODULE_DESCRIPTION("gpulink: a GPU driver for tests of dma-bufs");
MODULE_AUTHOR("The gpulink authors");
MODULE_LICENSE("GPL");
GLK_IMPORT_NS_DMA_BUF;
