/*
 * datagen/source/filter_stream.c - leaves out samples that would spoil the training.
 *
 * Duplicates are found by 128-bit hashes in a map until it takes more than max_bytes. Then the
 * data is read a second time from its start by another stream with the same filters, and
 * duplicate_marks.c finds on disk which of its samples came before: from then on sample i asks for
 * bit i. The bits cover the samples already passed, too, so that the counter (n_looked_up) just
 * goes on.
 */
#include "datagen/source/filter_stream.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/map.h"
#include "datagen/source/duplicate_marks.h"
#include "datagen/source/wrapped_stream.h"
#include "tokenizer/unicode.h"

enum { MAX_SCRIPTS = 8 };

struct scripts {
    int codes[MAX_SCRIPTS];
    size_t n;
};

struct filter_stream {
    struct dg_wrapped wrapped;
    const struct dg_filters *f;
    bool has_inputs;
    struct scripts scripts[DG_N_SIDES];
    struct t2_map *seen; /* 128-bit hashes of the samples so far */
    uint64_t max_bytes;  /* of them; 0: any number */
    char *beside;
    struct dg_again again;
    struct dg_marks *marks; /* in place of `seen` when it was too large */
    uint64_t n_looked_up;
};

/* Measures of one text, in characters: all, letters (\p{L}), letters of the wanted scripts. */
struct measure {
    int64_t length, n_letters, n_of_script;
};

enum t2_status dg_duplicates_parse(const char *value, enum dg_duplicates *duplicates,
                                   struct t2_err *err)
{
    static const char *const names[] = {"none", "pairs", "inputs", "targets"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        *duplicates = (enum dg_duplicates) i;
        if (strcmp(value, names[i]) == 0)
            return T2_OK;
    }
    return t2_fail(err, T2_EUSAGE, "--drop_duplicates='%s': must be none, pairs, inputs or targets",
                   value);
}

bool dg_filters_any(const struct dg_filters *f)
{
    return f->min_length || f->max_length || f->max_ratio > 0 ||
           f->duplicates != DG_DUPLICATES_KEPT || f->script[DG_INPUTS] || f->script[DG_TARGETS];
}

static enum t2_status parse_scripts(const char *text, struct scripts *s, struct t2_err *err)
{
    struct t2_strs names = {0};
    enum t2_status st = T2_OK;

    s->n = 0;
    t2_strs_split(&names, text, '+');
    for (size_t i = 0; i < names.n && st == T2_OK; i++) {
        int code = tok_script_by_name(names.items[i]);
        if (code < 0)
            st = t2_fail(err, T2_EUSAGE,
                         "'%s' is not a Unicode script; examples: Latin, Cyrillic, Greek, Arabic, "
                         "Devanagari, Han+Hiragana+Katakana",
                         names.items[i]);
        else if (s->n == MAX_SCRIPTS)
            st = t2_fail(err, T2_EUSAGE, "'%s': more than %d scripts", text, MAX_SCRIPTS);
        else
            s->codes[s->n++] = code;
    }
    t2_strs_release(&names);
    return st;
}

enum t2_status dg_filters_check(const struct dg_filters *f, struct t2_err *err)
{
    struct scripts ignored;

    for (int side = 0; side < DG_N_SIDES; side++) {
        if (f->script[side])
            T2_TRY(parse_scripts(f->script[side], &ignored, err));
    }
    if (f->min_length < 0 || f->max_length < 0 || f->max_tokens < 0)
        return t2_fail(err, T2_EUSAGE,
                       "--min_length, --max_length and --max_tokens must be 0 or more");
    if (f->max_length && f->max_length < f->min_length)
        return t2_fail(err, T2_EUSAGE,
                       "--max_length=%" PRId64 " is less than --min_length=%" PRId64, f->max_length,
                       f->min_length);
    if (f->max_ratio != 0 && !(f->max_ratio >= 1))
        return t2_fail(err, T2_EUSAGE, "--max_ratio=%g: must be 1 or more", f->max_ratio);
    return T2_OK;
}

static bool is_of(const struct scripts *s, uint32_t code_point)
{
    int script = tok_script_of(code_point);

    for (size_t i = 0; i < s->n; i++) {
        if (s->codes[i] == script)
            return true;
    }
    return false;
}

static struct measure measure(struct t2_slice text, const struct scripts *scripts)
{
    struct measure m = {0};
    size_t at = 0;

    while (at < text.len_bytes) {
        uint32_t c;
        bool valid;
        at += tok_utf8_decode(text.data + at, text.len_bytes - at, &c, &valid);
        m.length++;
        if (scripts->n == 0 || !tok_has_category(c, TOK_CAT_L))
            continue;
        m.n_letters++;
        m.n_of_script += is_of(scripts, c);
    }
    return m;
}

/* The reason to leave a sample out, or NULL. A text without letters has no script and passes. */
static const char *judge(const struct filter_stream *s, const struct measure m[DG_N_SIDES])
{
    const struct dg_filters *f = s->f;
    int64_t shorter = m[DG_INPUTS].length, longer = m[DG_TARGETS].length;

    for (int side = s->has_inputs ? DG_INPUTS : DG_TARGETS; side < DG_N_SIDES; side++) {
        if (m[side].length < f->min_length)
            return "shorter than --min_length";
        if (f->max_length && m[side].length > f->max_length)
            return "longer than --max_length";
        if (2 * m[side].n_of_script < m[side].n_letters)
            return side == DG_INPUTS ? "inputs not of --inputs_script"
                                     : "targets not of --targets_script";
    }
    if (shorter > longer) {
        shorter = m[DG_TARGETS].length;
        longer = m[DG_INPUTS].length;
    }
    if (s->has_inputs && f->max_ratio > 0 && (double) longer > f->max_ratio * (double) shorter)
        return "sides differ in length by more than --max_ratio";
    return NULL;
}

