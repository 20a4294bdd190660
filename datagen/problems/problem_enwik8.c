/*
 * datagen/problems/problem_enwik8.c - language models on enwik8, the first 10^8 bytes of Wikipedia's dump (T2T's
 * enwik8.py).
 *
 * The last 5 million units are test, those before dev.  Train windows begin every quarter of their length,
 * the others where the one before ends.  Units are bytes, stored as they are (no padding id is kept free);
 * those of enwik8_l65k are characters, stored as bytes + 2.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/line_stream.h"

enum { HELD_OUT = 5000000, TRAIN_OVERLAP = 4, FIRST_BYTE_ID = 2 };
static const uint64_t MOST_BYTES = (uint64_t) 1 << 30;

struct enwik8 {
    size_t length; /* of a window */
    bool characters;
};

struct window_stream {
    struct dg_stream base;
    const struct enwik8 *e;
    struct t2_buf memory;
    struct t2_slice text;

    size_t at, end, step; /* in bytes; step in units */
    int64_t *symbols;
};

/* n units on from a place; no further than end. */
static size_t forward(const struct window_stream *s, size_t at, size_t n, size_t end)
{
    if (!s->e->characters)
        return end - at > n ? at + n : end;
    while (at < end && n-- > 0) {
        do {
            ++at;
        } while (at < end && (s->text.data[at] & 0xc0) == 0x80);
    }
    return at;
}

/* n units back from the end; not before the start. */
static size_t back_from_end(const struct window_stream *s, size_t n)
{
    size_t at = s->text.len_bytes;

    if (!s->e->characters)
        return at > n ? at - n : 0;
    while (at > 0 && n-- > 0) {
        do {
            --at;
        } while (at > 0 && (s->text.data[at] & 0xc0) == 0x80);
    }
    return at;
}

static enum t2_status window_next(struct dg_stream *base, struct dg_sample *sample,
                                  struct t2_err *err)
{
    struct window_stream *s = (struct window_stream *) base;
    size_t end, i;

    (void) err;
    if (s->at >= s->end)
        return T2_EOF;
    end = forward(s, s->at, s->e->length, s->end);
    for (i = s->at; i < end; ++i)
        s->symbols[i - s->at] = s->text.data[i] + (s->e->characters ? FIRST_BYTE_ID : 0);
    sample->numbers[DG_TARGETS] = s->symbols;
    sample->n_numbers[DG_TARGETS] = end - s->at;
    s->at = forward(s, s->at, s->step, s->end);
    return T2_OK;
}

static void window_free(struct dg_stream *base)
{
    struct window_stream *s = (struct window_stream *) base;

    t2_buf_release(&s->memory);
    t2_free(s->symbols);

    t2_free(s);
}

/* clang-format off */
static const struct dg_source_file enwik8_file = {
    .urls = (const char *const[]){"http://mattmahoney.net/dc/enwik8.zip", NULL},
    .size_bytes = 36445475,
    .sha256 = "547994d9980ebed1288380d652999f38a14fe291a6247c157c3d33d4932534bc",
    .licence = "CC BY-SA 3.0 (Wikipedia)",
};
/* clang-format on */
static const struct dg_source enwik8 = {.file = &enwik8_file, .sign = "enwik8"};
static const struct dg_line_files enwik8_files[] = {{&enwik8, "enwik8"}, {NULL, NULL}};
static const struct dg_line_problem as_lines = {{enwik8_files, enwik8_files, enwik8_files},
                                                &dg_rule_lines,
                                                0};

static enum t2_status read_text(struct window_stream *s, const struct dg_options *options,
                                struct t2_err *err)
{
    struct dg_source_text text = {0};
    enum t2_status st = dg_source_open(&enwik8, "enwik8", options, true, &text, err);

    if (st == T2_OK && options->max_memory && text.bytes > options->max_memory / 2)
        st = t2_fail(err, T2_ENOMEM,
                     "'%s' is held in memory whole, %" PRIu64 " bytes, which is more than half of "
                     "--max_memory; raise it",
                     text.path, text.bytes);
    if (st == T2_OK)
        st = dg_source_rest(&text, MOST_BYTES, &s->memory, err);
    if (st == T2_OK)
        dg_source_note(&text, "text", &s->base.files);
    s->text = t2_buf_slice(&s->memory);
    dg_source_close(&text);
    return st;
}

