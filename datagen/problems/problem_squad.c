/*
 * datagen/problems/problem_squad.c - SQuAD 1.1: questions about a paragraph, the answer is a part
 * of it (spec t2t-datagen.md §5.8, §8.5; T2T's squad.py).
 */
#include <string.h>

#include "base/alloc.h"
#include "datagen/feature_list.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/vocab_specs.h"
#include "datagen/source/json_items.h"
#include "datagen/source/row_stream.h"
#include "datagen/source/tab_fields.h"

#define SQUAD(var, file_name, bytes)                                                               \
    static const char *const var##_urls[] = {                                                      \
        "https://rajpurkar.github.io/SQuAD-explorer/dataset/" file_name, NULL};                    \
    static const struct dg_source_file var##_file = {.urls = var##_urls,                           \
                                                     .about_bytes = (bytes),                       \
                                                     .licence = "CC BY-SA 4.0"};                   \
    static const struct dg_source var##_source = {.file = &var##_file, .is_plain = true}
SQUAD(train, "train-v1.1.json", 30288272);
SQUAD(dev, "dev-v1.1.json", 4854279);
static const struct dg_source_file *const files[] = {&train_file, &dev_file, NULL};
static const struct dg_source *const sources[] = {&train_source, &dev_source};

struct squad_stream {
    struct dg_stream base;
    const struct dg_problem *p;
    const struct dg_source *source;
    const struct dg_options *options;
    char *path;
    struct dg_source_text file;
    struct dg_json_items *articles;
    const struct t2_json_value *article;
    bool has_ended;
    size_t at[3]; /* article, from 1; paragraph, question, from 0 */
    uint64_t n_given;
    struct t2_buf text;
};

static enum t2_status next_article(struct squad_stream *s, struct t2_err *err)
{
    static const char *const keys[] = {"data", NULL};
    enum t2_status st;

    if (s->has_ended)
        return T2_EOF;
    if (!s->articles) {
        T2_TRY(dg_source_open(s->source, NULL, s->options, s->base.hash_on, &s->file, err));
        s->path = t2_strdup(s->file.path);
        s->articles = dg_json_items_new(&s->file, keys, s->options->max_memory);
    }
    st = dg_json_items_next(s->articles, NULL, &s->article, err);
    s->has_ended = st == T2_EOF;
    if (st == T2_EOF && s->base.hash_on)
        dg_source_note(&s->file, "questions", &s->base.files);
    s->at[1] = s->at[2] = 0;
    s->at[0] += st == T2_OK;
    return st;
}

static struct t2_slice stripped(const struct t2_json_value *object, const char *key)
{
    return dg_strip(t2_slice_of(t2_json_as_string(t2_json_get(object, key), "")));
}

/* "squad context: <context> question: <question>" */
static void join(struct squad_stream *s, struct t2_slice context, struct t2_slice question)
{
    t2_buf_clear(&s->text);
    t2_buf_puts(&s->text, "squad context: ");
    t2_buf_append(&s->text, context.data, context.len_bytes);
    t2_buf_puts(&s->text, " question: ");
    t2_buf_append(&s->text, question.data, question.len_bytes);
}

static enum t2_status fill(struct squad_stream *s, const struct t2_json_value *paragraph,
                           const struct t2_json_value *question, struct dg_sample *sample,
                           struct t2_err *err)
{
    const struct t2_json_value *answers = t2_json_get(question, "answers");

    sample->inputs_origin.path = sample->targets_origin.path = s->path;
    sample->inputs_origin.line = sample->targets_origin.line = ++s->n_given;
    if (t2_json_type(t2_json_get(question, "question")) != T2_JSON_STRING ||
        t2_json_type(t2_json_get(paragraph, "context")) != T2_JSON_STRING)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': article %zu, paragraph %zu, question %zu: no 'question' or no "
                       "'context'",
                       s->path, s->at[0], s->at[1] + 1, s->at[2]);
    if (t2_json_size(answers) == 0)
        sample->drop = "no answer";
    sample->inputs = stripped(question, "question");
    sample->targets = stripped(t2_json_item(answers, 0), "text");
    sample->context = stripped(paragraph, "context");
    if (s->p->text.context == DG_CONTEXT_NONE) {
        join(s, sample->context, sample->inputs);
        sample->inputs = t2_buf_slice(&s->text);
        sample->context = (struct t2_slice){0};
    }
    return T2_OK;
}

static enum t2_status next(struct dg_stream *base, struct dg_sample *sample, struct t2_err *err)
{
    struct squad_stream *s = (struct squad_stream *) base;
    const struct t2_json_value *paragraphs, *questions;

    for (;;) {
        paragraphs = s->article ? t2_json_get(s->article, "paragraphs") : NULL;
        questions = t2_json_get(t2_json_item(paragraphs, s->at[1]), "qas");
        if (s->at[1] >= t2_json_size(paragraphs)) {
            s->article = NULL;
            T2_TRY(next_article(s, err));
        } else if (s->at[2] >= t2_json_size(questions)) {
            s->at[2] = 0;
            s->at[1]++;
        } else {
            s->at[2]++;
            return fill(s, t2_json_item(paragraphs, s->at[1]),
                        t2_json_item(questions, s->at[2] - 1), sample, err);
        }
    }
}

