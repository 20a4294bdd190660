/*
 * datagen/own/problem_own_text.c - a problem out of a user's own files.
 */
#include "datagen/own/problem_own_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/match_files.h"
#include "base/remote_path.h"
#include "base/str.h"
#include "datagen/feature_list.h"
#include "datagen/own/own_kinds.h"
#include "datagen/own/own_vocabs.h"
#include "datagen/problem_registry.h"
#include "datagen/source/clean_stream.h"
#include "datagen/source/column_table.h"
#include "datagen/source/ids_stream.h"
#include "datagen/source/label_stream.h"
#include "datagen/source/mix_stream.h"
#include "datagen/source/value_stream.h"

/* T2T's defaults for text problems. */
enum { DEFAULT_TRAIN_SHARDS = 100, DEFAULT_OTHER_SHARDS = 1 };

enum { MAX_PACKED_LENGTH = 1 << 20 };

struct own_text {
    struct dg_problem problem;
    const struct dg_own_kind *kind;
    struct dg_text_parts parts[DG_N_SPLITS];
    struct dg_filters filters;
    struct dg_held_out held_out;
    const char *clean; /* the side that is English; "": nothing is cleaned */
    struct t2_strs mix_names;
    uint32_t mix_weights[DG_MAX_MIX];
    struct t2_strs classes;  /* or labels */
    const char **class_list; /* of classes, NULL-ended */
    struct dg_value_rule values;
    const char *base_dir;
    const void *owner;
    struct dg_own_vocabs vocabs;
    struct t2_buf revision; /* the flags that decide which samples there are, and how they look */
};

/* ---- samples ---- */

static bool has_labels(const struct own_text *own)
{
    return own->problem.targets_vocab.kind == DG_VOCAB_CLASSES;
}

static bool is_there(const char *path)
{
    struct t2_err ignored = T2_ERR_INIT;
    struct t2_strs files = {0};
    bool there = t2_exists(path);

    if (!there && t2_is_pattern(path) && t2_match_files(path, &files, &ignored) == T2_OK)
        there = files.n > 0;
    t2_strs_release(&files);
    return there;
}

/* Completes a relative path: in tmp_dir where such a file exists, else in base_dir. */
static void complete(char **path, const char *tmp_dir, const char *base_dir)
{
    char *there;

    if (!*path || (*path)[0] == '/' || t2_is_remote(*path))
        return;
    there = t2_path_join(tmp_dir, *path);
    if (!is_there(there)) {
        t2_free(there);
        there = t2_path_join(base_dir, *path);
    }
    t2_free(*path);
    *path = there;
}

/* The split is a part of the training text. */
static bool is_held_out(const struct own_text *own, enum dg_split split)
{
    return split != DG_TRAIN &&
           (split == DG_DEV ? own->held_out.dev_percent : own->held_out.test_percent) > 0;
}

/* The parts of one name (NULL: all), cleaned when they are for training. */
static enum t2_status open_clean(const struct own_text *own, const struct dg_options *options,
                                 enum dg_split split, const char *name, struct dg_stream **stream,
                                 struct t2_err *err)
{
    struct dg_text_parts parts = {0};
    enum t2_status st;

    dg_text_parts_copy(&own->parts[is_held_out(own, split) ? DG_TRAIN : split], name, &parts);
    for (size_t i = 0; i < parts.n && own->base_dir; i++) {
        complete(&parts.items[i].inputs, options->tmp_dir, own->base_dir);
        complete(&parts.items[i].targets, options->tmp_dir, own->base_dir);
    }
    st = dg_text_parts_expand(&parts, err);
    parts.max_memory = options->max_memory;
    if (st == T2_OK)
        st = dg_text_stream_new(&parts, false, stream, err);
    dg_text_parts_release(&parts);
    if (st == T2_OK && (split == DG_TRAIN || is_held_out(own, split)))
        *stream = dg_held_out_stream_new(*stream, &own->held_out, split);
    if (st == T2_OK && split == DG_TRAIN && own->clean[0])
        *stream = dg_clean_stream_new(*stream,
                                      strcmp(own->clean, "inputs") == 0 ? DG_INPUTS : DG_TARGETS);
    return st;
}

