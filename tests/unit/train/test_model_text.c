/* Tests of train/runs/model_text.c. */
#include "train/runs/model_text.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "tests/support/t.h"
#include "train/models/layer_file.h"

static const char text[] = "layers:\n  - flatten\n  - dense: $classes\n";

static void test_read_and_keep(void **state)
{
    const char *dir = t_tmp_path("run"), *path = t_tmp_path("mine.yaml"), *model = path;
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;
    struct t2_buf kept = {0};
    char *copy, *read;

    (void) state;
    assert_int_equal(t2_write_file(path, text, strlen(text), &err), T2_OK);
    assert_int_equal(tr_model_text_read(&model, &read, &err), T2_OK);
    assert_string_equal(model, "mine.yaml");
    assert_string_equal(read, text);
    assert_int_equal(mdl_hparams_new("flowers_cnn", &hp, &err), T2_OK);
    assert_int_equal(mdl_layer_file_declare(read, "mine.yaml", hp, &err), T2_OK);
    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    assert_int_equal(tr_model_text_keep(dir, model, hp, &err), T2_OK);
    copy = t2_path_join(dir, "mine.yaml");
    assert_int_equal(t2_read_file(copy, 0, &kept, &err), T2_OK);
    assert_string_equal(t2_buf_cstr(&kept), text);
    assert_int_equal(tr_model_text_check(read, model, hp, dir, &err), T2_OK);
    assert_int_equal(tr_model_text_check(NULL, model, hp, dir, &err), T2_OK);
    assert_int_equal(tr_model_text_check("layers:\n  - relu\n", model, hp, "run", &err), T2_EUSAGE);
    t_assert_contains(err.message, "line 2 is '  - relu', there it is '  - flatten'");
    assert_int_equal(tr_model_text_check("layers:\n", model, hp, "run", &err), T2_EUSAGE);
    t_assert_contains(err.message, "line 2 is '', there it is '  - flatten'");
    t2_buf_release(&kept);
    t2_free(copy);
    t2_free(read);
    mdl_hparams_free(hp);
}

static void test_others(void **state)
{
    const char *names[] = {NULL, "resnet", ""};
    const char *missing = t_tmp_path("none.yaml"), *bad = t_tmp_path("bad.yaml"), *model;
    struct t2_err err = T2_ERR_INIT;
    char *read;

    (void) state;
    for (int i = 0; i < 3; i++) {
        model = names[i];
        assert_int_equal(tr_model_text_read(&model, &read, &err), T2_OK);
        assert_null(read);
        assert_ptr_equal(model, names[i]);
    }
    assert_int_equal(tr_model_text_read(&missing, &read, &err), T2_ENOTFOUND);
    assert_int_equal(t2_write_file(bad, "layers: [", 9, &err), T2_OK);
    model = bad;
    assert_int_equal(tr_model_text_read(&model, &read, &err), T2_EFORMAT);
    t_assert_contains(err.message, "bad.yaml': line 2");
    assert_int_equal(t2_write_file(bad, "layers:\0", 8, &err), T2_OK);
    assert_int_equal(tr_model_text_read(&model, &read, &err), T2_EFORMAT);
    t_assert_contains(err.message, "a byte 0");
    model = "a-name-of-more-than-sixty-three-characters-is-too-long-for-a-model.yaml";
    assert_int_equal(tr_model_text_read(&model, &read, &err), T2_EUSAGE);
}

T_MAIN(cmocka_unit_test(test_read_and_keep), cmocka_unit_test(test_others))
