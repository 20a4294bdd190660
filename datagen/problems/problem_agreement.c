/*
 * datagen/problems/problem_agreement.c - subject and verb: is the verb that comes next singular or
 * plural? (spec t2t-datagen.md §5.8, §8.2, §8.4; T2T's subject_verb_agreement.py)
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mt19937.h"
#include "base/spool.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/vocab_specs.h"
#include "datagen/problems/word_list.h"
#include "datagen/source/row_stream.h"
#include "datagen/source/scratch_sort.h"
#include "datagen/source/tab_fields.h"
#include "tokenizer/tokens.h"

static const char *const urls[] = {
    "http://tallinzen.net/media/rnn_agreement/agr_50_mostcommon_10K.tsv.gz", NULL};
static const struct dg_source_file file = {.name = "agr_50_mostcommon_10K.tsv.gz", .urls = urls};
static const struct dg_source source = {.file = &file, .is_plain = true};
static const struct dg_source_file *const files[] = {&file, NULL};

/* The columns that are used. */
enum { SENTENCE, VERB_INDEX, VERB_POS, N_INTERVENING, N_DIFFERENT, N_COLUMNS };
static const char *const column_names[N_COLUMNS] = {"sentence", "verb_index", "verb_pos",
                                                    "n_intervening", "n_diff_intervening"};
static const char *const labels[] = {"VBZ", "VBP"};

struct table {
    struct t2_csv *csv;
    char *path;
    size_t column[N_COLUMNS], most; /* places in a row; the largest of them */
};

static void table_close(struct table *t)
{
    t2_csv_free(t->csv);
    t2_free(t->path);
}

static enum t2_status table_open(const struct dg_options *options, struct table *t,
                                 struct t2_err *err)
{
    const struct t2_slice *fields;
    size_t n, i;

    *t = (struct table){0};
    T2_TRY(dg_source_path(&source, options, &t->path, err));
    T2_TRY(t2_csv_new(t->path, '\t', true, &t->csv, err));
    t2_csv_limit_line(t->csv, options->max_memory);
    if (t2_csv_next(t->csv, &fields, &n, err) != T2_OK)
        return t2_fail(err, T2_EFORMAT, "'%s' has no header", t->path);
    for (int k = 0; k < N_COLUMNS; k++) {
        for (i = 0; i < n && !t2_slice_eq(fields[i], t2_slice_of(column_names[k])); i++)
            continue;
        if (i == n)
            return t2_fail(err, T2_EFORMAT, "'%s' has no column '%s'", t->path, column_names[k]);
        t->column[k] = i;
        t->most = i > t->most ? i : t->most;
    }
    return T2_OK;
}

struct row {
    struct t2_slice fields[N_COLUMNS];
    int64_t verb_index, label;
};

static enum t2_status table_next(struct table *t, struct row *row, struct t2_err *err)
{
    const struct t2_slice *fields;
    size_t n;

    T2_TRY(t2_csv_next(t->csv, &fields, &n, err));
    if (n <= t->most)
        return t2_fail(err, T2_EFORMAT, "'%s': line %" PRIu64 ": only %zu columns", t->path,
                       t2_csv_line(t->csv), n);
    for (int k = 0; k < N_COLUMNS; k++)
        row->fields[k] = fields[t->column[k]];
    for (row->label = 0; row->label < 2; row->label++) {
        if (t2_slice_eq(row->fields[VERB_POS], t2_slice_of(labels[row->label])))
            break;
    }
    if (row->label == 2 || !dg_parse_int(row->fields[VERB_INDEX], &row->verb_index) ||
        row->verb_index < 1)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': line %" PRIu64 ": verb_pos must be VBZ or VBP, verb_index a number "
                       "from 1 on",
                       t->path, t2_csv_line(t->csv));
    return T2_OK;
}

/* ---- samples: all examples in the original's drawn order ---- */

/* In front of the text, on disk. */
struct example {
    uint32_t len_bytes;
    uint8_t label, is_simple; /* no noun between that has another number */
};

struct agreement_stream {
    struct dg_stream base;
    const struct dg_options *options;
    enum dg_split split;
    bool with_verb;           /* language model: the verb too */
    struct t2_spool *spool;   /* all examples, until their order is known */
    struct tfr_sorter *drawn; /* those of the split; NULL: nothing was read */
    uint64_t n;
    char *path;
    int64_t label;
};

