/*
 * tests/unit/tfrec/test_class_names.c - names of classes: from manifests, records, files beside
 * them.
 */
#include "base/file.h"
#include "tests/unit/tfrec/sets.h"
#include "tfrec/class_names.h"
#include "tfrecord/manifest.h"

static const char *name_of(const struct rec_class_names *c, const char *feature, int64_t value)
{
    const char *name = rec_class_name(c, t2_slice_of(feature), value);

    return name ? name : "-";
}

static enum t2_status see(void *context, const struct tfr_batch *b, struct t2_err *e)
{
    (void) e;
    rec_class_names_see(context, b);
    return T2_OK;
}

static void put_image(struct t2_buf *file, int64_t label, const char *feature, const char *text)
{
    const struct t2_slice name = t2_slice_of(text);

    set_record(file,
               (struct tfr_feature[]){{"image/class/label", TFR_INT64, 1, &label, NULL, NULL},
                                      {feature, TFR_BYTES, 1, NULL, NULL, &name}},
               2);
}

/* The names that these records and what lies beside them tell. */
static struct rec_class_names *names_of(const char *file, struct t2_buf *records)
{
    struct tfr_inputs in = set_inputs(file, records);
    struct rec_class_names *c = rec_class_names_new(&in);
    const struct rec_stats_options o = {.see = see, .context = c};

    rec_stats_free(set_stats(&in, 1, &o));
    tfr_inputs_release(&in);
    return c;
}

static void test_records(void **state)
{
    struct t2_buf file = {NULL, 0, 0};
    struct rec_class_names *c;

    (void) state;
    put_image(&file, 3, "image/class/text", "cat");
    put_image(&file, -4, "image/class/text", "dog");
    put_image(&file, 3, "image/class/text", "cat");
    put_image(&file, 5, "image/class/text", "");
    put_image(&file, 6, "image/class/text", "one");
    put_image(&file, 6, "image/class/text", "another");
    put_image(&file, 6, "image/class/text", "one");
    put_image(&file, 7, "image/class/synset", "n01440764");
    c = names_of("a.tfrecord", &file);
    assert_string_equal(name_of(c, "image/class/label", 3), "cat");
    assert_string_equal(name_of(c, "image/class/label", -4), "dog");
    assert_string_equal(name_of(c, "image/class/label", 5), "-");
    assert_string_equal(name_of(c, "image/class/label", 6), "-");
    assert_string_equal(name_of(c, "image/class/label", 7), "n01440764");
    assert_string_equal(name_of(c, "image/class/label", 8), "-");
    assert_string_equal(name_of(c, "image/class", 3), "-");
    rec_class_names_free(c);
    assert_null(rec_class_name(NULL, t2_slice_of("x"), 1));
    rec_class_names_free(NULL);
}

static void write_text(const char *name, const char *text)
{
    t_write_file(t_tmp_path(name), text, strlen(text));
}

#define SHARD(file)                                                                                \
    "{\"records\":1,\"shards\":[{\"file\":\"" file "\",\"records\":1,\"bytes\":1,\"sha256\":"      \
    "\"0000000000000000000000000000000000000000000000000000000000000000\"}]}"
#define HEAD(name) "{\"format\":\"t2t.c data set\",\"format_version\":1,\"problem\":\"" name "\","
#define LABEL(least, most)                                                                         \
    "\"features\":[{\"name\":\"image/class/label\",\"kind\":\"int64\",\"min_length\":1,"           \
    "\"max_length\":1,\"n_values\":1,\"min_value\":" #least ",\"max_value\":" #most "}],"

static void test_manifests(void **state)
{
    struct t2_buf file = {NULL, 0, 0};
    struct rec_class_names *c;

    (void) state;
    write_text("pictures.manifest.json",
               HEAD("pictures") "\"labels\":[\"rose\",\"tulip\"]," LABEL(
                   1, 2) "\"splits\":{\"train\":" SHARD("p-00000-of-00001") "}}");
    write_text(
        "flowers.manifest.json",
        HEAD("flowers") "\"vocabularies\":{\"targets\":{\"labels\":[\"ash\",\"oak\"]}}," LABEL(
            0, 1) "\"splits\":{\"train\":" SHARD("f-00000-of-00001") "}}");
    write_text("talk.manifest.json",
               HEAD("talk") "\"vocabularies\":{\"targets\":{\"labels\":[\"no\",\"yes\"]}},"
                            "\"features\":[],\"splits\":{\"dev\":" SHARD("t-00000-of-00001") "}}");
    write_text("broken.manifest.json", "{");

    put_image(&file, 1, "image/class/text", "the manifest knows better");
    c = names_of("p-00000-of-00001", &file);
    assert_string_equal(name_of(c, "image/class/label", 1), "rose");
    assert_string_equal(name_of(c, "image/class/label", 2), "tulip");
    assert_string_equal(name_of(c, "image/class/label", 0), "-");
    rec_class_names_free(c);

    put_image(&file, 1, "x", "y");
    c = names_of("f-00000-of-00001", &file);
    assert_string_equal(name_of(c, "image/class/label", 0), "ash");
    assert_string_equal(name_of(c, "image/class/label", 1), "oak");
    rec_class_names_free(c);

    put_image(&file, 1, "x", "y");
    c = names_of("t-00000-of-00001", &file);
    assert_string_equal(name_of(c, "targets", 1), "yes");
    assert_string_equal(name_of(c, "image/class/label", 1), "-");
    rec_class_names_free(c);

    put_image(&file, 1, "x", "y"); /* no manifest knows it */
    c = names_of("other.tfrecord", &file);
    assert_string_equal(name_of(c, "image/class/label", 1), "-");
    rec_class_names_free(c);
}

static void test_label_files(void **state)
{
    struct t2_buf file = {NULL, 0, 0};
    struct rec_class_names *c;

    (void) state;
    write_text("label.labels.txt", "zero\none\n\n");
    put_image(&file, 1, "x", "y");
    c = names_of("tfds.tfrecord", &file);
    assert_string_equal(name_of(c, "label", 0), "zero");
    assert_string_equal(name_of(c, "label", 1), "one");
    assert_string_equal(name_of(c, "label", 2), "-");
    rec_class_names_free(c);
}

T_MAIN(cmocka_unit_test(test_records), cmocka_unit_test(test_manifests),
       cmocka_unit_test(test_label_files))
