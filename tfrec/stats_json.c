/*
 * tfrec/stats_json.c - statistics as JSON.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "tfrec/row_json.h"
#include "tfrec/stats_print.h"
#include "tokenizer/encoder.h"

static void print_sizes(struct t2_json *j, const char *key, const struct rec_histogram *h)
{
    t2_json_key(j, key);
    t2_json_object(j);
    t2_json_kv_u64(j, "sum", h->sum);
    if (h->n > 0) {
        t2_json_kv_u64(j, "min", h->min);
        t2_json_kv_double(j, "mean", rec_histogram_mean(h));
        t2_json_kv_u64(j, "p50", rec_histogram_quantile(h, 0.5));
        t2_json_kv_u64(j, "p99", rec_histogram_quantile(h, 0.99));
        t2_json_kv_u64(j, "max", h->max);
        t2_json_kv_bool(j, "exact", rec_histogram_is_exact(h));
    }
    t2_json_end_object(j);
}

static void print_range(struct t2_json *j, const struct rec_field *f,
                        const struct rec_feature_stats *s)
{
    enum tfr_kind kind = rec_field_kind(f);

    if (kind == TFR_INT64 && f->min_int <= f->max_int) {
        t2_json_kv_i64(j, "min", f->min_int);
        t2_json_kv_i64(j, "max", f->max_int);
        t2_json_kv_double(j, "mean", rec_stats_mean(f, s));
    } else if (kind == TFR_FLOAT && f->n_values > 0) {
        bool any = f->min_float <= f->max_float;
        t2_json_key(j, "min");
        t2_json_float9(j, any ? (double) f->min_float : (double) NAN);
        t2_json_key(j, "max");
        t2_json_float9(j, any ? (double) f->max_float : (double) NAN);
        t2_json_kv_double(j, "mean", rec_stats_mean(f, s));
        t2_json_kv_u64(j, "not_finite", f->n_not_finite);
    } else if (kind == TFR_BYTES && f->n_values > 0) {
        print_sizes(j, "size", &s->sizes);
        t2_json_kv_bool(j, "utf8", f->n_not_utf8 == 0);
        t2_json_kv_u64(j, "pictures", f->n_images);
    }
}

static void print_top_value(struct t2_json *j, enum tfr_kind kind, const struct rec_top *t)
{
    if (kind == TFR_INT64) {
        t2_json_kv_i64(j, "value", t->int_value);
    } else if (kind == TFR_FLOAT) {
        t2_json_key(j, "value");
        t2_json_float9(j, (double) t->float_value);
    } else if (t2_utf8_invalid_at(t->text.data, t->text.len_bytes) == t->text.len_bytes) {
        t2_json_key(j, "value");
        t2_json_bytes(j, t->text.data, t->text.len_bytes);
    } else {
        struct t2_buf text = {NULL, 0, 0};
        t2_base64_encode(t->text, &text);
        t2_json_kv_string(j, "base64", t2_buf_cstr(&text));
        t2_buf_release(&text);
    }
}

static void print_class(struct t2_json *j, const struct rec_stats_view *v,
                        const struct rec_field *f, const struct rec_top *t)
{
    struct t2_slice feature = {(const uint8_t *) f->name, f->name_bytes};
    const char *name =
        rec_field_kind(f) == TFR_INT64 ? rec_class_name(v->names, feature, t->int_value) : NULL;

    if (name && t2_utf8_invalid_at((const uint8_t *) name, strlen(name)) == strlen(name))
        t2_json_kv_string(j, "name", name);
}

static void print_top(struct t2_json *j, const struct rec_stats_view *v, const struct rec_field *f,
                      const struct rec_feature_stats *s)
{
    struct rec_top *top = t2_alloc(v->n_top, sizeof *top);
    size_t n = rec_stats_top(f, s, top, v->n_top);

    if (n > 0) {
        t2_json_key(j, "top");
        t2_json_array(j);
        for (size_t i = 0; i < n; i++) {
            t2_json_object(j);
            print_top_value(j, rec_field_kind(f), &top[i]);
            print_class(j, v, f, &top[i]);
            if (v->vocab && rec_stats_is_ids(f) && top[i].int_value >= 0 &&
                top[i].int_value < tok_size(v->vocab)) {
                struct t2_slice piece = tok_entry(v->vocab, (int32_t) top[i].int_value);
                t2_json_key(j, "entry");
                t2_json_bytes(j, piece.data, piece.len_bytes);
            }
            t2_json_kv_u64(j, "count", top[i].count);
            t2_json_end_object(j);
        }
        t2_json_end_array(j);
    }
    t2_free(top);
}

static void print_use(struct t2_json *j, const struct rec_feature_stats *s)
{
    const struct rec_vocab_use *use = &s->use;

    t2_json_key(j, "vocab");
    t2_json_object(j);
    t2_json_kv_u64(j, "ids", use->n_ids);
    t2_json_kv_double(j, "ids_per_record", rec_histogram_mean(&s->lengths));
    t2_json_kv_u64(j, "unknown", use->n_unknown);
    t2_json_kv_double(j, "unknown_share",
                      use->n_ids ? (double) use->n_unknown / (double) use->n_ids : 0);
    t2_json_kv_u64(j, "out_of_range", use->n_out_of_range);
    t2_json_kv_u64(j, "pad_or_eos", use->n_special);
    t2_json_end_object(j);
}

static void print_kinds(struct t2_json *j, const struct rec_field *f)
{
    t2_json_key(j, "records_of_kind");
    t2_json_object(j);
    for (int k = TFR_NONE; k < REC_N_KINDS; k++) {
        if (f->n_of_kind[k] > 0)
            t2_json_kv_u64(j, rec_kind_name((enum tfr_kind) k), f->n_of_kind[k]);
    }
    t2_json_end_object(j);
}

static void print_feature(struct t2_json *j, const struct rec_stats_view *v, size_t i)
{
    const struct rec_field *f = &v->stats->schema->fields[i];
    const struct rec_feature_stats *s = &v->stats->features[i];
    uint64_t n_records = v->stats->schema->n_records;
    bool exact;
    uint64_t distinct = rec_distinct_count(&s->distinct, &exact);

    t2_json_object(j);
    t2_json_key(j, "name");
    t2_json_bytes(j, f->name, f->name_bytes);
    t2_json_kv_string(j, "kind", rec_kind_name(rec_field_kind(f)));
    t2_json_kv_u64(j, "records", rec_field_records(f));
    t2_json_kv_double(j, "share",
                      n_records ? (double) rec_field_records(f) / (double) n_records : 0);
    if (!rec_field_agrees(f) || f->n_of_kind[TFR_NONE] > 0)
        print_kinds(j, f);
    t2_json_kv_u64(j, "values", f->n_values);
    print_sizes(j, "length", &s->lengths);
    print_range(j, f, s);
    t2_json_key(j, "distinct");
    t2_json_object(j);
    t2_json_kv_u64(j, "count", distinct);
    t2_json_kv_bool(j, "exact", exact);
    t2_json_end_object(j);
    t2_json_kv_bool(j, "label", rec_stats_is_label(f, s));
    print_top(j, v, f, s);
    if (v->vocab && rec_stats_is_ids(f))
        print_use(j, s);
    t2_json_end_object(j);
}

void rec_stats_print_json(const struct rec_stats_view *v, struct t2_buf *out)
{
    const struct rec_stats *s = v->stats;
    struct t2_json j;

    t2_json_init(&j, out, 2);
    t2_json_object(&j);
    t2_json_kv_u64(&j, "files", v->in->n);
    t2_json_kv_u64(&j, "records", s->schema->n_records);
    if (s->schema->n_sequences > 0)
        t2_json_kv_u64(&j, "sequence_examples", s->schema->n_sequences);
    print_sizes(&j, "record_bytes", &s->record_bytes);
    t2_json_key(&j, "duplicates");
    t2_json_object(&j);
    t2_json_kv_u64(&j, "count", s->n_duplicates);
    t2_json_kv_bool(&j, "exact", s->duplicates_exact);
    t2_json_kv_u64(&j, "most_equal", s->most_equal);
    t2_json_end_object(&j);
    if (v->vocab) {
        t2_json_key(&j, "vocab");
        t2_json_object(&j);
        t2_json_kv_string(&j, "file", v->vocab_path);
        t2_json_kv_string(&j, "kind", tok_kind(v->vocab));
        t2_json_kv_i64(&j, "size", tok_size(v->vocab));
        t2_json_end_object(&j);
    }
    t2_json_key(&j, "features");
    t2_json_array(&j);
    for (size_t i = 0; i < s->n_features; i++)
        print_feature(&j, v, i);
    t2_json_end_array(&j);
    t2_json_end_object(&j);
    t2_buf_push(out, '\n');
}
