/*
 * Tests of train/runs/data_set.c: what must agree, and that a disagreement names both sides.  With
 * real data sets: tests/e2e/train_mismatch.sh.
 */
#include "train/runs/data_set.h"

#include <string.h>

#include "tests/unit/train/ids_problem.h"

static struct t2_err err;

static void test_open(void **state)
{
    struct tr_data_set d;

    (void) state;
    ids_register();
    if (tr_data_set_open("ids_rev", t_tmp_path(""), &d, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_true(d.problem.has_inputs);
    assert_int_equal(d.problem.inputs_vocab, 258);
    assert_int_equal(d.problem.targets_vocab, 258);
    assert_true(d.problem.loss_multiplier == 2.0); /* characters */
    assert_string_equal(d.view->inputs.feature, "targets");
    assert_string_equal(d.targets_vocab_sha256, "");
    assert_string_equal(d.data_sha256, "");
    tr_data_set_release(&d);
    assert_int_equal(tr_data_set_open("idz", t_tmp_path(""), &d, &err), T2_ENOTFOUND);
    assert_null(d.view);
}

static struct mdl_hparams *hparams(const char *changes)
{
    struct mdl_hparams *hp = NULL;

    assert_int_equal(mdl_hparams_new("transformer_tiny", &hp, &err), T2_OK);
    assert_int_equal(mdl_hparams_override(hp, changes, &err), T2_OK);
    return hp;
}

static void test_images(void **state)
{
    struct mdl_hparams *hp = hparams("");
    struct tr_data_set d;

    (void) state;
    assert_int_equal(tr_data_set_open("image_cifar10", t_tmp_path(""), &d, &err), T2_OK);
    assert_int_equal(tr_data_set_images(&d, hp, &err), T2_OK);
    assert_true(!d.problem.has_inputs && d.problem.class_labels);
    assert_int_equal(d.problem.targets_vocab, 10);
    assert_true(d.problem.loss_multiplier == 3.0);
    assert_true(d.problem.image.height == 32 && d.problem.image.channels == 3);
    assert_int_equal(d.first_label, 0);
    assert_string_equal(tr_data_set_class(&d, 9), "truck");
    mdl_hparams_free(hp);

    hp = hparams("image_pipeline=resnet,image_size=64");
    assert_int_equal(tr_data_set_images(&d, hp, &err), T2_OK);
    assert_int_equal(d.problem.image.width, 64);
    assert_string_equal(d.images.train->name, "resnet_train_normalized");
    mdl_hparams_free(hp);
    tr_data_set_release(&d);

    hp = hparams("");
    assert_int_equal(tr_data_set_open("ids", t_tmp_path(""), &d, &err), T2_OK);
    assert_int_equal(tr_data_set_images(&d, hp, &err), T2_OK); /* nothing */
    assert_int_equal(d.problem.image.height, 0);
    tr_data_set_release(&d);
    mdl_hparams_free(hp);
}

static void test_described(void **state)
{
    struct mdl_hparams *hp = hparams("");
    struct tr_data_set d;

    (void) state;
    assert_int_equal(tr_data_set_open("image_ms_coco_characters", t_tmp_path(""), &d, &err), T2_OK);
    assert_true(d.problem.describes && d.problem.has_inputs && !d.problem.class_labels);
    assert_int_equal(tr_data_set_images(&d, hp, &err), T2_OK);
    assert_int_equal(d.problem.inputs_vocab, 256);
    assert_int_equal(d.problem.targets_vocab, 258);
    assert_int_equal(d.problem.target_space_id, 2);
    assert_true(d.problem.loss_multiplier == 1.0); /* characters, but not Text2TextProblem's */
    assert_true(d.problem.image.height == 299 && d.problem.image.width == 299);
    assert_string_equal(d.text_feature, "image/class/label");
    tr_data_set_release(&d);
    assert_int_equal(tr_data_set_open("image_ms_coco_characters_rev", t_tmp_path(""), &d, &err),
                     T2_EUNSUPPORTED);
    t_assert_contains(err.message, "texts of images are written, not read");
    mdl_hparams_free(hp);
}

static char name_text[] = "words", file_text[] = "data/vocab.words";

static struct dg_view view = {.name = name_text,
                              .base_name = name_text,
                              .dataset_filename = name_text,
                              .has_inputs = true,
                              .inputs = {.feature = "inputs", .vocab_file = file_text},
                              .targets = {.feature = "targets", .vocab_file = file_text}};

static struct tr_data_set data(void)
{
    return (struct tr_data_set){.view = &view,
                                .inputs_vocab_sha256 = "aaaaaaaaaaaaaaaa",
                                .targets_vocab_sha256 = "bbbbbbbbbbbbbbbb",
                                .data_sha256 = "cccccccccccccccc"};
}

static void refused(const struct ckpt_state *s, const char *a, const char *b)
{
    const struct tr_data_set d = data();

    assert_int_not_equal(tr_data_set_check_state(&d, s, "run", &err), T2_OK);
    t_assert_contains(err.message, a);
    t_assert_contains(err.message, b);
    t_assert_contains(err.message, "'run' (step 70)");
}

static void test_against_a_checkpoint(void **state)
{
    const struct tr_data_set d = data();
    struct ckpt_state good = {.step = 70}, s;

    (void) state;
    tr_data_set_to_state(&d, &good);
    assert_string_equal(good.problem, "words");
    assert_int_equal(tr_data_set_check_state(&d, &good, "run", &err), T2_OK);
    s = good;
    s.inputs_vocab_sha256[0] = 'x';
    refused(&s, "inputs vocabulary 'data/vocab.words' has SHA-256 aaaaaaaaaaaa...",
            "SHA-256 xaaaaaaaaaaa...");
    s = good;
    s.targets_vocab_sha256[0] = '\0';
    refused(&s, "targets vocabulary 'data/vocab.words' has SHA-256 bbbbbbbbbbbb...", "(none)");
    s = good;
    s.manifest_sha256[0] = 'x';
    refused(&s, "'words.manifest.json' has SHA-256 cccccccccccc...", "xccccccccccc...");
    s = good;
    s.problem[0] = 'W';
    refused(&s, "'Words'", "'words'");
    s = good;
    s.manifest_sha256[0] = '\0'; /* there was no manifest then */
    assert_int_equal(tr_data_set_check_state(&d, &s, "run", &err), T2_OK);
}

static enum t2_status check_split(const struct tr_data_set *d, enum dg_split split, uint64_t shards,
                                  uint64_t records, uint64_t bytes, uint64_t max_lost)
{
    const struct in_stats s = {.n_shards = shards, .n_records = records, .n_bytes = bytes};

    return tr_data_set_check_split(d->view, split, &s, max_lost, &err);
}

static void test_against_the_shards(void **state)
{
    struct tfr_manifest_shard shards[] = {{.bytes = 100}, {.bytes = 50}};
    struct dg_manifest manifest = {
        .splits = {[DG_TRAIN] = {.n_records = 9, .shards = shards, .n_shards = 2}}};
    struct tr_data_set d = data();

    (void) state;
    assert_int_equal(check_split(&d, DG_TRAIN, 1, 2, 3, 0), T2_OK); /* no manifest */
    view.manifest = &manifest;
    assert_int_equal(check_split(&d, DG_TRAIN, 2, 9, 150, 0), T2_OK);
    assert_int_equal(check_split(&d, DG_TRAIN, 2, 8, 150, 0), T2_EFORMAT);
    t_assert_contains(err.message, "the train shards hold 8 records in 2 files of 150 bytes");
    t_assert_contains(err.message, "'words.manifest.json' says 9 records in 2 files of 150 bytes");
    assert_int_equal(check_split(&d, DG_TRAIN, 2, 9, 151, 0), T2_EFORMAT);
    assert_int_equal(check_split(&d, DG_TRAIN, 1, 9, 150, 0), T2_EFORMAT);
    assert_int_equal(check_split(&d, DG_DEV, 1, 9, 150, 0), T2_EFORMAT);
    assert_int_equal(check_split(&d, DG_TRAIN, 2, 7, 120, 2), T2_OK);
    assert_int_equal(check_split(&d, DG_TRAIN, 2, 6, 120, 2), T2_EFORMAT);
    t_assert_contains(err.message, "3 of the 9 records that 'words.manifest.json' knows are "
                                   "missing in the damaged train shards, more than "
                                   "--max_corrupt=2");
    assert_int_equal(check_split(&d, DG_TRAIN, 1, 9, 150, 2), T2_EFORMAT);
    assert_int_equal(check_split(&d, DG_TRAIN, 2, 10, 150, 2), T2_EFORMAT);
    view.manifest = NULL;
}

T_MAIN(cmocka_unit_test(test_open), cmocka_unit_test(test_images), cmocka_unit_test(test_described),
       cmocka_unit_test(test_against_a_checkpoint), cmocka_unit_test(test_against_the_shards))
