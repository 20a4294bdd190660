/*
 * Hyperparameter sets against those that the original wrote: every JSON file under oracles/t2t_run,
 * oracles/t2t_transformer and oracles/t2t_cnn with an "hparams" object, or that is one; and every
 * set of ours that reference-runs/registry/hparams.json.gz has, value by value.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/str.h"
#include "tests/support/reference_run.h"
#include "tests/support/t.h"
#include "train/models/hparams.h"

/* Both as JSON: numbers by value, everything else by kind and text. */
static bool equal(const struct t2_json_value *a, const struct t2_json_value *b)
{
    enum t2_json_type ta = t2_json_type(a), tb = t2_json_type(b);

    if ((ta == T2_JSON_INT || ta == T2_JSON_REAL) && (tb == T2_JSON_INT || tb == T2_JSON_REAL))
        return t2_json_as_double(a, 0) == t2_json_as_double(b, 1);
    if (ta != tb)
        return false;
    if (ta == T2_JSON_STRING)
        return strcmp(t2_json_as_string(a, ""), t2_json_as_string(b, "")) == 0;
    if (ta == T2_JSON_BOOL)
        return t2_json_as_bool(a, false) == t2_json_as_bool(b, true);
    if (ta == T2_JSON_ARRAY) {
        if (t2_json_size(a) != t2_json_size(b))
            return false;
        for (size_t i = 0; i < t2_json_size(a); i++) {
            if (!equal(t2_json_item(a, i), t2_json_item(b, i)))
                return false;
        }
    }
    return true; /* null; objects are the maps, empty in both */
}

static struct t2_json_doc *as_json(const struct mdl_hparams *hp)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;
    struct t2_buf b = {0};
    struct t2_json j;

    t2_json_init(&j, &b, 0);
    mdl_hparams_write_json(hp, &j);
    assert_int_equal(t2_json_parse(t2_buf_cstr(&b), b.len_bytes, "hparams", &doc, &err), T2_OK);
    t2_buf_release(&b);
    return doc;
}

/* Entries that the generator or the trainer adds to a set. */
static bool is_run_time(const char *key)
{
    static const char *const keys[] = {"mode",
                                       "data_dir",
                                       "model_dir",
                                       "train_steps",
                                       "eval_steps",
                                       "schedule",
                                       "warm_start_from",
                                       "std_server_protocol",
                                       "eval_freq_in_steps",
                                       "eval_timeout_mins"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(keys[i], key) == 0)
            return true;
    }
    return false;
}

/* Keys that make/t2t_transformer.py changes in every variant ("tune"), by its options. */
static bool is_tuned(const char *key)
{
    static const char *const keys[] = {"hidden_size", "filter_size", "num_heads",
                                       "num_hidden_layers"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(keys[i], key) == 0)
            return true;
    }
    return t2_ends_with(key, "dropout");
}

/* The model writes 0 into this one when the two vocabularies differ; a set holds true or false. */
static bool is_unset_by_model(const char *key, const struct t2_json_value *v)
{
    return strcmp(key, "shared_embedding_and_softmax_weights") == 0 &&
           t2_json_type(v) == T2_JSON_INT;
}

static void compare(const char *path, const struct mdl_hparams *hp,
                    const struct t2_json_value *expected, bool tuned, bool eval)
{
    struct t2_json_doc *ours = as_json(hp);
    const struct t2_json_value *root = t2_json_root(ours), *v = NULL;
    size_t common = 0;

    for (size_t i = 0; i < t2_json_size(expected); i++) {
        const char *key = t2_json_member(expected, i, &v);

        if (is_run_time(key) || is_unset_by_model(key, v))
            continue;
        if (!mdl_hp_has(hp, key))
            fail_msg("%s: we have no hparam '%s'", path, key);
        common++;
        if (!(tuned && is_tuned(key)) && !(eval && strcmp(key, "label_smoothing") == 0) &&
            !equal(t2_json_get(root, key), v))
            fail_msg("%s: hparam '%s' differs", path, key);
    }
    for (size_t i = 0; i < t2_json_size(root); i++) {
        const char *key = t2_json_member(root, i, &v);

        /* null cannot be told from absence by the recorder */
        if (t2_json_type(v) != T2_JSON_NULL && !t2_json_get(expected, key))
            fail_msg("%s: the original has no hparam '%s'", path, key);
    }
    assert_true(common > 100);
    t2_json_free(ours);
}

