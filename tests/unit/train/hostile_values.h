/*
 * tests/unit/train/hostile_values.h - what a user may say in --hparams: hostile values of every
 * hparam that a model's run reads end in a plan and a step, or in a sentence.  The models are
 * divided among test_hostile_hparams_*.c, so that none takes long.
 */
#ifndef T2_TESTS_UNIT_TRAIN_HOSTILE_VALUES_H
#define T2_TESTS_UNIT_TRAIN_HOSTILE_VALUES_H

#include "tests/unit/train/hostile_runs.h"

static const char *const ints[] = {"-1",         "0",
                                   "1",          "2147483647",
                                   "2147483648", "9223372036854775807",
                                   "1000000",    "-9223372036854775808"};
static const char *const floats[] = {"-1", "0", "1", "nan", "inf", "-inf", "1e308", "1e-320"};
static const char *const bools[] = {"true", "false"};
static const char *const strings[] = {"", "hostile", "None", "0,1", "7", "nda", "%s%n"};
static const char *const lists[] = {"[]",
                                    "[0]",
                                    "[-1,-1,-1,-1,-1]",
                                    "[1]",
                                    "[2147483647,2147483647,2147483647,2147483647,2147483647]",
                                    "[100000,100000,100000,100000,100000]"};

static void add_value(const struct small_model *m, const char *key, const char *value)
{
    char clause[TEXT_BYTES];

    snprintf(clause, sizeof clause, "%s=%s", key, value);
    add(m, m->set, clause);
}

static struct mdl_hparams *all_sets[1024];

static void build_all_sets(void)
{
    assert_true(mdl_hparams_count() <= sizeof all_sets / sizeof *all_sets);
    for (size_t s = 0; s < mdl_hparams_count(); s++) {
        struct t2_err err = T2_ERR_INIT;

        assert_int_equal(mdl_hparams_new(mdl_hparams_name(s), &all_sets[s], &err), T2_OK);
    }
}

/* What any set says for a string, so that every branch is asked for, of text and of images. */
static void add_known_strings(const struct small_model *m, const char *key)
{
    struct t2_strs known = {0};

    for (size_t s = 0; s < mdl_hparams_count(); s++) {
        if (mdl_hp_has(all_sets[s], key) && mdl_hp_type_of(all_sets[s], key) == MDL_HP_STRING) {
            const char *value = mdl_hp_string(all_sets[s], key);

            if (!t2_strs_contains(&known, value) && strcspn(value, ",[") == strlen(value))
                t2_strs_push(&known, value);
        }
    }
    for (size_t i = 0; i < known.n; i++)
        add_value(m, key, known.items[i]);
    t2_strs_release(&known);
}

#define ADD_ALL(m, key, values)                                                                    \
    for (size_t i = 0; i < sizeof(values) / sizeof *(values); i++)                                 \
    add_value(m, key, (values)[i])

static void add_hostile(const struct small_model *m, const char *key, enum mdl_hp_type type)
{
    switch (type) {
    case MDL_HP_INT:
        ADD_ALL(m, key, ints);
        break;
    case MDL_HP_FLOAT:
        ADD_ALL(m, key, floats);
        break;
    case MDL_HP_BOOL:
        ADD_ALL(m, key, bools);
        break;
    case MDL_HP_STRING:
        ADD_ALL(m, key, strings);
        if (strcmp(m->model, "transformer") == 0 || strcmp(m->model, "tpu_resnet") == 0)
            add_known_strings(m, key);
        break;
    case MDL_HP_INT_LIST:
    case MDL_HP_FLOAT_LIST:
        ADD_ALL(m, key, lists);
        break;
    case MDL_HP_NONE:
    case MDL_HP_MAP:
        add_value(m, key, "1");
        break;
    }
    add_value(m, key, type == MDL_HP_STRING ? "[1]" : "x");
}

enum family { IMAGES, TRANSFORMERS, SENTENCES, RECURRENT, OTHER_TEXTS };

static enum family family_of(const struct small_model *m)
{
    if (t2_starts_with(m->problem, "image"))
        return IMAGES;
    if (strstr(m->problem, "sentences"))
        return SENTENCES;
    if (t2_starts_with(m->model, "lstm"))
        return RECURRENT;
    return strstr(m->model, "transformer") ? TRANSFORMERS : OTHER_TEXTS;
}

static inline void check_hostile_values(enum family family)
{
    build_all_sets();
    for (size_t k = 0; k < N_SMALL_MODELS; k++) {
        const struct small_model *m = &small_models[k];
        const char *only = getenv("T_MODEL");
        struct mdl_hparams *hp = NULL;
        struct t2_err err = T2_ERR_INIT;
        struct t2_buf text = {0};
        struct t2_json json;
        struct t2_json_doc *doc;

        if (family_of(m) != family || (only && strcmp(only, m->model) != 0))
            continue;
        /* what nobody reads, nobody trips over */
        n_cases = 0;
        mdl_hparams_forget_reads();
        assert_true(plans(&(struct case_of_run){.model = m, .set = m->set}));
        assert_int_equal(mdl_hparams_new(m->set, &hp, &err), T2_OK);
        t2_json_init(&json, &text, 0);
        mdl_hparams_write_json(hp, &json);
        assert_int_equal(t2_json_parse(t2_buf_cstr(&text), text.len_bytes, "hp", &doc, &err),
                         T2_OK);
        for (size_t i = 0; i < t2_json_size(t2_json_root(doc)); i++) {
            const struct t2_json_value *value;
            const char *key = t2_json_member(t2_json_root(doc), i, &value);

            if (mdl_hparams_was_read(key))
                add_hostile(m, key, mdl_hp_type_of(hp, key));
        }
        t2_json_free(doc);
        t2_buf_release(&text);
        mdl_hparams_free(hp);
        check_cases();
    }
    for (size_t s = 0; s < mdl_hparams_count(); s++)
        mdl_hparams_free(all_sets[s]);
}

#endif
