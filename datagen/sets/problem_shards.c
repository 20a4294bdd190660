/*
 * datagen/sets/problem_shards.c - telling what shards of another program hold.
 */
#include "datagen/sets/problem_shards.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/flags.h"
#include "base/pool.h"
#include "datagen/sets/shard_survey.h"
#include "datagen/vocabs/problem_vocab.h"
#include "tfrecord/example.h"
#include "tfrecord/reader.h"
#include "tfrecord/shards.h"
#include "tokenizer/encoder.h"

enum { BYTE_IDS = 258, NAMES_SHOWN = 6 };

struct guess {
    const char *data_dir;
    char *stem;                            /* of the shards' names */
    struct tfr_manifest_feature *features; /* names and kinds borrowed */
    size_t n_features;
    uint64_t n_records[DG_N_SPLITS];
    struct t2_strs vocabs; /* names of the files that come into question */
    bool named;            /* they are named after the data set */
    struct dg_survey survey;
};

static void release(struct guess *g)
{
    t2_free(g->stem);
    t2_free(g->features);
    t2_strs_release(&g->vocabs);
    dg_survey_release(&g->survey);
}

static const struct tfr_manifest_feature *find(const struct guess *g, const char *name)
{
    for (size_t i = 0; i < g->n_features; i++) {
        if (strcmp(g->features[i].name, name) == 0)
            return &g->features[i];
    }
    return NULL;
}

static bool is_ids(const struct tfr_manifest_feature *f)
{
    return f && strcmp(f->kind, "int64") == 0 && f->n_values > 0;
}

/* ---- features, by reading the shards ---- */

/* The shards of a split as a manifest would list them; no records when there are none. */
static enum t2_status list_split(const struct guess *g, enum dg_split split,
                                 struct tfr_manifest_split *s, struct t2_err *err)
{
    struct t2_strs paths = {0};
    struct t2_err none = T2_ERR_INIT;
    enum t2_status st = tfr_find_shards(g->data_dir, g->stem, dg_split_name(split), &paths, &none);

    *s = (struct tfr_manifest_split){0};
    if (st != T2_OK && st != T2_ENOTFOUND) {
        *err = none;
        return st;
    }
    s->shards = t2_alloc(paths.n, sizeof *s->shards);
    st = T2_OK;
    for (size_t i = 0; i < paths.n && st == T2_OK; i++) {
        struct tfr_manifest_shard *shard = &s->shards[s->n_shards++];

        shard->file = t2_strdup(t2_path_base(paths.items[i]));
        st = t2_file_size(paths.items[i], &shard->bytes, err);
        if (st == T2_OK)
            st = tfr_count(paths.items[i], &shard->n_records, err);
    }
    t2_strs_release(&paths);
    return st;
}

static enum t2_status read_split(struct guess *g, enum dg_split split, struct t2_pool *pool,
                                 struct t2_err *err)
{
    struct tfr_manifest_split s;
    struct dg_survey one = {0};
    enum t2_status st = list_split(g, split, &s, err);

    if (st == T2_OK && s.n_shards > 0)
        st = dg_survey_split(&s, g->data_dir, false, pool, &one, err);
    g->n_records[split] = one.n_records;
    dg_survey_join(&g->survey, &one);
    dg_survey_release(&one);
    tfr_manifest_release_split(&s);
    return st;
}

static void features_of_survey(struct guess *g)
{
    static char kinds[][6] = {"none", "bytes", "float", "int64"};

    g->features = t2_alloc(g->survey.n_features, sizeof *g->features);
    for (size_t i = 0; i < g->survey.n_features; i++) {
        const struct dg_surveyed_feature *f = &g->survey.features[i];

        g->features[g->n_features++] =
            (struct tfr_manifest_feature){.name = f->name,
                                          .kind = kinds[f->kind],
                                          .min_length = f->n_records < g->survey.n_records
                                                            ? 0
                                                            : f->min_length,
                                          .max_length = f->max_length,
                                          .n_values = f->n_values,
                                          .min_value = f->min_value,
                                          .max_value = f->max_value};
    }
}

static enum t2_status read_shards(struct guess *g, struct t2_err *err)
{
    struct t2_pool *pool = t2_pool_new(t2_flags_num_threads());
    enum t2_status st = T2_OK;

