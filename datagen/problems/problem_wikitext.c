/*
 * datagen/problems/problem_wikitext.c - language models on WikiText-103 and on the Penn Treebank:
 * words, or characters (T2T's wikitext103.py, ptb.py; spec t2t-datagen.md §5.8).
 */
#include <string.h>

#include "base/alloc.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/line_stream.h"
#include "datagen/problems/word_list.h"

/* ---- rules ---- */

/* A line ends with the word <EOS>. */
static bool take_ptb(const void *context, void *state, const struct t2_slice *line,
                     struct dg_sample *sample)
{
    struct t2_buf *text = state;

    (void) context;
    if (!line)
        return false;
    t2_buf_clear(text);
    dg_join_words(*line, text);
    if (text->len_bytes)
        t2_buf_push(text, ' ');
    t2_buf_puts(text, "<EOS>");
    sample->targets = t2_buf_slice(text);
    return true;
}

static void release_text(void *state)
{
    t2_buf_release(state);
}

static const struct dg_line_rule ptb_rule = {.state_bytes = sizeof(struct t2_buf),
                                             .take = take_ptb,
                                             .release = release_text};

/* Lines joined while they have fewer words than a sample has. */
struct block {
    struct t2_buf text, given;
    size_t n_words;
};

static size_t count_words(struct t2_slice words)
{
    size_t n = words.len_bytes > 0;

    for (size_t i = 0; i < words.len_bytes; i++)
        n += words.data[i] == ' ';
    return n;
}

static bool take_block(const void *context, void *state, const struct t2_slice *line,
                       struct dg_sample *sample)
{
    const struct dg_line_problem *l = context;
    struct block *b = state;
    struct t2_buf words = {0};
    size_t n;
    bool is_full;

    if (!line)
        return false; /* the original leaves the last block out */
    dg_join_words(*line, &words);
    n = count_words(t2_buf_slice(&words));
    is_full = n > 0 && b->n_words + n >= (size_t) l->length;
    if (is_full) {
        struct t2_buf swap = b->given;
        b->given = b->text;
        b->text = swap;
        t2_buf_clear(&b->text);
        b->n_words = 0;
        sample->targets = t2_buf_slice(&b->given);
    }
    if (n > 0 && b->text.len_bytes)
        t2_buf_push(&b->text, ' ');
    t2_buf_append(&b->text, words.data, words.len_bytes);
    b->n_words += n;
    t2_buf_release(&words);
    return is_full;
}

static void release_block(void *state)
{
    struct block *b = state;

    t2_buf_release(&b->text);
    t2_buf_release(&b->given);
}

static const struct dg_line_rule block_rule = {.state_bytes = sizeof(struct block),
                                               .take = take_block,
                                               .release = release_block};

/* ---- vocabularies ---- */

/* The words of a file; eos: also one <EOS> for each line. */
static enum t2_status count_file(const struct dg_line_files *file, bool eos,
                                 const struct dg_options *options, struct dg_ranked_words *words,
                                 struct t2_err *err)
{
    struct dg_source_text text = {0};
    struct t2_slice line;
    enum t2_status st = dg_source_open(file->source, file->member, options, false, &text, err);

    if (st != T2_OK)
        return st;
    while ((st = dg_source_line(&text, &line, err)) == T2_OK) {
        dg_ranked_words_add_text(words, line);
        if (eos)
            dg_ranked_words_add(words, t2_slice_of("<EOS>"));
    }
    dg_source_close(&text);
    return st == T2_EOF ? T2_OK : st;
}

enum { PTB_WORDS = 10000 };

/* No <pad> and no <EOS> in front: ids 0 and 1 are the two most frequent words, as in the
 * original. */
static enum t2_status ptb_vocab(const struct dg_problem *p, const struct dg_options *options,
                                enum dg_side_index side, const char *path, struct t2_err *err)
{
    const struct dg_line_problem *l = p->context;
    struct dg_ranked_words *words = dg_ranked_words_new(options, DG_EQUALS_BY_BYTES);
    enum t2_status st = count_file(l->files[DG_TRAIN], true, options, words, err);

    (void) side;
    if (st == T2_OK)
        st = dg_write_word_list(words, PTB_WORDS, false, path, err);
    dg_ranked_words_free(words);
    return st;
}

static enum t2_status wikitext_vocab(const struct dg_problem *p, const struct dg_options *options,
                                     enum dg_side_index side, const char *path, struct t2_err *err)
{
    const struct dg_line_problem *l = p->context;
    struct dg_ranked_words *words = dg_ranked_words_new(options, DG_EQUALS_BY_BYTES);
    enum t2_status st = count_file(l->files[DG_TRAIN], false, options, words, err);

    (void) side;
    if (st == T2_OK)
        st = dg_write_word_list(words, 0, true, path, err);
    dg_ranked_words_free(words);
    return st;
}

/* ---- sources ---- */

