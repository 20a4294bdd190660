/*
 * tfrec/stats_table.c - statistics as tables.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "tfrec/schema_formats.h"
#include "tfrec/stats_print.h"
#include "tfrec/text_table.h"
#include "tokenizer/encoder.h"

static void heading(struct rec_table *t, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        rec_table_cellf(t, "%s", names[i]);
}

static void add_name(struct rec_table *t, const struct rec_field *f)
{
    rec_table_cell(t, f->name, f->name_bytes);
}

/* Cut, not rounded: 100.0% only when it is all. */
static void add_share(struct rec_table *t, uint64_t part, uint64_t all)
{
    double tenths = all > 0 ? floor(1000.0 * (double) part / (double) all) : 0;

    rec_table_cellf(t, "%.1f%%", tenths / 10);
}

/* The sign in front of a quantile that is not exact. */
static const char *about(const struct rec_histogram *h, uint64_t quantile)
{
    return quantile < REC_EXACT_SIZES || rec_histogram_is_exact(h) ? "" : "~";
}

/* min, mean, p50, p99, max */
static void add_sizes(struct rec_table *t, const struct rec_histogram *h)
{
    uint64_t p50 = rec_histogram_quantile(h, 0.5), p99 = rec_histogram_quantile(h, 0.99);

    if (h->n == 0) {
        for (int i = 0; i < 5; i++)
            rec_table_cellf(t, "-");
        return;
    }
    rec_table_cellf(t, "%" PRIu64, h->min);
    rec_table_cellf(t, "%.2f", rec_histogram_mean(h));
    rec_table_cellf(t, "%s%" PRIu64, about(h, p50), p50);
    rec_table_cellf(t, "%s%" PRIu64, about(h, p99), p99);
    rec_table_cellf(t, "%" PRIu64, h->max);
}

static void print_lists(const struct rec_stats *s, struct t2_buf *out)
{
    static const char *const names[] = {"feature", "kind", "records", "share", "min",
                                        "mean",    "p50",  "p99",     "max"};
    struct rec_table t = {.columns = "llrrrrrrr"};

    t2_buf_puts(out, "\nLists: how many values a record has\n");
    heading(&t, names, sizeof names / sizeof *names);
    for (size_t i = 0; i < s->n_features; i++) {
        const struct rec_field *f = &s->schema->fields[i];
        add_name(&t, f);
        rec_table_cellf(&t, "%s", rec_kind_name(rec_field_kind(f)));
        rec_table_cellf(&t, "%" PRIu64, rec_field_records(f));
        add_share(&t, rec_field_records(f), s->schema->n_records);
        add_sizes(&t, &s->features[i].lengths);
    }
    rec_table_print(&t, out);
    rec_table_release(&t);
}

static void add_distinct(struct rec_table *t, const struct rec_feature_stats *s)
{
    bool exact;
    uint64_t n = rec_distinct_count(&s->distinct, &exact);

    rec_table_cellf(t, "%s%" PRIu64, exact ? "" : "~", n);
}

/* Sizes of bytes values are theirs; numbers have no quantiles. */
static void add_value_range(struct rec_table *t, const struct rec_field *f,
                            const struct rec_feature_stats *s)
{
    enum tfr_kind kind = rec_field_kind(f);

    if (kind == TFR_BYTES && s->sizes.n > 0) {
        rec_table_cellf(t, "%" PRIu64 " B", s->sizes.min);
        rec_table_cellf(t, "%.2f B", rec_histogram_mean(&s->sizes));
        rec_table_cellf(t, "%" PRIu64 " B", s->sizes.max);
    } else if (kind == TFR_INT64 && f->min_int <= f->max_int) {
        rec_table_cellf(t, "%" PRId64, f->min_int);
        rec_table_cellf(t, "%.6g", rec_stats_mean(f, s));
        rec_table_cellf(t, "%" PRId64, f->max_int);
    } else if (kind == TFR_FLOAT && f->min_float <= f->max_float) {
        rec_table_cellf(t, "%.6g", (double) f->min_float);
        rec_table_cellf(t, "%.6g", rec_stats_mean(f, s));
        rec_table_cellf(t, "%.6g", (double) f->max_float);
    } else {
        for (int i = 0; i < 3; i++)
            rec_table_cellf(t, "-");
    }
}

