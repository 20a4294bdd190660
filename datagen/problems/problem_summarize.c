/*
 * datagen/problems/problem_summarize.c - newspaper stories and their highlights
 * (spec t2t-datagen.md §5.8, §8.5; T2T's cnn_dailymail.py).
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/mt19937.h"
#include "base/text.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/news_text.h"
#include "datagen/problems/vocab_specs.h"
#include "datagen/source/scratch_sort.h"
#include "datagen/stream.h"

static enum t2_status news_prepare(const struct dg_problem *p, const struct dg_options *options,
                                   struct t2_err *err)
{
    (void) p;
    return dg_news_make(options, err);
}

static enum t2_status news_open(const struct dg_problem *p, const struct dg_options *options,
                                enum dg_split split, struct dg_stream **stream, struct t2_err *err)
{
    char *story = dg_news_path(options, split, false),
         *summary = dg_news_path(options, split, true);
    struct dg_text_parts parts = {0};
    enum t2_status st;

    (void) p;
    dg_text_parts_add(&parts, story, summary);
    parts.max_memory = options->max_memory;
    st = dg_text_stream_new(&parts, true, stream, err);
    if (st == T2_OK)
        (*stream)->keep_blanks = true;
    dg_text_parts_release(&parts);
    t2_free(story);
    t2_free(summary);
    return st;
}

/* Before the text files are made, the archives and lists tell what there is. */
static enum t2_status news_describe(const struct dg_problem *p, const struct dg_options *options,
                                    enum dg_split split, struct dg_input_sizes *sizes,
                                    struct t2_err *err)
{
    struct dg_stream *stream = NULL;
    enum t2_status st;

    if (!dg_news_is_made(options, split)) {
        t2_buf_puts(&sizes->text, "    stories of the archives, by the list of their addresses\n");
        dg_news_sizes(options, sizes);
        return T2_OK;
    }
    T2_TRY(news_open(p, options, split, &stream, err));
    st = dg_stream_describe(stream, sizes, err);
    dg_stream_free(stream);
    return st;
}

/* ---- the vocabulary's text: story, blank, summary, as one ---- */

struct joined_stream {
    struct dg_stream base;
    struct dg_stream *pairs;
    struct t2_buf text;
};

static enum t2_status joined_next(struct dg_stream *base, struct dg_sample *sample,
                                  struct t2_err *err)
{
    struct joined_stream *s = (struct joined_stream *) base;

    T2_TRY(s->pairs->next(s->pairs, sample, err));
    t2_buf_clear(&s->text);
    t2_buf_append(&s->text, sample->inputs.data, sample->inputs.len_bytes);
    t2_buf_push(&s->text, ' ');
    t2_buf_append(&s->text, sample->targets.data, sample->targets.len_bytes);
    sample->inputs = (struct t2_slice){0};
    sample->targets = t2_buf_slice(&s->text);
    return T2_OK;
}

static void joined_free(struct dg_stream *base)
{
    struct joined_stream *s = (struct joined_stream *) base;

    dg_stream_free(s->pairs);
    t2_buf_release(&s->text);
    t2_free(s);
}

static enum t2_status news_vocab_text(const struct dg_problem *p, const struct dg_options *options,
                                      enum dg_side_index side, struct dg_stream **stream,
                                      struct t2_err *err)
{
    struct joined_stream *s = t2_alloc(1, sizeof *s);
    enum t2_status st = news_open(p, options, DG_TRAIN, &s->pairs, err);

    (void) side;
    if (st != T2_OK) {
        t2_free(s);
        return st;
    }
    s->base.next = joined_next;
    s->base.free = joined_free;
    s->base.keep_blanks = true;
    *stream = &s->base;
    return T2_OK;
}

/* ---- a part of the training stories, drawn ---- */

static const double fractions[] = {1, 0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5};

struct part_stream {
    struct dg_stream base;
    struct dg_stream *pairs; /* only for its list of files; NULL when those were noted */
    char *paths[2];
    struct tfr_sorter *drawn; /* the lines of the part; NULL: nothing was read */
    const struct dg_options *options;
    double fraction;
};

/* Lines of a text that was made here. */
struct part_lines {
    struct t2_in *in;
    struct t2_slice line;
    uint64_t offset, next_offset; /* of the line */
};

static enum t2_status next_line(struct part_lines *l, struct t2_err *err)
{
    T2_TRY(t2_in_line(l->in, &l->line, err));
    l->offset = l->next_offset;
    l->next_offset += l->line.len_bytes + 1;
    return T2_OK;
}

