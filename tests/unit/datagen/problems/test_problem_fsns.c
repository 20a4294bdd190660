/*
 * tests/unit/datagen/problems/test_problem_fsns.c - the list of addresses, and records as they are.
 */
#include "tests/unit/datagen/problems/image_samples.h"
#include "tfrecord/writer.h"

/* `to`: what stands in place of the last address of train. */
static void put_list(const char *to)
{
    struct t2_buf text = {NULL, 0, 0};

    t2_buf_puts(&text, "# comment\nhttp://x/charset_size=134.txt\n");
    for (int i = 0; i < 512; i++) {
        if (i == 511 && to)
            t2_buf_printf(&text, "http://x/train/train%s\r\n", to);
        else
            t2_buf_printf(&text, "http://x/train/train-%05d-of-00512\r\n", i);
    }
    for (int i = 0; i < 64; i++)
        t2_buf_printf(&text, "http://x/validation/validation-%05d-of-00064\n", i);
    t2_buf_puts(&text, "http://x/test/test-00000-of-00064\n");
    s_put("fsns_urls.txt", t2_buf_cstr(&text));
    t2_buf_release(&text);
}

static void put_records(const char *split, int i, int n_shards, const char *text)
{
    const struct t2_slice bytes[] = {t2_slice_of("PNG"), t2_slice_of(text), t2_slice_of("odd")};
    const int64_t ids[] = {1, 133};
    const struct tfr_feature features[] = {
        {.name = "image/encoded", .kind = TFR_BYTES, .n = 1, .bytes = &bytes[1]},
        {.name = "image/format", .kind = TFR_BYTES, .n = 1, .bytes = &bytes[0]},
        {.name = "image/unpadded_class", .kind = TFR_INT64, .n = 2, .ints = ids},
        {.name = "other", .kind = TFR_BYTES, .n = 1, .bytes = &bytes[2]}};
    struct t2_buf record = {NULL, 0, 0}, file = {NULL, 0, 0};
    char *path = t2_asprintf("%s/fsns/%s-%05d-of-%05d", t_tmp_path("tmp"), split, i, n_shards);

    tfr_example_build(&record, features, *text ? 4 : 0);
    tfr_frame(&file, record.data, record.len_bytes);
    t_write_file(path, file.data, file.len_bytes);
    t2_buf_release(&record);
    t2_buf_release(&file);
    t2_free(path);
}

static void test_signs(void **state)
{
    struct t2_buf expected = {NULL, 0, 0};
    struct dg_options o;
    char *got;

    (void) state;
    put_list("-00511-of-00999");
    p_check_contains("image_fsns", DG_TRAIN, "train-00511-of-00999' is not file 511 of 512");
    put_list("/../x");
    p_check_contains("image_fsns", DG_TRAIN, "is not file 511 of 512");
    put_list(NULL);
    s_put("fsns/charset_size134.txt", "0\t \n");
    for (int i = 0; i < 512; i++)
        put_records("train", i, 512, i == 300 ? "middle" : "some");
    for (int i = 0; i < 64; i++)
        put_records("validation", i, 64, i == 63 ? "" : "some");
    for (int i = 0; i < 512; i++)
        t2_buf_printf(&expected, "image/encoded=%s image/format=PNG image/unpadded_class=1,133\n",
                      i == 300 ? "middle" : "some");
    o = s_options();
    got = p_records("image_fsns", DG_TRAIN, &o);
    assert_string_equal(got, t2_buf_cstr(&expected));
    t2_free(got);
    assert_true(t2_exists(t_tmp_path("data/charset_size134.txt")));
    p_check_contains("image_fsns", DG_DEV, "the record has no 'image/encoded'");
    t2_buf_release(&expected);
}

/* What was read is what is written, features that nobody knows too. */
static void test_bytes(void **state)
{
    const struct dg_problem *p = dg_find("image_fsns");
    struct dg_record r = {.n = 0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf out = {NULL, 0, 0}, record = {NULL, 0, 0};
    const struct t2_slice odd = t2_slice_of("odd");
    const struct tfr_feature features[] = {
        {.name = "zz", .kind = TFR_BYTES, .n = 1, .bytes = &odd},
        {.name = "image/encoded", .kind = TFR_BYTES, .n = 1, .bytes = &odd}};

    (void) state;
    tfr_example_build(&record, features, 2);
    assert_int_equal(
        p->record.finish(p, &(struct dg_texts){.text = {[DG_CONTEXT] = t2_buf_slice(&record)}}, &r,
                         &err),
        T2_OK);
    assert_int_equal(r.n, 1);
    dg_record_write(&r, &out);
    assert_true(t2_slice_eq(t2_buf_slice(&out), t2_buf_slice(&record)));
    dg_record_release(&r);
    t2_buf_release(&out);
    t2_buf_release(&record);
}

T_MAIN(cmocka_unit_test(test_signs), cmocka_unit_test(test_bytes))
