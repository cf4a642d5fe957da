/* SPDX-License-Identifier: Apache-2.0 */
/* MSI or MSI-X of an emulated function: an eventfd per vector, which the client may set and remove at any time. */
#ifndef GPULINK_EMU_IRQ_H
#define GPULINK_EMU_IRQ_H

#include <stdbool.h>

#define IRQ_VECTORS_MAX 64u

struct irq {
	int fds[IRQ_VECTORS_MAX];      /* -1: none */
	bool pending[IRQ_VECTORS_MAX]; /* raised, not sent yet */
	bool enabled;		       /* the function may send (bus master) */
};

void irq_init(struct irq *irq);

/** Sets the eventfds of vectors, or removes them (fds NULL). Takes ownership of the fds; closes all of them if one is not an
 *  eventfd (-EINVAL, nothing changed). Pending vectors are sent. */
int irq_set(struct irq *irq, unsigned start, unsigned count, const int *fds);

/** Sends a vector, or keeps it pending. Never blocks. */
void irq_raise(struct irq *irq, unsigned vector);

/** Sets whether the function may send interrupts; enabling sends pending vectors. */
void irq_enable(struct irq *irq, bool enabled);

/** Discards pending vectors. */
void irq_clear(struct irq *irq);

#endif /* GPULINK_EMU_IRQ_H */
