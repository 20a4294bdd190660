/*
 * datagen/problem_files/problem_kinds.c - mixtures, refused problems, and what all kinds share.
 */
#include "datagen/problem_files/problem_kinds.h"

#include <string.h>

enum { DEFAULT_TRAIN_SHARDS = 100, DEFAULT_OTHER_SHARDS = 1, MAX_PACKED_LENGTH = 1 << 20 };

struct dg_file_value dg_kind_value(const struct dg_file_context *c, const char *key,
                                   const struct t2_json_value *json)
{
    return (struct dg_file_value){.path = c->path, .key = key, .json = json, .memory = c->memory};
}

static enum t2_status wrong(const struct dg_file_context *c, const char *key, const char *wanted,
                            struct t2_err *err)
{
    struct dg_file_value v = dg_kind_value(c, key, NULL);

    return dg_value_wrong(&v, wanted, err);
}

enum t2_status dg_kind_vocab(const struct dg_file_context *c, const struct dg_draft *d,
                             struct dg_vocab_spec *spec, struct t2_err *err)
{
    const char *type = d->own.vocab_type ? d->own.vocab_type : "subwords";

    if (strcmp(type, "character") == 0) {
        spec->kind = DG_VOCAB_BYTES;
        return T2_OK;
    }
    if (strcmp(type, "numbers") == 0 && d->refusal) {
        spec->kind = DG_VOCAB_NUMBERS;
        return T2_OK;
    }
    if (strcmp(type, "subwords") != 0)
        return wrong(c, "vocab_type", "subwords or character", err);
    spec->kind = DG_VOCAB_SUBWORDS;
    spec->approx_size = d->own.vocab_size;
    spec->of_problem = d->vocab_of;
    spec->file = d->vocab_file;
    return spec->approx_size > 0 ? T2_OK : wrong(c, "vocab_size", "given, 1 or more", err);
}

static const char *or_null(const char *text)
{
    return text && text[0] ? text : NULL;
}

enum t2_status dg_kind_common(const struct dg_file_context *c, const struct dg_draft *d,
                              struct dg_problem *p, struct t2_err *err)
{
    if (d->own.packed_length > MAX_PACKED_LENGTH)
        return wrong(c, "packed_length", "at most 1048576", err);
    p->summary = d->summary;
    p->licence = d->licence;
    p->dataset_filename = d->dataset_filename;
    p->has_inputs = true;
    p->packing.length = (int) d->own.packed_length;
    p->sharding.already_shuffled = d->already_shuffled;
    for (int side = 0; side < DG_N_SIDES; side++)
        p->text.prefix[side] = or_null(d->own.prefix[side]);
    for (int split = 0; split < DG_N_SPLITS; split++) {
        int otherwise = split == DG_TRAIN ? DEFAULT_TRAIN_SHARDS : DEFAULT_OTHER_SHARDS;
        if (d->splits[split])
            p->n_shards[split] = d->n_shards[split] ? (int) d->n_shards[split] : otherwise;
    }
    if (!d->splits[DG_TRAIN] || !d->splits[DG_DEV])
        return wrong(c, "train and dev", "given", err);
    return T2_OK;
}

void dg_kind_add_file(struct dg_kind_files *files, const struct dg_source_file *f)
{
    for (size_t i = 0; i < files->n; i++) {
        if (files->items[i] == f)
            return;
    }
    files->items[files->n++] = f;
}

enum t2_status dg_kind_mixture(const struct dg_file_context *c, const struct dg_draft *d,
                               struct dg_problem *p, struct t2_err *err)
{
    struct dg_file_value members = dg_kind_value(c, "members", d->members);
    size_t n;

    p->summary = d->summary;
    return dg_value_list(&members, &p->members, &n, err);
}

enum t2_status dg_kind_refused(const struct dg_file_context *c, const struct dg_draft *d,
                               struct dg_problem *p, struct t2_err *err)
{
    p->summary = d->summary;
    p->refusal = d->refusal;
    p->dataset_filename = d->dataset_filename;
    p->has_inputs = p->shared_vocab = true;
    for (int split = 0; split < DG_N_SPLITS; split++)
        p->n_shards[split] = (int) d->n_shards[split];
    return dg_kind_vocab(c, d, &p->targets_vocab, err);
}
