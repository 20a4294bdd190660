/*
 * test_problem_view.c - a problem as the trainer sees it: by manifest, by registry, suffixes.
 */
#include "tests/unit/datagen/small_set.h"

#include <string.h>

#include "base/file.h"
#include "datagen/own/problem_own_text.h"
#include "tests/unit/tokenizer/foreign_vocabs.h"
#include "tokenizer/encoder.h"

static struct dg_view *view(const char *name, const char *data_dir)
{
    struct dg_view *v = NULL;
    struct t2_err err = T2_ERR_INIT;

    if (dg_view_open(name, data_dir, &v, &err) != T2_OK)
        fail_msg("%s", err.message);
    return v;
}

static void test_registered(void **state)
{
    struct dg_view *v = view("text2text_tmpdir", NULL);

    (void) state;
    assert_string_equal(v->base_name, "text2text_tmpdir");
    assert_string_equal(v->dataset_filename, "text2text_tmpdir");
    assert_true(v->has_inputs && !v->was_reversed && !v->was_copy);
    assert_null(v->manifest);
    assert_string_equal(v->inputs.feature, "inputs");
    assert_string_equal(v->targets.feature, "targets");
    assert_string_equal(v->inputs.vocab_file, "vocab.text2text_tmpdir.32768.subwords");
    dg_view_free(v);
    dg_view_free(NULL);
}

static void test_labels(void **state)
{
    static const char *const names[] = {"no", "yes"};
    struct dg_side side = {.feature = "targets", .vocab_kind = DG_VOCAB_CLASSES, .size = 2};
    struct tok_encoder *e;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(dg_side_encoder(&side, &e, &err), T2_OK);
    assert_int_equal(tok_size(e), 2);
    assert_memory_equal(tok_entry(e, 1).data, "ID_1", 4);
    tok_free(e);
    side.labels = names;
    assert_int_equal(dg_side_encoder(&side, &e, &err), T2_OK);
    assert_memory_equal(tok_entry(e, 1).data, "yes", 3);
    tok_free(e);
    side.size = 0;
    assert_int_equal(dg_side_encoder(&side, &e, &err), T2_EFORMAT);
    side.vocab_kind = DG_VOCAB_REALS;
    assert_int_equal(dg_side_encoder(&side, &e, &err), T2_EUNSUPPORTED);
    assert_string_equal(err.message, "the targets are reals, not text");
}

static void test_suffixes(void **state)
{
    struct dg_view *v = view("translate_ende_numbers_rev", t_tmp_path("."));

    (void) state;
    assert_true(v->was_reversed);
    assert_string_equal(v->name, "translate_ende_numbers_rev");
    assert_string_equal(v->dataset_filename, "translate_ende_numbers");
    assert_string_equal(v->inputs.feature, "targets");
    assert_int_equal(v->inputs.space_id, DG_SPACE_DE_TOKENS);
    assert_string_equal(v->targets.feature, "inputs");
    assert_int_equal(v->targets.space_id, DG_SPACE_EN_TOKENS);
    dg_view_free(v);
    v = view("translate_ende_numbers_copy", NULL);
    assert_string_equal(v->targets.feature, "inputs");
    assert_int_equal(v->targets.space_id, DG_SPACE_EN_TOKENS);
    dg_view_free(v);
    v = view("translate_ende_numbers_copy_rev", NULL);
    assert_string_equal(v->inputs.feature, "targets");
    assert_string_equal(v->targets.feature, "targets");
    dg_view_free(v);
}

static void make_own(const char *dir, const char *name)
{
    const char *path = t_tmp_path("pairs.tsv");
    struct dg_own_text own = {.name = name,
                              .files = {path, path, ""},
                              .vocab_type = "subwords",
                              .source_vocab_size = 50,
                              .target_vocab_size = 60,
                              .vocab = "",
                              .source_vocab = "",
                              .target_vocab = "",
                              .oov_token = ""};
    struct t2_pool *pool = t2_pool_new(1);
    struct dg_generate g = ds_settings(dir, pool);
    struct dg_report report = {0};
    struct dg_problem *p = NULL;
    struct t2_err err = T2_ERR_INIT;

    t_write_file(path, "one\teins\ntwo\tzwei\n", 18);
    assert_int_equal(dg_own_text_new(&own, &p, &err), T2_OK);
    assert_int_equal(dg_generate(p, &g, &report, &err), T2_OK);
    dg_report_release(&report);
    dg_own_text_free(p);
    t2_pool_free(pool);
}

