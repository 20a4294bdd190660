/*
 * datagen/problems/problem_babi.c - bAbI: questions about little stories, twenty tasks
 * (spec t2t-datagen.md §5.8, §8.5; T2T's babi_qa.py).
 *
 * Every problem trains on the stories of all tasks, whatever its own task is, as in the original.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/map.h"
#include "base/text.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/vocab_specs.h"
#include "datagen/problems/word_list.h"
#include "datagen/source/row_stream.h"
#include "datagen/source/tab_fields.h"
#include "tokenizer/tokens.h"
#include "tokenizer/words.h"

static const char *const urls[] = {
    "http://www.thespermwhale.com/jaseweston/babi/tasks_1-20_v1-2.tar.gz",
    "https://s3.amazonaws.com/text-datasets/babi_tasks_1-20_v1-2.tar.gz", NULL};
static const struct dg_source_file file = {.name = "tasks_1-20_v1-2.tar.gz",
                                           .urls = urls,
                                           .licence = "BSD (Weston et al. 2015)"};
static const struct dg_source source = {.file = &file, .sign = "tasks_1-20_v1-2"};
static const struct dg_source_file *const files[] = {&file, NULL};

struct task {
    const char *patterns[2]; /* of the subset: train, test */
    const char *all[2];      /* all tasks in one file, if someone made it */
    const char *test;        /* of the task; NULL: of all */
};

struct babi_stream {
    struct dg_stream base;
    const struct dg_options *options;
    const char *const *pattern; /* one of the set's files */
    const char *all;
    const char *only; /* the only file that is read; NULL: all but `all`, unless that is there */
    struct dg_file_set *set;
    size_t at, end;
    struct t2_slice rest; /* of the current file */
    uint64_t line;
    struct t2_buf story, question, answer, plain;
};

/* ---- text ---- */

struct joining {
    struct t2_buf *text;
};

/* A word of the tokenizer, which may hold several of str.split(), or none. */
static void add_word(void *arg, const uint8_t *token, size_t len_bytes)
{
    struct joining *j = arg;
    struct t2_slice word;
    size_t at = 0;

    while (tok_next_word(token, len_bytes, &at, &word)) {
        if (j->text->len_bytes)
            t2_buf_push(j->text, ' ');
        t2_buf_append(j->text, word.data, word.len_bytes);
    }
}

/* The tokens of a text with one blank between two, appended. */
static void normalize(struct t2_slice s, struct t2_buf *text)
{
    struct joining j = {text};

    if (s.len_bytes)
        tok_split_words(s.data, s.len_bytes, add_word, &j);
}

/* ---- files ---- */

static enum t2_status open_set(struct babi_stream *s, struct t2_err *err)
{
    size_t i, n;

    T2_TRY(dg_file_set_open(&source, s->pattern, 1, s->options, &s->set, err));
    n = dg_file_set_count(s->set);
    i = dg_file_set_find(s->set, s->only ? s->only : s->all);
    s->at = i < n ? i : 0;
    s->end = i < n ? i + 1 : n;
    if (i == n && s->only)
        return t2_fail(err, T2_ENOTFOUND, "'%s' is not among the files of bAbI", s->only);
    if (!s->base.hash_on)
        return T2_OK;
    return dg_file_set_note(s->set, s->only ? s->only : "", "stories", &s->base.files, err);
}

static enum t2_status open_file(struct babi_stream *s, struct t2_err *err)
{
    size_t bad;

    T2_TRY(dg_file_set_content(s->set, s->at, &s->rest, err));
    s->line = 0;
    t2_buf_clear(&s->story);
    bad = t2_utf8_invalid_at(s->rest.data, s->rest.len_bytes);
    if (bad < s->rest.len_bytes)
        return t2_fail(err, T2_EFORMAT, "'%s': the byte at offset %zu is not valid UTF-8",
                       dg_file_set_name(s->set, s->at), bad);
    return T2_OK;
}

/* The next line of the files, stripped. */
static enum t2_status next_line(struct babi_stream *s, struct t2_slice *line, struct t2_err *err)
{
    const uint8_t *end;
    size_t n;