static void print_values(const struct rec_stats *s, struct t2_buf *out)
{
    static const char *const names[] = {"feature", "values", "distinct", "min",
                                        "mean",    "max",    "bytes",    ""};
    static const uint64_t each[] = {0, 0, 4, 8};
    struct rec_table t = {.columns = "lrrrrrrl"};

    t2_buf_puts(out, "\nValues\n");
    heading(&t, names, sizeof names / sizeof *names);
    for (size_t i = 0; i < s->n_features; i++) {
        const struct rec_field *f = &s->schema->fields[i];
        enum tfr_kind kind = rec_field_kind(f);
        add_name(&t, f);
        rec_table_cellf(&t, "%" PRIu64, f->n_values);
        add_distinct(&t, &s->features[i]);
        add_value_range(&t, f, &s->features[i]);
        rec_table_cellf(&t, "%" PRIu64, kind == TFR_BYTES ? f->n_bytes : each[kind] * f->n_values);
        if (f->n_not_finite > 0)
            rec_table_cellf(&t, "%" PRIu64 " NaN or infinite", f->n_not_finite);
        else
            rec_table_cellf(&t, "%s", rec_field_is_image(f) ? "images" : "");
    }
    rec_table_print(&t, out);
    rec_table_release(&t);
}

static void add_top_value(struct rec_table *t, const struct rec_stats_view *v,
                          const struct rec_field *f, const struct rec_top *top)
{
    struct t2_slice feature = {(const uint8_t *) f->name, f->name_bytes};
    const char *name;
    char *both;

    if (rec_field_kind(f) == TFR_BYTES) {
        rec_table_cell(t, top->text.data, top->text.len_bytes);
        return;
    }
    name = rec_class_name(v->names, feature, top->int_value);
    both = t2_asprintf("%" PRId64 "%s%s", top->int_value, name ? "  " : "", name ? name : "");
    rec_table_cell(t, both, strlen(both));
    t2_free(both);
}

static void print_labels(const struct rec_stats_view *v, size_t i, struct t2_buf *out)
{
    const struct rec_field *f = &v->stats->schema->fields[i];
    const struct rec_feature_stats *s = &v->stats->features[i];
    struct rec_top *top = t2_alloc(v->n_top, sizeof *top);
    struct rec_table t = {.columns = "lrr"};
    size_t n = rec_stats_top(f, s, top, v->n_top);
    uint64_t rest = f->n_values;
    bool exact;
    uint64_t distinct = rec_distinct_count(&s->distinct, &exact);

    t2_buf_puts(out, "\nLabel ");
    rec_visible(f->name, f->name_bytes, REC_CELL_COLUMNS, out);
    t2_buf_printf(out, ": %" PRIu64 " different\n", distinct);
    for (size_t k = 0; k < n; k++) {
        rest -= top[k].count;
        add_top_value(&t, v, f, &top[k]);
        rec_table_cellf(&t, "%" PRIu64, top[k].count);
        add_share(&t, top[k].count, f->n_values);
    }
    if (distinct > n) {
        rec_table_cellf(&t, "(%" PRIu64 " more)", distinct - n);
        rec_table_cellf(&t, "%" PRIu64, rest);
        add_share(&t, rest, f->n_values);
    }
    rec_table_print(&t, out);
    rec_table_release(&t);
    t2_free(top);
}