static void test_by_manifest(void **state)
{
    struct dg_view *v;

    (void) state;
    make_own("data", "my_corpus");
    v = view("my_corpus_rev", t_tmp_path("data"));
    assert_non_null(v->manifest);
    assert_int_equal(v->manifest->splits[DG_TRAIN].n_records, 2);
    t_assert_contains(v->inputs.vocab_file, "data/vocab.my_corpus.60.subwords.target");
    t_assert_contains(v->targets.vocab_file, "data/vocab.my_corpus.50.subwords.source");
    dg_view_free(v);
}

static void make_with(const char *name, const char *vocab, const char *oov_token)
{
    const char *path = t_tmp_path("cats.tsv");
    struct dg_own_text own = {.name = name,
                              .files = {path, path, ""},
                              .vocab_type = "subwords",
                              .vocab = vocab,
                              .source_vocab = "",
                              .target_vocab = "",
                              .oov_token = oov_token};
    struct t2_pool *pool = t2_pool_new(1);
    struct dg_generate g = ds_settings("data", pool);
    struct dg_report report = {0};
    struct dg_problem *p = NULL;
    struct t2_err err = T2_ERR_INIT;

    t_write_file(path, "a b\tab\n", 7);
    assert_int_equal(dg_own_text_new(&own, &p, &err), T2_OK);
    assert_int_equal(dg_generate(p, &g, &report, &err), T2_OK);
    dg_report_release(&report);
    dg_own_text_free(p);
    t2_pool_free(pool);
}

/* Who reads the data encodes as who made them. */
static void check_encoder(const char *name, const char *text, int32_t want_first)
{
    struct dg_view *v = view(name, t_tmp_path("data"));
    struct t2_err err = T2_ERR_INIT;
    struct tok_ids ids = {0};
    struct tok_encoder *e;

    assert_int_equal(dg_side_encoder(&v->targets, &e, &err), T2_OK);
    assert_int_equal(tok_encode(e, NULL, (const uint8_t *) text, strlen(text), &ids, &err), T2_OK);
    assert_int_equal(ids.items[0], want_first);
    tok_ids_release(&ids);
    tok_free(e);
    dg_view_free(v);
}

static void test_encoders(void **state)
{
    (void) state;
    t_write_file(t_tmp_path("codes"), t_nmt_codes, strlen(t_nmt_codes));
    t_write_file(t_tmp_path("words"), "a\nb\n<unk>\nab\n", 13);
    make_with("of_codes", t_tmp_path("codes"), "");
    check_encoder("of_codes", "ab", 9);
    check_encoder("of_codes_rev", "b", 6);
    make_with("of_words", t_tmp_path("words"), "b");
    check_encoder("of_words", "dog", 3);
    check_encoder("of_words_copy", "dog", 3);
    make_with("of_list", t_tmp_path("words"), "");
    check_encoder("of_list", "dog", 4);
}

static void test_unknown(void **state)
{
    struct dg_view *v = NULL;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(dg_view_open("my_corpvs", t_tmp_path("data"), &v, &err), T2_ENOTFOUND);
    assert_null(v);
    t_assert_contains(err.message, "there is no problem 'my_corpvs'; did you mean 'my_corpus'?");
    t_assert_contains(err.message, "holds data of 'my_corpus'");
    assert_int_equal(dg_view_open("zzzzzzzz", NULL, &v, &err), T2_ENOTFOUND);
    assert_string_equal(err.message, "there is no problem 'zzzzzzzz'");
    assert_int_equal(dg_view_open("zzzzzzzz", t_tmp_path("empty"), &v, &err), T2_ENOTFOUND);
    t_assert_contains(err.message, "holds no manifest");
    t_write_file(t_tmp_path("data/broken.manifest.json"), "{}", 2);
    assert_int_equal(dg_view_open("broken", t_tmp_path("data"), &v, &err), T2_EFORMAT);
}

