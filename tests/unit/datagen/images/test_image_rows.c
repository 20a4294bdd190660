/*
 * test_image_rows.c - rows share images, carry texts and numbers; the format of a file.
 */
#include "datagen/images/image_rows.h"

#include "tests/unit/datagen/images/images_here.h"

static const struct dg_source_file folder_file = {.name = "p", .is_folder = true};
static const struct dg_source folder = {.file = &folder_file, .sign = "p"};

static enum t2_status list_twice(struct dg_image_rows *s, struct t2_err *err)
{
    size_t file;

    assert_int_equal(dg_image_rows_find(s, "p/none.png", &file, err), T2_ENOTFOUND);
    *err = (struct t2_err) T2_ERR_INIT;
    T2_TRY(dg_image_rows_find(s, "p/b.png", &file, err));
    for (int i = 0; i < 2; i++) {
        dg_image_rows_add(s, file);
        dg_image_rows_text(s, DG_TARGETS, t2_slice_of(i ? "second" : "first"));
        dg_image_rows_push(s, DG_INPUTS, 10 + i);
        dg_image_rows_push(s, DG_INPUTS, 20 + i);
    }
    return T2_OK;
}

static void check_rows(const struct dg_image_spec *spec, const char *expected)
{
    const struct dg_problem p = {.name = "x", .context = spec};
    const struct dg_options o = {.tmp_dir = t_tmp_path("."), .data_dir = t_tmp_path(".")};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf out = {NULL, 0, 0};
    struct dg_stream *s = NULL;
    struct dg_sample sample;
    enum t2_status st;

    assert_int_equal(dg_image_rows_open(&p, &o, DG_TRAIN, &s, &err), T2_OK);
    s->hash_on = true;
    for (;;) {
        memset(&sample, 0, sizeof sample);
        if ((st = s->next(s, &sample, &err)) != T2_OK)
            break;
        t2_buf_printf(&out, "%s %.*s", t2_path_base(sample.inputs_origin.path),
                      (int) sample.targets.len_bytes, (const char *) sample.targets.data);
        for (int side = 0; side < DG_N_SIDES; side++)
            for (size_t i = 0; i < sample.n_numbers[side]; i++)
                t2_buf_printf(&out, " %d", (int) sample.numbers[side][i]);
        t2_buf_puts(&out, t2_slice_eq(dg_image_format(sample.context), t2_slice_of("png"))
                              ? " png\n"
                              : " jpeg\n");
    }
    assert_int_equal(st, T2_EOF);
    assert_int_equal(s->files.n, 1);
    assert_string_equal(t2_buf_cstr(&out), expected);
    t2_buf_release(&out);
    dg_stream_free(s);
}

static void test_rows(void **state)
{
    const struct dg_image_spec all = {.source = {&folder}, .pattern = {"p/*"}};
    const struct dg_image_spec twice = {.source = {&folder},
                                        .pattern = {"p/*"},
                                        .list = list_twice};

    (void) state;
    t2_free(here_image(t_tmp_path("."), "p/b.png", 4, 4));
    t2_free(here_image(t_tmp_path("."), "p/a.jpg", 4, 4));
    check_rows(&all, "a.jpg  0 jpeg\nb.png  0 png\n");
    check_rows(&twice, "b.png first 10 20 png\nb.png second 11 21 png\n");
}

T_MAIN(cmocka_unit_test(test_rows))
