/*
 * datagen/problems/problem_enwik8.c - language models on enwik8, the first 10^8 bytes of
 * Wikipedia's dump (T2T's enwik8.py).
 *
 * The last 5 million units are test, those before dev.  Train windows begin every quarter of their
 * length, the others where the one before ends.  Units are bytes, stored as they are (no padding id
 * is kept free); those of enwik8_l65k are characters, stored as bytes + 2.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/line_stream.h"

enum { HELD_OUT = 5000000, TRAIN_OVERLAP = 4, FIRST_BYTE_ID = 2 };
struct enwik8 {
    size_t length; /* of a window */
    bool characters;
};

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

/* ---- units of the text, from its start ---- */

enum { MOST_UNIT_BYTES = 4, CHUNK_BYTES = 1 << 16 };

struct units {
    struct dg_source_text text;
    bool characters, has_ended;
    uint64_t n_bytes;   /* that were read */
    size_t n_of_unit;   /* bytes of the last unit so far */
    struct t2_buf held; /* begins with a unit */
    size_t n_held; /* units that begin there; the last may be cut as long as the text goes on */
};

static enum t2_status units_open(struct units *u, const struct dg_options *options, bool hash_on,
                                 struct t2_err *err)
{
    return dg_source_open(&enwik8, "enwik8", options, hash_on, &u->text, err);
}

static void units_close(struct units *u)
{
    dg_source_close(&u->text);
    t2_buf_release(&u->held);
}

static bool begins_unit(const struct units *u, uint8_t c)
{
    return !u->characters || (c & 0xc0) != 0x80;
}

/* More bytes. */
static enum t2_status units_read(struct units *u, struct t2_err *err)
{
    uint8_t *to = t2_buf_reserve(&u->held, CHUNK_BYTES);
    size_t n;

    T2_TRY(t2_in_read(u->text.in, to, CHUNK_BYTES, &n, err));
    for (size_t i = 0; i < n; i++) {
        bool begins = u->n_bytes + i == 0 || begins_unit(u, to[i]);
        u->n_held += begins;
        u->n_of_unit = begins ? 1 : u->n_of_unit + 1;
        if (u->n_of_unit > MOST_UNIT_BYTES)
            return t2_fail(err, T2_EFORMAT, "'%s': byte %" PRIu64 " is not UTF-8", u->text.path,
                           u->n_bytes + i);
    }
    u->held.len_bytes += n;
    u->n_bytes += n;
    u->has_ended = n == 0;
    return T2_OK;
}

/* Whole units up to n, fewer when the text ends. */
static enum t2_status units_want(struct units *u, size_t n, struct t2_err *err)
{
    while (!u->has_ended && u->n_held <= n)
        T2_TRY(units_read(u, err));
    return T2_OK;
}

/* Bytes of the first n units that are held. */
static size_t bytes_of(const struct units *u, size_t n)
{
    size_t at = 0;

    if (n >= u->n_held)
        return u->held.len_bytes;
    if (!u->characters)
        return n;
    while (n-- > 0) {
        do {
            at++;
        } while (!begins_unit(u, u->held.data[at]));
    }
    return at;
}

static enum t2_status units_skip(struct units *u, uint64_t n, struct t2_err *err)
{
    while (n > 0) {
        size_t some = n < CHUNK_BYTES ? (size_t) n : CHUNK_BYTES, bytes;
        T2_TRY(units_want(u, some, err));
        bytes = bytes_of(u, some);
        u->held.len_bytes -= bytes;
        if (u->held.len_bytes)
            memmove(u->held.data, u->held.data + bytes, u->held.len_bytes);
        u->n_held -= some < u->n_held ? some : u->n_held;
        n -= some;
    }
    return T2_OK;
}

/* ---- windows ---- */

struct window_stream {
    struct dg_stream base;
    const struct enwik8 *e;
    struct units units; /* the first that is held begins the window */
    uint64_t at, end;   /* in units */
    size_t step;
    int64_t *symbols;
};

static enum t2_status window_next(struct dg_stream *base, struct dg_sample *sample,
                                  struct t2_err *err)
{
    struct window_stream *s = (struct window_stream *) base;
    size_t n = s->e->length, n_bytes;

    if (s->at >= s->end)
        return T2_EOF;
    if (n > s->end - s->at)
        n = (size_t) (s->end - s->at);
    T2_TRY(units_want(&s->units, n, err));
    n_bytes = bytes_of(&s->units, n);
    for (size_t i = 0; i < n_bytes; i++)
        s->symbols[i] = s->units.held.data[i] + (s->e->characters ? FIRST_BYTE_ID : 0);
    sample->numbers[DG_TARGETS] = s->symbols;
    sample->n_numbers[DG_TARGETS] = n_bytes;
    s->at += s->step;
    return s->at < s->end ? units_skip(&s->units, s->step, err) : T2_OK;
}