/* One file of a variant: its set with its overrides; whether it was one. */
static bool compare_variant(const char *path)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;
    struct mdl_hparams *hp = NULL;
    const struct t2_json_value *root;
    bool is_variant;

    assert_int_equal(t2_json_load(path, &doc, &err), T2_OK);
    root = t2_json_root(doc);
    is_variant = t2_json_get(root, "hparams") && t2_json_get(root, "hparams_set");
    if (is_variant) {
        const char *mode = t2_json_as_string(t2_json_get(root, "mode"), "train");
        const char *set = t2_json_as_string(t2_json_get(root, "hparams_set"), "");

        assert_int_equal(mdl_hparams_new(set, &hp, &err), T2_OK);
        assert_int_equal(mdl_hparams_override(hp,
                                              t2_json_as_string(t2_json_get(root, "overrides"), ""),
                                              &err),
                         T2_OK);
        compare(path, hp, t2_json_get(root, "hparams"), true, strcmp(mode, "eval") == 0);
        mdl_hparams_free(hp);
    }
    t2_json_free(doc);
    return is_variant;
}

static void compare_variants(const char *folder)
{
    const char *dir = t_data_path(folder);
    struct t2_err err = T2_ERR_INIT;
    struct t2_strs names = {0};
    size_t compared = 0;

    if (!dir)
        t_skip("no %s in T2_DATA", folder);
    assert_int_equal(t2_list_dir(dir, &names, &err), T2_OK);
    for (size_t i = 0; i < names.n; i++) {
        char *path = t2_path_join(dir, names.items[i]);

        if (t2_ends_with(path, ".json"))
            compared += compare_variant(path);
        t2_free(path);
    }
    t2_strs_release(&names);
    assert_true(compared > 0);
}

static void test_transformer_variants(void **state)
{
    (void) state;
    compare_variants("oracles/t2t_transformer");
}

static void test_cnn_variants(void **state)
{
    (void) state;
    compare_variants("oracles/t2t_cnn");
}

/* flags.txt of the run says set and overrides; hparams.json is what came of them. */
static void test_run(void **state)
{
    const char *json_path = t_data_path("oracles/t2t_run/hparams.json");
    const char *flags_path = t_data_path("oracles/t2t_run/flags.txt");
    struct t2_err err = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;
    struct mdl_hparams *hp = NULL, *read;
    struct t2_strs lines = {0};
    struct t2_buf flags = {0};
    const char *set = NULL, *overrides = "";

    (void) state;
    if (!json_path || !flags_path)
        t_skip("no oracles/t2t_run/{hparams.json,flags.txt} in T2_DATA");
    assert_int_equal(t2_read_file(flags_path, 0, &flags, &err), T2_OK);
    t2_strs_split(&lines, t2_buf_cstr(&flags), '\n');
    for (size_t i = 0; i < lines.n; i++) {
        if (t2_starts_with(lines.items[i], "--hparams_set="))
            set = lines.items[i] + strlen("--hparams_set=");
        if (t2_starts_with(lines.items[i], "--hparams="))
            overrides = lines.items[i] + strlen("--hparams=");
    }
    assert_non_null(set);
    assert_int_equal(t2_json_load(json_path, &doc, &err), T2_OK);
    assert_int_equal(mdl_hparams_new(set, &hp, &err), T2_OK);
    read = mdl_hparams_copy(hp);
    assert_int_equal(mdl_hparams_override(hp, overrides, &err), T2_OK);
    compare(json_path, hp, t2_json_root(doc), false, false);
    /* and read back over the bare set it gives the same */
    assert_int_equal(mdl_hparams_read_json(read, t2_json_root(doc), &err), T2_OK);
    compare(json_path, read, t2_json_root(doc), false, false);
    t2_json_free(doc);
    mdl_hparams_free(hp);
    mdl_hparams_free(read);
    t2_strs_release(&lines);
    t2_buf_release(&flags);
}

