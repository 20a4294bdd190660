/*
 * datagen/source/value_stream.c - texts become numbers, or sets of labels.
 */
#include "datagen/source/value_stream.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "datagen/source/label_stream.h"
#include "datagen/source/wrapped_stream.h"
#include "tokenizer/unicode.h"

/* ---- parts of a text ---- */

/* The next part of *rest between characters of `separators`; of numbers empty parts do not count.
 * False: there is none. */
static bool next_part(struct t2_slice *rest, const char *separators, struct t2_slice *part)
{
    size_t n = 0;

    if (rest->len_bytes == 0)
        return false;
    while (n < rest->len_bytes && (rest->data[n] == '\0' || !strchr(separators, rest->data[n])))
        n++;
    *part = tok_stripped((struct t2_slice){rest->data, n});
    n += n < rest->len_bytes;
    rest->data += n;
    rest->len_bytes -= n;
    return true;
}

static enum t2_status wrong_part(const struct dg_origin *origin, struct t2_slice part,
                                 const char *wanted, struct t2_err *err)
{
    int shown = part.len_bytes > 60 ? 60 : (int) part.len_bytes;

    return t2_fail(err, T2_EFORMAT, "'%s': line %" PRIu64 ": '%.*s' is not %s", origin->path,
                   origin->line, shown, (const char *) part.data, wanted);
}

/* ---- numbers ---- */

static bool parse_number(struct t2_slice text, float *number)
{
    char digits[64];
    double value;

    if (text.len_bytes == 0 || text.len_bytes >= sizeof digits)
        return false;
    memcpy(digits, text.data, text.len_bytes);
    digits[text.len_bytes] = '\0';
    if (strlen(digits) != text.len_bytes || !t2_parse_double(digits, &value))
        return false;
    *number = (float) value;
    return isfinite(*number);
}

/* Room for one more. */
struct numbers {
    float *items;
    size_t n, capacity;
};

static void push(struct numbers *l, float number)
{
    if (l->n == l->capacity) {
        l->capacity = l->capacity ? 2 * l->capacity : 16;
        l->items = t2_realloc(l->items, l->capacity, sizeof *l->items);
    }
    l->items[l->n++] = number;
}

/* Blanks, tabs, commas and semicolons are between numbers. */
static enum t2_status parse_numbers(struct t2_slice text, const struct dg_origin *origin,
                                    struct numbers *l, struct t2_err *err)
{
    struct t2_slice part;

    l->n = 0;
    while (next_part(&text, " \t,;", &part)) {
        float number;

        if (part.len_bytes == 0)
            continue;
        if (!parse_number(part, &number))
            return wrong_part(origin, part, "a finite number", err);
        if (l->n == DG_MOST_VALUES)
            return t2_fail(err, T2_EFORMAT, "'%s': line %" PRIu64 ": more than %d numbers",
                           origin->path, origin->line, DG_MOST_VALUES);
        push(l, number);
    }
    return T2_OK;
}

/* ---- the stream ---- */

struct value_stream {
    struct dg_wrapped wrapped;
    size_t n_numbers[DG_N_SIDES];
    struct numbers numbers[DG_N_SIDES];
    struct t2_map *labels; /* their numbers; NULL: targets are no sets */
    uint8_t *holds;        /* (n_labels): 1 for those of the sample */
    size_t n_labels;
    int64_t *set; /* (n_labels) */
};

static enum t2_status take_numbers(struct value_stream *s, int side, struct dg_sample *sample,
                                   struct t2_err *err)
{
    static const char *const names[] = {"inputs", "targets"};
    struct t2_slice *text = side == DG_INPUTS ? &sample->inputs : &sample->targets;
    const struct dg_origin *origin =
        side == DG_INPUTS ? &sample->inputs_origin : &sample->targets_origin;
    struct numbers *l = &s->numbers[side];

    if (s->n_numbers[side] == 0)
        return T2_OK;
    T2_TRY(parse_numbers(*text, origin, l, err));
    if (l->n != s->n_numbers[side])
        return t2_fail(err, T2_EFORMAT,
                       "'%s': line %" PRIu64 ": %zu number%s in the %s, other samples have %zu",
                       origin->path, origin->line, l->n, l->n == 1 ? "" : "s", names[side],
                       s->n_numbers[side]);
    sample->reals[side] = l->items;
    sample->n_reals[side] = l->n;
    *text = (struct t2_slice){0};
    return T2_OK;
}

static enum t2_status take_set(struct value_stream *s, struct dg_sample *sample, struct t2_err *err)
{
    struct t2_slice rest = sample->targets, part;
    size_t n = 0;

    memset(s->holds, 0, s->n_labels);
    while (next_part(&rest, "|\t", &part)) {
        const uint64_t *number;

        if (part.len_bytes == 0)
            continue;
        number = t2_map_find(s->labels, part.data, part.len_bytes);
        if (!number)
            return wrong_part(&sample->targets_origin, part, "one of the labels", err);
        s->holds[*number] = 1;
    }
    for (size_t i = 0; i < s->n_labels; i++)
        if (s->holds[i])
            s->set[n++] = (int64_t) i;
    sample->numbers[DG_TARGETS] = s->set;
    sample->n_numbers[DG_TARGETS] = n;
    sample->targets = (struct t2_slice){0};
    return T2_OK;
}