/* The arguments needed to open the parts once more. */
struct opening {
    const struct own_text *own;
    struct dg_options options;
    const char *name;
};

static enum t2_status open_again(const void *context, struct dg_stream **stream, struct t2_err *err)
{
    const struct opening *o = context;

    return open_clean(o->own, &o->options, DG_TRAIN, o->name, stream, err);
}

/* A limit to the memory of the duplicates filter: an eighth. */
static void limit_filter(const struct own_text *own, const struct dg_options *options,
                         const char *name, struct dg_stream *stream)
{
    struct opening *o = t2_alloc(1, sizeof *o);
    char *beside = t2_is_dir(options->data_dir) ? t2_path_join(options->data_dir, own->problem.name)
                                                : t2_strdup("-");

    *o = (struct opening){own, *options, name};
    dg_filter_stream_limit(stream, options->max_memory / 8, beside,
                           (struct dg_again){open_again, o});
    t2_free(beside);
}

/* The same, filtered. */
static enum t2_status open_parts(const struct own_text *own, const struct dg_options *options,
                                 enum dg_split split, const char *name, struct dg_stream **stream,
                                 struct t2_err *err)
{
    T2_TRY(open_clean(own, options, split, name, stream, err));
    if (split != DG_TRAIN || !dg_filters_any(&own->filters))
        return T2_OK;
    *stream = dg_filter_stream_new(*stream, &own->filters, own->problem.has_inputs);
    if (options->max_memory && own->filters.duplicates != DG_DUPLICATES_KEPT)
        limit_filter(own, options, name, *stream);
    return T2_OK;
}

static enum t2_status open_of_mix(const void *context, const struct dg_options *options, size_t i,
                                  struct dg_stream **stream, struct t2_err *err)
{
    const struct own_text *own = context;

    return open_parts(own, options, DG_TRAIN, own->mix_names.items[i], stream, err);
}

/* Samples whose labels are texts still. */
static enum t2_status open_texts(const struct own_text *own, const struct dg_options *options,
                                 enum dg_split split, struct dg_stream **stream, struct t2_err *err)
{
    if (split == DG_TRAIN && own->mix_names.n)
        return dg_mix_stream_new(open_of_mix, own, options, own->mix_weights, own->mix_names.n,
                                 stream, err);
    return open_parts(own, options, split, NULL, stream, err);
}

static enum t2_status own_open(const struct dg_problem *p, const struct dg_options *options,
                               enum dg_split split, struct dg_stream **stream, struct t2_err *err)
{
    const struct own_text *own = p->context;

    T2_TRY(open_texts(own, options, split, stream, err));
    if (dg_own_kind_has_values(own->kind))
        *stream = dg_value_stream_new(*stream, &own->values);
    if (has_labels(own))
        *stream =
            dg_label_stream_new(*stream, &own->classes, (size_t) p->targets_vocab.approx_size);
    else if (p->targets_vocab.kind == DG_VOCAB_NUMBERS)
        *stream = dg_ids_stream_new(*stream, p->has_inputs, p->targets_vocab.approx_size);
    return T2_OK;
}

/* Leaves out records of the train split that are too long. */
static enum t2_status drop_long(const struct dg_problem *p, const struct dg_texts *texts,
                                struct dg_record *r, struct t2_err *err)
{
    const struct own_text *own = p->context;

    (void) err;
    for (size_t i = 0; i < r->n && texts->split == DG_TRAIN; i++) {
        if (r->features[i].n > (uint64_t) own->filters.max_tokens)
            r->drop = "more ids than --max_tokens";
    }
    return T2_OK;
}

/* ---- what the flags say about the files ---- */