/* The first n_words words, one blank between two. */
static void first_words(struct t2_slice sentence, int64_t n_words, struct t2_buf *text)
{
    struct t2_slice word;
    size_t at = 0;

    t2_buf_clear(text);
    while (n_words-- > 0 && tok_next_word(sentence.data, sentence.len_bytes, &at, &word)) {
        if (text->len_bytes)
            t2_buf_push(text, ' ');
        t2_buf_append(text, word.data, word.len_bytes);
    }
}

static void add_example(struct agreement_stream *s, const struct row *row, struct t2_buf *text)
{
    struct example e;

    first_words(row->fields[SENTENCE], row->verb_index - 1 + s->with_verb, text);
    memset(&e, 0, sizeof e); /* the gap, too: it goes to disk */
    e.len_bytes = (uint32_t) text->len_bytes;
    e.label = (uint8_t) row->label;
    e.is_simple = t2_slice_eq(row->fields[N_INTERVENING], row->fields[N_DIFFERENT]);
    t2_spool_write(s->spool, &e, sizeof e);
    t2_spool_write(s->spool, text->data, text->len_bytes);
    s->n++;
}

static enum t2_status read_examples(struct agreement_stream *s, struct t2_err *err)
{
    char *beside = t2_path_join(s->options->data_dir, "examples");
    struct t2_buf text = {0};
    struct table t;
    struct row row;
    enum t2_status st = table_open(s->options, &t, err);

    if (st == T2_OK)
        st = t2_spool_new(beside, &s->spool, err);
    while (st == T2_OK && (st = table_next(&t, &row, err)) == T2_OK)
        add_example(s, &row, &text);
    if (st == T2_EOF)
        st = t2_spool_rewind(s->spool, err);
    s->path = t.path ? t2_strdup(t.path) : NULL;
    table_close(&t);
    t2_buf_release(&text);
    t2_free(beside);
    return st;
}

/* The examples at the places of the split, sorted by place. */
static enum t2_status sort_examples(struct agreement_stream *s, const uint32_t *places,
                                    struct t2_err *err)
{
    uint64_t n_train = (uint64_t) ((double) s->n * 0.09);
    uint64_t n_dev = n_train + (uint64_t) ((double) s->n * 0.01);
    uint64_t first = s->split == DG_TRAIN ? 0 : s->split == DG_DEV ? n_train : n_dev;
    uint64_t end = s->split == DG_TRAIN ? n_train : s->split == DG_DEV ? n_dev : s->n;
    struct t2_buf data = {0};
    struct example e;
    enum t2_status st = T2_OK;

    for (uint64_t i = 0; i < s->n && st == T2_OK; i++) {
        T2_GOTO(st, out, t2_spool_read(s->spool, &e, sizeof e, err));
        t2_buf_clear(&data);
        t2_buf_push(&data, e.label);
        T2_GOTO(st, out,
                t2_spool_read(s->spool, t2_buf_reserve(&data, e.len_bytes), e.len_bytes, err));
        data.len_bytes += e.len_bytes;
        if (places[i] >= first && places[i] < end && (s->split != DG_TEST || e.is_simple))
            st = dg_sorter_add(s->drawn, (struct dg_place){places[i], i}, t2_buf_slice(&data), err);
    }
    if (st == T2_OK)
        st = tfr_sorter_finish(s->drawn, err);
out:
    t2_buf_release(&data);
    return st;
}

/* random.seed(1); random.shuffle(all_examples) */
static enum t2_status load(struct agreement_stream *s, struct t2_err *err)
{
    char sha256[65];
    uint64_t bytes;
    struct t2_mt mt;
    uint32_t *places = NULL;
    enum t2_status st;

    T2_TRY(read_examples(s, err));
    T2_TRY(dg_sorter_new(s->options, &s->drawn, err));
    t2_mt_seed_python(&mt, 1);
    T2_TRY(dg_draw_places(s->options, &mt, s->n, &places, err));
    st = sort_examples(s, places, err);
    t2_free(places);
    T2_TRY(st);
    t2_spool_free(s->spool);
    s->spool = NULL;
    if (!s->base.hash_on)
        return T2_OK;
    T2_TRY(t2_sha256_file(s->path, sha256, &bytes, err));
    dg_input_files_add(&s->base.files, s->path, "sentences", bytes, s->n, sha256);
    return T2_OK;
}

static enum t2_status next(struct dg_stream *base, struct dg_sample *sample, struct t2_err *err)
{
    struct agreement_stream *s = (struct agreement_stream *) base;
    struct dg_place place;
    struct t2_slice data, text;