/*
 * Two chains of the 64-bit hash with different seeds; the hash of the inputs seeds that of the
 * targets, so that ("ab", "c") and ("a", "bc") differ.
 */
static void key_of(const struct filter_stream *s, const struct t2_slice text[DG_N_SIDES],
                   uint64_t key[2])
{
    struct t2_slice inputs = text[DG_INPUTS], targets = text[DG_TARGETS];

    for (int i = 0; i < 2; i++) {
        uint64_t seed = (uint64_t) i + 1;
        if (s->f->duplicates != DG_DUPLICATES_OF_TARGETS && s->has_inputs)
            seed = t2_hash64(inputs.data, inputs.len_bytes, seed);
        if (s->f->duplicates != DG_DUPLICATES_OF_INPUTS || !s->has_inputs)
            seed = t2_hash64(targets.data, targets.len_bytes, seed + 2);
        key[i] = seed;
    }
}

/* Why the next sample is left out, but for duplicates. */
static enum t2_status next_judged(struct filter_stream *s, struct dg_sample *sample,
                                  struct t2_slice text[DG_N_SIDES], struct t2_err *err)
{
    struct measure m[DG_N_SIDES];

    T2_TRY(dg_wrapped_next(&s->wrapped, sample, err));
    if (sample->drop)
        return T2_OK;
    text[DG_INPUTS] = tok_stripped(sample->inputs);
    text[DG_TARGETS] = tok_stripped(sample->targets);
    for (int side = 0; side < DG_N_SIDES; side++)
        m[side] = measure(text[side], &s->scripts[side]);
    sample->drop = judge(s, m);
    return T2_OK;
}

/* Reads the whole data by a stream of its own and marks its duplicates. */
static enum t2_status mark_all(struct filter_stream *s, struct t2_err *err)
{
    struct t2_slice text[DG_N_SIDES];
    struct dg_sample sample = {0};
    struct dg_stream *from = NULL, *all;
    enum t2_status st;
    uint64_t key[2];

    T2_TRY(dg_marks_new(s->beside, s->max_bytes, &s->marks, err));
    T2_TRY(s->again.open(s->again.context, &from, err));
    all = dg_filter_stream_new(from, s->f, s->has_inputs);
    while ((st = next_judged((struct filter_stream *) all, &sample, text, err)) == T2_OK) {
        if (!sample.drop) {
            key_of(s, text, key);
            dg_marks_add(s->marks, key);
        }
        memset(&sample, 0, sizeof sample);
    }
    dg_stream_free(all);
    if (st != T2_EOF)
        return st;
    t2_map_free(s->seen);
    s->seen = NULL;
    return dg_marks_find(s->marks, err);
}

/* Notes a text and says whether it was there before. */
static enum t2_status was_seen(struct filter_stream *s, const struct t2_slice text[DG_N_SIDES],
                               bool *was, struct t2_err *err)
{
    uint64_t key[2];
    bool is_new;

    if (!s->marks && s->max_bytes && t2_map_memory(s->seen) > s->max_bytes)
        T2_TRY(mark_all(s, err));
    if (s->marks) {
        *was = dg_marks_was_before(s->marks, s->n_looked_up++);
        return T2_OK;
    }
    key_of(s, text, key);
    (void) t2_map_at(s->seen, key, sizeof key, &is_new);
    s->n_looked_up++;
    *was = !is_new;
    return T2_OK;
}

static enum t2_status filter_next(struct dg_stream *base, struct dg_sample *sample,
                                  struct t2_err *err)
{
    struct filter_stream *s = (struct filter_stream *) base;
    struct t2_slice text[DG_N_SIDES];
    bool was = false;

    T2_TRY(next_judged(s, sample, text, err));
    if (!sample->drop && s->f->duplicates != DG_DUPLICATES_KEPT)
        T2_TRY(was_seen(s, text, &was, err));
    if (was)
        sample->drop = "there before (--drop_duplicates)";
    return T2_OK;
}

static void filter_free(struct dg_stream *base)
{
    struct filter_stream *s = (struct filter_stream *) base;

    dg_wrapped_release(&s->wrapped);
    t2_map_free(s->seen);
    dg_marks_free(s->marks);
    t2_free(s->again.context);
    t2_free(s->beside);
    t2_free(s);
}

void dg_filter_stream_limit(struct dg_stream *filtered, uint64_t max_bytes, const char *beside,
                            struct dg_again again)
{
    struct filter_stream *s = (struct filter_stream *) filtered;

    T2_ASSERT(filtered->next == filter_next);
    s->max_bytes = max_bytes;
    s->beside = t2_strdup(beside);
    s->again = again;
}

struct dg_stream *dg_filter_stream_new(struct dg_stream *from, const struct dg_filters *f,
                                       bool has_inputs)
{
    struct filter_stream *s = t2_alloc(1, sizeof *s);
    struct t2_err ignored = T2_ERR_INIT;

    dg_wrapped_init(&s->wrapped, from);
    s->wrapped.base.next = filter_next;
    s->wrapped.base.free = filter_free;
    s->f = f;
    s->has_inputs = has_inputs;
    for (int side = 0; side < DG_N_SIDES; side++) {
        if (f->script[side])
            (void) parse_scripts(f->script[side], &s->scripts[side], &ignored);
    }
    if (f->duplicates != DG_DUPLICATES_KEPT)
        s->seen = t2_map_new();
    return &s->wrapped.base;
}