static enum t2_status choose_columns(const struct dg_own_text *flags,
                                     const struct dg_own_kind *kind, size_t n,
                                     struct dg_columns *columns, struct t2_err *err)
{
    static const char *const names[] = {"tsv", "csv", "jsonl"};
    static const enum dg_format formats[] = {DG_FORMAT_TSV, DG_FORMAT_CSV, DG_FORMAT_JSONL};
    const char *const values[] = {flags->tsv, flags->csv, flags->jsonl};
    size_t n_given = 0, chosen = 0;

    for (size_t i = 0; i < 3; i++) {
        if (values[i][0] == '\0')
            continue;
        n_given++;
        chosen = i;
    }
    if (n_given > 1)
        return t2_fail(err, T2_EUSAGE, "give one of --tsv, --csv, --jsonl: all files are alike");
    if (n_given == 0)
        return T2_OK;
    if (dg_own_kind_has_values(kind) &&
        (kind->sides[DG_INPUTS] == DG_OWN_NUMBERS || strchr(values[chosen], ':')))
        return dg_columns_parse_lists(names[chosen], values[chosen], formats[chosen], columns, err);
    T2_TRY(dg_columns_parse(names[chosen], values[chosen], formats[chosen], n, columns, err));
    columns->lists = dg_own_kind_has_values(kind);
    return T2_OK;
}

/* Tables of values of which the command line says nothing; those of all splits are alike. */
static enum t2_status usual_columns(struct own_text *o, struct t2_err *err)
{
    struct dg_columns columns = {0};
    enum t2_status st;

    if (!dg_own_kind_has_values(o->kind) || o->parts[DG_TRAIN].columns.n > 0)
        return T2_OK;
    st = dg_own_kind_columns(o->kind, &o->parts[DG_TRAIN], &columns, err);
    for (int split = 0; split < DG_N_SPLITS && columns.n > 0; split++)
        if (o->parts[split].n > 0)
            dg_columns_copy(&columns, &o->parts[split].columns);
    dg_columns_release(&columns);
    return st;
}

static enum t2_status parse_files(struct own_text *o, const struct dg_own_text *flags,
                                  struct t2_err *err)
{
    size_t n_columns = o->problem.has_inputs ? DG_N_SIDES : 1;

    for (int split = 0; split < DG_N_SPLITS; split++) {
        if (flags->files[split][0] == '\0')
            continue;
        o->parts[split].one_side = !o->problem.has_inputs;
        T2_TRY(choose_columns(flags, o->kind, n_columns, &o->parts[split].columns, err));
        T2_TRY(dg_text_parts_parse(dg_split_name((enum dg_split) split), flags->files[split],
                                   &o->parts[split], err));
        o->problem.n_shards[split] =
            split == DG_TRAIN ? DEFAULT_TRAIN_SHARDS : DEFAULT_OTHER_SHARDS;
        o->parts[split].max_memory = flags->max_memory;
    }
    return usual_columns(o, err);
}

static bool is_named(const struct dg_text_parts *parts, const char *name)
{
    for (size_t i = 0; i < parts->n; i++) {
        if (parts->items[i].name && strcmp(parts->items[i].name, name) == 0)
            return true;
    }
    return false;
}

/* "news:3": a name of --train and its weight. */
static enum t2_status add_to_mix(struct own_text *o, const char *item, struct t2_err *err)
{
    const char *colon = strrchr(item, ':');
    char *name = colon ? t2_strndup(item, (size_t) (colon - item)) : t2_strdup(item);
    enum t2_status st = T2_OK;
    int64_t weight = 0;

    if (!colon || !t2_parse_i64(colon + 1, &weight) || weight < 1 || weight > DG_MAX_WEIGHT)
        st = t2_fail(err, T2_EUSAGE, "--mix: '%s' is not NAME:WEIGHT with a weight of 1 to %d",
                     item, DG_MAX_WEIGHT);
    else if (!is_named(&o->parts[DG_TRAIN], name))
        st = t2_fail(err, T2_EUSAGE,
                     "--mix: no files of --train are called '%s'; name them there: "
                     "--train='%s=a.en,a.de;...'",
                     name, name);
    for (size_t i = 0; i < o->mix_names.n && st == T2_OK; i++) {
        if (strcmp(o->mix_names.items[i], name) == 0)
            st = t2_fail(err, T2_EUSAGE, "--mix: '%s' is there twice", name);
    }
    if (st == T2_OK && o->mix_names.n == DG_MAX_MIX)
        st = t2_fail(err, T2_EUSAGE, "--mix: more than %d sources", DG_MAX_MIX);
    if (st != T2_OK) {
        t2_free(name);
        return st;
    }
    o->mix_weights[o->mix_names.n] = (uint32_t) weight;
    t2_strs_take(&o->mix_names, name);
    return T2_OK;
}

