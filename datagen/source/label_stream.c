/*
 * datagen/source/label_stream.c - targets that are labels become their numbers.
 */
#include "datagen/source/label_stream.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "datagen/source/wrapped_stream.h"
#include "tokenizer/unicode.h"

struct label_stream {
    struct dg_wrapped wrapped;
    struct t2_map *numbers; /* of the names */
    size_t n_classes;
    int64_t label;
};

/* A number that is written as digits alone. */
static bool parse_number(struct t2_slice text, int64_t *number)
{
    char digits[20];

    if (text.len_bytes == 0 || text.len_bytes >= sizeof digits || text.data[0] < '0' ||
        text.data[0] > '9')
        return false;
    memcpy(digits, text.data, text.len_bytes);
    digits[text.len_bytes] = '\0';
    return t2_parse_i64(digits, number);
}

static enum t2_status not_a_label(const struct label_stream *s, const struct dg_sample *sample,
                                  struct t2_slice label, struct t2_err *err)
{
    int shown = label.len_bytes > 60 ? 60 : (int) label.len_bytes;

    return t2_fail(err, T2_EFORMAT, "'%s': line %" PRIu64 ": '%.*s' is not %s",
                   sample->targets_origin.path, sample->targets_origin.line, shown,
                   (const char *) label.data,
                   s->numbers ? "one of the classes" : "the number of a class");
}

static enum t2_status label_next(struct dg_stream *base, struct dg_sample *sample,
                                 struct t2_err *err)
{
    struct label_stream *s = (struct label_stream *) base;
    struct t2_slice label;
    const uint64_t *number;

    T2_TRY(dg_wrapped_next(&s->wrapped, sample, err));
    label = tok_stripped(sample->targets);
    sample->targets = (struct t2_slice){0};
    if (sample->drop)
        return T2_OK;
    if (s->numbers) {
        number = t2_map_find(s->numbers, label.data, label.len_bytes);
        if (!number)
            return not_a_label(s, sample, label, err);
        s->label = (int64_t) *number;
    } else if (!parse_number(label, &s->label) || (uint64_t) s->label >= s->n_classes) {
        return not_a_label(s, sample, label, err);
    }
    sample->numbers[DG_TARGETS] = &s->label;
    sample->n_numbers[DG_TARGETS] = 1;
    base->drop_blank = false; /* targets have no text now */
    return T2_OK;
}

static void label_free(struct dg_stream *base)
{
    struct label_stream *s = (struct label_stream *) base;

    dg_wrapped_release(&s->wrapped);
    t2_map_free(s->numbers);
    t2_free(s);
}

struct dg_stream *dg_label_stream_new(struct dg_stream *from, const struct t2_strs *classes,
                                      size_t n_classes)
{
    struct label_stream *s = t2_alloc(1, sizeof *s);

    dg_wrapped_init(&s->wrapped, from);
    s->wrapped.base.next = label_next;
    s->wrapped.base.free = label_free;
    s->n_classes = n_classes;
    if (classes->n > 0)
        s->numbers = t2_map_new();
    for (size_t i = 0; i < classes->n; i++) {
        bool is_new;
        uint64_t *value =
            t2_map_at(s->numbers, classes->items[i], strlen(classes->items[i]), &is_new);
        if (is_new)
            *value = i;
    }
    return &s->wrapped.base;
}

/* ---- which labels there are ---- */

static enum t2_status note_label(struct t2_map *seen, const struct dg_sample *sample,
                                 bool *all_numbers, int64_t *greatest, struct t2_err *err)
{
    struct t2_slice label = tok_stripped(sample->targets);
    int64_t number;
    bool is_new;

    if (label.len_bytes == 0)
        return t2_fail(err, T2_EFORMAT, "'%s': line %" PRIu64 ": there is no label",
                       sample->targets_origin.path, sample->targets_origin.line);
    (void) t2_map_at(seen, label.data, label.len_bytes, &is_new);
    if (t2_map_count(seen) > DG_MAX_CLASSES)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': line %" PRIu64
                       ": more than %d different labels: is this the column of "
                       "the labels?",
                       sample->targets_origin.path, sample->targets_origin.line, DG_MAX_CLASSES);
    if (!parse_number(label, &number))
        *all_numbers = false;
    else if (number > *greatest)
        *greatest = number;
    return T2_OK;
}

enum t2_status dg_find_classes(struct dg_stream *s, struct t2_strs *classes, size_t *n_classes,
                               struct t2_err *err)
{
    struct t2_map *seen = t2_map_new();
    struct dg_sample sample = {0};
    bool all_numbers = true;
    int64_t greatest = -1;
    enum t2_status st;

    while ((st = s->next(s, &sample, err)) == T2_OK) {
        if (!sample.drop)
            st = note_label(seen, &sample, &all_numbers, &greatest, err);
        if (st != T2_OK)
            break;
        memset(&sample, 0, sizeof sample);
    }
    if (st == T2_EOF)
        st = T2_OK;
    for (size_t i = 0; i < t2_map_count(seen) && !all_numbers; i++) {
        struct t2_slice name = t2_map_key(seen, i);
        t2_strs_take(classes, t2_strndup((const char *) name.data, name.len_bytes));
    }
    t2_strs_sort(classes);
    *n_classes = all_numbers ? (size_t) (greatest + 1) : classes->n;
    if (st == T2_OK && all_numbers && greatest >= DG_MAX_CLASSES)
        st = t2_fail(err, T2_EFORMAT,
                     "label %" PRId64 ": labels that are numbers must be 0 to one less than the "
                     "number of classes",
                     greatest);
    t2_map_free(seen);
    return st;
}