static void choose_part(struct window_stream *s, enum dg_split split)
{
    size_t test = back_from_end(s, HELD_OUT), dev = back_from_end(s, 2 * (size_t) HELD_OUT);

    s->at = split == DG_TRAIN ? 0 : split == DG_DEV ? dev : test;
    s->end = split == DG_TRAIN ? dev : split == DG_DEV ? test : s->text.len_bytes;
    s->step = split == DG_TRAIN ? s->e->length / TRAIN_OVERLAP : s->e->length;
}

static enum t2_status window_describe(struct dg_stream *base, struct dg_told *told,
                                      struct t2_err *err)
{
    (void) err;
    t2_buf_printf(&told->text, "    windows of %zu %s\n",
                  ((struct window_stream *) base)->e->length,
                  ((struct window_stream *) base)->e->characters ? "characters" : "bytes");
    return T2_OK;
}

static enum t2_status window_open(const struct dg_problem *p, const struct dg_options *options,
                                  enum dg_split split, struct dg_stream **stream,
                                  struct t2_err *err)
{
    struct window_stream *s = t2_alloc(1, sizeof *s);
    enum { BYTES_OF_CHARACTER = 4 };
    enum t2_status st;

    s->base.next = window_next;
    s->base.free = window_free;
    s->base.describe = window_describe;
    s->base.is_clean = true;
    s->e = p->context;
    s->symbols = t2_alloc(BYTES_OF_CHARACTER * s->e->length, sizeof *s->symbols);
    st = read_text(s, options, err);
    if (st == T2_OK && s->text.len_bytes <= 2 * (size_t) HELD_OUT)
        st = t2_fail(err, T2_EFORMAT, "'enwik8' has %zu bytes: more than %d are held out",
                     s->text.len_bytes, 2 * HELD_OUT);
    if (st != T2_OK) {
        dg_stream_free(&s->base);
        return st;
    }
    choose_part(s, split);
    *stream = &s->base;
    return T2_OK;
}

static enum t2_status enwik8_prepare(const struct dg_problem *p, const struct dg_options *options,
                                     struct t2_err *err)
{
    struct dg_problem lines = *p;

    lines.context = &as_lines;
    return dg_line_problem_prepare(&lines, options, err);
}

static enum t2_status enwik8_describe(const struct dg_problem *p, const struct dg_options *options,
                                      enum dg_split split, struct dg_told *told, struct t2_err *err)
{
    struct dg_problem lines = *p;

    lines.context = &as_lines;
    return dg_line_problem_describe(&lines, options, split, told, err);
}

/* clang-format off */
#define PROBLEM(name_, summary_, length_, characters_)                                              \
    &(const struct dg_problem){                                                                     \
        .name = name_, .summary = summary_, .n_shards = {16, 1, 1},                                 \
        .targets_vocab = {.kind = DG_VOCAB_BYTES},                                                  \
        .sources = (const struct dg_source_file *const[]){&enwik8_file, NULL},                      \
        .prepare = enwik8_prepare, .open = window_open, .describe = enwik8_describe,                \
        .context = &(const struct enwik8){length_, characters_}}

static const struct dg_problem *const problems[] = {
    PROBLEM("enwik8_l16k", "windows of 16384 bytes", 16384, false),
    PROBLEM("enwik8_l1k", "windows of 1024 bytes", 1024, false),
    PROBLEM("enwik8_l2k", "windows of 2048 bytes", 2048, false),
    PROBLEM("enwik8_l32k", "windows of 32768 bytes", 32768, false),
    PROBLEM("enwik8_l4k", "windows of 4096 bytes", 4096, false),
    PROBLEM("enwik8_l512", "windows of 512 bytes", 512, false),
    PROBLEM("enwik8_l65k", "windows of 65536 characters", 65536, true),
    PROBLEM("enwik8_l8k", "windows of 8192 bytes", 8192, false),
};
/* clang-format on */

const struct dg_family dg_family_enwik8 = {"Language models: enwik8", problems,
                                           sizeof problems / sizeof *problems};
