/*
 * datagen/problems/problem_code.c - programs from descriptions, functions and their documentation
 * (T2T's program_search.py, desc2code.py, function_docstring.py; spec t2t-datagen.md §5.8, §8.6).
 */

#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/mt19937.h"
#include "base/text.h"
#include "datagen/feature_list.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/line_stream.h"
#include "tokenizer/unicode.h"

struct texts {
    struct t2_buf inputs, targets;
};

static void release_texts(void *state)
{
    struct texts *t = state;

    t2_buf_release(&t->inputs);
    t2_buf_release(&t->targets);
}

static bool give(struct texts *t, const char *drop, struct dg_sample *sample)
{
    sample->inputs = t2_buf_slice(&t->inputs);
    sample->targets = t2_buf_slice(&t->targets);
    sample->drop = drop;
    return true;
}

/* ---- AlgoLisp ---- */

static void add_word(struct t2_buf *text, const char *word)
{
    if (text->len_bytes)
        t2_buf_push(text, ' ');
    t2_buf_puts(text, word);
}

/* Nested lists as words between brackets. */
static bool flatten(const struct t2_json_value *v, struct t2_buf *text)
{
    add_word(text, "[");
    for (size_t i = 0; i < t2_json_size(v); i++) {
        const struct t2_json_value *item = t2_json_item(v, i);
        const char *word = t2_json_as_string(item, NULL);
        if (word)
            add_word(text, word);
        else if (t2_json_type(item) != T2_JSON_ARRAY || !flatten(item, text))
            return false;
    }
    add_word(text, "]");
    return true;
}

static bool read_program(const struct t2_json_value *root, struct texts *t)
{
    const struct t2_json_value *text = t2_json_get(root, "text");
    const struct t2_json_value *tree = t2_json_get(root, "short_tree");

    if (t2_json_type(text) != T2_JSON_ARRAY || t2_json_type(tree) != T2_JSON_ARRAY)
        return false;
    for (size_t i = 0; i < t2_json_size(text); i++) {
        const char *word = t2_json_as_string(t2_json_item(text, i), NULL);
        if (!word)
            return false;
        add_word(&t->inputs, word);
    }
    return flatten(tree, &t->targets);
}

static bool take_program(const void *context, void *state, const struct t2_slice *line,
                         struct dg_sample *sample)
{
    struct texts *t = state;
    struct t2_json_doc *doc = NULL;
    struct t2_err err = T2_ERR_INIT;
    bool good;

    (void) context;
    if (!line)
        return false;
    t2_buf_clear(&t->inputs);
    t2_buf_clear(&t->targets);
    good = t2_json_parse((const char *) line->data, line->len_bytes, "line", &doc, &err) == T2_OK;
    good = good && read_program(t2_json_root(doc), t);
    t2_json_free(doc);
    return give(t, good ? NULL : "not a JSON object with the lists text and short_tree", sample);
}

static const struct dg_line_rule program_rule = {.state_bytes = sizeof(struct texts),
                                                 .take = take_program,
                                                 .release = release_texts,
                                                 .keep_blanks = true};

/* ---- functions ---- */

/* One field of a line, as Python's csv module reads it; *at moves behind its comma.  false: it was
 * the last. */
static bool read_field(struct t2_slice line, size_t *at, struct t2_buf *field)
{
    bool quoted = *at < line.len_bytes && line.data[*at] == '"';

    t2_buf_clear(field);
    if (quoted)
        ++*at;
    for (; *at < line.len_bytes; ++*at) {
        uint8_t c = line.data[*at];
        if (quoted && c == '"' && *at + 1 < line.len_bytes && line.data[*at + 1] == '"') {
            ++*at;
        } else if (quoted && c == '"') {
            quoted = false;
            continue;
        } else if (!quoted && c == ',') {
            ++*at;
            return true;
        }
        t2_buf_push(field, c);
    }
    return false;
}

static bool take_function(const void *context, void *state, const struct t2_slice *line,
                          struct dg_sample *sample)
{
    struct texts *t = state;
    size_t at = 0;
    bool good;

    (void) context;
    if (!line)
        return false;
    good = read_field(*line, &at, &t->inputs) && !read_field(*line, &at, &t->targets);
    return give(t, good ? NULL : "a row without exactly two columns", sample);
}

static const struct dg_line_rule function_rule = {.state_bytes = sizeof(struct texts),
                                                  .take = take_function,
                                                  .release = release_texts,
                                                  .keep_blanks = true};

