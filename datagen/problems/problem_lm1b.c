/*
 * datagen/problems/problem_lm1b.c - language models on the One Billion Word Benchmark (T2T's
 * lm1b.py).
 *
 * Words that are not in the benchmark's list become UNK, so that results can be compared.
 */
#include "base/alloc.h"
#include "base/map.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/line_stream.h"
#include "tokenizer/tokens.h"
#include "tokenizer/unicode.h"

/* clang-format off */
#define URLS(...) (const char *const[]){__VA_ARGS__, NULL}
#define FOLDER "1-billion-word-language-modeling-benchmark-r13output"
#define LICENCE "WMT news crawl: free for research"

static const struct dg_source_file corpus_file = {
    .urls = URLS("http://www.statmt.org/lm-benchmark/" FOLDER ".tar.gz"),
    .size_bytes = 1792209805,
    .sha256 = "01ba60381110baf7f189dfd2b8374de371e8c9a340835793f190bdae9e90a34e",
    .licence = LICENCE,
};
static const struct dg_source_file words_file = {
    .name = "vocab-2016-09-10.txt.en",
    .urls = URLS("http://download.tensorflow.org/models/LM_LSTM_CNN/vocab-2016-09-10.txt"),
    .licence = LICENCE,
};
static const struct dg_source corpus = {.file = &corpus_file, .sign = FOLDER};
static const struct dg_source words = {.file = &words_file, .is_plain = true};
static const struct dg_source_file *const files[] = {&corpus_file, &words_file, NULL};

static const struct dg_line_files train_files[] = {
    {&corpus, FOLDER "/training-monolingual.tokenized.shuffled/news.en-000*-of-00100"}, {NULL, NULL}};
static const struct dg_line_files dev_files[] = {
    {&corpus, FOLDER "/heldout-monolingual.tokenized.shuffled/news.en.heldout-00000-of-00050"},
    {NULL, NULL}};
/* clang-format on */

/* Shards 1 to 99: shard 0 is another held-out set. */
static const struct dg_line_rule train_rule = {.take = dg_take_line,
                                               .skipped = "/news.en-00000-of",
                                               .n_files = 99};

struct lm1b_stream {
    struct dg_stream base;
    struct dg_stream *lines;
    struct t2_map *words;
    struct t2_buf text;
};

static enum t2_status lm1b_next(struct dg_stream *base, struct dg_sample *sample,
                                struct t2_err *err)
{
    struct lm1b_stream *s = (struct lm1b_stream *) base;
    struct t2_slice word;
    size_t at = 0;
    enum t2_status st;

    s->lines->hash_on = base->hash_on;
    st = s->lines->next(s->lines, sample, err);
    if (st == T2_EOF && s->lines->files.n > 0) {
        base->files = s->lines->files;
        s->lines->files = (struct dg_input_files){0};
    }
    if (st != T2_OK)
        return st;
    t2_buf_clear(&s->text);
    while (tok_next_word(sample->targets.data, sample->targets.len_bytes, &at, &word)) {
        if (s->text.len_bytes)
            t2_buf_push(&s->text, ' ');
        if (t2_map_find(s->words, word.data, word.len_bytes))
            t2_buf_append(&s->text, word.data, word.len_bytes);
        else
            t2_buf_puts(&s->text, "UNK");
    }
    sample->targets = t2_buf_slice(&s->text);
    return T2_OK;
}

static void lm1b_free(struct dg_stream *base)
{
    struct lm1b_stream *s = (struct lm1b_stream *) base;

    dg_stream_free(s->lines);
    t2_map_free(s->words);
    t2_buf_release(&s->text);
    t2_free(s);
}

static enum t2_status load_words(const struct dg_options *options, struct t2_map *map,
                                 struct t2_err *err)
{
    struct dg_source_text text = {0};
    struct t2_slice line;
    enum t2_status st = dg_source_open(&words, NULL, options, false, &text, err);