static enum t2_status parse_mix(struct own_text *o, const struct dg_own_text *flags,
                                struct t2_err *err)
{
    const struct dg_text_parts *parts = &o->parts[DG_TRAIN];
    struct t2_strs items = {0};
    enum t2_status st = T2_OK;
    size_t k;

    if (flags->mix[0] == '\0')
        return T2_OK;
    t2_strs_split(&items, flags->mix, ',');
    for (size_t i = 0; i < items.n && st == T2_OK; i++)
        st = add_to_mix(o, items.items[i], err);
    for (size_t i = 0; i < parts->n && st == T2_OK; i++) {
        const char *name = parts->items[i].name;
        for (k = 0; name && k < o->mix_names.n && strcmp(o->mix_names.items[k], name) != 0; k++)
            continue;
        if (!name || k == o->mix_names.n)
            st = t2_fail(err, T2_EUSAGE,
                         "--mix: '%s' of --train is in no source of the mixture; each file needs a "
                         "name there and a weight here",
                         parts->items[i].inputs);
    }
    t2_strs_release(&items);
    return st;
}

/* ---- classes ---- */

/* The classes of --classes, or those in the train split. */
static enum t2_status find_classes(struct own_text *o, const struct dg_own_text *flags,
                                   size_t *n_classes, struct t2_err *err)
{
    const struct dg_options options = {.data_dir = "",
                                       .tmp_dir = "",
                                       .max_memory = flags->max_memory};
    struct dg_stream *stream = NULL;
    enum t2_status st;

    if (flags->classes[0]) {
        t2_strs_split(&o->classes, flags->classes, ',');
        *n_classes = o->classes.n;
        return T2_OK;
    }
    T2_TRY(open_parts(o, &options, DG_TRAIN, NULL, &stream, err));
    if (o->kind->sides[DG_TARGETS] == DG_OWN_SET) {
        st = dg_find_labels(stream, &o->classes, err);
        *n_classes = o->classes.n;
    } else {
        st = dg_find_classes(stream, &o->classes, n_classes, err);
    }
    dg_stream_free(stream);
    return st;
}

static enum t2_status choose_classes(struct own_text *o, const struct dg_own_text *flags,
                                     struct t2_err *err)
{
    bool to_set = o->kind->sides[DG_TARGETS] == DG_OWN_SET;
    struct dg_problem *p = &o->problem;
    size_t n_classes = 0;

    T2_TRY(find_classes(o, flags, &n_classes, err));
    o->class_list = t2_alloc(o->classes.n + 1, sizeof *o->class_list);
    for (size_t i = 0; i < o->classes.n; i++)
        o->class_list[i] = o->classes.items[i];
    p->targets_vocab =
        (struct dg_vocab_spec){.kind = to_set ? DG_VOCAB_LABEL_SETS : DG_VOCAB_CLASSES,
                               .approx_size = (int64_t) n_classes,
                               .classes = o->classes.n ? o->class_list : NULL};
    if (to_set)
        o->values.labels = &o->classes;
    return T2_OK;
}

/* Of sides that are numbers, how many the first sample has. */
static enum t2_status count_numbers(struct own_text *o, const struct dg_own_text *flags,
                                    struct t2_err *err)
{
    const struct dg_options options = {.data_dir = "",
                                       .tmp_dir = "",
                                       .max_memory = flags->max_memory};
    bool wanted[DG_N_SIDES];
    struct dg_stream *stream = NULL;
    enum t2_status st;

