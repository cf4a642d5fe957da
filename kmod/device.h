/* SPDX-License-Identifier: GPL-2.0-only */
/* The device of a card, and its recovery. */
#ifndef GLK_DEVICE_H
#define GLK_DEVICE_H

#include <linux/pci.h>

struct glk_card;

/* device.c */
int glk_device_init(void);
void glk_device_exit(void);
struct glk_card *glk_card_alloc(struct pci_dev *pdev);
void glk_card_drop(struct glk_card *card);
int glk_card_publish(struct glk_card *card);
void glk_card_unpublish(struct glk_card *card);

/* recovery.c */
extern const struct pci_error_handlers glk_error_handlers;
extern const struct dev_pm_ops glk_pm_ops;
void glk_recovery_init(struct glk_card *card);
void glk_recovery_save_config(struct glk_card *card);
void glk_recovery_remove(struct glk_card *card);
void glk_recovery_shutdown(struct pci_dev *pdev);

#endif /* GLK_DEVICE_H */
