/*
 * datagen/problems/problem_sentiment.c - reviews and whether they are good: IMDB, Yelp
 * (spec t2t-datagen.md §5.8, §8.4).  The Stanford treebank is in pairs.yaml.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/vocab_specs.h"
#include "datagen/source/row_stream.h"
#include "datagen/source/tab_fields.h"
#include "tokenizer/unicode.h"

/* ---- IMDB: a review a file ---- */

static const char *const imdb_urls[] = {
    "http://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz", NULL};
static const struct dg_source_file imdb_file = {
    .urls = imdb_urls,
    .about_bytes = 84125825,
    .licence = "for research, citing Maas et al. 2011; the reviews are their authors'"};
static const struct dg_source imdb_source = {.file = &imdb_file, .sign = "aclImdb"};
static const struct dg_source_file *const imdb_files[] = {&imdb_file, NULL};

struct imdb_stream {
    struct dg_stream base;
    const struct dg_options *options;
    const char *const *patterns; /* good, bad */
    struct dg_file_set *sets[2];
    int at_set;
    size_t at_file;
    int64_t label;
    uint64_t n_given;
};

static enum t2_status imdb_open_sets(struct imdb_stream *s, struct t2_err *err)
{
    for (int i = 0; i < 2; i++) {
        T2_TRY(dg_file_set_open(&imdb_source, &s->patterns[i], 1, s->options, &s->sets[i], err));
        if (s->base.hash_on)
            T2_TRY(dg_file_set_note(s->sets[i], "", i == 0 ? "good reviews" : "bad reviews",
                                    &s->base.files, err));
    }
    return T2_OK;
}

static enum t2_status imdb_next(struct dg_stream *base, struct dg_sample *sample,
                                struct t2_err *err)
{
    struct imdb_stream *s = (struct imdb_stream *) base;
    struct t2_slice text;
    size_t bad;

    if (!s->sets[0])
        T2_TRY(imdb_open_sets(s, err));
    while (s->at_set < 2 && s->at_file == dg_file_set_count(s->sets[s->at_set])) {
        s->at_set++;
        s->at_file = 0;
    }
    if (s->at_set == 2)
        return T2_EOF;
    T2_TRY(dg_file_set_content(s->sets[s->at_set], s->at_file, &text, err));
    bad = t2_utf8_invalid_at(text.data, text.len_bytes);
    if (bad < text.len_bytes)
        return t2_fail(err, T2_EFORMAT, "'%s': the byte at offset %zu is not valid UTF-8",
                       dg_file_set_name(s->sets[s->at_set], s->at_file), bad);
    sample->inputs = dg_strip(text);
    sample->inputs_origin.path = s->patterns[0];
    sample->inputs_origin.line = ++s->n_given;
    s->label = s->at_set == 0;
    sample->numbers[DG_TARGETS] = &s->label;
    sample->n_numbers[DG_TARGETS] = 1;
    s->at_file++;
    return T2_OK;
}

static enum t2_status imdb_describe(struct dg_stream *base, struct dg_input_sizes *sizes,
                                    struct t2_err *err)
{
    const struct imdb_stream *s = (const struct imdb_stream *) base;

    return dg_source_describe(&imdb_source, "aclImdb", "reviews", s->options, sizes, err);
}

static void imdb_free(struct dg_stream *base)
{
    struct imdb_stream *s = (struct imdb_stream *) base;

    dg_file_set_free(s->sets[0]);
    dg_file_set_free(s->sets[1]);
    t2_free(s);
}

static enum t2_status imdb_open(const struct dg_problem *p, const struct dg_options *options,
                                enum dg_split split, struct dg_stream **stream, struct t2_err *err)
{
    static const char *const train[] = {"aclImdb/train/pos/*", "aclImdb/train/neg/*"};
    static const char *const test[] = {"aclImdb/test/pos/*", "aclImdb/test/neg/*"};
    struct imdb_stream *s = t2_alloc(1, sizeof *s);

    (void) p;
    (void) err;
    s->base.next = imdb_next;
    s->base.free = imdb_free;
    s->base.describe = imdb_describe;
    s->base.is_clean = true;
    s->options = options;
    s->patterns = split == DG_TRAIN ? train : test;
    *stream = &s->base;
    return T2_OK;
}

static enum t2_status imdb_prepare(const struct dg_problem *p, const struct dg_options *options,
                                   struct t2_err *err)
{
    static const struct dg_source *const sources[] = {&imdb_source};

    (void) p;
    return dg_sources_fetch(sources, 1, options, err);
}

/* ---- Yelp: a review a line, cut by position ---- */

struct yelp {
    const struct dg_source *source;
    const char *members[2];
    int64_t n_labels;
};

