/*
 * tfrec/schema_tfds.c - features.json of TensorFlow Datasets.
 *
 * A name with slashes stays one key: that is how TFDS names the features of nested dictionaries in
 * a record, and its readers take either.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/json_writer.h"
#include "tfrec/schema_formats.h"

#define MODULE "tensorflow_datasets.core.features."

static void class_name(struct t2_json *j, const char *name)
{
    t2_json_kv_string(j, "pythonClassName", name);
}

static void shape(struct t2_json *j, const char *const *dimensions, size_t n)
{
    t2_json_key(j, "shape");
    t2_json_object(j);
    if (n > 0) {
        t2_json_key(j, "dimensions");
        t2_json_array(j);
        for (size_t i = 0; i < n; i++)
            t2_json_string(j, dimensions[i]);
        t2_json_end_array(j);
    }
    t2_json_end_object(j);
}

static const char *dtype(enum tfr_kind kind)
{
    return kind == TFR_INT64 ? "int64" : kind == TFR_FLOAT ? "float32" : "string";
}

static void tensor(struct t2_json *j, enum tfr_kind kind, uint64_t length)
{
    char dimension[32];
    const char *const dimensions[] = {dimension};

    snprintf(dimension, sizeof dimension, "%" PRIu64, length);
    class_name(j, length == 1 ? MODULE "scalar.Scalar" : MODULE "tensor_feature.Tensor");
    t2_json_key(j, "tensor");
    t2_json_object(j);
    shape(j, dimensions, length == 1 ? 0 : 1);
    t2_json_kv_string(j, "dtype", dtype(kind));
    t2_json_kv_string(j, "encoding", "none");
    t2_json_end_object(j);
}

/* One value. */
static void single(struct t2_json *j, const struct rec_field *f, enum tfr_kind kind)
{
    static const char *const any_rgb[] = {"-1", "-1", "3"};

    if (rec_field_is_image(f)) {
        class_name(j, MODULE "image_feature.Image");
        t2_json_key(j, "image");
        t2_json_object(j);
        shape(j, any_rgb, 3);
        t2_json_kv_string(j, "dtype", "uint8");
        t2_json_end_object(j);
    } else if (rec_field_is_text(f) && f->n_values > 0) {
        class_name(j, MODULE "text_feature.Text");
        t2_json_key(j, "text");
        t2_json_object(j);
        t2_json_end_object(j);
    } else {
        tensor(j, kind, 1);
    }
}

static void print_field(struct t2_json *j, const struct rec_schema *s, const struct rec_field *f)
{
    enum tfr_kind kind = rec_field_kind(f);

    t2_json_object(j);
    if (rec_field_is_required(s, f) && rec_field_is_fixed(f)) {
        if (f->max_length == 1)
            single(j, f, kind);
        else
            tensor(j, kind, f->max_length);
    } else {
        class_name(j, MODULE "sequence_feature.Sequence");
        t2_json_key(j, "sequence");
        t2_json_object(j);
        t2_json_key(j, "feature");
        t2_json_object(j);
        single(j, f, kind);
        t2_json_end_object(j);
        t2_json_kv_string(j, "length", "-1");
        t2_json_end_object(j);
    }
    t2_json_end_object(j);
}

void rec_schema_print_tfds(const struct rec_schema *s, struct t2_buf *out)
{
    struct t2_json j;

    t2_json_init(&j, out, 4);
    t2_json_object(&j);
    t2_json_key(&j, "featuresDict");
    t2_json_object(&j);
    t2_json_key(&j, "features");
    t2_json_object(&j);
    for (size_t i = 0; i < s->n; i++) {
        if (rec_field_kind(&s->fields[i]) == TFR_NONE)
            continue;
        t2_json_key(&j, s->fields[i].name);
        print_field(&j, s, &s->fields[i]);
    }
    t2_json_end_object(&j);
    t2_json_end_object(&j);
    class_name(&j, MODULE "features_dict.FeaturesDict");
    t2_json_end_object(&j);
    t2_buf_push(out, '\n');
}
