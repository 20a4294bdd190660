/*
 * tfrecord/external_order.h - the items of one bucket of external_shuffle.h, put in order in
 * memory.
 *
 * An item is 64 random bits and a framed record (framing.h), whose header says where the next item
 * begins.
 */
#ifndef TFR_EXTERNAL_ORDER_H
#define TFR_EXTERNAL_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { TFR_SHUFFLE_KEY_BITS = 64, TFR_SHUFFLE_KEY_BYTES = 8 };

/* Bytes of the item at p. */
size_t tfr_shuffle_item_bytes(const uint8_t *p);

/* Memory that is used for one bucket after another; zero-initialise, release. */
struct tfr_order {
    struct t2_buf items;  /* filled by the caller: n items, one after another */
    struct t2_buf frames; /* the result: their records in order */
    struct t2_buf places, sorted, starts;
};
void tfr_order_release(struct tfr_order *o);
/* Bytes of memory for a bucket. */
uint64_t tfr_order_memory(uint64_t n_items, uint64_t items_bytes);

/*
 * Orders by the keys, equal ones as they are, and returns the framed records one after another;
 * borrowed until the next call.  The first skip_bits of all keys are equal.
 */
struct t2_slice tfr_order_items(struct tfr_order *o, size_t n, unsigned skip_bits);

#endif
