/*
 * tfrec/schema_pbtxt.c - schema.pbtxt of TensorFlow Metadata.
 */
#include <inttypes.h>

#include "base/json_writer.h"
#include "tfrec/schema_formats.h"

void rec_quote_name(const char *name, size_t len_bytes, struct t2_buf *out)
{
    t2_buf_push(out, '"');
    for (size_t i = 0; i < len_bytes; i++) {
        uint8_t c = (uint8_t) name[i];
        if (c < 0x20 || c == 0x7f) /* octal means the same to both readers */
            t2_buf_printf(out, "\\%03o", c);
        else if (c == '"' || c == '\\')
            t2_buf_printf(out, "\\%c", c);
        else
            t2_buf_push(out, c);
    }
    t2_buf_push(out, '"');
}

static void print_double(double v, struct t2_buf *out)
{
    struct t2_json j;

    t2_json_init(&j, out, 0);
    t2_json_double(&j, v);
}

/* `shape` says: in every record, with that many values; value_count: how many where it is there. */
static void print_lengths(const struct rec_schema *s, const struct rec_field *f, struct t2_buf *out)
{
    if (rec_field_is_fixed(f) && rec_field_is_required(s, f)) {
        t2_buf_puts(out, "  shape {\n");
        if (f->max_length > 1)
            t2_buf_printf(out, "    dim {\n      size: %" PRIu64 "\n    }\n", f->max_length);
        else
            t2_buf_puts(out, "    dim {\n      size: 1\n    }\n");
        t2_buf_puts(out, "  }\n");
    } else if (f->min_length <= f->max_length) {
        t2_buf_printf(out, "  value_count {\n    min: %" PRIu64 "\n    max: %" PRIu64 "\n  }\n",
                      f->min_length, f->max_length);
    }
}

static void print_domain(const struct rec_field *f, enum tfr_kind kind, struct t2_buf *out)
{
    if (kind == TFR_INT64 && f->min_int <= f->max_int)
        t2_buf_printf(out, "  int_domain {\n    min: %" PRId64 "\n    max: %" PRId64 "\n  }\n",
                      f->min_int, f->max_int);
    if (kind == TFR_FLOAT && f->min_float <= f->max_float) {
        t2_buf_puts(out, "  float_domain {\n    min: ");
        print_double((double) f->min_float, out);
        t2_buf_puts(out, "\n    max: ");
        print_double((double) f->max_float, out);
        t2_buf_puts(out, "\n  }\n");
    }
    if (rec_field_is_image(f))
        t2_buf_puts(out, "  image_domain {\n  }\n");
}

static void print_field(const struct rec_schema *s, const struct rec_field *f, struct t2_buf *out)
{
    static const char *const types[] = {NULL, "BYTES", "FLOAT", "INT"};
    enum tfr_kind kind = rec_field_kind(f);
    uint64_t records = rec_field_records(f);

    t2_buf_puts(out, "feature {\n  name: ");
    rec_quote_name(f->name, f->name_bytes, out);
    t2_buf_push(out, '\n');
    if (types[kind])
        t2_buf_printf(out, "  type: %s\n", types[kind]);
    else
        t2_buf_puts(out, "  # no record has a list for it: kind unknown\n");
    if (!rec_field_agrees(f))
        t2_buf_puts(out, "  # other records have another kind\n");
    t2_buf_puts(out, "  presence {\n    min_fraction: ");
    print_double(s->n_records > 0 ? (double) records / (double) s->n_records : 0, out);
    t2_buf_printf(out, "\n    min_count: %d\n  }\n", records > 0);
    print_lengths(s, f, out);
    print_domain(f, kind, out);
    t2_buf_puts(out, "}\n");
}

void rec_schema_print_pbtxt(const struct rec_schema *s, struct t2_buf *out)
{
    for (size_t i = 0; i < s->n; i++)
        print_field(s, &s->fields[i], out);
}