static void window_free(struct dg_stream *base)
{
    struct window_stream *s = (struct window_stream *) base;

    units_close(&s->units);
    t2_free(s->symbols);
    t2_free(s);
}

/* The text is read once for its length, from whose end splits are counted. */
static enum t2_status count_units(struct window_stream *s, const struct dg_options *options,
                                  uint64_t *n, struct t2_err *err)
{
    struct units u = {.characters = s->e->characters};
    enum t2_status st = units_open(&u, options, true, err);

    *n = 0;
    while (st == T2_OK && !u.has_ended) {
        st = units_read(&u, err);
        *n += u.n_held;
        u.n_held = 0;
        t2_buf_clear(&u.held);
    }
    if (st == T2_OK && u.n_bytes <= 2 * (uint64_t) HELD_OUT)
        st = t2_fail(err, T2_EFORMAT, "'enwik8' has %" PRIu64 " bytes: more than %d are held out",
                     u.n_bytes, 2 * HELD_OUT);
    if (st == T2_OK) {
        struct t2_buf none = {0};
        st = dg_source_rest(&u.text, 0, &none, err);
        t2_buf_release(&none);
    }
    if (st == T2_OK)
        dg_source_note(&u.text, "text", &s->base.files);
    units_close(&u);
    return st;
}

static enum t2_status choose_part(struct window_stream *s, const struct dg_options *options,
                                  enum dg_split split, struct t2_err *err)
{
    uint64_t n, test, dev;

    T2_TRY(count_units(s, options, &n, err));
    test = n > HELD_OUT ? n - HELD_OUT : 0;
    dev = test > HELD_OUT ? test - HELD_OUT : 0;
    s->at = split == DG_TRAIN ? 0 : split == DG_DEV ? dev : test;
    s->end = split == DG_TRAIN ? dev : split == DG_DEV ? test : n;
    s->step = split == DG_TRAIN ? s->e->length / TRAIN_OVERLAP : s->e->length;
    T2_TRY(units_open(&s->units, options, false, err));
    return units_skip(&s->units, s->at, err);
}

static enum t2_status window_describe(struct dg_stream *base, struct dg_input_sizes *sizes,
                                      struct t2_err *err)
{
    (void) err;
    t2_buf_printf(&sizes->text, "    windows of %zu %s\n",
                  ((struct window_stream *) base)->e->length,
                  ((struct window_stream *) base)->e->characters ? "characters" : "bytes");
    return T2_OK;
}

static enum t2_status window_open(const struct dg_problem *p, const struct dg_options *options,
                                  enum dg_split split, struct dg_stream **stream,
                                  struct t2_err *err)
{
    struct window_stream *s = t2_alloc(1, sizeof *s);
    enum t2_status st;

    s->base.next = window_next;
    s->base.free = window_free;
    s->base.describe = window_describe;
    s->base.is_clean = true;
    s->e = p->context;
    s->units.characters = s->e->characters;
    s->symbols = t2_alloc(MOST_UNIT_BYTES * s->e->length, sizeof *s->symbols);
    st = choose_part(s, options, split, err);
    if (st != T2_OK) {
        dg_stream_free(&s->base);
        return st;
    }
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

/* Windows of TRAIN overlap: the text comes several times. */
static void report_overlap(const struct dg_problem *p, struct dg_input_sizes *sizes)
{
    const struct enwik8 *e = p->context;
    uint64_t bytes = sizes->n ? sizes->files[sizes->n - 1].text_bytes : 0;

    if (bytes > 2 * (uint64_t) HELD_OUT)
        dg_sizes_add_cases(sizes,
                           (TRAIN_OVERLAP - 1) * (bytes - 2 * (uint64_t) HELD_OUT) / e->length,
                           e->length);
}

static enum t2_status enwik8_describe(const struct dg_problem *p, const struct dg_options *options,
                                      enum dg_split split, struct dg_input_sizes *sizes,
                                      struct t2_err *err)
{
    struct dg_problem lines = *p;
    size_t n_before = sizes->n;
    enum t2_status st;

    lines.context = &as_lines;
    st = dg_line_problem_describe(&lines, options, split, sizes, err);
    if (split == DG_TRAIN && sizes->n > n_before)
        report_overlap(p, sizes);
    return st;
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