#define YELP(var, dir, labels)                                                                     \
    static const char *const var##_urls[] = {"https://s3.amazonaws.com/fast-ai-nlp/" dir ".tgz",   \
                                             NULL};                                                \
    static const struct dg_source_file var##_file = {.urls = var##_urls,                           \
                                                     .licence = "Yelp Dataset Terms of Use"};      \
    static const struct dg_source var##_source = {.file = &var##_file, .sign = dir};               \
    static const struct dg_source_file *const var##_files[] = {&var##_file, NULL};                 \
    static const struct yelp var = {&var##_source, {dir "/train.csv", dir "/test.csv"}, labels}
YELP(yelp_full, "yelp_review_full_csv", 5);
YELP(yelp_polarity, "yelp_review_polarity_csv", 2);

struct yelp_state {
    struct t2_buf line;
    int64_t label, n_labels, first_label;
};

static void yelp_free(void *state)
{
    struct yelp_state *s = state;

    t2_buf_release(&s->line);
    t2_free(s);
}

/* Bytes of the first n characters; all of them when there are fewer. */
static size_t bytes_of_chars(struct t2_slice s, size_t n)
{
    size_t at = 0;
    uint32_t c;
    bool valid;

    while (n-- > 0 && at < s.len_bytes)
        at += tok_utf8_decode(s.data + at, s.len_bytes - at, &c, &valid);
    return at;
}

/* The original takes character 1 as label and characters 5 to the last but one as text. */
static enum t2_status yelp_line(struct dg_row_stream *ls, struct t2_slice line,
                                struct dg_sample *sample, struct t2_err *err)
{
    struct yelp_state *s = ls->state;
    size_t start, end;

    dg_without_cr(line, &s->line);
    line = t2_buf_slice(&s->line);
    start = bytes_of_chars(line, 1);
    if (start >= line.len_bytes || line.data[start] < '1' || line.data[start] >= '1' + s->n_labels)
        return dg_row_fail(ls, err, "the second character must be a label, 1 to %" PRId64,
                           s->n_labels);
    s->label = line.data[start] - '1' + s->first_label;
    start = bytes_of_chars(line, 5);
    for (end = line.len_bytes - 1; end > 0 && (line.data[end] & 0xC0) == 0x80;)
        end--;
    if (end > start)
        sample->inputs = (struct t2_slice){line.data + start, end - start};
    sample->numbers[DG_TARGETS] = &s->label;
    sample->n_numbers[DG_TARGETS] = 1;
    return T2_OK;
}

static enum t2_status yelp_open(const struct dg_problem *p, const struct dg_options *options,
                                enum dg_split split, struct dg_stream **stream, struct t2_err *err)
{
    const struct yelp *y = p->context;
    struct dg_row_stream *ls = t2_alloc(1, sizeof *ls);
    struct yelp_state *s = t2_alloc(1, sizeof *s);

    (void) err;
    s->n_labels = y->n_labels;
    s->first_label = options->zero_based_labels ? 0 : 1;
    ls->source = y->source;
    ls->members = &y->members[split == DG_TRAIN ? 0 : 1];
    ls->n_members = 1;
    ls->role = "reviews";
    ls->options = options;
    ls->state = s;
    ls->release = yelp_free;
    ls->line = yelp_line;
    dg_row_stream_init(ls);
    *stream = &ls->base;
    return T2_OK;
}

static enum t2_status yelp_prepare(const struct dg_problem *p, const struct dg_options *options,
                                   struct t2_err *err)
{
    const struct yelp *y = p->context;

    if (!options->zero_based_labels)
        t2_warn("'%s': the labels are 1 to %" PRId64 " as in the original, but there are %" PRId64
                " classes, 0 to %" PRId64 ": no model can be trained on the last one; "
                "--zero_based_labels stores 0 to %" PRId64,
                p->name, y->n_labels, y->n_labels, y->n_labels - 1, y->n_labels - 1);
    return dg_sources_fetch(&y->source, 1, options, err);
}

/* ---- the problems ---- */

static const char *const polarity[] = {"neg", "pos"};
static const char *const stars[] = {"1", "2", "3", "4", "5"};
static const char *const two_stars[] = {"1", "2"};

/* clang-format off */
#define ONE(problem, text, list, of, kind, about, ...)                                             \
    {.name = problem, .summary = text, .has_inputs = true, .inputs_vocab = __VA_ARGS__,            \
     .targets_vocab = DG_LABELS(list), .n_shards = {10, 1}, .sources = of##_files,                 \
     .prepare = kind##_prepare, .open = kind##_open, .context = about}
#define BOTH(problem, text, list, of, kind, about)                                                 \
    ONE(problem, text, list, of, kind, about, DG_SUBWORDS(8192)),                                  \
    ONE(problem "_characters", text " As bytes", list, of, kind, about, DG_BYTES)

static const struct dg_problem problems[] = {
    BOTH("sentiment_imdb", "IMDB: is a film review good?", polarity, imdb, imdb, NULL),
    BOTH("sentiment_yelp_full", "Yelp: how many of five stars has a review?", stars, yelp_full,
         yelp, &yelp_full),
    BOTH("sentiment_yelp_polarity", "Yelp: is a review good?", two_stars, yelp_polarity, yelp,
         &yelp_polarity),
};
/* clang-format on */
const struct dg_family dg_family_sentiment = {"Reviews", problems, DG_COUNT(problems)};
