/* SPDX-License-Identifier: Apache-2.0 */
/* MSI or MSI-X of an emulated function: one eventfd a vector, which the client gives and takes away as it likes. */
#ifndef GPULINK_EMU_IRQ_H
#define GPULINK_EMU_IRQ_H

#include <stdbool.h>

#define IRQ_VECTORS_MAX 64u

struct irq {
	int fds[IRQ_VECTORS_MAX];      /* -1: none */
	bool pending[IRQ_VECTORS_MAX]; /* raised while it could not be sent */
	bool enabled;		       /* the function may send (bus master) */
};

void irq_init(struct irq *irq);

/** Gives vectors their eventfds, or (fds NULL) takes them away. Takes the fds, and closes all when one of them is no
 *  eventfd (-EINVAL, nothing changed). A vector raised meanwhile is sent now. */
int irq_set(struct irq *irq, unsigned start, unsigned count, const int *fds);

/** Sends a vector, or keeps it until it can be sent. Never blocks. */
void irq_raise(struct irq *irq, unsigned vector);

/** Whether the function may send; what was kept goes out when it may. */
void irq_enable(struct irq *irq, bool enabled);

/** Forgets what was kept. */
void irq_clear(struct irq *irq);

#endif /* GPULINK_EMU_IRQ_H */