/* clang-format off */
#define URLS(...) (const char *const[]){__VA_ARGS__, NULL}

static const struct dg_source_file ptb_file = {
    .urls = URLS("http://www.fit.vutbr.cz/~imikolov/rnnlm/simple-examples.tgz"),
    .licence = "Linguistic Data Consortium (Penn Treebank); the excerpt is for research",
};
static const struct dg_source ptb = {.file = &ptb_file, .sign = "simple-examples"};

static const struct dg_source_file tokens_file = {
    .urls = URLS("https://s3.amazonaws.com/research.metamind.io/wikitext/wikitext-103-v1.zip",
                 "https://wikitext.smerity.com/wikitext-103-v1.zip"),
    .size_bytes = 190229076,
    .sha256 = "242ba0f20b329cfdf1ccc61e9e9e5b59becf189db7f7a81cd2a0e2fc31539590",
    .licence = "CC BY-SA 3.0 (Wikipedia)",
};
static const struct dg_source_file raw_file = {
    .urls = URLS("https://s3.amazonaws.com/research.metamind.io/wikitext/wikitext-103-raw-v1.zip",
                 "https://wikitext.smerity.com/wikitext-103-raw-v1.zip"),
    .size_bytes = 191984949,
    .sha256 = "91c00ae287f0d699e18605c84afc9e45c192bc6b7797ff8837e5474655a33794",
    .licence = "CC BY-SA 3.0 (Wikipedia)",
};
static const struct dg_source tokens = {.file = &tokens_file, .sign = "wikitext-103"};
static const struct dg_source raw = {.file = &raw_file, .sign = "wikitext-103-raw"};

#define FILES(source, member) (const struct dg_line_files[]){{&(source), member}, {NULL, NULL}}
#define SPLITS(source, stem, ending)                                     \
    {FILES(source, stem ".train." ending), FILES(source, stem ".valid." ending), \
     FILES(source, stem ".test." ending)}

#define WIKITEXT(name_, summary_, source_, stem, ending, rule_, length_, ...)                       \
    &(const struct dg_problem){                                                                     \
        .name = name_, .summary = summary_, .n_shards = {10, 1, 1}, __VA_ARGS__,                    \
        .sources = (const struct dg_source_file *const[]){&source_##_file, NULL},                   \
        .prepare = dg_line_problem_prepare, .open = dg_line_problem_open,                           \
        .describe = dg_line_problem_describe,                                                       \
        .context = &(const struct dg_line_problem){SPLITS(source_, stem, ending), rule_, length_}}
#define WORDS .targets_vocab = {.kind = DG_VOCAB_TOKENS}, .make_vocab = wikitext_vocab
#define CHARACTERS .targets_vocab = {.kind = DG_VOCAB_BYTES}

#define PTB(name_, summary_, stem, ...)                                                             \
    &(const struct dg_problem){                                                                     \
        .name = name_, .summary = summary_, .n_shards = {10, 1, 0}, __VA_ARGS__,                    \
        .sources = (const struct dg_source_file *const[]){&ptb_file, NULL},                         \
        .prepare = dg_line_problem_prepare, .open = dg_line_problem_open,                           \
        .describe = dg_line_problem_describe,                                                       \
        .context = &(const struct dg_line_problem){                                                 \
            {FILES(ptb, "simple-examples/data/" stem ".train.txt"),                                 \
             FILES(ptb, "simple-examples/data/" stem ".valid.txt"), NULL}, &ptb_rule, 0}}

static const struct dg_problem *const problems[] = {
    PTB("languagemodel_ptb10k", "Penn Treebank, 10000 words", "ptb",
        .targets_vocab = {.kind = DG_VOCAB_TOKENS, .file = "vocab.lmptb.10000"},
        .make_vocab = ptb_vocab),
    PTB("languagemodel_ptb_characters", "Penn Treebank, characters", "ptb.char", CHARACTERS),
    WIKITEXT("languagemodel_wikitext103", "WikiText-103, words, a line each", tokens,
             "wikitext-103/wiki", "tokens", &dg_rule_words, 0, WORDS),
    WIKITEXT("languagemodel_wikitext103_characters", "WikiText-103, characters", raw,
             "wikitext-103-raw/wiki", "raw", &dg_rule_words, 0, CHARACTERS),
    WIKITEXT("languagemodel_wikitext103_l16k", "WikiText-103, lines joined to 16384 words", tokens,
             "wikitext-103/wiki", "tokens", &block_rule, 16384, WORDS),
    WIKITEXT("languagemodel_wikitext103_l4k", "WikiText-103, lines joined to 4096 words", tokens,
             "wikitext-103/wiki", "tokens", &block_rule, 4096, WORDS),
};
/* clang-format on */

const struct dg_family dg_family_wikitext = {"Language models: WikiText-103, Penn Treebank",
                                             problems, sizeof problems / sizeof *problems};
