/*
 * tests/unit/train/test_study.c - the numbers of a study, its line, and what counts as another one.
 */
#include "train/tune/study.h"

#include "tests/unit/train/small_study.h"

static void test_rungs(void **state)
{
    struct tune_study s = {.algorithm = TUNE_RANDOM, .reduction = 3};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(tune_study_set_rungs(&s, 1000, 0, &err), T2_OK);
    assert_int_equal(s.n_rungs, 1);
    assert_int_equal(s.rungs[0], 1000);
    s.algorithm = TUNE_ASHA;
    assert_int_equal(tune_study_set_rungs(&s, 900, 0, &err), T2_OK);
    assert_int_equal(s.n_rungs, 3);
    assert_int_equal(s.rungs[0], 100);
    assert_int_equal(s.rungs[1], 300);
    assert_int_equal(s.rungs[2], 900);
    assert_int_equal(tune_study_set_rungs(&s, 100, 7, &err), T2_OK);
    assert_int_equal(s.n_rungs, 4); /* 7, 21, 63, 100 */
    assert_int_equal(s.rungs[2], 63);
    assert_int_equal(s.rungs[3], 100);
    assert_int_equal(tune_study_set_rungs(&s, 1, 0, &err), T2_OK);
    assert_int_equal(s.n_rungs, 1);
    s.reduction = 2;
    assert_int_equal(tune_study_set_rungs(&s, INT64_MAX, 1, &err), T2_OK);
    assert_int_equal(s.n_rungs, 64); /* 2^0 to 2^62, and the end */
    assert_int_equal(tune_study_set_rungs(&s, 0, 0, &err), T2_EUSAGE);
    assert_int_equal(tune_study_set_rungs(&s, 10, 11, &err), T2_EUSAGE);
    s.reduction = 1;
    assert_int_equal(tune_study_set_rungs(&s, 10, 1, &err), T2_EUSAGE);
}

static void test_numbers(void **state)
{
    struct tune_study s = small_study(TUNE_HALVING, 20, 3, 90, 10);

    (void) state;
    assert_int_equal(tune_study_trials(&s), 20);
    assert_int_equal(tune_study_at_rung(&s, 1), 6);
    assert_int_equal(tune_study_at_rung(&s, 2), 2);
    assert_int_equal(tune_study_steps(&s), 20 * 10 + 6 * 20 + 2 * 60);
    assert_string_equal(tune_study_metric(&s), "loss");
    assert_true(tune_study_better(&s, 1, 2));
    s.maximize = true;
    assert_true(tune_study_better(&s, 2, 1));
    s.rungs[0] = INT64_MAX / 2;
    assert_int_equal(tune_study_steps(&s), INT64_MAX);
    tune_study_release(&s);
    s = small_study(TUNE_GRID, 20, 3, 90, 10);
    assert_int_equal(tune_study_trials(&s), 3); /* the grid has no more */
    tune_study_release(&s);
}

/* `change` alters the text of the line; "" as it is. */
static enum t2_status read_back(const char *from, const char *to, struct tune_study *s,
                                struct t2_err *err)
{
    struct tune_study written = small_study(TUNE_ASHA, 20, 3, 90, 10);
    struct t2_json_doc *doc = NULL;
    struct t2_buf text = {0}, changed = {0};
    struct t2_json j;
    const char *at;
    enum t2_status st;

    t2_json_init(&j, &text, 0);
    t2_json_object(&j);
    tune_study_write(&written, &j);
    t2_json_end_object(&j);
    at = strstr(t2_buf_cstr(&text), from);
    assert_non_null(at);
    t2_buf_printf(&changed, "%.*s%s%s", (int) (at - t2_buf_cstr(&text)), t2_buf_cstr(&text), to,
                  at + strlen(from));
    assert_int_equal(t2_json_parse((char *) changed.data, changed.len_bytes, "x.jsonl", &doc, err),
                     T2_OK);
    *s = (struct tune_study){0};
    st = tune_study_read(t2_json_root(doc), "x.jsonl", s, err);
    if (st == T2_OK)
        st = tune_study_check_same(&written, s, "dir", err);
    t2_json_free(doc);
    t2_buf_release(&text);
    t2_buf_release(&changed);
    tune_study_release(&written);
    return st;
}