/* A manifest by `tfrec index` has counts; the registry knows the vocabularies, or nobody. */
static void test_foreign_manifest(void **state)
{
    static const char layout[] =
        "{\"format\": \"t2t.c data set\", \"format_version\": 1, \"problem\": \"%s\", "
        "\"version\": \"0.1\", \"command\": \"tfrec index\", \"features\": [], "
        "\"splits\": {}, \"data_sha256\": "
        "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}";
    static const char known[] = "translate_ende_numbers";
    struct dg_view *v = NULL;
    struct t2_err err = T2_ERR_INIT;
    char *text = t2_asprintf(layout, known);

    (void) state;
    t_write_file(t_tmp_path("data/translate_ende_numbers.manifest.json"), text, strlen(text));
    t_write_file(t_tmp_path("data/stranger.manifest.json"), text, strlen(text));
    t2_free(text);
    v = view("translate_ende_numbers_rev", t_tmp_path("data"));
    assert_true(v->manifest->is_foreign);
    assert_string_equal(v->dataset_filename, known);
    assert_int_equal(v->inputs.space_id, DG_SPACE_DE_TOKENS);
    dg_view_free(v);
    assert_int_equal(dg_view_open("stranger", t_tmp_path("data"), &v, &err), T2_EUNSUPPORTED);
    assert_null(v);
    t_assert_contains(err.message, "cannot be told from their features (none)");
}

/* Shards of images: t2t-datagen's by the registry, jpeg-to-tfrecord's by its manifest, under its
 * own name and in place of a registered problem's. */
static void test_images(void **state)
{
    static const char by_folders[] =
        "{\"format\": \"t2t.c data set\", \"format_version\": 1, \"problem\": \"pictures\", "
        "\"version\": \"0.1\", \"command\": \"jpeg-to-tfrecord\", \"labels\": [\"cat\", "
        "\"dog\"], \"features\": [{\"name\": \"image/encoded\", \"kind\": \"bytes\", "
        "\"min_length\": 1, \"max_length\": 1, \"n_values\": 9, \"min_value\": 0, \"max_value\": "
        "0}], \"splits\": {\"validation\": {\"records\": 9, \"shards\": [{\"file\": "
        "\"validation-00000-of-00001\", \"records\": 9, \"bytes\": 60, \"sha256\": "
        "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}]}}, "
        "\"data_sha256\": "
        "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}";
    struct t2_err err = T2_ERR_INIT;
    struct dg_view *v;
    const char *stem;

    (void) state;
    assert_int_equal(t2_make_dirs(t_tmp_path("shots"), &err), T2_OK);
    v = view("image_mnist", t_tmp_path("shots"));
    assert_true(v->is_images && !v->has_inputs && v->targets.is_label);
    assert_int_equal(v->first_label, 0);
    assert_int_equal(v->targets.size, 10);
    assert_string_equal(dg_view_shards(v, DG_DEV, &stem), "dev");
    assert_string_equal(stem, "image_mnist");
    dg_view_free(v);
    v = view("image_mnist_rev", t_tmp_path("shots")); /* the same, and what is learned differs */
    assert_true(v->is_images && v->was_reversed && !v->has_inputs && v->targets.is_label);
    dg_view_free(v);
    assert_int_equal(dg_view_open("image_mnist_copy", NULL, &v, &err), T2_EUSAGE);

    t_write_file(t_tmp_path("shots/pictures.manifest.json"), by_folders, strlen(by_folders));
    t_write_file(t_tmp_path("shots/pets.manifest.json"), by_folders, strlen(by_folders));
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"pictures", "pets", "image_cifar10"};

        v = view(names[i], t_tmp_path("shots"));
        assert_true(v->is_images && !v->has_inputs && v->targets.is_label);
        assert_int_equal(v->first_label, 1);
        assert_int_equal(v->targets.size, 2);
        assert_string_equal(v->targets.labels[1], "dog");
        assert_int_equal(v->manifest->splits[DG_DEV].n_records, 9);
        assert_null(dg_view_shards(v, DG_DEV, &stem));
        assert_string_equal(stem, "validation");
        assert_null(dg_view_shards(v, DG_TEST, &stem));
        assert_string_equal(stem, "test");
        dg_view_free(v);
    }
    v = view("text2text_tmpdir", t_tmp_path("shots")); /* no problem of images */
    assert_null(v->manifest);
    dg_view_free(v);
}

T_MAIN(cmocka_unit_test(test_images), cmocka_unit_test(test_labels),
       cmocka_unit_test(test_encoders), cmocka_unit_test(test_registered),
       cmocka_unit_test(test_suffixes), cmocka_unit_test(test_by_manifest),
       cmocka_unit_test(test_foreign_manifest), cmocka_unit_test(test_unknown))
