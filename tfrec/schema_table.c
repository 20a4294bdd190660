/*
 * tfrec/schema_table.c - a schema for people.
 */
#include <inttypes.h>

#include "tfrec/schema_formats.h"
#include "tfrec/text_table.h"

static void add_lengths(struct rec_table *t, const struct rec_field *f)
{
    if (f->min_length > f->max_length)
        rec_table_cellf(t, "-");
    else if (f->min_length == f->max_length)
        rec_table_cellf(t, "%" PRIu64, f->min_length);
    else
        rec_table_cellf(t, "%" PRIu64 " to %" PRIu64, f->min_length, f->max_length);
}

static void add_values(struct rec_table *t, const struct rec_field *f)
{
    switch (rec_field_kind(f)) {
    case TFR_INT64:
        if (f->min_int == f->max_int) {
            rec_table_cellf(t, "%" PRId64, f->min_int);
            return;
        }
        if (f->min_int < f->max_int) {
            rec_table_cellf(t, "%" PRId64 " to %" PRId64, f->min_int, f->max_int);
            return;
        }
        break;
    case TFR_FLOAT:
        if (f->min_float == f->max_float) {
            rec_table_cellf(t, "%.6g", (double) f->min_float);
            return;
        }
        if (f->min_float < f->max_float) {
            rec_table_cellf(t, "%.6g to %.6g", (double) f->min_float, (double) f->max_float);
            return;
        }
        break;
    case TFR_BYTES:
        if (f->min_bytes < f->max_bytes) {
            rec_table_cellf(t, "%" PRIu64 " to %" PRIu64 " bytes", f->min_bytes, f->max_bytes);
            return;
        }
        if (f->min_bytes == f->max_bytes) {
            rec_table_cellf(t, "%" PRIu64 " bytes", f->min_bytes);
            return;
        }
        break;
    default:
        break;
    }
    rec_table_cellf(t, "-");
}

static void add_note(struct rec_table *t, const struct rec_field *f)
{
    if (!rec_field_agrees(f))
        rec_table_cellf(t, "KINDS DIFFER, see below");
    else if (rec_field_kind(f) == TFR_NONE)
        rec_table_cellf(t, "never has a list");
    else if (f->n_values == 0)
        rec_table_cellf(t, "always empty");
    else if (rec_field_is_image(f))
        rec_table_cellf(t, "images");
    else if (rec_field_is_text(f))
        rec_table_cellf(t, "UTF-8");
    else if (rec_field_kind(f) == TFR_INT64 && !rec_field_is_int32(f))
        rec_table_cellf(t, "beyond 32 bits");
    else if (f->n_not_finite > 0)
        rec_table_cellf(t, "%" PRIu64 " NaN or infinite", f->n_not_finite);
    else
        rec_table_cellf(t, "%s", "");
}

static void add_field(struct rec_table *t, const struct rec_schema *s, const struct rec_field *f)
{
    uint64_t records = rec_field_records(f);
    /* never 100.0% for less than all */
    double share = s->n_records > 0 ? 1000.0 * (double) records / (double) s->n_records : 0;

    rec_table_cell(t, f->name, f->name_bytes);
    rec_table_cellf(t, "%s", rec_kind_name(rec_field_kind(f)));
    rec_table_cellf(t, "%" PRIu64, records);
    rec_table_cellf(t, "%.1f%%", (double) (uint64_t) share / 10);
    add_lengths(t, f);
    add_values(t, f);
    add_note(t, f);
}

void rec_schema_print_disagreements(const struct rec_schema *s, const struct tfr_inputs *in,
                                    struct t2_buf *out)
{
    if (s->n_sequences > 0)
        t2_buf_printf(out,
                      "%" PRIu64 " record%s SequenceExample%s: only the context is described, not "
                      "the feature lists\n",
                      s->n_sequences, s->n_sequences == 1 ? " is a" : "s are",
                      s->n_sequences == 1 ? "" : "s");
    for (size_t i = 0; i < s->n; i++) {
        const struct rec_field *f = &s->fields[i];
        enum tfr_kind usual = rec_field_kind(f), other = TFR_NONE;
        const struct rec_at *at = rec_field_disagreement(f, &other);
        if (!at)
            continue;
        t2_buf_puts(out, "feature '");
        rec_visible(f->name, f->name_bytes, REC_CELL_COLUMNS, out);
        t2_buf_printf(out,
                      "' is %s in %" PRIu64 " record%s, %s in %" PRIu64 ": first in record %" PRIu64
                      " of '%s'\n",
                      rec_kind_name(usual), f->n_of_kind[usual],
                      f->n_of_kind[usual] == 1 ? "" : "s", rec_kind_name(other),
                      f->n_of_kind[other], at->in_file,
                      at->file < in->n ? in->files[at->file].path : "?");
    }
}

void rec_schema_print_table(const struct rec_schema *s, const struct tfr_inputs *in,
                            struct t2_buf *out)
{
    static const char *const headings[] = {"feature", "kind",   "records", "share",
                                           "length",  "values", ""};
    struct rec_table t = {.columns = "llrrlll"};
    struct t2_buf notes = {NULL, 0, 0};

    t2_buf_printf(out, "%" PRIu64 " record%s, %zu feature%s\n", s->n_records,
                  s->n_records == 1 ? "" : "s", s->n, s->n == 1 ? "" : "s");
    if (s->n == 0) {
        if (s->n_sequences > 0)
            rec_schema_print_disagreements(s, in, out);
        else if (s->n_records > 0)
            t2_buf_puts(out, "No record has a feature: is this tf.train.Example? "
                             "`tfrec raw` shows other payloads.\n");
        return;
    }
    t2_buf_push(out, '\n');
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        rec_table_cellf(&t, "%s", headings[i]);
    for (size_t i = 0; i < s->n; i++)
        add_field(&t, s, &s->fields[i]);
    rec_table_print(&t, out);
    rec_table_release(&t);
    rec_schema_print_disagreements(s, in, &notes);
    if (notes.len_bytes > 0)
        t2_buf_printf(out, "\n%s", t2_buf_cstr(&notes));
    t2_buf_release(&notes);
}
