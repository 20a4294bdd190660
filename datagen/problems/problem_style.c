/*
 * datagen/problems/problem_style.c - Shakespeare and today's English, in both directions
 * (spec t2t-datagen.md §5.8, §8.5; T2T's style_transfer.py).
 */
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/vocab_specs.h"
#include "datagen/source/row_stream.h"
#include "tokenizer/line_sampler.h"

#define PLAYS(var, file_name, first_member)                                                        \
    static const char *const var##_urls[] = {                                                      \
        "https://github.com/tlatkowski/st/raw/master/" file_name, NULL};                           \
    static const struct dg_source_file var##_file = {.urls = var##_urls};                          \
    static const struct dg_source var##_source = {.file = &var##_file, .sign = first_member}
PLAYS(train, "shakespeare.train.tgz", "train.original");
PLAYS(dev, "shakespeare.dev.tgz", "dev.original");
static const struct dg_source_file *const files[] = {&train_file, &dev_file, NULL};
static const struct dg_source *const sources[] = {&train_source, &dev_source};

static const char *const members[2][2] = {{"train.original", "train.modern"},
                                          {"dev.original", "dev.modern"}};

/* ---- samples: line by line, until the shorter file ends ---- */

struct pair_stream {
    struct dg_stream base;
    const struct dg_options *options;
    const struct dg_source *source;
    const char *const *members; /* of the split */
    bool to_original;           /* the second file is the inputs */
    struct dg_source_text texts[2];
    bool is_open, at_end;
};

static enum t2_status open_both(struct pair_stream *s, struct t2_err *err)
{
    for (int i = 0; i < 2; i++)
        T2_TRY(dg_source_open(s->source, s->members[i], s->options, s->base.hash_on, &s->texts[i],
                              err));
    s->is_open = true;
    return T2_OK;
}

/* One side ended: the other is read to its end, for its hash. */
static enum t2_status end_both(struct pair_stream *s, struct t2_err *err)
{
    uint64_t lines[2];

    s->at_end = true;
    for (int i = 0; i < 2; i++) {
        struct t2_slice line;
        enum t2_status st;
        while ((st = dg_source_line(&s->texts[i], &line, err)) == T2_OK)
            continue;
        if (st != T2_EOF)
            return st;
        lines[i] = s->texts[i].lines;
        if (s->base.hash_on)
            dg_source_note(&s->texts[i], s->members[i], &s->base.files);
    }
    if (lines[0] != lines[1] && s->base.hash_on)
        t2_warn("'%s' and '%s' differ in their number of lines: the rest of the longer one is left "
                "out, as in the original",
                s->texts[0].path, s->texts[1].path);
    return T2_EOF;
}

static enum t2_status next(struct dg_stream *base, struct dg_sample *sample, struct t2_err *err)
{
    struct pair_stream *s = (struct pair_stream *) base;
    struct t2_slice lines[2] = {{0}, {0}};

    if (s->at_end)
        return T2_EOF;
    if (!s->is_open)
        T2_TRY(open_both(s, err));
    for (int i = 0; i < 2; i++) {
        enum t2_status st = dg_source_line(&s->texts[i], &lines[i], err);
        if (st == T2_EOF)
            return end_both(s, err);
        if (st != T2_OK)
            return st;
    }
    sample->inputs = lines[s->to_original];
    sample->targets = lines[!s->to_original];
    sample->inputs_origin.path = s->texts[s->to_original].path;
    sample->targets_origin.path = s->texts[!s->to_original].path;
    sample->inputs_origin.line = sample->targets_origin.line = s->texts[0].lines;
    return T2_OK;
}

static enum t2_status describe(struct dg_stream *base, struct dg_input_sizes *sizes,
                               struct t2_err *err)
{
    const struct pair_stream *s = (const struct pair_stream *) base;

    T2_TRY(dg_source_describe(s->source, s->members[0], "original", s->options, sizes, err));
    return dg_source_describe(s->source, s->members[1], "modern", s->options, sizes, err);
}

