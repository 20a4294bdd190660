/*
 * tokenizer/questions.c - see the header.
 */
#include "tokenizer/questions.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/map.h"

static void *grown(void *p, size_t *capacity, size_t n, size_t size)
{
    if (n < *capacity)
        return p;
    *capacity = 2 * n + 64;
    return t2_realloc(p, *capacity, size);
}

/* Bytes of what parts words at s, 0: nothing does. */
static size_t blank_at(const char *s)
{
    if (*s == ' ' || *s == '\t' || *s == '\r' || *s == '\n')
        return 1;
    return memcmp(s, "\xE2\x80\xAF", strnlen(s, 3)) == 0 && *s ? 3 : 0;
}

static void add_paragraph(struct tok_questions *q, const char *text)
{
    struct tok_paragraph *p;
    const char *begin = NULL;

    q->paragraphs = grown(q->paragraphs, &q->paragraphs_capacity, q->n_paragraphs, sizeof *p);
    p = &q->paragraphs[q->n_paragraphs++];
    *p = (struct tok_paragraph){.text = text, .first_word = q->n_words};
    for (const char *s = text;;) {
        size_t blank = *s ? blank_at(s) : 1;

        if (blank > 0 && begin) {
            q->words = grown(q->words, &q->words_capacity, q->n_words, sizeof *q->words);
            q->words[q->n_words++] =
                (struct t2_slice){(const uint8_t *) begin, (size_t) (s - begin)};
            begin = NULL;
        }
        if (*s == '\0')
            break;
        if (blank == 0 && !begin)
            begin = s;
        s += blank > 0 ? blank : 1;
    }
    p->n_words = q->n_words - p->first_word;
}

const char *tok_answer(const struct tok_question *question, size_t i)
{
    return t2_json_as_string(t2_json_get(t2_json_item(question->answers, i), "text"), NULL);
}

struct reading {
    struct tok_questions *q;
    const char *origin;
    struct t2_map *ids;
    struct t2_err *err;
};

static enum t2_status broken(const struct reading *r, const char *what)
{
    return t2_fail(r->err, T2_EFORMAT, "'%s': paragraph %zu, question %zu: %s", r->origin,
                   r->q->n_paragraphs, r->q->n + 1, what);
}

static enum t2_status add_question(struct reading *r, const struct t2_json_value *v)
{
    struct tok_questions *q = r->q;
    const struct t2_json_value *impossible;
    struct tok_question *one;
    bool is_new;

    q->items = grown(q->items, &q->items_capacity, q->n, sizeof *one);
    one = &q->items[q->n];
    *one = (struct tok_question){.id = t2_json_as_string(t2_json_get(v, "id"), NULL),
                                 .text = t2_json_as_string(t2_json_get(v, "question"), NULL),
                                 .paragraph = q->n_paragraphs - 1,
                                 .answers = t2_json_get(v, "answers")};
    if (!one->id || !one->text)
        return broken(r, "'id' and 'question' must be texts");
    impossible = t2_json_get(v, "is_impossible");
    if (impossible && t2_json_type(impossible) != T2_JSON_BOOL)
        return broken(r, "'is_impossible' must be true or false");
    one->is_impossible = t2_json_as_bool(impossible, false);
    if (one->answers && t2_json_type(one->answers) != T2_JSON_ARRAY)
        return broken(r, "'answers' must be an array");
    for (size_t i = 0; i < t2_json_size(one->answers); i++)
        if (!tok_answer(one, i))
            return broken(r, "an answer must have a 'text'");
    (void) t2_map_at(r->ids, one->id, strlen(one->id), &is_new);
    if (!is_new)
        return broken(r, "its 'id' is that of another one");
    q->n++;
    return T2_OK;
}

static enum t2_status read_paragraph(struct reading *r, const struct t2_json_value *v)
{
    const struct t2_json_value *questions = t2_json_get(v, "qas");
    const char *text = t2_json_as_string(t2_json_get(v, "context"), NULL);

    add_paragraph(r->q, text ? text : "");
    if (!text || t2_json_type(questions) != T2_JSON_ARRAY)
        return broken(r, "a paragraph must have a text 'context' and an array 'qas'");
    for (size_t i = 0; i < t2_json_size(questions); i++)
        T2_TRY(add_question(r, t2_json_item(questions, i)));
    return T2_OK;
}

static enum t2_status read_all(struct reading *r)
{
    const struct t2_json_value *data = t2_json_get(t2_json_root(r->q->doc), "data");

    if (t2_json_type(data) != T2_JSON_ARRAY)
        return t2_fail(r->err, T2_EFORMAT, "'%s' has no array 'data': it is not SQuAD's JSON",
                       r->origin);
    for (size_t i = 0; i < t2_json_size(data); i++) {
        const struct t2_json_value *all = t2_json_get(t2_json_item(data, i), "paragraphs");

        if (t2_json_type(all) != T2_JSON_ARRAY)
            return t2_fail(r->err, T2_EFORMAT, "'%s': article %zu has no array 'paragraphs'",
                           r->origin, i + 1);
        for (size_t k = 0; k < t2_json_size(all); k++)
            T2_TRY(read_paragraph(r, t2_json_item(all, k)));
    }
    return T2_OK;
}

static enum t2_status read_document(const char *origin, struct tok_questions *q, struct t2_err *err)
{
    struct reading r = {q, origin, t2_map_new(), err};
    enum t2_status st = read_all(&r);

    t2_map_free(r.ids);
    return st;
}

enum t2_status tok_questions_parse(const char *origin, const char *json, size_t len_bytes,
                                   struct tok_questions *q, struct t2_err *err)
{
    *q = (struct tok_questions){0};
    T2_TRY(t2_json_parse(json, len_bytes, origin, &q->doc, err));
    return read_document(origin, q, err);
}

enum t2_status tok_questions_load(const char *path, struct tok_questions *q, struct t2_err *err)
{
    *q = (struct tok_questions){0};
    T2_TRY(t2_json_load(path, &q->doc, err));
    return read_document(path, q, err);
}

void tok_questions_release(struct tok_questions *q)
{
    t2_free(q->paragraphs);
    t2_free(q->items);
    t2_free(q->words);
    t2_json_free(q->doc);
    *q = (struct tok_questions){0};
}