    for (int split = 0; split < DG_N_SPLITS && st == T2_OK; split++)
        st = read_split(g, (enum dg_split) split, pool, err);
    t2_pool_free(pool);
    T2_TRY(st);
    if (g->survey.errors.n > 0)
        return t2_fail(err, T2_EFORMAT, "%s; `tfrec verify` says more", g->survey.errors.items[0]);
    features_of_survey(g);
    return T2_OK;
}

/* ---- of which kind the first record is ---- */

static bool first_is_sentence(const char *path)
{
    struct t2_err ignored = T2_ERR_INIT;
    struct tfr_example ex = {0};
    struct tfr_reader *r = NULL;
    struct t2_slice record;
    bool is = tfr_reader_new(path, &r, &ignored) == T2_OK &&
              tfr_reader_next(r, &record, &ignored) == T2_OK &&
              tfr_example_parse(&ex, record, &ignored) == T2_OK &&
              tfr_example_find(&ex, "input_mask") &&
              (tfr_example_find(&ex, "input_ids") || tfr_example_find(&ex, "input_word_ids"));

    tfr_example_release(&ex);
    tfr_reader_free(r);
    return is;
}

bool dg_shards_are_sentences(const char *data_dir, const char *stem)
{
    bool are = false;

    for (int i = 0; i < DG_N_SPLITS && !are; i++) {
        struct t2_err ignored = T2_ERR_INIT;
        struct t2_strs paths = {0};

        are = tfr_find_shards(data_dir, stem, dg_split_name((enum dg_split) i), &paths, &ignored) ==
                  T2_OK &&
              paths.n > 0 && first_is_sentence(paths.items[0]);
        t2_strs_release(&paths);
    }
    return are;
}

/* ---- features, by a manifest ---- */

/* The shards' names without "-train-00000-of-00010"; the manifest's own name may be another. */
static char *stem_of_manifest(const struct dg_view *v)
{
    for (int i = 0; i < DG_N_SPLITS; i++) {
        const struct tfr_manifest_split *s = &v->manifest->splits[i];
        size_t n;
        char *stem, *end;

        if (s->n_shards == 0)
            continue;
        n = tfr_shard_stem_length(s->shards[0].file);
        stem = t2_strndup(s->shards[0].file, n);
        end = strrchr(stem, '-');
        if (end && strcmp(end + 1, dg_split_name((enum dg_split) i)) == 0) {
            *end = '\0';
            return stem;
        }
        t2_free(stem);
    }
    return t2_strdup(v->base_name);
}

static void take_manifest(struct guess *g, const struct dg_manifest *m)
{
    g->features = t2_alloc(m->n_features, sizeof *g->features);
    for (size_t i = 0; i < m->n_features; i++)
        g->features[g->n_features++] = m->features[i];
    for (int i = 0; i < DG_N_SPLITS; i++)
        g->n_records[i] = m->splits[i].n_records;
}

/* ---- vocabularies ---- */

static bool is_named_after(const char *file, const char *name)
{
    size_t n = strlen("vocab."), length = strlen(name);

    return strncmp(file + n, name, length) == 0 && file[n + length] == '.';
}

/* Vocabularies named after the data set; when there are none, all in the folder. */
static enum t2_status find_vocabs(struct guess *g, const struct dg_view *v, struct t2_err *err)
{
    struct t2_strs names = {0};
    enum t2_status st = t2_list_dir(g->data_dir, &names, err);

    for (int named = 1; named >= 0 && g->vocabs.n == 0; named--) {
        g->named = named;
        for (size_t i = 0; i < names.n; i++) {
            const char *file = names.items[i];

            if (t2_starts_with(file, "vocab.") && !t2_ends_with(file, TFR_MANIFEST_SUFFIX) &&
                !t2_ends_with(file, ".incomplete") &&
                (!named || is_named_after(file, g->stem) || is_named_after(file, v->base_name)))
                t2_strs_push(&g->vocabs, file);
        }
    }
    t2_strs_release(&names);
    return st;
}

static const char *ending(const char *file)
{
    return strrchr(file, '.') + 1; /* all begin with "vocab." */
}