    for (int side = 0; side < DG_N_SIDES; side++)
        wanted[side] = o->kind->sides[side] == DG_OWN_NUMBERS;
    T2_TRY(open_parts(o, &options, DG_TRAIN, NULL, &stream, err));
    st = dg_count_values(stream, wanted, o->values.n_numbers, err);
    dg_stream_free(stream);
    return st;
}

/* What the vocabulary of a side is where it is none of text: the one that was chosen so far is that
 * of the texts. */
static enum t2_status choose_values(struct own_text *o, const struct dg_own_text *flags,
                                    struct t2_err *err)
{
    const enum dg_own_side *sides = o->kind->sides;
    struct dg_problem *p = &o->problem;

    if (sides[DG_TARGETS] == DG_OWN_TEXT)
        return T2_OK;
    if (!p->shared_vocab)
        return t2_fail(err, T2_EUSAGE,
                       "--kind=%s has one side of text: give --vocab or --vocab_size",
                       o->kind->name);
    p->shared_vocab = false;
    p->inputs_vocab = p->targets_vocab;
    if (dg_own_kind_has_values(o->kind))
        T2_TRY(count_numbers(o, flags, err));
    if (sides[DG_INPUTS] == DG_OWN_NUMBERS)
        p->inputs_vocab =
            (struct dg_vocab_spec){.kind = DG_VOCAB_REALS,
                                   .approx_size = (int64_t) o->values.n_numbers[DG_INPUTS]};
    if (sides[DG_TARGETS] != DG_OWN_NUMBERS)
        return choose_classes(o, flags, err);
    p->targets_vocab =
        (struct dg_vocab_spec){.kind = DG_VOCAB_REALS,
                               .approx_size = (int64_t) o->values.n_numbers[DG_TARGETS]};
    return T2_OK;
}

/* ---- the problem ---- */

static enum t2_status choose_kind(struct own_text *o, const struct dg_own_text *flags,
                                  struct t2_err *err)
{
    const enum dg_own_side *sides;

    T2_TRY(dg_own_kind_find(flags->kind, &o->kind, err));
    sides = o->kind->sides;
    o->problem.has_inputs = sides[DG_INPUTS] != DG_OWN_NONE;
    if (flags->classes[0] && sides[DG_TARGETS] != DG_OWN_CLASS && sides[DG_TARGETS] != DG_OWN_SET)
        return t2_fail(err, T2_EUSAGE,
                       "--classes is for kinds whose targets are labels: text2class, text2labels, "
                       "table2class, table2labels");
    if (flags->base_dir && dg_own_kind_has_values(o->kind))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "kind %s is for the command line of t2t-datagen, not for problem files",
                       o->kind->name);
    return T2_OK;
}

/* What is for texts does nothing to numbers. */
static enum t2_status check_values(const struct own_text *o, const struct dg_own_text *flags,
                                   struct t2_err *err)
{
    bool of_text = o->kind->sides[DG_INPUTS] != DG_OWN_NUMBERS;
    struct dg_filters filters = o->filters;

    if (!dg_own_kind_has_values(o->kind))
        return T2_OK;
    filters.duplicates = DG_DUPLICATES_KEPT;
    if (flags->packed_length)
        return t2_fail(err, T2_EUSAGE, "--packed_length is for texts, not for --kind=%s",
                       o->kind->name);
    if (flags->prefix[DG_TARGETS][0] || (!of_text && flags->prefix[DG_INPUTS][0]))
        return t2_fail(err, T2_EUSAGE, "--%s_prefix: there is no text in the %s of --kind=%s",
                       flags->prefix[DG_TARGETS][0] ? "targets" : "inputs",
                       flags->prefix[DG_TARGETS][0] ? "targets" : "inputs", o->kind->name);
    if (!of_text && (dg_filters_any(&filters) || filters.max_tokens))
        return t2_fail(err, T2_EUSAGE,
                       "--min_length, --max_length, --max_ratio, --max_tokens and scripts are for "
                       "texts, not for --kind=%s",
                       o->kind->name);
    return T2_OK;
}

