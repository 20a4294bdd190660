/*
 * test_problem_shards.c - what is told of shards that no manifest describes.
 */
#include "datagen/sets/problem_shards.h"

#include "tests/unit/datagen/small_set.h"
#include "tests/unit/tfrecord/record_files.h"
#include "tfrecord/example.h"

/* A shard of records with one list each of inputs (NULL: none) and of what `name` says. */
static void shard(const char *file, const int64_t *inputs, const char *name, const int64_t *ids,
                  size_t n_ids)
{
    const struct tfr_feature f[] = {
        {.name = "inputs", .kind = TFR_INT64, .ints = inputs, .n = inputs ? 3 : 0},
        {.name = name, .kind = TFR_INT64, .ints = ids, .n = n_ids},
    };
    struct t2_buf bytes = {0}, payload = {0};

    tfr_example_build(&payload, inputs ? f : f + 1, inputs ? 2 : 1);
    rf_record(&bytes, payload.data, payload.len_bytes);
    t_write_file(t_tmp_path(file), bytes.data, bytes.len_bytes);
    t2_buf_release(&bytes);
    t2_buf_release(&payload);
}

static void put(const char *file, const char *text)
{
    t_write_file(t_tmp_path(file), text, strlen(text));
}

/* A folder with such shards of the set `mine`. */
static void folder(const char *dir, const int64_t *inputs, const char *name, const int64_t *ids,
                   size_t n_ids)
{
    struct t2_err err = T2_ERR_INIT;
    char *train = t2_asprintf("%s/mine-train-00000-of-00001", dir);
    char *dev = t2_asprintf("%s/mine-dev-00000-of-00001", dir);

    assert_int_equal(t2_make_dirs(t_tmp_path(dir), &err), T2_OK);
    shard(train, inputs, name, ids, n_ids);
    shard(dev, inputs, name, ids, n_ids);
    t2_free(train);
    t2_free(dev);
}

static struct dg_view *view(const char *name, const char *dir)
{
    struct dg_view *v = NULL;
    struct t2_err err = T2_ERR_INIT;

    if (dg_view_open(name, t_tmp_path(dir), &v, &err) != T2_OK)
        fail_msg("%s", err.message);
    return v;
}

static void refused(const char *dir, enum t2_status want, const char *says)
{
    struct dg_view *v = NULL;
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(dg_view_open("mine", t_tmp_path(dir), &v, &err), want);
    assert_null(v);
    t_assert_contains(err.message, says);
}

static const int64_t low[] = {4, 3, 1}, high[] = {400, 3, 1}, one[] = {7};
static const char words[] = "<pad>\n<EOS>\na\nb\nc\n";
static const char more_words[] = "<pad>\n<EOS>\na\nb\nc\nd\n";

static void test_text_to_text(void **state)
{
    struct dg_view *v;

    (void) state;
    folder("two", low, "targets", low, 3);
    put("two/vocab.mine.tokens", words);
    put("two/vocab.other.tokens", words);
    v = view("mine", "two");
    assert_true(v->has_inputs && !v->is_images && !v->targets.is_label);
    assert_string_equal(v->dataset_filename, "mine");
    assert_string_equal(v->inputs.vocab_file, t_tmp_path("two/vocab.mine.tokens"));
    assert_int_equal(v->targets.vocab_kind, DG_VOCAB_TOKENS);
    t_assert_contains(v->assumed, "text to text (train: 1 records, dev: 1 records)");
    dg_view_free(v);
    v = view("mine_rev", "two");
    assert_string_equal(v->inputs.feature, "targets");
    dg_view_free(v);
    put("two/vocab.mine.tokens", "<pad>\n<EOS>\na\n");
    refused("two", T2_EFORMAT, "up to 4, but");
}

static void test_two_vocabularies(void **state)
{
    struct dg_view *v;

    (void) state;
    folder("sides", low, "targets", low, 3);
    put("sides/vocab.mine.tokens.aa", words);
    put("sides/vocab.mine.tokens.bb", more_words);
    refused("sides", T2_EUSAGE, "the name 'vocab.mine.source'");
    put("sides/vocab.mine.source", words);
    refused("sides", T2_EUSAGE, "the name 'vocab.mine.target'");
    put("sides/vocab.mine.target", more_words);
    v = view("mine", "sides");
    assert_string_equal(v->inputs.vocab_file, t_tmp_path("sides/vocab.mine.source"));
    assert_string_equal(v->targets.vocab_file, t_tmp_path("sides/vocab.mine.target"));
    dg_view_free(v);
}