    if (st != T2_OK)
        return st;
    while ((st = dg_source_line(&text, &line, err)) == T2_OK) {
        const uint8_t *start = line.data;
        size_t len = line.len_bytes;
        if (len)
            tok_strip(&start, &len);
        if (len)
            (void) t2_map_at(map, start, len, NULL);
    }
    dg_source_close(&text);
    return st == T2_EOF ? T2_OK : st;
}

static enum t2_status lm1b_prepare(const struct dg_problem *p, const struct dg_options *options,
                                   struct t2_err *err)
{
    static const struct dg_source *const sources[] = {&corpus, &words};

    (void) p;
    return dg_sources_fetch(sources, 2, options, err);
}

static const struct dg_line_files *files_of(enum dg_split split)
{
    return split == DG_TRAIN ? train_files : dev_files;
}

static enum t2_status lm1b_describe(const struct dg_problem *p, const struct dg_options *options,
                                    enum dg_split split, struct dg_input_sizes *sizes,
                                    struct t2_err *err)
{
    const struct dg_line_problem l = {{train_files, dev_files, NULL}, &dg_rule_lines, 0};
    struct dg_problem lines = *p;

    lines.context = &l;
    return dg_line_problem_describe(&lines, options, split, sizes, err);
}

static enum t2_status lm1b_open(const struct dg_problem *p, const struct dg_options *options,
                                enum dg_split split, struct dg_stream **stream, struct t2_err *err)
{
    struct lm1b_stream *s = t2_alloc(1, sizeof *s);
    const struct dg_line_rule *rule = split == DG_TRAIN ? &train_rule : &dg_rule_lines;
    enum t2_status st;

    (void) p;
    s->base.next = lm1b_next;
    s->base.free = lm1b_free;
    s->words = t2_map_new();
    st = load_words(options, s->words, err);
    if (st == T2_OK)
        st = dg_line_stream_new(files_of(split), rule, NULL, options, &s->lines, err);
    if (st != T2_OK) {
        dg_stream_free(&s->base);
        return st;
    }
    *stream = &s->base;
    return T2_OK;
}

enum { VOCAB_SAMPLES = 63000 };

/* clang-format off */
#define PROBLEM(name_, summary_, ...)                                                               \
    {                                                                                               \
        .name = name_, .summary = summary_, .n_shards = {100, 1, 0}, .sources = files,              \
        .prepare = lm1b_prepare, .open = lm1b_open, .describe = lm1b_describe,                      \
        __VA_ARGS__}
#define SUBWORDS(n) .kind = DG_VOCAB_SUBWORDS, .approx_size = (n), .max_samples = VOCAB_SAMPLES

static const struct dg_problem problems[] = {
    PROBLEM("languagemodel_lm1b32k", "One Billion Words, 32768 subwords",
            .targets_vocab = {SUBWORDS(32768)}),
    PROBLEM("languagemodel_lm1b32k_packed", "the same, packed to 256", .packing.length = 256,
            .targets_vocab = {SUBWORDS(32768), .of_problem = "languagemodel_lm1b32k"}),
    PROBLEM("languagemodel_lm1b8k", "One Billion Words, 8192 subwords",
            .targets_vocab = {SUBWORDS(8192)}),
    PROBLEM("languagemodel_lm1b8k_packed", "the same, packed to 256", .packing.length = 256,
            .targets_vocab = {SUBWORDS(8192), .of_problem = "languagemodel_lm1b8k"}),
    PROBLEM("languagemodel_lm1b_characters", "One Billion Words, characters",
            .targets_vocab = {.kind = DG_VOCAB_BYTES}),
    PROBLEM("languagemodel_lm1b_characters_packed", "the same, packed to 1024", .packing.length = 1024,
            .targets_vocab = {.kind = DG_VOCAB_BYTES}),
};
/* clang-format on */

const struct dg_family dg_family_lm1b = {"Language models: One Billion Words", problems,
                                         sizeof problems / sizeof *problems};
