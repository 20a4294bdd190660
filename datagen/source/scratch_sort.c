/*
 * datagen/source/scratch_sort.c - an external sorter whose keys are two numbers.
 */
#include "datagen/source/scratch_sort.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/mt19937.h"
#include "base/str.h"

enum { SHARE = 8, NUMBER_BYTES = 8 };
static const uint64_t WITHOUT_LIMIT = 64 << 20;

uint64_t dg_sort_share(const struct dg_options *options)
{
    return options->max_memory ? options->max_memory / SHARE : WITHOUT_LIMIT;
}

enum t2_status dg_sorter_new(const struct dg_options *options, struct tfr_sorter **s,
                             struct t2_err *err)
{
    return tfr_sorter_new(options->data_dir, dg_sort_share(options), s, err);
}

void dg_put_number(uint8_t to[8], uint64_t n)
{
    for (int i = NUMBER_BYTES; i-- > 0; n >>= 8)
        to[i] = (uint8_t) n;
}

uint64_t dg_get_number(const uint8_t from[8])
{
    uint64_t n = 0;

    for (int i = 0; i < NUMBER_BYTES; i++)
        n = n << 8 | from[i];
    return n;
}

enum t2_status dg_sorter_add(struct tfr_sorter *s, struct dg_place place, struct t2_slice data,
                             struct t2_err *err)
{
    uint8_t key[2 * NUMBER_BYTES];

    dg_put_number(key, place.major);
    dg_put_number(key + NUMBER_BYTES, place.minor);
    return tfr_sorter_add(s, (struct t2_slice){key, sizeof key}, data, err);
}

enum t2_status dg_sorter_next(struct tfr_sorter *s, struct dg_place *place, struct t2_slice *data,
                              struct t2_err *err)
{
    struct t2_slice key;

    T2_TRY(tfr_sorter_next(s, &key, data, err));
    T2_ASSERT(key.len_bytes == (size_t) 2 * NUMBER_BYTES);
    *place = (struct dg_place){dg_get_number(key.data), dg_get_number(key.data + NUMBER_BYTES)};
    return T2_OK;
}

/* place[order[i]] = i, without a second list: the highest bit marks what is done. */
static void invert(uint32_t *items, uint32_t n)
{
    const uint32_t done = UINT32_C(1) << 31;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = i, to = items[i];
        while (!(to & done)) {
            uint32_t next = items[to];
            items[to] = at | done;
            at = to;
            to = next;
        }
    }
    for (uint32_t i = 0; i < n; i++)
        items[i] &= ~done;
}

enum t2_status dg_draw_places(const struct dg_options *options, struct t2_mt *mt, uint64_t n,
                              uint32_t **places, struct t2_err *err)
{
    uint64_t limit = dg_sort_share(options);
    char human[32];

    *places = NULL;
    if (options->max_memory && n > limit / sizeof **places)
        return t2_fail(err, T2_ENOMEM,
                       "the order of %" PRIu64 " items is drawn as in the original, in 4 bytes "
                       "each, which is more than the %s that it may of --max_memory",
                       n, t2_human_bytes(limit, human, sizeof human));
    if (n > INT32_MAX)
        return t2_fail(err, T2_EFORMAT, "%" PRIu64 " items are more than can be mixed", n);
    *places = t2_alloc((size_t) n + 1, sizeof **places);
    for (uint32_t i = 0; i < n; i++)
        (*places)[i] = i;
    t2_mt_shuffle_u32(mt, *places, n);
    invert(*places, (uint32_t) n);
    return T2_OK;
}
