/*
 * datagen/problems/problem_tagging.c - text to parse trees and to tags of names (T2T's
 * wsj_parsing.py, ice_parsing.py, conll_ner.py; spec t2t-datagen.md §5.8, §8.6).
 */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/line_stream.h"
#include "tokenizer/tokens.h"
#include "tokenizer/unicode.h"

struct pair {
    struct t2_buf inputs, targets;
    struct t2_strs stack; /* of open brackets */
};

static void release_pair(void *state)
{
    struct pair *p = state;

    t2_buf_release(&p->inputs);
    t2_buf_release(&p->targets);
    t2_strs_release(&p->stack);
}

static void clear(struct pair *p)
{
    t2_buf_clear(&p->inputs);
    t2_buf_clear(&p->targets);
    t2_strs_release(&p->stack);
}

static void give(const struct pair *p, struct dg_sample *sample)
{
    sample->inputs = t2_buf_slice(&p->inputs);
    sample->targets = t2_buf_slice(&p->targets);
}

static void add_word(struct t2_buf *to, const char *mark, const void *word, size_t len_bytes)
{
    if (to->len_bytes)
        t2_buf_push(to, ' ');
    t2_buf_puts(to, mark);
    t2_buf_append(to, word, len_bytes);
}

/* ---- trees ---- */

/* Closes the innermost bracket; named: as a tag "/NP". */
static bool pop(struct pair *p, bool named)
{
    char *symbol;

    if (p->stack.n == 0)
        return false;
    symbol = p->stack.items[--p->stack.n];
    if (named)
        add_word(&p->targets, "/", symbol, strlen(symbol));
    t2_free(symbol);
    return true;
}

/* "cat))": a word, its tag closed, then one more bracket. */
static bool add_leaf(struct pair *p, struct t2_slice leaf)
{
    size_t n = leaf.len_bytes;

    if (n < 2 || leaf.data[n - 1] != ')' || !pop(p, false))
        return false;
    while (n >= 2 && leaf.data[n - 2] == ')') {
        if (!pop(p, true))
            return false;
        n--;
    }
    if (n < 2)
        return false;
    add_word(&p->inputs, "", leaf.data, n - 1);
    return true;
}

/* words_and_tags_from_wsj_tree. */
static bool read_tree(struct pair *p, struct t2_slice line)
{
    struct t2_slice word;
    size_t at = 0;

    while (tok_next_word(line.data, line.len_bytes, &at, &word)) {
        if (word.data[0] == '(') {
            t2_strs_take(&p->stack, t2_strndup((const char *) word.data + 1, word.len_bytes - 1));
            add_word(&p->targets, "", word.data + 1, word.len_bytes - 1);
        } else if (!add_leaf(p, word)) {
            return false;
        }
    }
    return true;
}

/* Without the first and the last tag, which are those of the whole sentence. */
static struct t2_slice inner_tags(const struct t2_buf *tags)
{
    struct t2_slice s = t2_buf_slice(tags);
    const uint8_t *first = s.len_bytes ? memchr(s.data, ' ', s.len_bytes) : NULL;
    const uint8_t *last = s.len_bytes ? memrchr(s.data, ' ', s.len_bytes) : NULL;

    if (!first || first == last)
        return (struct t2_slice){s.data, 0};
    return (struct t2_slice){first + 1, (size_t) (last - first - 1)};
}

static bool take_tree(const void *context, void *state, const struct t2_slice *line,
                      struct dg_sample *sample)
{
    struct pair *p = state;

    (void) context;
    if (!line)
        return false;
    clear(p);
    if (!read_tree(p, *line))
        sample->drop = "not a tree in brackets";
    give(p, sample);
    sample->targets = inner_tags(&p->targets);
    return true;
}

static const struct dg_line_rule tree_rule = {.state_bytes = sizeof(struct pair),
                                              .take = take_tree,
                                              .release = release_pair};

/* The first lines of a pair of files: what WSJ's vocabulary is built from. */
struct first_lines {
    struct dg_stream base;
    struct dg_stream *pairs;
    int n_left;
};

static enum t2_status first_next(struct dg_stream *base, struct dg_sample *sample,
                                 struct t2_err *err)
{
    struct first_lines *s = (struct first_lines *) base;

    return s->n_left-- > 0 ? s->pairs->next(s->pairs, sample, err) : T2_EOF;
}

static void first_free(struct dg_stream *base)
{
    dg_stream_free(((struct first_lines *) base)->pairs);
    t2_free(base);
}