static void test_line(void **state)
{
    static const struct {
        const char *from, *to, *message;
        enum t2_status status;
    } cases[] = {
        {"\"version\": 1", "\"version\": 4", "newer version", T2_EUNSUPPORTED},
        {"\"asha\"", "\"none\"", "\"algorithm\" is not random, grid, tpe, asha or halving",
         T2_EFORMAT},
        {"\"sampler\": \"random\"", "\"sampler\": \"bayes\"",
         "\"sampler\" is not random, tpe or gp", T2_EFORMAT},
        {"\"asha\"", "\"tpe\"", "\"sampler\" is not random, tpe or gp", T2_EFORMAT},
        {"\"sampler\": \"random\"", "\"sampler\": \"tpe\"",
         "another autotune_sampler: 'random', not 'tpe'", T2_EUSAGE},
        {"[10, 30, 90]", "[10, 10, 90]", "\"rungs\" is not a list of steps that grow", T2_EFORMAT},
        {"[10, 30, 90]", "[]", "\"rungs\" is not a list of steps", T2_EFORMAT},
        {"\"max_trials\": 20", "\"max_trials\": 0", "\"max_trials\"", T2_EFORMAT},
        {"\"max_trials\": 20", "\"max_trials\": 9999999999", "\"max_trials\"", T2_EFORMAT},
        {"[\"--problem=ids\"]", "[\"rm\"]", "\"args\" is not a list of flags", T2_EFORMAT},
        {"float: [0, 1]", "float: [1]", "float takes [MIN, MAX]", T2_EFORMAT},
        {"\"seed\": 1", "\"seed\": 2", "another autotune_seed: '1', not '2'", T2_EUSAGE},
        {"float: [0, 1]", "float: [0, 2]", "another hparams_range", T2_EUSAGE},
        {"/loss", "/accuracy", "another autotune_objective: 'metrics-ids/loss'", T2_EUSAGE},
        {"\"maximize\": false", "\"maximize\": true", "another autotune_maximize", T2_EUSAGE},
        {"\"asha\"", "\"halving\"", "another autotune_algorithm: 'asha', not 'halving'", T2_EUSAGE},
        {"\"reduction\": 3", "\"reduction\": 4", "another autotune_reduction", T2_EUSAGE},
        {"[10, 30, 90]", "[10, 30, 91]", "another number of steps: '90', not '91'", T2_EUSAGE},
        {"[10, 30, 90]", "[10, 30, 90, 91]", "another number of steps: '0', not '91'", T2_EUSAGE},
        {"--problem=ids", "--problem=x", "another flag of its trials: '--problem=ids'", T2_EUSAGE},
        {"batch_size=7", "batch_size=8", "another hparams: 'batch_size=7'", T2_EUSAGE},
        {"\"max_trials\": 20", "\"max_trials\": 19", "another autotune_max_trials", T2_EUSAGE},
    };
    struct t2_err err = T2_ERR_INIT;
    struct tune_study s;

    (void) state;
    assert_int_equal(read_back("", "", &s, &err), T2_OK);
    tune_study_release(&s);
    /* as it was written before there were samplers */
    assert_int_equal(read_back("\"sampler\": \"random\", ", "", &s, &err), T2_OK);
    assert_int_equal(s.sampler, TUNE_DRAW);
    tune_study_release(&s);
    /* more trials, another folder to begin in: the same study */
    assert_int_equal(read_back("\"max_trials\": 20", "\"max_trials\": 21", &s, &err), T2_OK);
    tune_study_release(&s);
    assert_int_equal(read_back("\"cwd\": \"/\"", "\"cwd\": \"/x\"", &s, &err), T2_OK);
    tune_study_release(&s);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(read_back(cases[i].from, cases[i].to, &s, &err), cases[i].status);
        t_assert_contains(err.message, cases[i].message);
        tune_study_release(&s);
    }
}

/* Which algorithm has which sampler, what it is called, and which version a study of it has. */
static void test_samplers(void **state)
{
    static const struct {
        enum tune_algorithm algorithm;
        const char *name, *way, *version; /* way NULL: refused */
    } cases[] = {
        {TUNE_RANDOM, NULL, "random", "\"version\": 1,"},
        {TUNE_RANDOM, "random", "random", "\"version\": 1,"},
        {TUNE_RANDOM, "tpe", NULL, NULL},
        {TUNE_GRID, NULL, "grid", "\"version\": 1,"},
        {TUNE_GRID, "tpe", NULL, NULL},
        {TUNE_TPE, NULL, "tpe", "\"version\": 2,"},
        {TUNE_TPE, "tpe", "tpe", "\"version\": 2,"},
        {TUNE_TPE, "random", NULL, NULL},
        {TUNE_GP, NULL, "gp", "\"version\": 3,"},
        {TUNE_GP, "tpe", NULL, NULL},
        {TUNE_ASHA, NULL, "asha", "\"version\": 1,"},
        {TUNE_ASHA, "random", "asha", "\"version\": 1,"},
        {TUNE_ASHA, "gp", "asha with gp", "\"version\": 3,"},
        {TUNE_ASHA, "tpe", "asha with tpe", "\"version\": 2,"},
        {TUNE_HALVING, "tpe", "halving with tpe", "\"version\": 2,"},
        {TUNE_HALVING, "tpx", NULL, NULL},
    };
    struct tune_study s = small_study(TUNE_ASHA, 20, 3, 90, 10);

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct t2_err err = T2_ERR_INIT;
        struct t2_buf text = {0};
        struct t2_json j;

        s.algorithm = cases[i].algorithm;
        if (!cases[i].way) {
            assert_int_equal(tune_study_set_sampler(&s, cases[i].name, &err), T2_EUSAGE);
            t_assert_contains(err.message, "--autotune_sampler");
            continue;
        }
        assert_int_equal(tune_study_set_sampler(&s, cases[i].name, &err), T2_OK);
        tune_study_way(&s, &text);
        assert_string_equal(t2_buf_cstr(&text), cases[i].way);
        t2_buf_clear(&text);
        t2_json_init(&j, &text, 0);
        t2_json_object(&j);
        tune_study_write(&s, &j);
        t_assert_contains(t2_buf_cstr(&text), cases[i].version);
        t2_buf_release(&text);
    }
    tune_study_release(&s);
}

static void test_command(void **state)
{
    struct tune_study s = small_study(TUNE_RANDOM, 20, 3, 90, 10);
    struct t2_buf text = {0};

    (void) state;
    tune_study_command(&s, "a folder", "x=0.5", &text);
    assert_string_equal(t2_buf_cstr(&text), "t2t-trainer --problem=ids '--output_dir=a folder' "
                                            "--hparams=batch_size=7,x=0.5");
    t2_buf_release(&text);
    tune_study_release(&s);
}

T_MAIN(cmocka_unit_test(test_rungs), cmocka_unit_test(test_numbers), cmocka_unit_test(test_line),
       cmocka_unit_test(test_samplers), cmocka_unit_test(test_command))
