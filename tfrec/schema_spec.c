/*
 * tfrec/schema_spec.c - a schema as Python: the argument of tf.io.parse_example.
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "tfrec/schema_formats.h"
#include "tfrecord/compress.h"

static const char *dtype(enum tfr_kind kind)
{
    return kind == TFR_INT64 ? "tf.int64" : kind == TFR_FLOAT ? "tf.float32" : "tf.string";
}

static void print_field(const struct rec_schema *s, const struct rec_field *f, struct t2_buf *out)
{
    enum tfr_kind kind = rec_field_kind(f);

    t2_buf_puts(out, "    ");
    rec_quote_name(f->name, f->name_bytes, out);
    t2_buf_puts(out, ": ");
    if (!rec_field_is_fixed(f) || !rec_field_is_required(s, f))
        t2_buf_printf(out, "tf.io.VarLenFeature(%s),", dtype(kind));
    else if (f->max_length == 1)
        t2_buf_printf(out, "tf.io.FixedLenFeature([], %s),", dtype(kind));
    else
        t2_buf_printf(out, "tf.io.FixedLenFeature([%" PRIu64 "], %s),", f->max_length, dtype(kind));
    if (!rec_field_agrees(f))
        t2_buf_puts(out, "  # some records have another kind: parsing those fails");
    else if (kind == TFR_NONE)
        t2_buf_puts(out, "  # never has a list: kind unknown");
    else if (rec_field_is_image(f))
        t2_buf_puts(out, "  # images: tf.io.decode_image");
    t2_buf_push(out, '\n');
}

/* How TensorFlow calls the compression of the first file. */
static enum t2_status find_compression(const struct tfr_inputs *in, const char **name,
                                       struct t2_err *err)
{
    enum tfr_compression c = TFR_PLAIN;

    if (in->n > 0 && strcmp(in->files[0].path, "-") != 0)
        T2_TRY(tfr_compression_of(in->files[0].path, &c, err));
    *name = c == TFR_PLAIN ? "" : c == TFR_ZLIB ? "ZLIB" : "GZIP";
    return T2_OK;
}

enum t2_status rec_schema_print_parsing_spec(const struct rec_schema *s,
                                             const struct tfr_inputs *in, struct t2_buf *out,
                                             struct t2_err *err)
{
    const char *compression = "";

    T2_TRY(find_compression(in, &compression, err));
    t2_buf_puts(out, "import tensorflow as tf\n\nparsing_spec = {\n");
    for (size_t i = 0; i < s->n; i++)
        print_field(s, &s->fields[i], out);
    t2_buf_printf(out,
                  "}\n\n\n"
                  "def read(filenames, batch_size=32):\n"
                  "    records = tf.data.TFRecordDataset(filenames, compression_type=\"%s\")\n"
                  "    return records.batch(batch_size).map(\n"
                  "        lambda batch: tf.io.parse_example(batch, parsing_spec))\n",
                  compression);
    return T2_OK;
}