enum { WSJ_VOCAB_LINES = 1000 };

static enum t2_status wsj_vocab_text(const struct dg_problem *p, const struct dg_options *options,
                                     enum dg_side_index side, struct dg_stream **stream,
                                     struct t2_err *err)
{
    char *words = t2_path_join(options->tmp_dir, "wsj.train.text.txt");
    char *tags = t2_path_join(options->tmp_dir, "wsj.train.tags.txt");
    struct first_lines *s = t2_alloc(1, sizeof *s);
    struct dg_text_parts parts = {0};
    enum t2_status st;

    (void) p;
    (void) side;
    s->base.next = first_next;
    s->base.free = first_free;
    s->n_left = WSJ_VOCAB_LINES;
    dg_text_parts_add(&parts, words, tags);
    st = dg_text_stream_new(&parts, true, &s->pairs, err);
    dg_text_parts_release(&parts);
    t2_free(words);
    t2_free(tags);
    if (st == T2_OK)
        *stream = &s->base;
    else
        t2_free(s);
    return st;
}

/* ---- Icelandic ---- */

static bool take_tabbed(const void *context, void *state, const struct t2_slice *line,
                        struct dg_sample *sample)
{
    struct t2_slice text;
    const uint8_t *tab;

    (void) context;
    (void) state;
    if (!line)
        return false;
    text = *line;
    if (text.len_bytes)
        tok_strip(&text.data, &text.len_bytes);
    tab = text.len_bytes ? memchr(text.data, '\t', text.len_bytes) : NULL;
    if (!tab) {
        sample->drop = "no tab between sentence and tree";
        return true;
    }
    sample->inputs = (struct t2_slice){text.data, (size_t) (tab - text.data)};
    sample->targets = (struct t2_slice){tab + 1, text.len_bytes - sample->inputs.len_bytes - 1};
    return true;
}

static const struct dg_line_rule tabbed_rule = {.take = take_tabbed};

/* ---- names ---- */

/* Word and tag are the first and the third column; a blank line ends a sentence, also an empty
 * one. */
struct sentence {
    struct pair building, given;
    bool has_words;
};

static bool end_sentence(struct sentence *s, struct dg_sample *sample)
{
    struct pair swap = s->given;

    s->given = s->building;
    s->building = swap;
    clear(&s->building);
    s->has_words = false;
    give(&s->given, sample);
    return true;
}

static bool take_tagged(const void *context, void *state, const struct t2_slice *line,
                        struct dg_sample *sample)
{
    struct sentence *s = state;
    struct t2_slice columns[3] = {{NULL, 0}};
    size_t at = 0;
    int n = 0;

    (void) context;
    if (!line)
        return s->has_words && end_sentence(s, sample);
    while (n < 3 && tok_next_word(line->data, line->len_bytes, &at, &columns[n]))
        n++;
    if (n == 0)
        return end_sentence(s, sample);
    if (n < 3) {
        sample->drop = "a line with fewer than three columns";
        return true;
    }
    add_word(&s->building.inputs, "", columns[0].data, columns[0].len_bytes);
    add_word(&s->building.targets, "", columns[2].data, columns[2].len_bytes);
    s->has_words = true;
    return false;
}

static void release_sentence(void *state)
{
    struct sentence *s = state;

    release_pair(&s->building);
    release_pair(&s->given);
}

static const struct dg_line_rule tagged_rule = {.state_bytes = sizeof(struct sentence),
                                                .take = take_tagged,
                                                .release = release_sentence,
                                                .each_file = true};

/* ---- tables ---- */