static enum t2_status choose_rest(struct own_text *o, const struct dg_own_text *flags,
                                  struct t2_err *err)
{
    struct dg_problem *p = &o->problem;

    o->clean = flags->clean;
    if (o->clean[0] && strcmp(o->clean, "inputs") != 0 && strcmp(o->clean, "targets") != 0)
        return t2_fail(err, T2_EUSAGE,
                       "--clean='%s': must be inputs or targets, the side that is "
                       "English",
                       o->clean);
    if (o->clean[0] && strcmp(flags->kind, "text2text") != 0)
        return t2_fail(err, T2_EUSAGE, "--clean is for pairs, --kind=text2text");
    o->filters = flags->filters;
    for (int side = 0; side < DG_N_SIDES; side++) {
        if (o->filters.script[side] && o->filters.script[side][0] == '\0')
            o->filters.script[side] = NULL;
    }
    T2_TRY(dg_duplicates_parse(flags->drop_duplicates, &o->filters.duplicates, err));
    T2_TRY(dg_filters_check(&o->filters, err));
    if (o->filters.max_tokens)
        p->record.finish = drop_long;
    for (int side = 0; side < DG_N_SIDES; side++) {
        if (flags->prefix[side][0])
            p->text.prefix[side] = flags->prefix[side];
    }
    if (flags->packed_length < 0 || flags->packed_length > MAX_PACKED_LENGTH)
        return t2_fail(err, T2_EUSAGE, "--packed_length=%" PRId64 ": must be 0 to %d",
                       flags->packed_length, MAX_PACKED_LENGTH);
    p->packing.length = (int) flags->packed_length;
    return T2_OK;
}

/* Splits without files of their own get a part of the training text. */
static enum t2_status choose_held_out(struct own_text *o, const struct dg_own_text *flags,
                                      struct t2_err *err)
{
    o->held_out = flags->held_out;
    T2_TRY(dg_held_out_check(&flags->held_out, err));
    for (int split = DG_DEV; split < DG_N_SPLITS; split++) {
        const char *name = dg_split_name((enum dg_split) split);

        if (!is_held_out(o, (enum dg_split) split))
            continue;
        if (flags->files[split][0])
            return t2_fail(err, T2_EUSAGE, "--%s_percent and --%s: give one of them", name, name);
        if (flags->mix[0])
            return t2_fail(err, T2_EUSAGE, "--%s_percent is not for a mixture", name);
        o->problem.n_shards[split] = DEFAULT_OTHER_SHARDS;
    }
    return T2_OK;
}

static void note_text(struct t2_buf *text, const char *flag, const char *value)
{
    if (value && value[0])
        t2_buf_printf(text, "%s--%s=%s", text->len_bytes ? " " : "", flag, value);
}

static void note_number(struct t2_buf *text, const char *flag, double value)
{
    char number[32];

    snprintf(number, sizeof number, "%.17g", value);
    if (value != 0)
        note_text(text, flag, number);
}

/* Beside the files themselves this decides the bytes: a run with other flags is another data
 * set. */
static void note_revision(struct own_text *o, const struct dg_own_text *flags)
{
    const struct dg_filters *f = &o->filters;
    struct t2_buf *text = &o->revision;

    note_text(text, "kind", strcmp(flags->kind, "text2text") == 0 ? NULL : flags->kind);
    note_text(text, "tsv", flags->tsv);
    note_text(text, "csv", flags->csv);
    note_text(text, "jsonl", flags->jsonl);
    note_text(text, "classes", flags->classes);
    note_text(text, "mix", flags->mix);
    note_text(text, "clean", flags->clean);
    note_number(text, "min_length", (double) f->min_length);
    note_number(text, "max_length", (double) f->max_length);
    note_number(text, "max_ratio", f->max_ratio);
    note_number(text, "max_tokens", (double) f->max_tokens);
    if (f->duplicates != DG_DUPLICATES_KEPT)
        note_text(text, "drop_duplicates", flags->drop_duplicates);
    note_text(text, "inputs_script", f->script[DG_INPUTS]);
    note_text(text, "targets_script", f->script[DG_TARGETS]);
    note_text(text, "inputs_prefix", flags->prefix[DG_INPUTS]);
    note_text(text, "targets_prefix", flags->prefix[DG_TARGETS]);
    note_number(text, "packed_length", (double) flags->packed_length);
    note_number(text, "dev_percent", flags->held_out.dev_percent);
    note_number(text, "test_percent", flags->held_out.test_percent);
    if (text->len_bytes)
        o->problem.revision = t2_buf_cstr(text);
}

