/* Tests of train/trained/draw_images.c: files of each class, the page, names, batches that change
 * nothing, refusals. */
#include "train/trained/draw_images.h"

#include <stdio.h>
#include <stdlib.h>

#include "augment/codec.h"
#include "tests/unit/train/trained_images.h"

static struct t2_err err;

/* imagetransformer for the classes of image_cifar10, with made-up variables. */
static void open_maker(struct tr_trained *t, const char *hparams)
{
    struct mdl_hparams *hp = NULL;

    *t = (struct tr_trained){.state = {.seed = 1, .step = 70}};
    snprintf(t->state.problem, sizeof t->state.problem, "image_cifar10_rev");
    assert_int_equal(mdl_hparams_new("imagetransformer_tiny", &hp, &err), T2_OK);
    if (mdl_hparams_override(hp,
                             "hidden_size=8,num_heads=2,filter_size=8,image_size=4,block_length=9,"
                             "sampling_method=random,unconditional=false",
                             &err) != T2_OK ||
        mdl_hparams_override(hp, hparams, &err) != T2_OK)
        fail_msg("%s", err.message);
    mdl_hparams_for_eval(hp);
    assert_int_equal(tr_data_set_open("image_cifar10_rev", t_tmp_path(""), &t->data, &err), T2_OK);
    assert_int_equal(tr_data_set_images(&t->data, hp, &err), T2_OK);
    assert_int_equal(dev_open("cpu", 2, &t->dev, &err), T2_OK);
    if (mdl_new("imagetransformer", t->dev, hp, &t->data.problem, MDL_EVAL, &t->m, &err) != T2_OK ||
        mdl_initialise(t->m, 3, &err) != T2_OK)
        fail_msg("%s", err.message);
    mdl_hparams_free(hp);
}

static struct t2_strs draw(const struct tr_trained *t, const char *folder, int64_t n,
                           int64_t batch_size, uint64_t n_images)
{
    char *to = t2_strdup(t_tmp_path(folder)), *sheet = t2_asprintf("%s.png", to);
    const struct tr_draw_options o = {n, to, sheet, batch_size, 5};
    struct tr_draw_report r;
    struct t2_strs names = {0};

    if (tr_draw_images(t, &o, &r, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(r.n_images, n_images);
    assert_true(t2_exists(sheet));
    assert_int_equal(t2_list_dir(to, &names, &err), T2_OK);
    assert_int_equal(names.n, n_images);
    t2_free(to);
    t2_free(sheet);
    return names;
}

static void check_same(const char *a, const char *b, const struct t2_strs *names)
{
    for (size_t i = 0; i < names->n; i++) {
        char path[200], *one, *other;
        size_t n_one, n_other;

        snprintf(path, sizeof path, "%s/%s", a, names->items[i]);
        one = t_read_file(t_tmp_path(path), &n_one);
        snprintf(path, sizeof path, "%s/%s", b, names->items[i]);
        other = t_read_file(t_tmp_path(path), &n_other);
        assert_int_equal(n_one, n_other);
        assert_memory_equal(one, other, n_one);
        free(one);
        free(other);
    }
}

static void test_classes(void **state)
{
    struct tr_trained t;
    struct t2_strs names, others;
    struct aug_info info;
    size_t n;
    char *file;

    (void) state;
    open_maker(&t, "");
    names = draw(&t, "a", 2, 32, 20);
    others = draw(&t, "b", 2, 3, 20);
    check_same("a", "b", &names);
    assert_true(t2_strs_contains(&names, "airplane-00001.png"));
    file = t_read_file(t_tmp_path("a/airplane-00001.png"), &n);
    assert_int_equal(aug_probe((const uint8_t *) file, n, &info, &err), T2_OK);
    assert_true(info.width == 4 && info.height == 4);
    free(file);
    t2_strs_release(&names);
    t2_strs_release(&others);
    tr_trained_close(&t);
}

static void test_without_classes(void **state)
{
    struct tr_trained t;
    struct t2_strs names;

    (void) state;
    open_maker(&t, "unconditional=true,likelihood=dmol");
    names = draw(&t, "c", 3, 2, 3);
    assert_true(t2_strs_contains(&names, "00002.png"));
    t2_strs_release(&names);
    tr_trained_close(&t);
}

static void test_refused(void **state)
{
    const struct tr_draw_options o = {1, t_tmp_path("d"), "", 1, 1};
    struct tr_draw_report r;
    struct tr_trained t;

    (void) state;
    open_maker(&t, "sampling_keep_top_k=3");
    assert_int_equal(tr_draw_images(&t, &o, &r, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "sampling_keep_top_k");
    tr_trained_close(&t);
    open_maker(&t, "q_filter_width=3");
    assert_int_equal(tr_draw_images(&t, &o, &r, &err), T2_EUNSUPPORTED);
    tr_trained_close(&t);
    trained_images(&t, 1);
    assert_int_equal(tr_draw_images(&t, &o, &r, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "'basic_fc_relu' makes no images");
    tr_trained_close(&t);
}

T_MAIN(cmocka_unit_test(test_classes), cmocka_unit_test(test_without_classes),
       cmocka_unit_test(test_refused))