static void release(struct dg_stream *base)
{
    struct pair_stream *s = (struct pair_stream *) base;

    dg_source_close(&s->texts[0]);
    dg_source_close(&s->texts[1]);
    t2_free(s);
}

static enum t2_status style_open(const struct dg_problem *p, const struct dg_options *options,
                                 enum dg_split split, struct dg_stream **stream, struct t2_err *err)
{
    struct pair_stream *s = t2_alloc(1, sizeof *s);

    (void) err;
    s->base.next = next;
    s->base.free = release;
    s->base.describe = describe;
    s->options = options;
    s->source = sources[split != DG_TRAIN];
    s->members = members[split != DG_TRAIN];
    s->to_original = p->context != NULL;
    *stream = &s->base;
    return T2_OK;
}

/* ---- the vocabulary: lines of both files, as many as the budget allows ---- */

enum { BUDGET = 1000000 };

struct sampling {
    struct tok_line_sampler sampler;
    struct t2_buf line;
    bool stopped;
};

static enum t2_status sampled_line(struct dg_row_stream *rs, struct t2_slice line,
                                   struct dg_sample *sample, struct t2_err *err)
{
    struct sampling *s = rs->state;

    (void) err;
    if (rs->text.lines == 1) {
        s->stopped = false;
        tok_sampler_init(&s->sampler, TOK_DIALECT_T2T, BUDGET, rs->text.bytes);
    }
    if (s->stopped)
        return T2_EOF;
    t2_buf_clear(&s->line);
    line = tok_clean_line(line, &s->line);
    switch (tok_sampler_next(&s->sampler, line)) {
    case TOK_LINE_TAKE:
        sample->targets = line;
        return T2_OK;
    case TOK_LINE_STOP:
        s->stopped = true;
        break;
    case TOK_LINE_SKIP:
        break;
    }
    return T2_EOF;
}

static void release_sampling(void *state)
{
    struct sampling *s = state;

    t2_buf_release(&s->line);
    t2_free(s);
}

static enum t2_status style_vocab_text(const struct dg_problem *p, const struct dg_options *options,
                                       enum dg_side_index side, struct dg_stream **stream,
                                       struct t2_err *err)
{
    struct dg_row_stream *rs = t2_alloc(1, sizeof *rs);

    (void) p;
    (void) side;
    (void) err;
    rs->source = &train_source;
    rs->members = members[0];
    rs->n_members = 2;
    rs->role = "lines";
    rs->options = options;
    rs->state = t2_alloc(1, sizeof(struct sampling));
    rs->release = release_sampling;
    rs->line = sampled_line;
    dg_row_stream_init(rs);
    *stream = &rs->base;
    return T2_OK;
}

static enum t2_status style_prepare(const struct dg_problem *p, const struct dg_options *options,
                                    struct t2_err *err)
{
    (void) p;
    return dg_sources_fetch(sources, 2, options, err);
}

/* ---- the problems ---- */

static const char to_original[] = "";

/* clang-format off */
#define STYLE(problem, text, back, vocab_text, ...)                                                \
    {.name = problem, .summary = text, .has_inputs = true, .shared_vocab = true,                   \
     .n_shards = {1, 1}, .sources = files, .prepare = style_prepare, .open = style_open,           \
     .vocab.open_text = vocab_text, .context = back, .targets_vocab = __VA_ARGS__}
#define BOTH(problem, text, back)                                                                  \
    STYLE(problem, text, back, style_vocab_text,                                                   \
          {.kind = DG_VOCAB_SUBWORDS, .approx_size = 8000, .any_length = true}),                   \
    STYLE(problem "_characters", text ", as bytes", back, NULL, DG_BYTES)

static const struct dg_problem problems[] = {
    BOTH("style_transfer_shakespeare_to_modern", "Shakespeare to today's English", NULL),
    BOTH("style_transfer_modern_to_shakespeare", "Today's English to Shakespeare's", to_original),
};
/* clang-format on */
const struct dg_family dg_family_style = {"Style", problems, DG_COUNT(problems)};