static enum t2_status add_embed_code(const struct dg_problem *p, const struct dg_texts *texts,
                                     struct dg_record *r, struct t2_err *err)
{
    (void) p;
    (void) texts;
    (void) err;
    dg_feature_push(dg_record_add(r, "embed_code", TFR_INT64), 0);
    return T2_OK;
}

/* ---- Description2Code ---- */

struct coding {
    const char *folder; /* of the solutions */
    const char *const
        *foreign; /* a solution with one of these is in another language; NULL-ended */
    bool is_cpp;
};

/* A task: where its description is, and its solutions, which follow each other in the set. */
struct task {
    size_t description, first, n;
};

struct coding_stream {
    struct dg_stream base;
    const struct coding *c;
    struct dg_file_set *set;
    struct task *tasks;
    size_t n_tasks, end, task, solution;
    struct texts texts;
    struct t2_buf plain;
};

#define CODE_ROOT "description2code_current"
#define DESCRIPTION "/description/description.txt"
enum { SPLIT_SEED = 7531, DEV_PART = 25 };

static bool is_foreign(const struct coding_stream *s, struct t2_slice content)
{
    for (size_t i = 0; s->c->foreign[i]; i++) {
        if (memmem(content.data, content.len_bytes, s->c->foreign[i], strlen(s->c->foreign[i])))
            return true;
    }
    return false;
}

/* Names are sorted: the solutions of a task follow its description. */
static void find_solutions(struct coding_stream *s, struct task *t)
{
    const char *name = dg_file_set_name(s->set, t->description);
    char *prefix =
        t2_asprintf("%.*s/%s/", (int) (strlen(name) - strlen(DESCRIPTION)), name, s->c->folder);

    for (size_t i = t->description + 1; i < dg_file_set_count(s->set); i++) {
        const char *file = dg_file_set_name(s->set, i);
        if (!t2_starts_with(file, prefix)) {
            if (t->n)
                break;
            if (t2_ends_with(file, DESCRIPTION))
                break;
            continue;
        }
        if (t->n++ == 0)
            t->first = i;
    }
    t2_free(prefix);
}

/* The tasks that have solutions of the language, in the order of random.Random(7531).shuffle. */
static void find_tasks(struct coding_stream *s)
{
    size_t count = dg_file_set_count(s->set);
    struct task *sorted = t2_alloc(count, sizeof *sorted);
    uint64_t *order;
    struct t2_mt mt;

    for (size_t i = 0; i < count; i++) {
        struct task t = {i, 0, 0};
        if (!t2_ends_with(dg_file_set_name(s->set, i), DESCRIPTION))
            continue;
        find_solutions(s, &t);
        if (t.n)
            sorted[s->n_tasks++] = t;
    }
    order = t2_alloc(s->n_tasks + 1, sizeof *order);
    s->tasks = t2_alloc(s->n_tasks + 1, sizeof *s->tasks);
    for (size_t i = 0; i < s->n_tasks; i++)
        order[i] = i;
    t2_mt_seed_python(&mt, SPLIT_SEED);
    t2_mt_shuffle_u64(&mt, order, s->n_tasks);
    for (size_t i = 0; i < s->n_tasks; i++)
        s->tasks[i] = sorted[order[i]];
    t2_free(order);
    t2_free(sorted);
}

/* Comments up to the line end and white space become one blank. */
static void simplify_cpp(struct t2_slice code, struct t2_buf *plain, struct t2_buf *out)
{
    size_t at = 0;

    t2_buf_clear(plain);
    while (at < code.len_bytes) {
        const uint8_t *comment = memmem(code.data + at, code.len_bytes - at, "//", 2);
        const uint8_t *end =
            comment ? memchr(comment, '\n', (size_t) (code.data + code.len_bytes - comment)) : NULL;
        size_t stop = end ? (size_t) (comment - code.data) : code.len_bytes;
        t2_buf_append(plain, code.data + at, stop - at);
        if (end)
            t2_buf_push(plain, ' ');
        at = end ? (size_t) (end + 1 - code.data) : code.len_bytes;
    }
    dg_join_words(t2_buf_slice(plain), out);
}

static void simplify(struct coding_stream *s, struct t2_slice code, struct t2_buf *out)
{
    t2_buf_clear(out);
    if (s->c->is_cpp) {
        simplify_cpp(code, &s->plain, out);
        return;
    }
    for (size_t i = 0; i < code.len_bytes; i++) {
        if (code.data[i] == '\t')
            t2_buf_puts(out, "    ");
        else
            t2_buf_push(out, code.data[i]);
    }
}

static struct t2_slice stripped(const struct t2_buf *text)
{
    struct t2_slice s = t2_buf_slice(text);

    if (s.len_bytes)
        tok_strip(&s.data, &s.len_bytes);
    return s;
}