static void print_vocab(const struct rec_stats_view *v, struct t2_buf *out)
{
    static const char *const names[] = {"feature", "ids",   "per record",
                                        "unknown", "share", "out of range"};
    struct rec_table t = {.columns = "lrrrrr"};

    t2_buf_puts(out, "\nVocabulary ");
    rec_visible(v->vocab_path, strlen(v->vocab_path), 0, out);
    t2_buf_printf(out, ": %d %s\n", (int) tok_size(v->vocab), tok_kind(v->vocab));
    heading(&t, names, sizeof names / sizeof *names);
    for (size_t i = 0; i < v->stats->n_features; i++) {
        const struct rec_field *f = &v->stats->schema->fields[i];
        const struct rec_vocab_use *use = &v->stats->features[i].use;
        if (!rec_stats_is_ids(f))
            continue;
        add_name(&t, f);
        rec_table_cellf(&t, "%" PRIu64, use->n_ids);
        rec_table_cellf(&t, "%.2f", rec_histogram_mean(&v->stats->features[i].lengths));
        rec_table_cellf(&t, "%" PRIu64, use->n_unknown);
        rec_table_cellf(&t, "%.4f%%",
                        use->n_ids ? 100.0 * (double) use->n_unknown / (double) use->n_ids : 0);
        rec_table_cellf(&t, "%" PRIu64, use->n_out_of_range);
    }
    rec_table_print(&t, out);
    rec_table_release(&t);
}

static void print_summary(const struct rec_stats_view *v, struct t2_buf *out)
{
    const struct rec_stats *s = v->stats;
    const struct rec_histogram *h = &s->record_bytes;
    uint64_t p50 = rec_histogram_quantile(h, 0.5), p99 = rec_histogram_quantile(h, 0.99);
    char size[32];

    t2_buf_printf(out, "%" PRIu64 " record%s in %zu file%s, %s of payload\n", s->schema->n_records,
                  s->schema->n_records == 1 ? "" : "s", v->in->n, v->in->n == 1 ? "" : "s",
                  t2_human_bytes(h->sum, size, sizeof size));
    if (h->n == 0)
        return;
    t2_buf_printf(out,
                  "Bytes a record: min %" PRIu64 ", mean %.1f, p50 %s%" PRIu64 ", p99 %s%" PRIu64
                  ", max %" PRIu64 "\n",
                  h->min, rec_histogram_mean(h), about(h, p50), p50, about(h, p99), p99, h->max);
    t2_buf_printf(out, "Duplicates: %s%" PRIu64 " record%s", s->duplicates_exact ? "" : "about ",
                  s->n_duplicates, s->n_duplicates == 1 ? "" : "s");
    if (s->n_duplicates > 0)
        t2_buf_printf(out, " equal%s one before; one payload occurs %s%" PRIu64 " times",
                      s->n_duplicates == 1 ? "s" : "", s->duplicates_exact ? "" : "at least ",
                      s->most_equal);
    t2_buf_puts(out, s->duplicates_exact ? "\n" : " (estimated; --max_memory)\n");
}

/* Something with "~" is there. */
static bool any_estimate(const struct rec_stats *s)
{
    for (size_t i = 0; i < s->n_features; i++) {
        bool exact;
        (void) rec_distinct_count(&s->features[i].distinct, &exact);
        if (!exact ||
            *about(&s->features[i].lengths, rec_histogram_quantile(&s->features[i].lengths, 0.99)))
            return true;
    }
    return false;
}

void rec_stats_print_table(const struct rec_stats_view *v, struct t2_buf *out)
{
    const struct rec_stats *s = v->stats;
    struct t2_buf notes = {NULL, 0, 0};

    print_summary(v, out);
    if (s->n_features == 0) {
        if (s->schema->n_sequences > 0)
            rec_schema_print_disagreements(s->schema, v->in, out);
        else if (s->schema->n_records > 0)
            t2_buf_puts(out, "No record has a feature: is this tf.train.Example? "
                             "`tfrec raw` shows other payloads.\n");
        return;
    }
    print_lists(s, out);
    print_values(s, out);
    for (size_t i = 0; i < s->n_features; i++) {
        if (rec_stats_is_label(&s->schema->fields[i], &s->features[i]))
            print_labels(v, i, out);
    }
    if (v->vocab)
        print_vocab(v, out);
    rec_schema_print_disagreements(s->schema, v->in, &notes);
    if (notes.len_bytes > 0)
        t2_buf_printf(out, "\n%s", t2_buf_cstr(&notes));
    t2_buf_release(&notes);
    if (any_estimate(s))
        t2_buf_puts(out, "\n~ estimated: distinct values within about 1 %, lengths 0.4 %\n");
}