/* ---- the registry ---- */

static struct t2_json_doc *read_registry(const char *path)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;
    struct t2_buf text = {0};

    rr_read_all(path, &text);
    assert_int_equal(t2_json_parse(t2_buf_cstr(&text), text.len_bytes, path, &doc, &err), T2_OK);
    t2_buf_release(&text);
    return doc;
}

static bool holds(const struct t2_json_value *list, const char *key)
{
    for (size_t i = 0; i < t2_json_size(list); i++)
        if (strcmp(t2_json_as_string(t2_json_item(list, i), ""), key) == 0)
            return true;
    return false;
}

/* What a set is recorded to hold: its own key, else that of basic_1, unless it lacks it. */
static const struct t2_json_value *recorded(const struct t2_json_value *basic,
                                            const struct t2_json_value *set, const char *key)
{
    const struct t2_json_value *own = t2_json_get(t2_json_get(set, "with"), key);

    if (own)
        return own;
    return holds(t2_json_get(set, "without"), key) ? NULL : t2_json_get(basic, key);
}

static void compare_set(const char *name, const struct t2_json_value *basic,
                        const struct t2_json_value *set)
{
    const struct t2_json_value *with = t2_json_get(set, "with"), *root, *v = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;
    struct t2_json_doc *ours;

    assert_int_equal(mdl_hparams_new(name, &hp, &err), T2_OK);
    ours = as_json(hp);
    root = t2_json_root(ours);
    for (size_t i = 0; i < t2_json_size(root); i++) {
        const char *key = t2_json_member(root, i, &v);
        const struct t2_json_value *want = recorded(basic, set, key);

        if (!want)
            fail_msg("%s: the original has no hparam '%s'", name, key);
        if (!equal(v, want))
            fail_msg("%s: hparam '%s' differs", name, key);
    }
    for (size_t i = 0; i < t2_json_size(with); i++)
        if (!mdl_hp_has(hp, t2_json_member(with, i, &v)))
            fail_msg("%s: we have no hparam '%s'", name, t2_json_member(with, i, &v));
    for (size_t i = 0; i < t2_json_size(basic); i++) {
        const char *key = t2_json_member(basic, i, &v);

        if (recorded(basic, set, key) && !mdl_hp_has(hp, key))
            fail_msg("%s: we have no hparam '%s'", name, key);
    }
    t2_json_free(ours);
    mdl_hparams_free(hp);
}

static void test_registry(void **state)
{
    const char *path = t_data_path("reference-runs/registry/hparams.json.gz");
    const struct t2_json_value *basic, *sets;
    struct t2_json_doc *doc;
    size_t compared = 0;

    (void) state;
    if (!path)
        t_skip("no reference-runs/registry in T2_DATA");
    doc = read_registry(path);
    basic = t2_json_get(t2_json_root(doc), "basic_1");
    sets = t2_json_get(t2_json_root(doc), "sets");
    for (size_t i = 0; i < mdl_hparams_count(); i++) {
        const struct t2_json_value *set = t2_json_get(sets, mdl_hparams_name(i));

        if (!set)
            continue;
        compare_set(mdl_hparams_name(i), basic, set);
        compared++;
    }
    print_message("%zu of %zu registered sets, all equal\n", compared, t2_json_size(sets));
    assert_true(compared > 150);
    t2_json_free(doc);
}

T_MAIN(cmocka_unit_test(test_transformer_variants), cmocka_unit_test(test_cnn_variants),
       cmocka_unit_test(test_run), cmocka_unit_test(test_registry))
