/*
 * Tests of what a user may say in --model, --hparams_set and --hparams: every pair of a model and a set,
 * and hostile values of every hparam, end in a plan (and a step) or in a sentence; not in an abort, a
 * hang or a giant allocation.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/str.h"
#include "tests/unit/train/small_models.h"
#include "train/input/input.h"
#include "train/loop.h"
#include "train/models/hparams.h"

/* ---- cases in processes of their own ------------------------------------------------------------- */

enum { MOST_CASES = 6000, TEXT_BYTES = 400, CPU_SECONDS = 60, SECONDS = 540 };

struct case_of_run {
    const struct small_model *model;
    const char *set;
    char hparams[TEXT_BYTES];
};

static struct case_of_run *cases;
static int n_cases;
static const char *data_dir, *output_dir;

/* Written by the process of the cases: which one is under way. */
static struct shared {
    volatile int now;
    volatile int n_plans;
} *shared;

static void add(const struct small_model *m, const char *set, const char *hparams)
{
    assert_true(n_cases < MOST_CASES);
    cases[n_cases] = (struct case_of_run){.model = m, .set = set};
    assert_true(snprintf(cases[n_cases++].hparams, TEXT_BYTES, "%s", hparams) < TEXT_BYTES);
}

static void add_value(const struct small_model *m, const char *key, const char *value)
{
    char clause[TEXT_BYTES];

    snprintf(clause, sizeof clause, "%s=%s", key, value);
    add(m, m->set, clause);
}

/* Opens it, trains a step.  A sentence is one with a word in it. */
static bool plans(const struct case_of_run *c)
{
    struct tr_options o = small_options(c->model, data_dir, output_dir);
    struct t2_err err = T2_ERR_INIT;
    struct mdl_batch batch;
    struct tr_run *r = NULL;
    struct mdl_loss loss;
    char *hparams;
    uint64_t samples;
    enum t2_status st;

    /* What is said twice is said by the case. */
    if (strcmp(c->set, c->model->set) == 0) {
        struct t2_strs all = {0};
        struct t2_buf text = {0};
        size_t key = strcspn(c->hparams, "=");

        for (const char *p = c->model->hparams; *p;) {
            size_t n = strcspn(p, "="), end = n;

            end += p[n + 1] == '[' ? strcspn(p + n, "]") + 1 : strcspn(p + n, ",");
            if (n != key || strncmp(p, c->hparams, n) != 0)
                t2_buf_printf(&text, "%.*s,", (int) end, p);
            p += end + (p[end] == ',');
        }
        t2_buf_puts(&text, c->hparams);
        t2_strs_release(&all);
        hparams = t2_buf_detach(&text);
    } else {
        hparams = t2_strdup(c->hparams);
    }
    o.hparams = hparams;
    o.hparams_set = c->set;
    st = tr_run_open(&o, &r, &err);
    if (st == T2_OK)
        st = in_next(r->train, &batch, &samples, &err);
    if (st == T2_OK)
        st = mdl_train_step(r->model, &batch, 1, 0, &loss, &err);
    if (st != T2_OK && strchr(err.message, ' ') == NULL) {
        fprintf(stderr, "no sentence: '%s'\n", err.message);
        abort();
    }
    if (st != T2_OK && getenv("T_SHOW") != NULL)
        fprintf(stderr, "%s + %s + %s: %s\n", c->model->model, c->set, c->hparams, err.message);
    tr_run_free(r);
    t2_free(hparams);
    return st == T2_OK;
}

/* Runs cases from `first` on until one does not come back. */
static _Noreturn void run_cases(int first)
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

    /* of processor time, which a loaded machine does not shorten */
    const struct itimerval busy = {.it_value = {.tv_sec = CPU_SECONDS_A_CASE}};

    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        (void) signal(fatal[i], SIG_DFL); /* cmocka's handlers would go on here, in the child */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    const struct rlimit limit = {UINT64_C(6) << 30, UINT64_C(6) << 30};

    if (setrlimit(RLIMIT_AS, &limit) != 0)
        _exit(3);
#endif
    t2_log_set_level(T2_LOG_ERROR);
    for (int i = first; i < n_cases; i++) {
        shared->now = i;
        assert_int_equal(setitimer(ITIMER_PROF, &busy, NULL), 0);
        shared->n_plans += plans(&cases[i]);
    }
    _exit(0);
}

/* All cases; every one that ends in anything but a plan or a sentence is shown. */
static void check_cases(void)
{
    int n_bad = 0;

    shared->n_plans = 0;
    for (int first = 0; first < n_cases; first = shared->now + 1) {
        pid_t child = fork();
        int how = 0;

        assert_true(child >= 0);
        if (child == 0)
            run_cases(first);
        while (waitpid(child, &how, 0) < 0)
            assert_int_equal(errno, EINTR);
        if (WIFEXITED(how) && WEXITSTATUS(how) == 0)
            break;
        fprintf(stderr, "--model=%s --hparams_set=%s --hparams='%s': %s %d\n",
                cases[shared->now].model->model, cases[shared->now].set, cases[shared->now].hparams,
                WIFSIGNALED(how) ? "signal" : "exit",
                WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how));
        n_bad++;
    }
    fprintf(stderr, "%d cases, %d plans\n", n_cases, shared->n_plans);
    assert_int_equal(n_bad, 0);
}