    if (!s->set) {
        T2_TRY(open_set(s, err));
        T2_TRY(open_file(s, err));
    }
    while (s->rest.len_bytes == 0) {
        if (s->at + 1 >= s->end)
            return T2_EOF;
        s->at++;
        T2_TRY(open_file(s, err));
    }
    end = memchr(s->rest.data, '\n', s->rest.len_bytes);
    n = end ? (size_t) (end - s->rest.data) : s->rest.len_bytes;
    dg_without_cr((struct t2_slice){s->rest.data, n}, &s->plain);
    *line = dg_strip(t2_buf_slice(&s->plain));
    n += end != NULL;
    s->rest.data += n;
    s->rest.len_bytes -= n;
    s->line++;
    return T2_OK;
}

/* ---- lines ---- */

static enum t2_status fail_line(const struct babi_stream *s, const char *what, struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "'%s': line %" PRIu64 ": %s", dg_file_set_name(s->set, s->at),
                   s->line, what);
}

/* Cuts what is before the first `c`; false when there is none. */
static bool cut(struct t2_slice *s, char c, struct t2_slice *before)
{
    const uint8_t *at = s->len_bytes ? memchr(s->data, c, s->len_bytes) : NULL;

    if (!at)
        return false;
    *before = (struct t2_slice){s->data, (size_t) (at - s->data)};
    s->len_bytes -= before->len_bytes + 1;
    s->data = at + 1;
    return true;
}

/* "question TAB answer TAB supporting lines" */
static enum t2_status take_question(struct babi_stream *s, struct t2_slice line,
                                    struct t2_slice question, struct dg_sample *sample,
                                    struct t2_err *err)
{
    struct t2_slice answer;

    if (!cut(&line, '\t', &answer) || memchr(line.data, '\t', line.len_bytes))
        return fail_line(s, "a question has three columns: question, answer, supporting lines",
                         err);
    t2_buf_clear(&s->question);
    normalize(question, &s->question);
    t2_buf_clear(&s->answer);
    for (size_t i = 0; i < answer.len_bytes; i++) {
        if (answer.data[i] != ',')
            t2_buf_push(&s->answer, answer.data[i]);
    }
    sample->inputs = t2_buf_slice(&s->question);
    sample->context = t2_buf_slice(&s->story);
    sample->targets = t2_buf_slice(&s->answer);
    sample->inputs_origin = (struct dg_origin){*s->pattern, s->line, 0};
    sample->targets_origin = sample->inputs_origin;
    return T2_OK;
}

static enum t2_status next(struct dg_stream *base, struct dg_sample *sample, struct t2_err *err)
{
    struct babi_stream *s = (struct babi_stream *) base;
    struct t2_slice line, number, question;
    int64_t n;

    for (;;) {
        T2_TRY(next_line(s, &line, err));
        if (line.len_bytes == 0)
            continue;
        if (!cut(&line, ' ', &number) || !dg_parse_int(number, &n))
            return fail_line(s, "must begin with its number in the story", err);
        if (n == 1)
            t2_buf_clear(&s->story);
        if (cut(&line, '\t', &question))
            return take_question(s, line, question, sample, err);
        normalize(line, &s->story);
    }
}

static void release(struct dg_stream *base)
{
    struct babi_stream *s = (struct babi_stream *) base;

    dg_file_set_free(s->set);
    t2_buf_release(&s->story);
    t2_buf_release(&s->question);
    t2_buf_release(&s->answer);
    t2_buf_release(&s->plain);
    t2_free(s);
}

static enum t2_status describe(struct dg_stream *base, struct dg_input_sizes *sizes,
                               struct t2_err *err)
{
    const struct babi_stream *s = (const struct babi_stream *) base;

    return dg_source_describe(&source, "tasks_1-20_v1-2", "stories", s->options, sizes, err);
}

static enum t2_status babi_open(const struct dg_problem *p, const struct dg_options *options,
                                enum dg_split split, struct dg_stream **stream, struct t2_err *err)
{
    const struct task *task = p->context;
    struct babi_stream *s = t2_alloc(1, sizeof *s);
    int which = split == DG_TRAIN ? 0 : 1;

    (void) err;
    s->base.next = next;
    s->base.free = release;
    s->base.describe = describe;
    s->base.is_clean = true;
    s->options = options;
    s->pattern = &task->patterns[which];
    s->all = task->all[which];
    s->only = which == 1 ? task->test : NULL;
    *stream = &s->base;
    return T2_OK;
}

static enum t2_status babi_prepare(const struct dg_problem *p, const struct dg_options *options,
                                   struct t2_err *err)
{
    static const struct dg_source *const sources[] = {&source};