static enum t2_status describe(struct dg_stream *base, struct dg_input_sizes *sizes,
                               struct t2_err *err)
{
    const struct squad_stream *s = (const struct squad_stream *) base;

    return dg_source_describe(s->source, NULL, "questions", s->options, sizes, err);
}

static void release(struct dg_stream *base)
{
    struct squad_stream *s = (struct squad_stream *) base;

    dg_json_items_free(s->articles);
    dg_source_close(&s->file);
    t2_buf_release(&s->text);
    t2_free(s->path);
    t2_free(s);
}

static enum t2_status squad_open(const struct dg_problem *p, const struct dg_options *options,
                                 enum dg_split split, struct dg_stream **stream, struct t2_err *err)
{
    struct squad_stream *s = t2_alloc(1, sizeof *s);

    (void) err;
    s->base.next = next;
    s->base.free = release;
    s->base.describe = describe;
    s->base.is_clean = true; /* JSON is UTF-8; a CR in a text stays, as json.load leaves it */
    s->p = p;
    s->source = sources[split == DG_TRAIN ? 0 : 1];
    s->options = options;
    *stream = &s->base;
    return T2_OK;
}

static enum t2_status squad_prepare(const struct dg_problem *p, const struct dg_options *options,
                                    struct t2_err *err)
{
    (void) p;
    return dg_sources_fetch(sources, 2, options, err);
}

/*
 * The answer becomes pairs of numbers: where its ids begin in those of the context, and how many
 * they are; every place counts but one that ends where the context does (its EOS included), as in
 * the original.
 */
static enum t2_status to_positions(const struct dg_problem *p, const struct dg_texts *texts,
                                   struct dg_record *r, struct t2_err *err)
{
    struct dg_feature *answer = dg_record_find(r, "targets");
    const struct dg_feature *context = dg_record_find(r, "context");
    size_t n = answer->n - 1, n_found = 0;
    int64_t *ids = t2_alloc(n + 1, sizeof *ids);

    (void) p;
    (void) texts;
    (void) err;
    memcpy(ids, answer->ints, n * sizeof *ids);
    answer->n = 0;
    for (size_t i = 0; i + n < context->n; i++) {
        if (n && memcmp(context->ints + i, ids, n * sizeof *ids) != 0)
            continue;
        dg_feature_push(answer, (int64_t) i);
        dg_feature_push(answer, (int64_t) n);
        n_found++;
    }
    if (n_found == 0)
        r->drop = "the ids of the answer are not in those of the context";
    t2_free(ids);
    return T2_OK;
}

/* ---- the problems ---- */

static const char *const end_of_question[] = {"<EOQ>", NULL};

/* clang-format off */
#define TEXT "SQuAD 1.1: the answer to a question about a paragraph"
#define COMMON(problem, text, ...)                                                                 \
    {.name = problem, .summary = TEXT text, .has_inputs = true, .shared_vocab = true,              \
     .sources = files, .prepare = squad_prepare, .open = squad_open, __VA_ARGS__}
#define OWN_VOCAB                                                                                  \
    {.kind = DG_VOCAB_SUBWORDS, .approx_size = 32768, .reserved = end_of_question}
#define FEATURE .text.context = DG_CONTEXT_FEATURE

static const struct dg_problem problems[] = {
    COMMON("squad", "", FEATURE, .n_shards = {10, 1}, .targets_vocab = OWN_VOCAB),
    COMMON("squad_concat", ", read as question <EOQ> paragraph", FEATURE, .text.context_separator = 2, .n_shards = {10, 1},
           .dataset_filename = "squad", .targets_vocab = OWN_VOCAB),
    COMMON("squad_concat_positioned", ", as places in the paragraph", FEATURE, .text.context_separator = 2, .n_shards = {10, 1},
           .record.finish = to_positions,
           .targets_vocab = {.kind = DG_VOCAB_SUBWORDS, .approx_size = 32768,
                             .reserved = end_of_question, .of_problem = "squad"}),
    COMMON("squad_concat_multi64k", ". Vocabulary of four Wikipedias", FEATURE, .text.context_separator = 2,
           .n_shards = {100, 1}, .dataset_filename = "squad_multi64k",
           .targets_vocab = DG_OF_MULTI64),
    COMMON("squad_concat_shared_vocab", ". Vocabulary of English Wikipedia", FEATURE, .text.context_separator = 2,
           .n_shards = {100, 1}, .dataset_filename = "squad", .targets_vocab = DG_OF_EN_WIKI),
    COMMON("squad_text2text", ", both in one text", .n_shards = {100, 1},
           .targets_vocab = DG_SUBWORDS(32768)),
    COMMON("squad_text2text_multi64k_packed1k", ", both in one text, packed to 1024",
           .n_shards = {100, 1}, .packing.length = 1024, .targets_vocab = DG_OF_MULTI64),
};
/* clang-format on */
const struct dg_family dg_family_squad = {"Questions about a paragraph", problems,
                                          DG_COUNT(problems)};
