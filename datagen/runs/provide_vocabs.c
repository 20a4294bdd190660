/*
 * datagen/runs/provide_vocabs.c - the vocabularies of a run: found, taken, made or built.
 */
#include <inttypes.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/signals.h"
#include "datagen/runs/generate_run.h"
#include "datagen/shards/layout.h"

bool dg_has_own_vocab(const struct dg_problem *p, int side)
{
    return side == DG_TARGETS || (p->has_inputs && !p->shared_vocab);
}

/* The words of the TRAIN split of another problem. */
static enum t2_status count_words_of(const struct dg_run *r, const struct dg_problem *owner,
                                     int side, struct tok_counts **counts, struct t2_err *err)
{
    struct dg_options options = r->g->options;
    struct dg_scan scan = {.limits = r->scan.limits};
    int i = owner->shared_vocab || !owner->has_inputs ? DG_TARGETS : side;
    enum t2_status st;

    options.max_cases = 0;
    scan.limits.keep_bytes = 0;
    st = dg_scan_split(owner, &options, DG_TRAIN, true, r->g->pool, &scan, err);
    *counts = scan.counts[i];
    scan.counts[i] = NULL;
    dg_scan_release(&scan);
    return st;
}

static void forget_line_cache(struct dg_run *r)
{
    for (int split = 0; split < DG_N_SPLITS; split++)
        dg_line_cache_give_up(&r->scan.kept[split]);
}

/* The text that is kept goes when the vocabulary needs its place; what does not fit is refused
 * now. */
static enum t2_status make_room_to_build(struct dg_run *r, struct tok_counts *counts,
                                         const struct dg_problem *owner, int side,
                                         struct t2_err *err)
{
    const struct dg_vocab_spec *spec = dg_vocab_spec_of(owner, (enum dg_side_index) side);
    uint64_t limit = r->memory.scan.build_bytes, other = 0, need, kept = 0;
    char human[32], human_limit[32];

    if (limit == 0)
        return T2_OK;
    for (int i = 0; i < DG_N_SIDES; i++)
        other += r->scan.counts[i] ? tok_counts_memory(r->scan.counts[i]) : 0;
    for (int i = 0; i < DG_N_SPLITS; i++)
        kept += r->scan.kept[i].bytes;
    other = other < limit ? other : limit - 1;
    if (dg_vocab_build_memory(counts, spec, r->g->pool, 0) + other + kept > limit)
        forget_line_cache(r);
    r->memory.scan.build_bytes = limit - other;
    need = dg_vocab_build_memory(counts, spec, r->g->pool, limit - other) + other;
    if (need <= limit)
        return T2_OK;
    return t2_fail(
        err, T2_ENOMEM,
        "building a vocabulary from %zu distinct words takes about %s, --max_memory is %s: "
        "raise it, or build the vocabulary from a part of the text (t2t-vocab build "
        "--file_byte_budget) and give it by --vocab",
        tok_counts_distinct(counts), t2_human_bytes(need, human, sizeof human),
        t2_human_bytes(limit, human_limit, sizeof human_limit));
}

/* Builds the vocabulary that a problem owns, as if it were made itself. */
static enum t2_status build_vocab(struct dg_run *r, const struct dg_problem *owner, int side,
                                  struct t2_err *err)
{
    const struct dg_options *options = &r->g->options;
    struct tok_counts *counts = NULL;
    enum t2_status st;

    if (owner != r->p && owner->prepare)
        T2_TRY(owner->prepare(owner, options, err));
    if (owner->vocab.make && r->g->max_memory)
        forget_line_cache(r);
    if (owner->vocab.make)
        return owner->vocab.make(owner, options, (enum dg_side_index) side, r->vocab_paths[side],
                                 err);
    if (owner->vocab.open_text) {
        st = dg_scan_vocab_text(owner, options, (enum dg_side_index) side, &r->scan.limits,
                                r->g->pool, &counts, err);
    } else if (owner != r->p) {
        st = count_words_of(r, owner, side, &counts, err);
    } else if (r->scan.counts[side]) {
        counts = r->scan.counts[side];
        r->scan.counts[side] = NULL;
        st = T2_OK;
    } else {
        st = t2_fail(err, T2_EIO, "'%s' was there and is gone; run the same command again",
                     r->vocab_paths[side]);
    }
    if (st == T2_OK)
        st = make_room_to_build(r, counts, owner, side, err);
    if (st == T2_OK)
        st = dg_vocab_build(counts, dg_vocab_spec_of(owner, (enum dg_side_index) side), r->g->pool,
                            r->memory.scan.build_bytes, r->vocab_paths[side], err);
    r->memory.scan.build_bytes = r->g->max_memory;
    tok_counts_free(counts);
    return st;
}

static enum t2_status provide_vocab(struct dg_run *r, int side, struct t2_err *err)
{
    const struct dg_vocab_spec *spec = dg_vocab_spec_of(r->p, (enum dg_side_index) side);
    const struct dg_problem *owner = dg_vocab_owner(r->p, (enum dg_side_index) side);
    const char *path = r->vocab_paths[side];

    if (!path)
        return T2_OK;
    if (spec->ready_file)
        return dg_vocab_take(spec->ready_file, path, err);
    if (r->vocab_is_there[side]) {
        dg_layout_of(r->p)->says.vocab_is_there(path);
        return T2_OK;
    }
    if (!owner)
        return t2_fail(err, T2_ENOTFOUND,
                       "'%s' uses the vocabulary of '%s', which is not a problem; put it at '%s'",
                       r->p->name, spec->of_problem, path);
    return build_vocab(r, owner, side, err);
}

enum t2_status dg_look_at_vocabs(struct dg_run *r, struct t2_err *err)
{
    for (int side = 0; side < DG_N_SIDES; side++) {
        struct t2_file_info at = {.kind = T2_FILE_ABSENT};

        if (r->vocab_paths[side])
            T2_TRY(t2_look_at(r->vocab_paths[side], &at, err));
        r->vocab_is_there[side] = at.kind != T2_FILE_ABSENT;
    }
    return T2_OK;
}

enum t2_status dg_provide_vocabs(struct dg_run *r, struct t2_err *err)
{
    T2_TRY(dg_look_at_vocabs(r, err));
    for (int side = DG_N_SIDES - 1; side >= 0; side--) {
        if (!dg_has_own_vocab(r->p, side))
            continue;
        T2_TRY(t2_check_interrupt(err));
        T2_TRY(provide_vocab(r, side, err));
        tok_counts_free(r->scan.counts[side]);
        r->scan.counts[side] = NULL;
        T2_TRY(dg_vocab_load(r->vocab_paths[side],
                             dg_vocab_spec_of(r->p, (enum dg_side_index) side), &r->vocabs[side],
                             err));
    }
    r->encode.vocabs[DG_TARGETS] = &r->vocabs[DG_TARGETS];
    r->encode.vocabs[DG_INPUTS] =
        &r->vocabs[dg_has_own_vocab(r->p, DG_INPUTS) ? DG_INPUTS : DG_TARGETS];
    return T2_OK;
}