    (void) p;
    return dg_sources_fetch(sources, 1, options, err);
}

static enum t2_status count_split(const struct dg_problem *p, const struct dg_options *options,
                                  enum dg_split split, struct dg_ranked_words *words,
                                  struct t2_err *err)
{
    struct dg_stream *stream = NULL;
    struct dg_sample sample = {0};
    enum t2_status st;

    T2_TRY(babi_open(p, options, split, &stream, err));
    while ((st = stream->next(stream, &sample, err)) == T2_OK) {
        dg_ranked_words_add_text(words, sample.inputs);
        dg_ranked_words_add_text(words, sample.context);
        dg_ranked_words_add_text(words, sample.targets);
    }
    dg_stream_free(stream);
    return st == T2_EOF ? T2_OK : st;
}

/* The words of train and test. */
static enum t2_status babi_vocab(const struct dg_problem *p, const struct dg_options *options,
                                 enum dg_side_index side, const char *path, struct t2_err *err)
{
    struct dg_ranked_words *words = dg_ranked_words_new(options, DG_EQUALS_BY_BYTES);
    enum t2_status st = count_split(p, options, DG_TRAIN, words, err);

    (void) side;
    if (st == T2_OK)
        st = count_split(p, options, DG_DEV, words, err);
    if (st == T2_OK)
        st = dg_write_word_list(words, 0, true, path, err);
    dg_ranked_words_free(words);
    return st;
}

/* ---- the problems ---- */

/* clang-format off */
#define IN(subset, name) "tasks_1-20_v1-2/" subset "/" name
#define TASK(subset, test_file)                                                                    \
    (&(const struct task){{IN(subset, "*_train.txt"), IN(subset, "*_test.txt")},                   \
                          {IN(subset, "qa0_all-tasks_train.txt"), IN(subset, "qa0_all-tasks_test.txt")}, \
                          test_file})
#define ONE(problem, subset, title, about, test_file)                                              \
    {.name = problem, .summary = "bAbI, " about, .dataset_filename = "babi_qa_" subset "_" title,  \
     .has_inputs = true, .shared_vocab = true, .targets_vocab = {.kind = DG_VOCAB_TOKENS},         \
     .n_shards = {1, 1}, .text.context = DG_CONTEXT_FEATURE, .text.targets_are_labels = true, .text.context_separator = 2,            \
     .sources = files, .prepare = babi_prepare, .open = babi_open, .vocab.make = babi_vocab,       \
     .context = TASK(subset, test_file)}
#define BABI(n, title)                                                                             \
    ONE("babi_qa_concat_task" #n "_1k", "en", "qa" #n "_" title, title ", 1000 questions a task",  \
        IN("en", "qa" #n "_" title "_test.txt")),                                                  \
    ONE("babi_qa_concat_task" #n "_10k", "en-10k", "qa" #n "_" title,                              \
        title ", 10000 questions a task", IN("en-10k", "qa" #n "_" title "_test.txt"))

static const struct dg_problem problems[] = {
    ONE("babi_qa_concat_all_tasks_1k", "en", "qa0_all-tasks", "all tasks, 1000 questions each", NULL),
    ONE("babi_qa_concat_all_tasks_10k", "en-10k", "qa0_all-tasks", "all tasks, 10000 questions each",
        NULL),
    BABI(1, "single-supporting-fact"),
    BABI(2, "two-supporting-facts"),
    BABI(3, "three-supporting-facts"),
    BABI(4, "two-arg-relations"),
    BABI(5, "three-arg-relations"),
    BABI(6, "yes-no-questions"),
    BABI(7, "counting"),
    BABI(8, "lists-sets"),
    BABI(9, "simple-negation"),
    BABI(10, "indefinite-knowledge"),
    BABI(11, "basic-coreference"),
    BABI(12, "conjunction"),
    BABI(13, "compound-coreference"),
    BABI(14, "time-reasoning"),
    BABI(15, "basic-deduction"),
    BABI(16, "basic-induction"),
    BABI(17, "positional-reasoning"),
    BABI(18, "size-reasoning"),
    BABI(19, "path-finding"),
    BABI(20, "agents-motivations"),
};
/* clang-format on */
const struct dg_family dg_family_babi = {"Questions about stories", problems, DG_COUNT(problems)};