/* "enzh" in the name and two files that end in .en and .zh: the first is the inputs'. */
static const char *by_language(const struct guess *g, enum dg_side_index side)
{
    const char *a = ending(g->vocabs.items[0]), *b = ending(g->vocabs.items[1]);
    char *ab = t2_asprintf("%s%s", a, b), *ba = t2_asprintf("%s%s", b, a);
    bool is_ab = strstr(g->stem, ab) != NULL, is_ba = strstr(g->stem, ba) != NULL;

    t2_free(ab);
    t2_free(ba);
    if (is_ab == is_ba)
        return NULL;
    return g->vocabs.items[is_ab == (side == DG_INPUTS) ? 0 : 1];
}

static const char *by_ending(const struct guess *g, enum dg_side_index side)
{
    static const char *const endings[DG_N_SIDES][2] = {{"source", "inputs"}, {"target", "targets"}};

    for (size_t i = 0; i < g->vocabs.n; i++) {
        const char *end = ending(g->vocabs.items[i]);

        if (strcmp(end, endings[side][0]) == 0 || strcmp(end, endings[side][1]) == 0)
            return g->vocabs.items[i];
    }
    return NULL;
}

static enum t2_status unknown_side(const struct guess *g, const struct dg_view *v,
                                   enum dg_side_index side, struct t2_err *err)
{
    struct t2_buf list = {0};
    enum t2_status st;

    for (size_t i = 0; i < g->vocabs.n && i < NAMES_SHOWN; i++)
        t2_buf_printf(&list, "%s'%s'", i > 0 ? ", " : "", g->vocabs.items[i]);
    if (g->vocabs.n > NAMES_SHOWN)
        t2_buf_printf(&list, " and %zu more", g->vocabs.n - NAMES_SHOWN);
    st = t2_fail(
        err, T2_EUSAGE,
        "'%s' holds shards of '%s', but which vocabulary the %s are of cannot be told (%s): "
        "give the right file, or a link to it, the name 'vocab.%s.%s'",
        g->data_dir, v->base_name, side == DG_INPUTS ? "inputs" : "targets", t2_buf_cstr(&list),
        g->stem, side == DG_INPUTS ? "source" : "target");
    t2_buf_release(&list);
    return st;
}

static enum t2_status choose_vocab(const struct guess *g, const struct dg_view *v,
                                   enum dg_side_index side, const char **file, struct t2_err *err)
{
    *file = NULL;
    if (g->vocabs.n > 1)
        *file = by_ending(g, side);
    if (!*file && g->vocabs.n == 2 && g->named && v->has_inputs)
        *file = by_language(g, side);
    if (!*file && g->vocabs.n == 1)
        *file = g->vocabs.items[0];
    if (!*file && g->vocabs.n > 1)
        return unknown_side(g, v, side, err);
    return T2_OK;
}

/* Ids are lines of the file: all must be there. */
static enum t2_status check_size(const char *path, const struct tok_encoder *e,
                                 const struct tfr_manifest_feature *f, struct t2_err *err)
{
    if (f->max_value < tok_size(e))
        return T2_OK;
    return t2_fail(err, T2_EFORMAT,
                   "the shards have %s up to %" PRId64 ", but '%s' has %" PRId32
                   " entries: it is not the vocabulary that they were made with",
                   f->name, f->max_value, path, tok_size(e));
}

static enum t2_status open_vocab(const struct guess *g, const char *file,
                                 const struct tfr_manifest_feature *f, struct dg_side *side,
                                 struct t2_err *err)
{
    char *path = t2_path_join(g->data_dir, file);
    struct tok_encoder *e = NULL;
    enum t2_status st = tok_load(path, &e, err);

    if (st == T2_OK) {
        tok_shift(e);
        st = check_size(path, e, f, err);
    }
    if (st == T2_OK) {
        side->vocab_kind = dg_vocab_kind_of(e);
        side->vocab_file = path;
        path = NULL;
    }
    tok_free(e);
    t2_free(path);
    return st;
}

static enum t2_status settle_text(const struct guess *g, struct dg_view *v,
                                  enum dg_side_index index, const struct tfr_manifest_feature *f,
                                  struct t2_err *err)
{
    struct dg_side *side = index == DG_INPUTS ? &v->inputs : &v->targets;
    const char *file;

