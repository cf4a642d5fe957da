// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts: completions, and the card's errors and link events.
 *
 * Users can cause errors as fast as they can store. A cause bit raises the event vector only when
 * it changes to 1, so that a cause stays masked while its bit is set: the handler handles a new bit
 * once and leaves it set, and a work clears it later. A cause interrupts at most once in
 * ERROR_REARM; its counter registers count every error.
 */
#include <linux/interrupt.h>

#include "core/card.h"
#include "core/counters.h"
#include "core/part.h"
#include "core/trace.h"

#define ERROR_REARM	(HZ / 10)

/* The causes with a counter of the card: glk_card_sum_error_counters(). */
#define ERRORS_COUNTED									\
	(GLK_CARD_ERROR_CAUSE_WINDOW_MASK | GLK_CARD_ERROR_CAUSE_PACKET_MASK |		\
	 GLK_CARD_ERROR_CAUSE_CONFIG_MASK | GLK_CARD_ERROR_CAUSE_DMA_MASK)

/* Indexed by bit of CARD.ERROR_CAUSE, which is the error code. */
static const char * const error_texts[] = {
	"aperture access not permitted by any window",
	"malformed packet received",
	"register write rejected",
	"host memory access failed",
	"endpoint access failed",
	"ring stopped",
};

/* In the event vector's handler. */
static void errors_handle(struct glk_card *card)
{
	struct glk_errors *errors = &card->errors;
	u64 cause, fresh;
	unsigned int i;

	spin_lock(&errors->lock);
	cause = glk_read(card, GLK_CARD_ERROR_CAUSE);
	fresh = cause == U64_MAX ? 0 : cause & ~errors->masked;
	errors->masked |= fresh;
	errors->interrupts += hweight64(fresh);
	errors->handled += hweight64(fresh & ERRORS_COUNTED);
	spin_unlock(&errors->lock);
	if (!fresh)
		return;
	trace_gpulink_error(card, fresh);
	for (i = 0; i < ARRAY_SIZE(error_texts); i++)
		if (fresh & BIT_ULL(i))
			glk_warn(card, i, "%s\n", error_texts[i]);
	glk_parts_call(event, card, fresh, false);
	queue_delayed_work(glk_wq, &errors->rearm, ERROR_REARM);
}

/*
 * Adds the errors since the last call, by the counters of the causes that have one. Under
 * state_lock, with a card that responds.
 */
static void errors_count(struct glk_card *card, bool add)
{
	struct glk_errors *errors = &card->errors;
	u64 count = glk_card_sum_error_counters(card);

	spin_lock_irq(&errors->lock);
	if (add && count > errors->counted)
		errors->total += count - errors->counted;
	errors->counted = count;
	spin_unlock_irq(&errors->lock);
}

/* Clears the masked causes, then checks for what happened while they were masked. */
static void errors_rearm(struct work_struct *work)
{
	struct glk_card *card = container_of(to_delayed_work(work), struct glk_card, errors.rearm);
	struct glk_errors *errors = &card->errors;
	u64 cleared;

	down_read(&card->state_lock);
	if (!glk_card_error(card)) {
		spin_lock_irq(&errors->lock);
		cleared = errors->masked;
		errors->masked = 0;
		glk_write(card, GLK_CARD_ERROR_CAUSE, cleared);
		spin_unlock_irq(&errors->lock);
		errors_count(card, true);
		glk_parts_call(event, card, cleared, true);
	}
	up_read(&card->state_lock);
}

/* The card starts after a reset: no error is pending or masked. */
static void errors_reset(struct glk_card *card, bool lost)
{
	spin_lock_irq(&card->errors.lock);
	card->errors.masked = 0;
	glk_write(card, GLK_CARD_ERROR_CAUSE, U64_MAX);
	spin_unlock_irq(&card->errors.lock);
	errors_count(card, false);
}

/* Number of causes handled in interrupts, and of errors counted by the card but not handled. */
void glk_errors_read(struct glk_card *card, u64 *interrupts, u64 *suppressed)
{
	struct glk_errors *errors = &card->errors;

	spin_lock_irq(&errors->lock);
	*interrupts = errors->interrupts;
	*suppressed = errors->total - min(errors->total, errors->handled);
	spin_unlock_irq(&errors->lock);
}

static void irqs_init(struct glk_card *card)
{
	spin_lock_init(&card->vector_lock);
	spin_lock_init(&card->errors.lock);
	INIT_DELAYED_WORK(&card->errors.rearm, errors_rearm);
}

static irqreturn_t card_interrupt(int irq, void *data)
{
	struct glk_vector *vector = data;
	struct glk_card *card = vector->card;
	unsigned int i, rings = card->vector_count - 1;

	/* Quiesced or gone: all waiters have been woken. */
	if (glk_card_error(card))
		return IRQ_HANDLED;
	if (vector->index == GLK_EVENT_VECTOR)
		errors_handle(card);
	spin_lock(&card->vector_lock);
	for (i = 0; i < card->context_count; i++)
		if (card->wake[i] && (rings ? 1 + i % rings : 0) == vector->index)
			glk_parts_call(interrupt, card->wake[i]);
	spin_unlock(&card->vector_lock);
	return IRQ_HANDLED;
}

/* As in /proc/interrupts. A single vector is named after the card only. */
static void vector_set_name(struct glk_vector *vector, unsigned int count)
{
	const char *card = dev_name(&vector->card->dev);

	if (count == 1)
		strscpy(vector->name, card, sizeof(vector->name));
	else if (vector->index == GLK_EVENT_VECTOR)
		scnprintf(vector->name, sizeof(vector->name), "%s-events", card);
	else
		scnprintf(vector->name, sizeof(vector->name), "%s-rings-%u", card,
			  vector->index - 1);
}

static void irqs_free(struct glk_card *card, unsigned int count)
{
	while (count--)
		free_irq(pci_irq_vector(card->pdev, count), &card->vectors[count]);
	pci_free_irq_vectors(card->pdev);
	/* Not queued again: only the handler does. */
	cancel_delayed_work_sync(&card->errors.rearm);
	glk_parts_call(flush, card);
}

/* One vector for events and, if enough are available, one per context. */
int glk_irqs_request(struct glk_card *card)
{
	int count, i, err;

	count = pci_alloc_irq_vectors(card->pdev, 1,
				      min(card->vector_count, card->context_count + 1),
				      PCI_IRQ_MSIX | PCI_IRQ_MSI);
	if (count < 0) {
		glk_err(card, GLK_ERROR_VECTORS, "could not allocate interrupt vectors: %d\n",
			count);
		return count;
	}
	card->vector_count = count;
	for (i = 0; i < count; i++) {
		card->vectors[i].card = card;
		card->vectors[i].index = i;
		vector_set_name(&card->vectors[i], count);
		err = request_irq(pci_irq_vector(card->pdev, i), card_interrupt, 0,
				  card->vectors[i].name, &card->vectors[i]);
		if (err) {
			irqs_free(card, i);
			return err;
		}
	}
	return 0;
}

void glk_irqs_free(struct glk_card *card)
{
	irqs_free(card, card->vector_count);
}

const struct glk_part glk_irq_part = {
	.init = irqs_init,
	.restore = errors_reset,
};