/* clang-format off */
#define OWN_FILE(id, name_, what)                                                                   \
    static const struct dg_source_file id##_file = {                                                \
        .name = name_, .gone = "it is not public: put " what " there"};                             \
    static const struct dg_source id##_source = {.file = &id##_file, .is_plain = true};             \
    static const struct dg_line_files id[] = {{&id##_source, NULL}, {NULL, NULL}}

OWN_FILE(wsj_train, "wsjTrain.trees", "trees in brackets, one a line (and for the vocabulary wsj.train.text.txt, wsj.train.tags.txt)");
OWN_FILE(wsj_eval, "wsjEval.trees", "trees in brackets, one a line");
OWN_FILE(ice_train, "parsing_train.pairs", "sentence, tab, tree, one pair a line");
OWN_FILE(ice_dev, "parsing_dev.pairs", "sentence, tab, tree, one pair a line");

static const struct dg_source_file conll_file = {
    .urls = (const char *const[]){
        "https://raw.githubusercontent.com/nltk/nltk_data/gh-pages/packages/corpora/conll2002.zip", NULL},
    .licence = "for research (CoNLL-2002)",
};
static const struct dg_source conll = {.file = &conll_file, .sign = "conll2002"};
#define CONLL(name) {&conll, "conll2002/" name}
static const struct dg_line_files esp_train[] = {CONLL("esp.train"), {NULL, NULL}};
static const struct dg_line_files esp_eval[] = {CONLL("esp.testa"), CONLL("esp.testb"), {NULL, NULL}};
static const struct dg_line_files ned_train[] = {CONLL("ned.train"), {NULL, NULL}};
static const struct dg_line_files ned_eval[] = {CONLL("ned.testa"), CONLL("ned.testb"), {NULL, NULL}};

#define PROBLEM(name_, summary_, train, dev, rule, ...)                                             \
    &(const struct dg_problem){                                                                     \
        .name = name_, .summary = summary_, .has_inputs = true,                                     \
        .prepare = dg_line_problem_prepare, .open = dg_line_problem_open,                           \
        .describe = dg_line_problem_describe, __VA_ARGS__,                                          \
        .context = &(const struct dg_line_problem){{train, dev, NULL}, rule, 0}}
#define SOURCES(...) .sources = (const struct dg_source_file *const[]){__VA_ARGS__, NULL}
#define NAMES_OF(language, stem)                                                                    \
    PROBLEM("conll2002_" language, "tags of names, CoNLL-2002", stem##_train, stem##_eval,          \
            &tagged_rule, .shared_vocab = true, .n_shards = {100, 1, 0},                            \
            .targets_vocab = {.kind = DG_VOCAB_SUBWORDS, .approx_size = 32768}, SOURCES(&conll_file))
#define REFUSED(name_, summary_, refusal_)                                                          \
    &(const struct dg_problem){                                                                     \
        .name = name_, .summary = summary_, .has_inputs = true, .shared_vocab = true,               \
        .n_shards = {10, 1, 0}, .refusal = refusal_,                                                \
        .targets_vocab = {.kind = DG_VOCAB_SUBWORDS, .approx_size = 32768}}
#define NO_PTB \
    "T2T's own generator ends at an assertion ('Vocabulary generation not implemented'), so there is nothing to be " \
    "equal to; with the Penn Treebank (of the LDC) put wsjTrain.trees, wsjEval.trees, wsj.train.text.txt and "       \
    "wsj.train.tags.txt into --tmp_dir and make wsj_parsing"

enum { ICE_TOKENS = 18, ICE_TREES = 19 }; /* T2T's problem.SpaceID */

static const struct dg_problem *const problems[] = {
    NAMES_OF("es_ner", esp),
    REFUSED("conll2002_ner", "tags of names",
            "it is the class that the others are made of: it names no files, and fails in T2T too; use "
            "conll2002_es_ner or conll2002_nl_ner"),
    NAMES_OF("nl_ner", ned),
    REFUSED("parsing_english_ptb16k", "English parse trees", NO_PTB),
    REFUSED("parsing_english_ptb8k", "English parse trees", NO_PTB),
    PROBLEM("parsing_icelandic16k", "Icelandic parse trees, of files of your own", ice_train, ice_dev,
            &tabbed_rule, .n_shards = {10, 1, 0}, .input_space_id = ICE_TOKENS,
            .target_space_id = ICE_TREES,
            .inputs_vocab = {.kind = DG_VOCAB_SUBWORDS, .approx_size = 16384, .any_length = true,
                             .file = "ice_source.tokens.vocab.16384"},
            .targets_vocab = {.kind = DG_VOCAB_SUBWORDS, .approx_size = 256, .any_length = true,
                              .file = "ice_target.tokens.vocab.256"},
            SOURCES(&ice_train_file, &ice_dev_file)),
    PROBLEM("wsj_parsing", "English parse trees, of files of your own", wsj_train, wsj_eval,
            &tree_rule, .shared_vocab = true, .n_shards = {100, 1, 0},
            .targets_vocab = {.kind = DG_VOCAB_SUBWORDS, .approx_size = 32768},
            .open_vocab_text = wsj_vocab_text, SOURCES(&wsj_train_file, &wsj_eval_file)),
};
/* clang-format on */

const struct dg_family dg_family_tagging = {"Parsing and tagging", problems,
                                            sizeof problems / sizeof *problems};