static enum t2_status content(struct coding_stream *s, size_t file, struct t2_slice *text,
                              struct t2_err *err)
{
    T2_TRY(dg_file_set_content(s->set, file, text, err));
    if (t2_utf8_invalid_at(text->data, text->len_bytes) == text->len_bytes)
        return T2_OK;
    return t2_fail(err, T2_EFORMAT, "'%s' is not valid UTF-8", dg_file_set_name(s->set, file));
}

static enum t2_status coding_next(struct dg_stream *base, struct dg_sample *sample,
                                  struct t2_err *err)
{
    struct coding_stream *s = (struct coding_stream *) base;
    struct t2_slice text;

    for (; s->task < s->end; s->task++, s->solution = 0) {
        const struct task *t = &s->tasks[s->task];
        while (s->solution < t->n) {
            T2_TRY(content(s, t->first + s->solution++, &text, err));
            if (is_foreign(s, text))
                continue;
            simplify(s, text, &s->texts.targets);
            T2_TRY(content(s, t->description, &text, err));
            t2_buf_clear(&s->texts.inputs);
            t2_buf_append(&s->texts.inputs, text.data, text.len_bytes);
            sample->inputs = stripped(&s->texts.inputs);
            sample->targets = stripped(&s->texts.targets);
            sample->inputs_origin.path = sample->targets_origin.path =
                dg_file_set_name(s->set, t->description);
            return T2_OK;
        }
    }
    if (base->hash_on && base->files.n == 0)
        T2_TRY(dg_file_set_note(s->set, "", "tasks", &base->files, err));
    return T2_EOF;
}

static void coding_free(struct dg_stream *base)
{
    struct coding_stream *s = (struct coding_stream *) base;

    dg_file_set_free(s->set);
    release_texts(&s->texts);
    t2_buf_release(&s->plain);
    t2_free(s->tasks);
    t2_free(s);
}

/* clang-format off */
#define URLS(...) (const char *const[]){__VA_ARGS__, NULL}
static const struct dg_source_file code_file = {
    .name = CODE_ROOT ".zip",
    .urls = URLS("https://drive.google.com/uc?export=download&id=0Bz3fihKG133ceWNFQTQ5S0xhZUk"),
};
static const struct dg_source code_source = {.file = &code_file, .sign = CODE_ROOT};
static const struct dg_source *const code_sources[] = {&code_source};
/* clang-format on */

static enum t2_status coding_prepare(const struct dg_problem *p, const struct dg_options *options,
                                     struct t2_err *err)
{
    (void) p;
    return dg_sources_fetch(code_sources, 1, options, err);
}

static enum t2_status coding_open(const struct dg_problem *p, const struct dg_options *options,
                                  enum dg_split split, struct dg_stream **stream,
                                  struct t2_err *err)
{
    static const char *const patterns[] = {CODE_ROOT "/**.txt"};
    struct coding_stream *s;
    struct dg_file_set *set = NULL;
    size_t n_dev;

    T2_TRY(dg_file_set_open(&code_source, patterns, 1, options, &set, err));
    s = t2_alloc(1, sizeof *s);
    s->base.next = coding_next;
    s->base.free = coding_free;
    s->base.is_clean = true;
    s->c = p->context;
    s->set = set;
    find_tasks(s);
    n_dev = s->n_tasks / DEV_PART;
    s->task = split == DG_TRAIN ? n_dev : 0;
    s->end = split == DG_TRAIN ? s->n_tasks : n_dev;
    *stream = &s->base;
    return T2_OK;
}

static enum t2_status coding_describe(const struct dg_problem *p, const struct dg_options *options,
                                      enum dg_split split, struct dg_input_sizes *sizes,
                                      struct t2_err *err)
{
    static const struct dg_line_files files[] = {{&code_source, CODE_ROOT "/**.txt"}, {NULL, NULL}};
    const struct dg_line_problem l = {{files, files, NULL}, &dg_rule_lines, 0};
    struct dg_problem lines = *p;

    lines.context = &l;
    return dg_line_problem_describe(&lines, options, split, sizes, err);
}

/* ---- tables ---- */

