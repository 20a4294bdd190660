/* Tests of train/runs/own_set.c. */
#include "train/runs/own_set.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "tests/support/t.h"

static struct t2_err err;

static const char *put(const char *name, const char *text)
{
    const char *path = t_tmp_path(name);

    assert_int_equal(t2_write_file(path, text, strlen(text), &err), T2_OK);
    return path;
}

static void is(const char *name, const char *usr_dir, const char *given, bool searched,
               const char *base, const char *hparams)
{
    struct tr_own_set set;

    if (tr_own_set_read(name, usr_dir, given, searched, &set, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_string_equal(set.base, base);
    assert_string_equal(set.hparams, hparams);
    tr_own_set_release(&set);
}

static const char shapes[] = "base: flowers_cnn\n"
                             "hparams: {batch_size: 32, nfil1: 4, image_pipeline: photos}\n"
                             "ranges: {nfil1: {int: [2, 8]}}\n";

static void test_sets(void **state)
{
    const char *path = put("shapes.hparams.yaml", shapes);
    const char *more = put("more.yaml", "base: shapes.hparams.yaml\nhparams: {nfil1: 7}\n");
    const char *lists =
        put("lists.yaml", "base: resnet_50\nhparams: {layer_sizes: [1, 2, 3, 4]}\n");
    char *dir = t2_path_dir(path);
    struct t2_strs names = {0};
    struct tr_own_set set;

    (void) state;
    is(path, NULL, NULL, false, "flowers_cnn", "batch_size=32,nfil1=4,image_pipeline=photos");
    /* what is given goes first, however it is written */
    is(path, NULL, "x=[1,batch_size=2],nfil1=9", false, "flowers_cnn",
       "x=[1,batch_size=2],nfil1=9,batch_size=32,image_pipeline=photos");
    is(path, NULL, "l[1]=2,batch_size=8", true, "flowers_cnn",
       "l[1]=2,batch_size=8,image_pipeline=photos");
    is(more, NULL, NULL, false, "flowers_cnn", "nfil1=7,batch_size=32,image_pipeline=photos");
    is(lists, NULL, NULL, false, "resnet_50", "layer_sizes=[1,2,3,4]");
    is("shapes", dir, NULL, false, "flowers_cnn", "batch_size=32,nfil1=4,image_pipeline=photos");
    assert_int_equal(tr_own_set_read("transformer_base", dir, "a=1", false, &set, &err), T2_OK);
    assert_null(set.base);
    assert_int_equal(tr_own_set_read(NULL, dir, NULL, false, &set, &err), T2_OK);
    assert_int_equal(tr_list_own_sets(dir, &names, &err), T2_OK);
    assert_int_equal(names.n, 1);
    assert_string_equal(names.items[0], "shapes");
    t2_strs_release(&names);
    t2_free(dir);
}

static void test_refusals(void **state)
{
    static const char *const rows[][2] = {
        {"hparams: {a: 1}\n", "line 1: an hparams set has base: NAME"},
        {"[]", "line 1: an hparams set has base: NAME"},
        {"base: flowers_cnnn\n", "x.yaml': unknown hparams set 'flowers_cnnn'; did you mean"},
        {"base: flowers_cnn\nhparam: {}\n", "line 2: an hparams set has base, hparams and ranges"},
        {"base: flowers_cnn\nhparams: 3\n", "line 2: hparams and ranges are names"},
        {"base: flowers_cnn\nhparams: {a: 'b,c'}\n", "line 2: an hparam is a number"},
        {"base: flowers_cnn\nhparams: {a: {b: c}}\n", "line 2: an hparam is a number"},
        {"base: flowers_cnn\nhparams: {'a=1,b': 2}\n", "line 2: the name of an hparam is a word"},
        {"base: x.yaml\n", "its bases go in a circle"},
        {"base: none.yaml\n", "none.yaml': no such file"}};
    struct tr_own_set set;

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *path = put("x.yaml", rows[i][0]);

        assert_int_not_equal(tr_own_set_read(path, NULL, NULL, false, &set, &err), T2_OK);
        t_assert_contains(err.message, rows[i][1]);
        assert_null(set.base);
    }
}

T_MAIN(cmocka_unit_test(test_sets), cmocka_unit_test(test_refusals))