    if (!s->drawn)
        T2_TRY(load(s, err));
    T2_TRY(dg_sorter_next(s->drawn, &place, &data, err));
    text = (struct t2_slice){data.data + 1, data.len_bytes - 1};
    sample->inputs_origin = (struct dg_origin){s->path, place.minor + 2, 0};
    sample->targets_origin = sample->inputs_origin;
    if (s->with_verb) {
        sample->targets = text;
        return T2_OK;
    }
    sample->inputs = text;
    s->label = data.data[0];
    sample->numbers[DG_TARGETS] = &s->label;
    sample->n_numbers[DG_TARGETS] = 1;
    return T2_OK;
}

static void release(struct dg_stream *base)
{
    struct agreement_stream *s = (struct agreement_stream *) base;

    t2_spool_free(s->spool);
    tfr_sorter_free(s->drawn);
    t2_free(s->path);
    t2_free(s);
}

static enum t2_status describe(struct dg_stream *base, struct dg_input_sizes *sizes,
                               struct t2_err *err)
{
    const struct agreement_stream *s = (const struct agreement_stream *) base;
    enum t2_status st;

    sizes->for_sort = true;
    st = dg_source_describe(&source, NULL, "sentences", s->options, sizes, err);
    sizes->for_sort = false;
    return st;
}

static enum t2_status agreement_open(const struct dg_problem *p, const struct dg_options *options,
                                     enum dg_split split, struct dg_stream **stream,
                                     struct t2_err *err)
{
    struct agreement_stream *s = t2_alloc(1, sizeof *s);

    (void) err;
    s->base.next = next;
    s->base.free = release;
    s->base.describe = describe;
    s->options = options;
    s->split = split;
    s->with_verb = !p->has_inputs;
    *stream = &s->base;
    return T2_OK;
}

static enum t2_status agreement_prepare(const struct dg_problem *p,
                                        const struct dg_options *options, struct t2_err *err)
{
    static const struct dg_source *const sources[] = {&source};

    (void) p;
    return dg_sources_fetch(sources, 1, options, err);
}

/* The generator's state after the last load_examples. */
static enum t2_status agreement_draws(const struct dg_problem *p, const struct dg_options *options,
                                      struct t2_mt *mt, struct t2_err *err)
{
    struct table t;
    struct row row;
    uint64_t n = 0;
    enum t2_status st = table_open(options, &t, err);

    (void) p;
    while (st == T2_OK && (st = table_next(&t, &row, err)) == T2_OK)
        n++;
    table_close(&t);
    if (st != T2_EOF)
        return st;
    t2_mt_seed_python(mt, 1);
    t2_mt_skip_shuffle(mt, n);
    return T2_OK;
}

/* The words of all sentences, of every split. */
static enum t2_status agreement_vocab(const struct dg_problem *p, const struct dg_options *options,
                                      enum dg_side_index side, const char *path, struct t2_err *err)
{
    struct dg_ranked_words *words = dg_ranked_words_new(options, DG_EQUALS_BY_BYTES);
    struct table t;
    struct row row;
    enum t2_status st = table_open(options, &t, err);

    (void) p;
    (void) side;
    while (st == T2_OK && (st = table_next(&t, &row, err)) == T2_OK)
        dg_ranked_words_add_text(words, row.fields[SENTENCE]);
    table_close(&t);
    if (st == T2_EOF)
        st = dg_write_word_list(words, 0, true, path, err);
    dg_ranked_words_free(words);
    return st;
}

/* clang-format off */
#define AGREEMENT(problem, text, ...)                                                              \
    {.name = problem, .summary = text, .n_shards = {1, 1, 10}, .sources = files,                   \
     .prepare = agreement_prepare, .open = agreement_open, .vocab.make = agreement_vocab,          \
     .sharding.before_shuffle = agreement_draws, __VA_ARGS__}

static const struct dg_problem problems[] = {
    AGREEMENT("sva_number_prediction", "Is the verb that comes next singular or plural?",
              .has_inputs = true, .inputs_vocab = {.kind = DG_VOCAB_TOKENS},
              .targets_vocab = DG_LABELS(labels)),
    AGREEMENT("sva_language_modeling", "Sentences up to their verb", .shared_vocab = true,
              .targets_vocab = {.kind = DG_VOCAB_TOKENS}),
};
/* clang-format on */
const struct dg_family dg_family_agreement = {"Subject and verb", problems, DG_COUNT(problems)};
