/*
 * tfrec/sample.c - some records drawn at random.
 */
#include "tfrec/sample.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

void rec_sample_init(struct rec_sample *s, size_t wanted, uint64_t seed)
{
    *s = (struct rec_sample){.wanted = wanted, .seed = seed};
    s->items = t2_alloc(wanted, sizeof *s->items);
}

void rec_sample_release(struct rec_sample *s)
{
    for (size_t i = 0; i < s->n; i++)
        t2_free(s->items[i].payload);
    t2_free(s->items);
    *s = (struct rec_sample){.items = NULL};
}

static uint8_t *copy(struct t2_slice data)
{
    uint8_t *p = t2_alloc(data.len_bytes, 1);

    if (data.len_bytes > 0)
        memcpy(p, data.data, data.len_bytes);
    return p;
}

void rec_sample_see(struct rec_sample *s, struct rec_drawn at, struct t2_slice data)
{
    size_t i;

    at.hash = t2_hash64(&at.number, sizeof at.number, s->seed);
    at.bytes = data.len_bytes;
    at.payload = NULL;
    if (s->wanted == 0 || (s->n == s->wanted && at.hash >= s->items[s->n - 1].hash))
        return;
    if (data.len_bytes <= REC_SAMPLE_RECORD_BYTES)
        at.payload = copy(data);
    if (s->n < s->wanted)
        s->n++;
    else
        t2_free(s->items[s->n - 1].payload);
    for (i = s->n - 1; i > 0 && s->items[i - 1].hash > at.hash; i--)
        s->items[i] = s->items[i - 1];
    s->items[i] = at;
}

static int by_number(const void *a, const void *b)
{
    const struct rec_drawn *x = a, *y = b;

    return x->number < y->number ? -1 : x->number > y->number;
}

void rec_sample_finish(struct rec_sample *s, size_t first)
{
    size_t n_front = s->n < first ? s->n : first;

    if (n_front > 1)
        qsort(s->items, n_front, sizeof *s->items, by_number);
    if (s->n - n_front > 1)
        qsort(s->items + n_front, s->n - n_front, sizeof *s->items, by_number);
}