static enum t2_status count_lines(const char *path, const struct dg_options *options, uint64_t *n,
                                  struct t2_err *err)
{
    struct part_lines l = {.in = NULL};
    enum t2_status st;

    *n = 0;
    T2_TRY(t2_in_new(path, &l.in, err));
    t2_in_limit_line(l.in, options->max_memory);
    while ((st = next_line(&l, err)) == T2_OK)
        ++*n;
    t2_in_free(l.in);
    return st == T2_EOF ? T2_OK : st;
}

/* Notes the files by reading them through. */
static enum t2_status note_files(struct part_stream *s, struct t2_err *err)
{
    struct dg_sample sample;
    enum t2_status st;

    s->pairs->hash_on = true;
    do {
        memset(&sample, 0, sizeof sample);
        st = s->pairs->next(s->pairs, &sample, err);
    } while (st == T2_OK);
    s->base.files = s->pairs->files;
    memset(&s->pairs->files, 0, sizeof s->pairs->files);
    return st == T2_EOF ? T2_OK : st;
}

enum { LINE_HEAD_BYTES = 24 };

/* Offsets of both lines, the length of the first, both. */
static enum t2_status add_lines(struct part_stream *s, const struct part_lines l[2],
                                struct dg_place place, struct t2_buf *data, struct t2_err *err)
{
    uint8_t head[LINE_HEAD_BYTES];

    dg_put_number(head, l[0].offset);
    dg_put_number(head + 8, l[1].offset);
    dg_put_number(head + 16, l[0].line.len_bytes);
    t2_buf_clear(data);
    t2_buf_append(data, head, sizeof head);
    for (int i = 0; i < 2; i++)
        t2_buf_append(data, l[i].line.data, l[i].line.len_bytes);
    return dg_sorter_add(s->drawn, place, t2_buf_slice(data), err);
}

static enum t2_status sort_lines(struct part_stream *s, uint64_t n, const uint32_t *places,
                                 struct t2_err *err)
{
    uint64_t n_kept = (uint64_t) (s->fraction * (double) n);
    struct part_lines l[2] = {{.in = NULL}, {.in = NULL}};
    struct t2_buf data = {0};
    enum t2_status st = T2_OK;

    for (int i = 0; i < 2; i++) {
        T2_GOTO(st, out, t2_in_new(s->paths[i], &l[i].in, err));
        t2_in_limit_line(l[i].in, s->options->max_memory);
    }
    for (uint64_t line = 0; line < n; line++) {
        for (int i = 0; i < 2; i++)
            T2_GOTO(st, out, next_line(&l[i], err));
        if (places[line] < n_kept)
            T2_GOTO(st, out, add_lines(s, l, (struct dg_place){places[line], line}, &data, err));
    }
    st = tfr_sorter_finish(s->drawn, err);
out:
    for (int i = 0; i < 2; i++)
        t2_in_free(l[i].in);
    t2_buf_release(&data);
    return st;
}

static enum t2_status load_part(struct part_stream *s, struct t2_err *err)
{
    uint64_t n[2];
    uint32_t *places;
    struct t2_mt mt;
    enum t2_status st;

    for (int i = 0; i < 2; i++)
        T2_TRY(count_lines(s->paths[i], s->options, &n[i], err));
    if (n[0] != n[1])
        return t2_fail(err, T2_EFORMAT, "'%s' has %" PRIu64 " lines but '%s' has %" PRIu64,
                       s->paths[0], n[0], s->paths[1], n[1]);
    T2_TRY(dg_sorter_new(s->options, &s->drawn, err));
    t2_mt_seed_python(&mt, s->options->random_seed);
    T2_TRY(dg_draw_places(s->options, &mt, n[0], &places, err));
    st = sort_lines(s, n[0], places, err);
    t2_free(places);
    return st == T2_OK && s->base.hash_on ? note_files(s, err) : st;
}

static enum t2_status part_next(struct dg_stream *base, struct dg_sample *sample,
                                struct t2_err *err)
{
    struct part_stream *s = (struct part_stream *) base;
    struct dg_place place;
    struct t2_slice data;
    size_t n;

    if (!s->drawn)
        T2_TRY(load_part(s, err));
    T2_TRY(dg_sorter_next(s->drawn, &place, &data, err));
    n = (size_t) dg_get_number(data.data + 16);
    sample->inputs = (struct t2_slice){data.data + LINE_HEAD_BYTES, n};
    sample->targets =
        (struct t2_slice){data.data + LINE_HEAD_BYTES + n, data.len_bytes - LINE_HEAD_BYTES - n};
    sample->inputs_origin =
        (struct dg_origin){s->paths[0], place.minor + 1, dg_get_number(data.data)};
    sample->targets_origin =
        (struct dg_origin){s->paths[1], place.minor + 1, dg_get_number(data.data + 8)};
    return T2_OK;
}