static int set_up(void **state)
{
    (void) state;
    cases = t2_alloc(MOST_CASES, sizeof *cases);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    data_dir = t_tmp_path("data");
    output_dir = t_tmp_path("run");
    small_write_data(data_dir);
    return 0;
}

static int tear_down(void **state)
{
    (void) state;
    t2_free(cases);
    munmap(shared, sizeof *shared);
    return 0;
}

/* ---- models and sets ----------------------------------------------------------------------------- */

/* A tenth of a set's size, where it has that size. */
static void shrunk(const char *set, char text[TEXT_BYTES])
{
    static const char *const small[][2] = {
        {"hidden_size", "16"},     {"filter_size", "16"},       {"num_heads", "2"},
        {"num_hidden_layers", "2"}, {"num_encoder_layers", "1"}, {"num_decoder_layers", "1"},
        {"batch_size", "4096"},    {"max_length", "64"},        {"num_block_repeat", "1"}};
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;
    size_t n = 0;

    assert_int_equal(mdl_hparams_new(set, &hp, &err), T2_OK);
    text[0] = '\0';
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        if (mdl_hp_has(hp, small[i][0]))
            n += (size_t) snprintf(text + n, TEXT_BYTES - n, "%s%s=%s", n ? "," : "", small[i][0],
                                   strcmp(small[i][0], "batch_size") == 0 &&
                                           mdl_hp_has(hp, "image_pipeline")
                                       ? "2"
                                       : small[i][1]);
    mdl_hparams_free(hp);
}

static void test_every_model_with_every_set(void **state)
{
    (void) state;
    if (getenv("T_MODEL") != NULL)
        skip();
    assert_int_equal(N_SMALL_MODELS, mdl_count());
    n_cases = 0;
    for (size_t m = 0; m < N_SMALL_MODELS; m++) {
        assert_string_equal(small_models[m].model, mdl_name(m)); /* all, and sorted */
        for (size_t s = 0; s < mdl_hparams_count(); s++) {
            char text[TEXT_BYTES];

            shrunk(mdl_hparams_name(s), text);
            add(&small_models[m], mdl_hparams_name(s), text);
        }
    }
    check_cases();
    assert_true(shared->n_plans > 60);
}

/* ---- hostile values ------------------------------------------------------------------------------ */

static const char *const ints[] = {"-1",         "0",           "1",
                                   "2147483647", "2147483648",  "9223372036854775807",
                                   "1000000",    "-9223372036854775808"};
static const char *const floats[] = {"-1", "0", "1", "nan", "inf", "-inf", "1e308", "1e-320"};
static const char *const bools[] = {"true", "false"};
static const char *const strings[] = {"", "hostile", "None", "0,1", "7", "nda", "%s%n"};
static const char *const lists[] = {
    "[]", "[0]", "[-1,-1,-1,-1,-1]", "[1]", "[2147483647,2147483647,2147483647,2147483647,2147483647]",
    "[100000,100000,100000,100000,100000]"};

/* What any set says for a string, so that every branch is asked for in every model. */
static void add_known_strings(const struct small_model *m, const char *key)
{
    struct t2_strs known = {0};

    for (size_t s = 0; s < mdl_hparams_count(); s++) {
        struct t2_err err = T2_ERR_INIT;
        struct mdl_hparams *hp = NULL;

        assert_int_equal(mdl_hparams_new(mdl_hparams_name(s), &hp, &err), T2_OK);
        if (mdl_hp_has(hp, key) && mdl_hp_type_of(hp, key) == MDL_HP_STRING) {
            const char *value = mdl_hp_string(hp, key);

            if (!t2_strs_contains(&known, value) && strcspn(value, ",[") == strlen(value))
                t2_strs_push(&known, value);
        }
        mdl_hparams_free(hp);
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

static void test_hostile_values(void **state)
{
    (void) state;
    for (size_t k = 0; k < N_SMALL_MODELS; k++) {
        const struct small_model *m = &small_models[k];
        const char *only = getenv("T_MODEL");
        struct mdl_hparams *hp = NULL;
        struct t2_err err = T2_ERR_INIT;
        struct t2_buf text = {0};
        struct t2_json json;
        struct t2_json_doc *doc;

        if (only != NULL && strcmp(only, m->model) != 0)
            continue;
        n_cases = 0;
        assert_int_equal(mdl_hparams_new(m->set, &hp, &err), T2_OK);
        t2_json_init(&json, &text, 0);
        mdl_hparams_write_json(hp, &json);
        assert_int_equal(t2_json_parse(t2_buf_cstr(&text), text.len_bytes, "hp", &doc, &err), T2_OK);
        for (size_t i = 0; i < t2_json_size(t2_json_root(doc)); i++) {
            const struct t2_json_value *value;
            const char *key = t2_json_member(t2_json_root(doc), i, &value);

            add_hostile(m, key, mdl_hp_type_of(hp, key));
        }
        t2_json_free(doc);
        t2_buf_release(&text);
        mdl_hparams_free(hp);
        check_cases();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_model_with_every_set),
                                       cmocka_unit_test(test_hostile_values)};

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
