/*
 * datagen/problems/problem_math_text.c - questions of school mathematics and their answers, as
 * characters (T2T's algorithmic_math_deepmind.py, algorithmic_math_two_variables.py).
 */
#include <string.h>

#include "datagen/problem_registry.h"
#include "datagen/problems/line_stream.h"
#include "tokenizer/unicode.h"

static struct t2_slice stripped(struct t2_slice text)
{
    if (text.len_bytes)
        tok_strip(&text.data, &text.len_bytes);
    return text;
}

/* A question, then its answer; a file ends with an answer. */
struct question {
    struct t2_buf text;
    bool is_open;
};

static bool take_question(const void *context, void *state, const struct t2_slice *line,
                          struct dg_sample *sample)
{
    struct question *q = state;
    struct t2_slice text;

    (void) context;
    if (!line) {
        q->is_open = false;
        return false;
    }
    text = stripped(*line);
    if (!q->is_open) {
        t2_buf_clear(&q->text);
        t2_buf_append(&q->text, text.data, text.len_bytes);
        q->is_open = true;
        return false;
    }
    q->is_open = false;
    sample->inputs = t2_buf_slice(&q->text);
    sample->targets = text;
    return true;
}

static void release_question(void *state)
{
    t2_buf_release(&((struct question *) state)->text);
}

static const struct dg_line_rule question_rule = {.state_bytes = sizeof(struct question),
                                                  .take = take_question,
                                                  .release = release_question,
                                                  .each_file = true};

/* "y=691,x=-999,y*x:-690309" */
static bool take_equation(const void *context, void *state, const struct t2_slice *line,
                          struct dg_sample *sample)
{
    struct t2_slice text;
    const uint8_t *colon;

    (void) context;
    (void) state;
    if (!line)
        return false;
    text = stripped(*line);
    colon = text.len_bytes ? memchr(text.data, ':', text.len_bytes) : NULL;
    if (!colon || memrchr(text.data, ':', text.len_bytes) != colon) {
        sample->drop = "not one colon between question and answer";
        return true;
    }
    sample->inputs = (struct t2_slice){text.data, (size_t) (colon - text.data)};
    sample->targets = (struct t2_slice){colon + 1, text.len_bytes - sample->inputs.len_bytes - 1};
    return true;
}

static const struct dg_line_rule equation_rule = {.take = take_equation, .keep_blanks = true};

/* clang-format off */
#define URLS(...) (const char *const[]){__VA_ARGS__, NULL}
static const struct dg_source_file deepmind_file = {
    .urls = URLS("https://storage.googleapis.com/mathematics-dataset/mathematics_dataset-v1.0.tar.gz"),
    .size_bytes = 2333082954,
    .sha256 = "def638343403cb9ed60437d6b684c859dd23b72779f5cc5661b0a31e67c58576",
    .licence = "Apache-2.0",
};
static const struct dg_source_file two_variables_file = {
    .urls = URLS("https://art.wangperawong.com/mathematical_language_understanding_train.tar.gz"),
};
static const struct dg_source deepmind = {.file = &deepmind_file, .sign = "mathematics_dataset-v1.0"};
static const struct dg_source two_variables = {.file = &two_variables_file,
                                               .sign = "symbolic_math_train.txt"};
/* The folder is mathematics_dataset-v1.0 in the public archive, v1.0 for T2T. */
#define FOLDER(name) {&deepmind, "*v1.0/" name "/*.txt"}
static const struct dg_line_files deepmind_train[] = {
    FOLDER("train-easy"), FOLDER("train-medium"), FOLDER("train-hard"), {NULL, NULL}};
static const struct dg_line_files deepmind_dev[] = {
    FOLDER("interpolate"), FOLDER("extrapolate"), {NULL, NULL}};
static const struct dg_line_files two_variables_train[] = {
    {&two_variables, "symbolic_math_train.txt"}, {NULL, NULL}};

#define PROBLEM(name_, summary_, file, train, dev, rule, ...)                                       \
    {                                                                                               \
        .name = name_, .summary = summary_, .has_inputs = true, .shared_vocab = true,               \
        .targets_vocab = {.kind = DG_VOCAB_BYTES},                                                  \
        .sources = (const struct dg_source_file *const[]){&(file), NULL},                           \
        .prepare = dg_line_problem_prepare, .open = dg_line_problem_open,                           \
        .describe = dg_line_problem_describe, __VA_ARGS__,                                          \
        .context = &(const struct dg_line_problem){{train, dev, NULL}, rule, 0}}

static const struct dg_problem problems[] = {
    PROBLEM("algorithmic_math_deepmind_all", "DeepMind's mathematics questions", deepmind_file,
            deepmind_train, deepmind_dev, &question_rule, .n_shards = {128, 1, 0}),
    PROBLEM("algorithmic_math_two_variables", "expressions in two variables and their values",
            two_variables_file, two_variables_train, NULL, &equation_rule, .n_shards = {10, 1, 0},
            .sharding.one_stream = true),
};
/* clang-format on */

const struct dg_family dg_family_math_text = {"Mathematics as text", problems,
                                              sizeof problems / sizeof *problems};