static enum t2_status value_next(struct dg_stream *base, struct dg_sample *sample,
                                 struct t2_err *err)
{
    struct value_stream *s = (struct value_stream *) base;

    T2_TRY(dg_wrapped_next(&s->wrapped, sample, err));
    base->drop_blank = false; /* a side has no text now */
    if (sample->drop) {
        sample->inputs = sample->targets = (struct t2_slice){0};
        return T2_OK;
    }
    for (int side = 0; side < DG_N_SIDES; side++)
        T2_TRY(take_numbers(s, side, sample, err));
    return s->labels ? take_set(s, sample, err) : T2_OK;
}

static void value_free(struct dg_stream *base)
{
    struct value_stream *s = (struct value_stream *) base;

    dg_wrapped_release(&s->wrapped);
    for (int side = 0; side < DG_N_SIDES; side++)
        t2_free(s->numbers[side].items);
    t2_map_free(s->labels);
    t2_free(s->holds);
    t2_free(s->set);
    t2_free(s);
}

struct dg_stream *dg_value_stream_new(struct dg_stream *from, const struct dg_value_rule *rule)
{
    struct value_stream *s = t2_alloc(1, sizeof *s);

    dg_wrapped_init(&s->wrapped, from);
    s->wrapped.base.next = value_next;
    s->wrapped.base.free = value_free;
    memcpy(s->n_numbers, rule->n_numbers, sizeof s->n_numbers);
    if (!rule->labels)
        return &s->wrapped.base;
    s->labels = t2_map_new();
    s->n_labels = rule->labels->n;
    s->holds = t2_alloc(s->n_labels + 1, sizeof *s->holds);
    s->set = t2_alloc(s->n_labels + 1, sizeof *s->set);
    for (size_t i = 0; i < s->n_labels; i++) {
        const char *name = rule->labels->items[i];
        bool is_new;

        *t2_map_at(s->labels, name, strlen(name), &is_new) = i;
    }
    return &s->wrapped.base;
}

/* ---- before the records are made ---- */

enum t2_status dg_count_values(struct dg_stream *s, const bool wanted[DG_N_SIDES],
                               size_t n[DG_N_SIDES], struct t2_err *err)
{
    static const char *const names[] = {"inputs", "targets"};
    struct numbers l = {0};
    struct dg_sample sample;
    enum t2_status st;

    do {
        memset(&sample, 0, sizeof sample);
        st = s->next(s, &sample, err);
    } while (st == T2_OK && sample.drop);
    if (st == T2_EOF)
        return t2_fail(err, T2_EFORMAT, "there is no sample in the files of --train");
    for (int side = 0; side < DG_N_SIDES && st == T2_OK; side++) {
        bool first = side == DG_INPUTS;
        const struct dg_origin *origin = first ? &sample.inputs_origin : &sample.targets_origin;

        n[side] = 0;
        if (!wanted[side])
            continue;
        st = parse_numbers(first ? sample.inputs : sample.targets, origin, &l, err);
        n[side] = l.n;
        if (st == T2_OK && l.n == 0)
            st = t2_fail(err, T2_EFORMAT, "'%s': line %" PRIu64 ": the %s have no number",
                         origin->path, origin->line, names[side]);
    }
    t2_free(l.items);
    return st;
}

static enum t2_status note_labels(struct t2_map *seen, const struct dg_sample *sample,
                                  struct t2_err *err)
{
    struct t2_slice rest = sample->targets, part;
    bool is_new;

    while (next_part(&rest, "|\t", &part))
        if (part.len_bytes > 0)
            (void) t2_map_at(seen, part.data, part.len_bytes, &is_new);
    if (t2_map_count(seen) > DG_MOST_VALUES)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': line %" PRIu64
                       ": more than %d different labels: is this the column of the labels?",
                       sample->targets_origin.path, sample->targets_origin.line, DG_MOST_VALUES);
    return T2_OK;
}

enum t2_status dg_find_labels(struct dg_stream *s, struct t2_strs *labels, struct t2_err *err)
{
    struct t2_map *seen = t2_map_new();
    enum t2_status st;

    for (;;) {
        struct dg_sample sample = {0};

        st = s->next(s, &sample, err);
        if (st == T2_OK && !sample.drop)
            st = note_labels(seen, &sample, err);
        if (st != T2_OK)
            break;
    }
    if (st == T2_EOF)
        st = T2_OK;
    for (size_t i = 0; i < t2_map_count(seen); i++) {
        struct t2_slice name = t2_map_key(seen, i);

        t2_strs_take(labels, t2_strndup((const char *) name.data, name.len_bytes));
    }
    t2_strs_sort(labels);
    t2_map_free(seen);
    if (st == T2_OK && labels->n == 0)
        return t2_fail(err, T2_EFORMAT, "no sample of --train has a label");
    return st;
}