    side->space_id = DG_SPACE_GENERIC;
    if (f->min_value < 0)
        return t2_fail(err, T2_EFORMAT,
                       "the shards of '%s' have %s of %" PRId64 ": these are no ids", v->base_name,
                       f->name, f->min_value);
    T2_TRY(choose_vocab(g, v, index, &file, err));
    if (file)
        return open_vocab(g, file, f, side, err);
    if (f->max_value >= BYTE_IDS)
        return t2_fail(err, T2_EFORMAT,
                       "the shards of '%s' have %s up to %" PRId64 ", but '%s' has no vocabulary "
                       "(vocab.%s.*): put the file there that they were made with",
                       v->base_name, f->name, f->max_value, g->data_dir, g->stem);
    side->vocab_kind = DG_VOCAB_BYTES;
    return T2_OK;
}

/* ---- kinds of problems ---- */

/* A text ends in <EOS>, so that one whose records have one id each would be nothing but that. */
static bool is_label(const struct tfr_manifest_feature *f)
{
    return is_ids(f) && f->min_length == 1 && f->max_length == 1 &&
           (f->min_value != TOK_EOS || f->max_value != TOK_EOS);
}

static enum t2_status settle_classes(struct dg_view *v, const struct tfr_manifest_feature *f,
                                     struct t2_err *err)
{
    if (f->min_value < 0 || f->max_value >= DG_MOST_CLASS_IDS)
        return t2_fail(err, T2_EFORMAT,
                       "the shards of '%s' have %s from %" PRId64 " to %" PRId64
                       ": these are no classes (0 to %d)",
                       v->base_name, f->name, f->min_value, f->max_value, DG_MOST_CLASS_IDS - 1);
    v->targets.vocab_kind = DG_VOCAB_CLASSES;
    v->targets.is_label = true;
    v->targets.size = f->max_value + 1;
    return T2_OK;
}

/* Model Garden's records of BERT: ids without a vocabulary beside them. */
static enum t2_status settle_sentences(const struct guess *g, struct dg_view *v,
                                       const struct tfr_manifest_feature *ids, struct t2_err *err)
{
    const struct tfr_manifest_feature *masked = find(g, "masked_lm_ids");
    const struct tfr_manifest_feature *label = find(g, "label_ids");
    const struct tfr_manifest_feature *answer = find(g, "start_positions");

    v->is_sentences = v->has_inputs = true;
    v->inputs.feature = find(g, "input_ids") ? "input_ids" : "input_word_ids";
    v->inputs.vocab_kind = DG_VOCAB_NUMBERS;
    v->inputs.raw_ids = true;
    v->inputs.size = ids->max_value + 1;
    if (is_ids(masked)) {
        v->is_masked = true;
        v->has_sentence_label = is_ids(find(g, "next_sentence_labels"));
        v->targets.feature = "masked_lm_ids";
        v->targets.vocab_kind = DG_VOCAB_NUMBERS;
        v->targets.raw_ids = true;
        v->targets.size = masked->max_value + 1;
        return T2_OK;
    }
    if (is_ids(answer) && is_ids(find(g, "end_positions"))) {
        v->is_answered = true;
        v->targets.feature = "start_positions";
        v->targets.vocab_kind = DG_VOCAB_NUMBERS;
        v->targets.raw_ids = true;
        v->targets.size = answer->max_value + 1;
        return T2_OK;
    }
    if (!is_ids(label) || label->min_length != 1 || label->max_length != 1)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "the shards of '%s' in '%s' are records of sentences (%s, input_mask) "
                       "without one int64 'label_ids' each, without 'masked_lm_ids', and without "
                       "'start_positions' and 'end_positions': for other tasks of BERT there is no "
                       "model here",
                       v->base_name, g->data_dir, v->inputs.feature);
    v->targets.feature = "label_ids";
    return settle_classes(v, label, err);
}

static enum t2_status unknown_kind(const struct guess *g, const struct dg_view *v,
                                   struct t2_err *err)
{
    struct t2_buf list = {0};
    enum t2_status st;

    for (size_t i = 0; i < g->n_features && i < NAMES_SHOWN; i++)
        t2_buf_printf(&list, "%s%s '%s'", i > 0 ? ", " : "", g->features[i].kind,
                      g->features[i].name);
    st = t2_fail(err, T2_EUNSUPPORTED,
                 "what the shards of '%s' in '%s' are for cannot be told from their features (%s): "
                 "int64 'inputs' and 'targets', 'targets' alone, 'label', or 'image/encoded' and "
                 "'image/class/label' could be used",
                 v->base_name, g->data_dir, g->n_features > 0 ? t2_buf_cstr(&list) : "none");
    t2_buf_release(&list);
    return st;
}