/* clang-format off */
#define ALGOLISP(id, name_, url)                                                                    \
    static const struct dg_source_file id##_file = {                                                \
        .name = name_, .urls = URLS("https://www.dropbox.com/s/" url "/" name_ "?dl=1"),            \
        .kind = DG_KIND_GZIP};                                                                      \
    static const struct dg_source id##_source = {.file = &id##_file, .is_plain = true};             \
    static const struct dg_line_files id[] = {{&id##_source, NULL}, {NULL, NULL}}
ALGOLISP(algolisp_train, "metaset3.train.jsonl.gz", "qhun6kml9yb2ui9");
ALGOLISP(algolisp_dev, "metaset3.dev.jsonl.gz", "aajkw83j2ps8bzx");

/* func-doc-pairs-00000-of-00100.csv ... */
#define TEN(F, t) F(t, 0) F(t, 1) F(t, 2) F(t, 3) F(t, 4) F(t, 5) F(t, 6) F(t, 7) F(t, 8) F(t, 9)
#define HUNDRED(F)                                                                                  \
    TEN(F, 0) TEN(F, 1) TEN(F, 2) TEN(F, 3) TEN(F, 4) TEN(F, 5) TEN(F, 6) TEN(F, 7) TEN(F, 8) TEN(F, 9)
#define BUCKET "https://storage.googleapis.com/kubeflow-examples/t2t-code-search/raw_data/"
#define PAIRS(t, u) "func-doc-pairs-000" #t #u "-of-00100.csv"
#define PAIRS_FILE(t, u)                                                                            \
    static const struct dg_source_file pairs_file_##t##u = {.urls = URLS(BUCKET PAIRS(t, u))};      \
    static const struct dg_source pairs_##t##u = {.file = &pairs_file_##t##u, .is_plain = true};
#define PAIRS_PART(t, u) {&pairs_##t##u, NULL},
#define PAIRS_SOURCE(t, u) &pairs_file_##t##u,
HUNDRED(PAIRS_FILE)
static const struct dg_line_files function_files[] = {HUNDRED(PAIRS_PART) {NULL, NULL}};
static const struct dg_source_file *const function_sources[] = {HUNDRED(PAIRS_SOURCE) NULL};

#define LINES(train, dev, rule)                                                                     \
    .prepare = dg_line_problem_prepare, .open = dg_line_problem_open,                               \
    .describe = dg_line_problem_describe,                                                           \
    .context = &(const struct dg_line_problem){{train, dev, NULL}, rule, 0}

static const char *const not_python[] = {"#include", "# include", "import java.", NULL};
static const char *const not_cpp[] = {"import java.", NULL};
enum { ENGLISH = 3, PYTHON = 27, CPP = 28 }; /* T2T's problem.SpaceID */

#define CODING(name_, summary_, vocab, space, ...)                                                  \
    &(const struct dg_problem){                                                                     \
        .name = name_, .summary = summary_, .has_inputs = true, .n_shards = {10, 1, 0},             \
        .inputs_vocab = {.kind = DG_VOCAB_SUBWORDS, .approx_size = 32768,                           \
                         .file = "vocab.endefr.32768", .any_length = true},                         \
        .targets_vocab = {.kind = DG_VOCAB_SUBWORDS, .approx_size = 4096, .file = vocab,            \
                          .any_length = true},                                                      \
        .sources = (const struct dg_source_file *const[]){&code_file, NULL},                        \
        .input_space_id = ENGLISH, .target_space_id = space, .prepare = coding_prepare,             \
        .open = coding_open, .describe = coding_describe,                                           \
        .context = &(const struct coding){__VA_ARGS__}}

static const struct dg_problem *const problems[] = {
    &(const struct dg_problem){
        .name = "github_function_docstring", .summary = "functions and what their documentation says",
        .has_inputs = true, .shared_vocab = true, .n_shards = {100, 1, 0}, .one_stream = true,
        .targets_vocab = {.kind = DG_VOCAB_SUBWORDS, .approx_size = 8192, .max_samples = 350000},
        .sources = function_sources, .finish = add_embed_code,
        .more_fields = (const char *const[]){"embed_code int64", NULL},
        LINES(function_files, NULL, &function_rule)},
    &(const struct dg_problem){
        .name = "program_search_algolisp", .summary = "AlgoLisp: programs from descriptions",
        .has_inputs = true, .shared_vocab = true, .n_shards = {100, 1, 0},
        .targets_vocab = {.kind = DG_VOCAB_SUBWORDS, .approx_size = 32768},
        .sources = (const struct dg_source_file *const[]){&algolisp_train_file, &algolisp_dev_file, NULL},
        LINES(algolisp_train, algolisp_dev, &program_rule)},
    CODING("programming_desc2code_cpp", "C++ programs from tasks in English", "vocab.cpp.4096", CPP,
           "solutions_c++", not_cpp, true),
    CODING("programming_desc2code_py", "Python programs from tasks in English", "vocab.py.4096", PYTHON,
           "solutions_python", not_python, false),
};
/* clang-format on */

const struct dg_family dg_family_code = {"Programs", problems, sizeof problems / sizeof *problems};