static enum t2_status part_describe(struct dg_stream *base, struct dg_input_sizes *sizes,
                                    struct t2_err *err)
{
    struct part_stream *s = (struct part_stream *) base;

    return dg_stream_describe(s->pairs, sizes, err);
}

static void part_free(struct dg_stream *base)
{
    struct part_stream *s = (struct part_stream *) base;

    for (int i = 0; i < 2; i++) {
        t2_free(s->paths[i]);
    }
    tfr_sorter_free(s->drawn);
    dg_stream_free(s->pairs);
    t2_free(s);
}

static enum t2_status part_open(const struct dg_problem *p, const struct dg_options *options,
                                enum dg_split split, struct dg_stream **stream, struct t2_err *err)
{
    struct part_stream *s;
    enum t2_status st;

    if (split != DG_TRAIN)
        return news_open(p, options, split, stream, err);
    s = t2_alloc(1, sizeof *s);
    st = news_open(p, options, split, &s->pairs, err);
    if (st != T2_OK) {
        t2_free(s);
        return st;
    }
    s->base.next = part_next;
    s->base.free = part_free;
    s->base.describe = part_describe;
    s->base.keep_blanks = true;
    s->options = options;
    s->fraction = *(const double *) p->context;
    for (int i = 0; i < 2; i++)
        s->paths[i] = dg_news_path(options, split, i == 1);
    *stream = &s->base;
    return T2_OK;
}

/* The original shuffled its list of all stories first. */
static enum t2_status part_draws(const struct dg_problem *p, const struct dg_options *options,
                                 struct t2_mt *mt, struct t2_err *err)
{
    char *path = dg_news_path(options, DG_TRAIN, false);
    uint64_t n;
    enum t2_status st = count_lines(path, options, &n, err);

    (void) p;
    if (st == T2_OK)
        t2_mt_skip_shuffle(mt, n);
    t2_free(path);
    return st;
}

/* ---- the problems ---- */

/* clang-format off */
#define NEWS(problem, text, ...)                                                                   \
    {.name = problem, .summary = "CNN and Daily Mail stories to their highlights" text,            \
     .has_inputs = true, .shared_vocab = true, .n_shards = {100, 10, 10},                          \
     .sources = dg_news_files, .prepare = news_prepare, .describe = news_describe, __VA_ARGS__}
#define ALL(problem, text, ...) NEWS(problem, text, .open = news_open, .targets_vocab = __VA_ARGS__)
#define PART(which, name_part, text)                                                               \
    NEWS("summarize_frac" name_part "_cnn_dailymail_wiki_lm_shared_vocab64k",                      \
         text ". Vocabulary of English Wikipedia, 64k", .open = part_open,                         \
         .sharding.before_shuffle = part_draws, .context = &fractions[which],                               \
         .targets_vocab = DG_OF_EN_WIKI64)

static const struct dg_problem problems[] = {
    NEWS("summarize_cnn_dailymail32k", "", .open = news_open, .vocab.open_text = news_vocab_text,
         .targets_vocab = DG_SUBWORDS(32768)),
    ALL("summarize_cnn_dailymail_wiki_lm_shared_vocab", ". Vocabulary of English Wikipedia",
        DG_OF_EN_WIKI),
    ALL("summarize_cnn_dailymail_wiki_lm_shared_vocab64k",
        ". Vocabulary of English Wikipedia, 64k", DG_OF_EN_WIKI64),
    ALL("summarize_cnn_dailymail_wiki_lm_multi_vocab64k", ". Vocabulary of four Wikipedias",
        DG_OF_MULTI64),
    NEWS("summarize_cnn_dailymail_multi64k_packed1k",
         ". Vocabulary of four Wikipedias, packed to 1024", .open = news_open,
         .targets_vocab = DG_OF_MULTI64, .packing.length = 1024,
         .text.prefix = {"CNN Daily Mail article to summary ", "CNN Daily Mail summary to article "}),
    PART(0, "", ", all, drawn"),
    PART(1, "0p1", ", 0.1 % of them"),
    PART(2, "1", ", 1 % of them"),
    PART(3, "2", ", 2 % of them"),
    PART(4, "5", ", 5 % of them"),
    PART(5, "10", ", 10 % of them"),
    PART(6, "20", ", 20 % of them"),
    PART(7, "50", ", 50 % of them"),
};
/* clang-format on */
const struct dg_family dg_family_summarize = {"Summaries", problems, DG_COUNT(problems)};