static enum t2_status fill(struct own_text *o, const struct dg_own_text *flags, struct t2_err *err)
{
    struct dg_problem *p = &o->problem;

    if (flags->files[DG_TRAIN][0] == '\0')
        return t2_fail(err, T2_EUSAGE, "--dev and --test need --train");
    if (flags->name[0] == '\0')
        return t2_fail(err, T2_EUSAGE, "--train needs --name: what the data set is called");
    T2_TRY(dg_check_name(flags->name, err));
    if (dg_find(flags->name))
        return t2_fail(err, T2_EUSAGE, "--name='%s' is a problem of its own; choose another name",
                       flags->name);
    p->name = flags->name;
    p->summary = "text of your own";
    p->open = own_open;
    p->context = o;
    o->base_dir = flags->base_dir;
    o->owner = flags->owner;
    T2_TRY(choose_kind(o, flags, err));
    T2_TRY(parse_files(o, flags, err));
    T2_TRY(parse_mix(o, flags, err));
    T2_TRY(choose_rest(o, flags, err));
    T2_TRY(choose_held_out(o, flags, err));
    T2_TRY(check_values(o, flags, err));
    note_revision(o, flags);
    T2_TRY(dg_own_vocabs_choose(flags, o->kind, p, &o->vocabs, err));
    return choose_values(o, flags, err);
}

static void text_or(const char **text, const char *otherwise)
{
    if (!*text || (*text)[0] == '\0')
        *text = otherwise;
}

/* Fills members that were not given with their defaults. */
static struct dg_own_text with_defaults(const struct dg_own_text *own)
{
    struct dg_own_text f = *own;
    const char **const texts[] = {&f.name,
                                  &f.files[DG_TRAIN],
                                  &f.files[DG_DEV],
                                  &f.files[DG_TEST],
                                  &f.tsv,
                                  &f.csv,
                                  &f.jsonl,
                                  &f.classes,
                                  &f.mix,
                                  &f.clean,
                                  &f.vocab,
                                  &f.source_vocab,
                                  &f.target_vocab,
                                  &f.oov_token,
                                  &f.prefix[DG_INPUTS],
                                  &f.prefix[DG_TARGETS]};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        text_or(texts[i], "");
    text_or(&f.drop_duplicates, "none");
    text_or(&f.kind, "text2text");
    text_or(&f.vocab_type, "subwords");
    return f;
}

enum t2_status dg_own_text_new(const struct dg_own_text *own, struct dg_problem **p,
                               struct t2_err *err)
{
    struct own_text *o = t2_alloc(1, sizeof *o);
    struct dg_own_text flags = with_defaults(own);
    enum t2_status st = fill(o, &flags, err);

    *p = &o->problem;
    if (st != T2_OK) {
        dg_own_text_free(*p);
        *p = NULL;
    }
    return st;
}

const void *dg_own_text_owner(const struct dg_problem *p)
{
    const struct own_text *o = p->context;

    return o->owner;
}

void dg_own_text_free(struct dg_problem *p)
{
    struct own_text *o = (struct own_text *) p;

    if (!o)
        return;
    for (int split = 0; split < DG_N_SPLITS; split++)
        dg_text_parts_release(&o->parts[split]);
    t2_strs_release(&o->mix_names);
    t2_strs_release(&o->classes);
    t2_free(o->class_list);
    t2_buf_release(&o->revision);
    dg_own_vocabs_release(&o->vocabs);
    t2_free(o);
}
