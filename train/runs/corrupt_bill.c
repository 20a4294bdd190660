/*
 * train/runs/corrupt_bill.c - the bill of damaged records.
 */
#include "train/runs/corrupt_bill.h"

#include <inttypes.h>

#include "base/log.h"
#include "train/runs/ranks.h"

enum { MAX_LINES = 100 }; /* of a split */

void tr_corrupt_bill(const char *split, const struct in_corrupt *c, uint64_t max_corrupt,
                     struct t2_strs *lines)
{
    if (c->n_records == 0)
        return;
    t2_strs_printf(lines,
                   "%" PRIu64 " damaged record%s of the %s shards %s passed over "
                   "(--max_corrupt=%" PRIu64 "); tfrec salvage saves what is whole",
                   c->n_records, c->n_records == 1 ? "" : "s", split,
                   c->n_records == 1 ? "was" : "were", max_corrupt);
    for (size_t i = 0; i < c->places.n && i < MAX_LINES; i++)
        t2_strs_printf(lines, "  %s", c->places.items[i]);
    if (c->places.n > MAX_LINES)
        t2_strs_printf(lines, "  and at %zu places more", c->places.n - MAX_LINES);
}

void tr_say_corrupt(const struct tr_run *r)
{
    uint64_t max_corrupt = (uint64_t) r->options.max_corrupt;
    struct t2_strs lines = {0};

    if (tr_ranks_writes(r) && r->train)
        tr_corrupt_bill("train", in_corrupt_of(r->train), max_corrupt, &lines);
    if (tr_ranks_writes(r) && r->eval)
        tr_corrupt_bill(dg_split_name(r->eval_split), in_corrupt_of(r->eval), max_corrupt, &lines);
    for (size_t i = 0; i < lines.n; i++)
        t2_warn("%s", lines.items[i]);
    t2_strs_release(&lines);
}

void tr_compare_corrupt(struct tr_run *r)
{
    uint32_t crc = in_corrupt_of(r->train)->crc;

    if (r->restored && !r->state.of_tensorflow && r->state.damage_crc != crc)
        t2_warn("the train shards have other damaged records than at step %" PRId64
                ": the order of samples is another from here on",
                r->state.step);
    r->state.damage_crc = crc;
}