static void test_languages(void **state)
{
    struct dg_view *v;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(t2_make_dirs(t_tmp_path("tongues"), &err), T2_OK);
    shard("tongues/my_zhen-train-00000-of-00001", low, "targets", low, 3);
    put("tongues/vocab.my_zhen.8192.subwords.en", words);
    put("tongues/vocab.my_zhen.8192.subwords.zh", words);
    v = view("my_zhen", "tongues");
    assert_true(t2_ends_with(v->inputs.vocab_file, ".zh"));
    assert_true(t2_ends_with(v->targets.vocab_file, ".en"));
    dg_view_free(v);
}

static void test_other_kinds(void **state)
{
    struct dg_view *v;

    (void) state;
    folder("lm", NULL, "targets", low, 3);
    v = view("mine", "lm");
    assert_false(v->has_inputs);
    assert_int_equal(v->targets.vocab_kind, DG_VOCAB_BYTES);
    t_assert_contains(v->assumed, "a language model");
    dg_view_free(v);
    folder("label", low, "label", one, 1);
    v = view("mine", "label");
    assert_true(v->targets.is_label && v->has_inputs);
    assert_string_equal(v->targets.feature, "label");
    assert_int_equal(v->targets.size, 8);
    dg_view_free(v);
    folder("class", low, "targets", one, 1);
    v = view("mine", "class");
    assert_true(v->targets.is_label);
    assert_string_equal(v->targets.feature, "targets");
    dg_view_free(v);
}

static void test_unknown_kind(void **state)
{
    (void) state;
    folder("no_vocab", high, "targets", low, 3);
    refused("no_vocab", T2_EFORMAT, "inputs up to 400, but");
    folder("strange", low, "numbers", low, 3);
    refused("strange", T2_EUNSUPPORTED, "int64 'inputs', int64 'numbers'");
    put("no_vocab/mine-dev-00000-of-00001", "damage");
    refused("no_vocab", T2_EFORMAT, "mine-dev-00000-of-00001");
    folder("other", low, "targets", low, 3);
    put("other/mine-dev-00000-of-00002", "");
    refused("other", T2_EFORMAT, "mine-dev");
    assert_int_equal(remove(t_tmp_path("lm/mine-train-00000-of-00001")), 0);
    assert_int_equal(remove(t_tmp_path("lm/mine-dev-00000-of-00001")), 0);
    refused("lm", T2_ENOTFOUND, "there is no problem 'mine'");
}

/* Records of BERT's features are that, whatever problem has their name. */
static void test_sentences(void **state)
{
    static const struct tfr_feature f[] = {
        {.name = "end_positions", .kind = TFR_INT64, .ints = one, .n = 1},
        {.name = "input_ids", .kind = TFR_INT64, .ints = low, .n = 3},
        {.name = "input_mask", .kind = TFR_INT64, .ints = low, .n = 3},
        {.name = "segment_ids", .kind = TFR_INT64, .ints = low, .n = 3},
        {.name = "start_positions", .kind = TFR_INT64, .ints = one, .n = 1},
    };
    struct t2_buf bytes = {0}, payload = {0};
    struct t2_err err = T2_ERR_INIT;
    struct dg_view *v;

    (void) state;
    assert_int_equal(t2_make_dirs(t_tmp_path("squads"), &err), T2_OK);
    v = view("squad", "squads"); /* no shards yet */
    assert_false(v->is_sentences);
    dg_view_free(v);
    tfr_example_build(&payload, f, sizeof f / sizeof *f);
    rf_record(&bytes, payload.data, payload.len_bytes);
    t_write_file(t_tmp_path("squads/squad-train-00000-of-00001"), bytes.data, bytes.len_bytes);
    v = view("squad", "squads");
    assert_true(v->is_sentences && v->is_answered);
    t_assert_contains(v->assumed, "'squad' is not the problem of that name here; by the shards in");
    dg_view_free(v);
    shard("squads/squad-train-00000-of-00001", low, "targets", low, 3);
    v = view("squad", "squads");
    assert_false(v->is_sentences);
    dg_view_free(v);
    t2_buf_release(&bytes);
    t2_buf_release(&payload);
}

T_MAIN(cmocka_unit_test(test_sentences), cmocka_unit_test(test_text_to_text),
       cmocka_unit_test(test_two_vocabularies), cmocka_unit_test(test_languages),
       cmocka_unit_test(test_other_kinds), cmocka_unit_test(test_unknown_kind))
