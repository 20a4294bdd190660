/*
 * datagen/source/scratch_sort.h - sorting rows of a source within a part of --max_memory, the rest
 * on disk: for joining two parts of a document, and for an order that the original draws.
 */
#ifndef DG_SCRATCH_SORT_H
#define DG_SCRATCH_SORT_H

#include "datagen/problem.h"
#include "tfrecord/external_sort.h"

/* Of a family's sorters, two of which are there at a time; 64 MiB without a limit. */
uint64_t dg_sort_share(const struct dg_options *options);
/* A sorter of that share (tfr_sorter_free), its files in data_dir. */
T2_MUST_CHECK enum t2_status dg_sorter_new(const struct dg_options *options, struct tfr_sorter **s,
                                           struct t2_err *err);
/* Items come out by major, then by minor, then as they went in. */
struct dg_place {
    uint64_t major, minor;
};
T2_MUST_CHECK enum t2_status dg_sorter_add(struct tfr_sorter *s, struct dg_place place,
                                           struct t2_slice data, struct t2_err *err);
/* After tfr_sorter_finish; as tfr_sorter_next. */
T2_MUST_CHECK enum t2_status dg_sorter_next(struct tfr_sorter *s, struct dg_place *place,
                                            struct t2_slice *data, struct t2_err *err);

/* Numbers whose bytes are in the order of the numbers. */
void dg_put_number(uint8_t to[8], uint64_t n);
uint64_t dg_get_number(const uint8_t from[8]);

struct t2_mt;
/*
 * Where random.shuffle puts each of n items, drawn from *mt; owned by the caller (t2_free).  Python
 * exchanges places all over the list, so all of them are held, in 4 bytes each: T2_ENOMEM when that
 * is more than dg_sort_share.
 */
T2_MUST_CHECK enum t2_status dg_draw_places(const struct dg_options *options, struct t2_mt *mt,
                                            uint64_t n, uint32_t **places, struct t2_err *err);

#endif
