/*
 * datagen/problems/vqa_questions.c - the questions of VQA v2.
 */
#include "datagen/problems/vqa_questions.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/mt19937.h"
#include "tokenizer/unicode.h"

static const char *const urls[] = {
    "https://drive.google.com/uc?export=download&id=1xfMU54ObCLvMRAekT3cfcIg-AgY39fWB", NULL};
static const char *const members[] = {"v2_train2014_annotations.json",
                                      "v2_val2014_annotations.json"};
const struct dg_source_file dg_vqa_file = {.name = "vqa_v2.tar.gz",
                                           .urls = urls,
                                           .licence = "CC BY 4.0 (questions and answers)"};
const struct dg_source dg_vqa_source = {.file = &dg_vqa_file,
                                        .sign = "v2_train2014_annotations.json"};

enum t2_status dg_vqa_member(const char *member, const struct dg_options *options,
                             struct t2_buf *text, struct t2_err *err)
{
    const uint64_t max_bytes = 64 << 20;
    struct dg_source_text in;
    enum t2_status st;

    T2_TRY(dg_source_open(&dg_vqa_source, member, options, false, &in, err));
    st = dg_source_rest(&in, max_bytes, text, err);
    dg_source_close(&in);
    return st;
}

void dg_questions_release(struct dg_questions *q)
{
    t2_json_free(q->doc);
    t2_free(q->path);
    t2_free(q->items);
    t2_free(q->answers);
    *q = (struct dg_questions){.doc = NULL};
}

/* Stripped lines -> numbers; of equal ones the first counts. */
static enum t2_status read_labels(const struct dg_options *options, struct t2_map *labels,
                                  struct t2_err *err)
{
    struct t2_buf text = {NULL, 0, 0};
    enum t2_status st;

    st = dg_vqa_member(DG_VQA_ANSWERS, options, &text, err);
    for (size_t at = 0, n = 0; st == T2_OK && at < text.len_bytes; ++n) {
        const uint8_t *s = text.data + at, *feed = memchr(s, '\n', text.len_bytes - at);
        size_t len = feed ? (size_t) (feed - s) : text.len_bytes - at;
        uint64_t *place;
        bool is_new;
        at += len + 1;
        tok_strip(&s, &len);
        place = t2_map_at(labels, s, len, &is_new);
        if (is_new)
            *place = n;
    }
    t2_buf_release(&text);
    return st;
}

static enum t2_status take_answers(struct dg_questions *q, const struct t2_json_value *all,
                                   const struct t2_map *labels, size_t question, struct t2_err *err)
{
    size_t n = t2_json_size(all);

    q->items[question].first = q->n_answers;
    q->items[question].n_answers = n ? n : 1;
    for (size_t i = 0; i < n; ++i) {
        const char *text = t2_json_as_string(t2_json_item(all, i), "");
        const uint64_t *label = t2_map_find(labels, text, strlen(text));
        if (!label)
            return t2_fail(err, T2_EFORMAT, "'%s': annotation %zu: the answer '%s' is not in '%s'",
                           q->path, question + 1, text, DG_VQA_ANSWERS);
        q->answers[q->n_answers++] = (int64_t) *label;
    }
    if (n == 0)
        q->answers[q->n_answers++] = 0; /* padding */
    return T2_OK;
}

enum t2_status dg_questions_read(enum dg_split split, const struct dg_options *options,
                                 struct dg_input_files *files, struct dg_questions *q,
                                 struct t2_err *err)
{
    struct t2_map *labels = t2_map_new();
    const struct t2_json_value *all;
    size_t n_answers = 0;
    enum t2_status st = read_labels(options, labels, err);

    if (st == T2_OK)
        st = dg_source_json(&dg_vqa_source, members[split], options, "questions", files, &q->doc,
                            &q->path, err);
    all = st == T2_OK ? t2_json_root(q->doc) : NULL;
    q->n = t2_json_size(all);
    q->items = t2_alloc(q->n + 1, sizeof *q->items);
    for (size_t i = 0; i < q->n; ++i)
        n_answers += t2_json_size(t2_json_get(t2_json_item(all, i), "answer")) + 1;
    q->answers = t2_alloc(n_answers + 1, sizeof *q->answers);
    for (size_t i = 0; i < q->n && st == T2_OK; ++i) {
        const struct t2_json_value *one = t2_json_item(all, i);
        struct dg_question *it = &q->items[i];
        it->picture = t2_json_as_i64(t2_json_get(one, "image_id"), -1);
        it->number = t2_json_as_i64(t2_json_get(one, "question_id"), -1);
        it->text = t2_json_as_string(t2_json_get(one, "question"), NULL);
        if (it->picture < 0 || it->number < 0 || !it->text)
            st = t2_fail(err, T2_EFORMAT,
                         "'%s': annotation %zu has no 'image_id', 'question_id' or 'question'",
                         q->path, i + 1);
        else
            st = take_answers(q, t2_json_get(one, "answer"), labels, i, err);
    }
    t2_map_free(labels);
    return st;
}

enum t2_status dg_questions_skip(enum dg_split split, const struct dg_options *options,
                                 struct t2_mt *mt, struct t2_err *err)
{
    struct t2_json_doc *doc = NULL;

    T2_TRY(dg_source_json(&dg_vqa_source, members[split], options, "", NULL, &doc, NULL, err));
    t2_mt_skip_shuffle(mt, t2_json_size(t2_json_root(doc)));
    t2_json_free(doc);
    return T2_OK;
}
