/*
 * datagen/runs/describe_run.c - what decides the bytes of a data set, as made_from says it.
 */
#include <inttypes.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "datagen/runs/generate_run.h"
#include "datagen/shards/layout.h"

static enum t2_status add_file_hash(struct dg_run *r, const char *key, const char *what,
                                    const char *path, struct t2_err *err)
{
    char sha256[65];
    uint64_t bytes;

    T2_TRY(t2_sha256_file(path, sha256, &bytes, err));
    dg_made_from_add(&r->made_from, key, "%s with SHA-256 %.16s...", what, sha256);
    return T2_OK;
}

static enum t2_status describe_vocab(struct dg_run *r, int side, struct t2_err *err)
{
    const struct dg_vocab_spec *spec = dg_vocab_spec_of(r->p, (enum dg_side_index) side);
    const char *kind = dg_vocab_kind_name(spec->kind);
    char *key = t2_asprintf("%s vocabulary", r->p->shared_vocab ? "shared" : dg_side_name[side]);
    enum t2_status st = T2_OK;

    if (spec->ready_file) {
        st = add_file_hash(r, key, "the given file", spec->ready_file, err);
        if (spec->oov_token) {
            t2_free(key);
            key =
                t2_asprintf("%s unknown words", r->p->shared_vocab ? "shared" : dg_side_name[side]);
            dg_made_from_add(&r->made_from, key, "%s", spec->oov_token);
        }
    } else if (r->p->vocab.source) {
        char *source = r->p->vocab.source(r->p, &r->g->options);
        st = add_file_hash(r, key, "a word list", source, err);
        t2_free(source);
    } else if (spec->of_problem) {
        dg_made_from_add(&r->made_from, key, "that of '%s'", spec->of_problem);
    } else if (spec->kind == DG_VOCAB_SUBWORDS) {
        dg_made_from_add(&r->made_from, key, "%s, %" PRId64 " wanted", kind, spec->approx_size);
    } else if (!dg_vocab_is_of_text(spec->kind)) {
        dg_made_from_add(&r->made_from, key, "%" PRId64 " %s", spec->approx_size, kind);
    } else {
        dg_made_from_add(&r->made_from, key, "%s", kind);
    }
    t2_free(key);
    return st;
}

static void describe_split(struct dg_run *r, int split)
{
    const struct dg_input_files *files = &r->scan.files[split];
    const char *name = dg_split_name((enum dg_split) split);
    char *key = t2_asprintf("%s shards", name);

    dg_made_from_add(&r->made_from, key, "%d", dg_n_shards(r->p, r->g, (enum dg_split) split));
    t2_free(key);
    for (size_t i = 0; i < files->n; i++) {
        const struct dg_input_file *f = &files->items[i];
        key = t2_asprintf("%s file %zu (%s)", name, i + 1, f->role);
        dg_made_from_add(&r->made_from, key, "%" PRIu64 " bytes with SHA-256 %.16s...", f->bytes,
                         f->sha256);
        t2_free(key);
    }
}

enum t2_status dg_describe_run(struct dg_run *r, struct t2_err *err)
{
    dg_made_from_add(&r->made_from, "problem", "%s", r->p->name);
    if (r->p->revision)
        dg_made_from_add(&r->made_from, dg_layout_of(r->p)->revision_key, "%s", r->p->revision);
    dg_made_from_add(&r->made_from, "random_seed", "%" PRIu64, r->g->options.random_seed);
    dg_made_from_add(&r->made_from, "max_cases", "%" PRIu64, r->g->options.max_cases);
    if (r->g->shuffle != DG_SHUFFLE_T2T)
        dg_made_from_add(&r->made_from, "shuffle", "%s",
                         r->g->shuffle == DG_SHUFFLE_GLOBAL ? "global" : "none");
    if (r->g->options.invalid != DG_INVALID_FAIL)
        dg_made_from_add(&r->made_from, "not UTF-8", "%s",
                         r->g->options.invalid == DG_INVALID_DROP ? "drop" : "replace");
    if (r->g->options.zero_based_labels)
        dg_made_from_add(&r->made_from, "zero_based_labels", "yes");
    for (int i = 0; i < DG_N_SIDES; i++) {
        if (dg_has_own_vocab(r->p, i))
            T2_TRY(describe_vocab(r, i, err));
    }
    for (int i = 0; i < DG_N_SPLITS; i++) {
        if (r->p->n_shards[i])
            describe_split(r, i);
    }
    return T2_OK;
}
