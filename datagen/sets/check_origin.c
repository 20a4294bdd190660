/*
 * datagen/sets/check_origin.c - shards whose ids are of another vocabulary.
 */
#include "datagen/sets/check_origin.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/signals.h"
#include "datagen/vocabs/problem_vocab.h"
#include "tfrecord/example.h"
#include "tfrecord/reader.h"
#include "tokenizer/reencode.h"

enum { TRIED_RECORDS = 100 };

struct origin {
    const struct dg_manifest *m;
    const char *data_dir, *side;
    struct tok_encoder *encoder;
    struct tok_cache *cache;
    struct tok_reencoded *of_shard; /* of all splits, one after the other */
    int64_t *ids;
    size_t capacity;
};

/* Damage was said by who has read all of it. */
static void try_shard(struct origin *o, const char *path, struct tok_reencoded *r)
{
    struct tfr_reader *reader = NULL;
    struct tfr_example ex = {0};
    struct t2_err ignored = T2_ERR_INIT;
    struct t2_slice record;

    if (tfr_reader_new(path, &reader, &ignored) != T2_OK)
        return;
    for (int i = 0; i < TRIED_RECORDS; i++) {
        const struct tfr_view *v;

        if (tfr_reader_next(reader, &record, &ignored) != T2_OK ||
            tfr_example_parse(&ex, record, &ignored) != T2_OK)
            break;
        v = tfr_example_find(&ex, o->side);
        if (!v || v->kind != TFR_INT64)
            continue;
        if (v->n > o->capacity) {
            o->capacity = 2 * v->n;
            o->ids = t2_realloc(o->ids, o->capacity, sizeof *o->ids);
        }
        tfr_view_ints(v, o->ids);
        tok_reencode(o->encoder, o->cache, o->ids, v->n, r);
    }
    tfr_reader_free(reader);
    tfr_example_release(&ex);
}

static enum t2_status try_all(struct origin *o, size_t *n, struct t2_err *err)
{
    for (int split = 0; split < DG_N_SPLITS; split++) {
        const struct tfr_manifest_split *s = &o->m->splits[split];

        for (size_t i = 0; i < s->n_shards; i++) {
            char *path = t2_path_join(o->data_dir, s->shards[i].file);

            try_shard(o, path, &o->of_shard[(*n)++]);
            t2_free(path);
            T2_TRY(t2_check_interrupt(err));
        }
    }
    return T2_OK;
}

/* The result for the shard with most matches; the vocabulary is then taken as that shard's own. */
static struct tok_reencoded best(const struct tok_reencoded *of_shard, size_t n)
{
    struct tok_reencoded b = {0, 0};

    for (size_t i = 0; i < n; i++) {
        if (of_shard[i].n_same * (b.n_texts + 1) > b.n_same * (of_shard[i].n_texts + 1))
            b = of_shard[i];
    }
    return b;
}

static void complain(const struct origin *o, const char *vocab, size_t n, struct t2_strs *errors)
{
    struct tok_reencoded usual = best(o->of_shard, n);
    size_t k = 0;

    for (int split = 0; split < DG_N_SPLITS; split++) {
        const struct tfr_manifest_split *s = &o->m->splits[split];

        for (size_t i = 0; i < s->n_shards; i++, k++) {
            const struct tok_reencoded *r = &o->of_shard[k];

            if (!tok_is_another(&usual, r))
                continue;
            t2_strs_printf(errors,
                           "'%s/%s': its %s are not of the vocabulary '%s': %.0f %% of its texts "
                           "come back when they are encoded again, elsewhere %.0f %%",
                           o->data_dir, s->shards[i].file, o->side, vocab, tok_reencoded_share(r),
                           tok_reencoded_share(&usual));
        }
    }
}

static enum t2_status check_side(const struct dg_manifest *m, const char *data_dir,
                                 const char *side, const struct dg_vocab_info *v,
                                 struct t2_strs *errors, struct t2_err *err)
{
    struct origin o = {.m = m, .data_dir = data_dir, .side = side};
    struct t2_err ignored = T2_ERR_INIT;
    size_t n = 0;
    char *path;
    enum t2_status st;

    if (!v->file || v->is_label)
        return T2_OK;
    path = t2_path_join(data_dir, v->file);
    st = dg_vocab_open(path, v->kind, &o.encoder, &ignored);
    t2_free(path);
    if (st != T2_OK) /* said elsewhere */
        return T2_OK;
    for (int split = 0; split < DG_N_SPLITS; split++)
        n += m->splits[split].n_shards;
    o.of_shard = t2_alloc(n, sizeof *o.of_shard);
    o.cache = tok_cache_new(o.encoder, 0);
    n = 0;
    st = try_all(&o, &n, err);
    if (st == T2_OK)
        complain(&o, v->file, n, errors);
    tok_cache_free(o.cache);
    tok_free(o.encoder);
    t2_free(o.of_shard);
    t2_free(o.ids);
    return st;
}

enum t2_status dg_check_origin(const struct dg_manifest *m, const char *data_dir,
                               struct t2_strs *errors, struct t2_err *err)
{
    if (m->has_inputs)
        T2_TRY(check_side(m, data_dir, "inputs", &m->inputs_vocab, errors, err));
    return check_side(m, data_dir, "targets", &m->targets_vocab, errors, err);
}