static enum t2_status settle(struct guess *g, struct dg_view *v, struct t2_err *err)
{
    const struct tfr_manifest_feature *inputs = find(g, "inputs"), *targets = find(g, "targets");
    const struct tfr_manifest_feature *label = find(g, "image/class/label");

    const struct tfr_manifest_feature *ids = find(g, "input_ids");

    ids = ids ? ids : find(g, "input_word_ids");
    if (is_ids(ids) && find(g, "input_mask"))
        return settle_sentences(g, v, ids, err);
    if (find(g, "image/encoded") && is_ids(label)) {
        v->is_images = true;
        return settle_classes(v, label, err);
    }
    if (!targets && is_label(find(g, "label"))) {
        targets = find(g, "label");
        v->targets.feature = "label";
    }
    if (!is_ids(targets) || (inputs && !is_ids(inputs)))
        return unknown_kind(g, v, err);
    v->has_inputs = inputs != NULL;
    T2_TRY(find_vocabs(g, v, err));
    if (v->has_inputs)
        T2_TRY(settle_text(g, v, DG_INPUTS, inputs, err));
    if (v->has_inputs && is_label(targets))
        return settle_classes(v, targets, err);
    return settle_text(g, v, DG_TARGETS, targets, err);
}

/* ---- what is said ---- */

static void say_side(const struct dg_side *side, const char *name, struct t2_buf *b)
{
    if (side->is_label)
        t2_buf_printf(b, "; %s: %" PRId64 " classes", name, side->size);
    else if (side->vocab_kind == DG_VOCAB_NUMBERS)
        t2_buf_printf(b, "; %s: ids below %" PRId64, name, side->size);
    else if (side->vocab_file)
        t2_buf_printf(b, "; %s: %s of '%s'", name, dg_vocab_kind_name(side->vocab_kind),
                      side->vocab_file);
    else
        t2_buf_printf(b, "; %s: bytes, as no vocabulary is there", name);
}

static void say(const struct guess *g, struct dg_view *v)
{
    struct t2_buf b = {0};
    const char *comma = "";

    t2_buf_printf(&b, "'%s' is %s; by the shards in '%s' it is ", v->base_name,
                  dg_find(v->base_name) ? "not the problem of that name here"
                                        : "no problem that is known here",
                  g->data_dir);
    t2_buf_puts(&b, v->is_images          ? "images of classes"
                    : v->is_masked        ? "masked sentences, for BERT"
                    : v->is_answered      ? "questions and where their answers are, for BERT"
                    : v->is_sentences     ? "sentences of classes, for BERT"
                    : v->targets.is_label ? "texts of classes"
                    : v->has_inputs       ? "text to text"
                                          : "a language model");
    t2_buf_puts(&b, " (");
    for (int i = 0; i < DG_N_SPLITS; i++) {
        if (g->n_records[i] == 0)
            continue;
        t2_buf_printf(&b, "%s%s: %" PRIu64 " records", comma, dg_split_name((enum dg_split) i),
                      g->n_records[i]);
        comma = ", ";
    }
    t2_buf_puts(&b, ")");
    if (v->has_inputs)
        say_side(&v->inputs, "inputs", &b);
    say_side(&v->targets, "targets", &b);
    v->assumed = t2_buf_detach(&b);
}

enum t2_status dg_view_from_shards(struct dg_view *v, const char *data_dir, struct t2_err *err)
{
    struct guess g = {.data_dir = data_dir};
    uint64_t n = 0;
    enum t2_status st = T2_OK;

    g.stem = v->manifest ? stem_of_manifest(v) : t2_strdup(v->base_name);
    if (v->manifest)
        take_manifest(&g, v->manifest);
    else
        st = read_shards(&g, err);
    v->has_targets_mask = find(&g, "targets_mask") != NULL;
    for (int i = 0; i < DG_N_SPLITS; i++)
        n += g.n_records[i];
    if (st == T2_OK && n == 0 && !v->manifest)
        st = t2_fail(err, T2_ENOTFOUND, "'%s' holds no shards of '%s'", data_dir, v->base_name);
    if (st == T2_OK)
        st = settle(&g, v, err);
    if (st == T2_OK) {
        v->dataset_filename = t2_strdup(g.stem);
        say(&g, v);
    }
    release(&g);
    return st;
}
