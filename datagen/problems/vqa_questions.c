/*
 * datagen/problems/vqa_questions.c - the questions of VQA v2.
 */
#include "datagen/problems/vqa_questions.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/map.h"
#include "base/mt19937.h"
#include "base/spool.h"
#include "datagen/source/json_items.h"
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
    const uint64_t max_bytes = 1 << 20; /* lists of 3000 and 10000 words */
    struct dg_source_text in;
    enum t2_status st;

    T2_TRY(dg_source_open(&dg_vqa_source, member, options, false, &in, err));
    st = dg_source_rest(&in, max_bytes, text, err);
    dg_source_close(&in);
    return st;
}

/* Stripped lines -> numbers; of equal ones the first counts. */
static enum t2_status read_labels(const struct dg_options *options, struct t2_map *labels,
                                  struct t2_err *err)
{
    struct t2_buf text = {NULL, 0, 0};
    enum t2_status st;

    st = dg_vqa_member(DG_VQA_ANSWERS, options, &text, err);
    for (size_t at = 0, n = 0; st == T2_OK && at < text.len_bytes; n++) {
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

/* ---- a question as bytes: image, number, how many answers, they, the text ---- */

enum { HEAD_BYTES = 24 };

void dg_question_release(struct dg_question *q)
{
    t2_buf_release(&q->text);
    t2_buf_release(&q->answers);
}

static void put_question(const struct dg_question *q, struct t2_buf *data)
{
    uint8_t head[HEAD_BYTES];

    dg_put_number(head, (uint64_t) q->image);
    dg_put_number(head + 8, (uint64_t) q->number);
    dg_put_number(head + 16, q->answers.len_bytes);
    t2_buf_clear(data);
    t2_buf_append(data, head, sizeof head);
    t2_buf_append(data, q->answers.data, q->answers.len_bytes);
    t2_buf_append(data, q->text.data, q->text.len_bytes);
}

static void get_question(struct t2_slice data, struct dg_question *q)
{
    size_t n_answers = (size_t) dg_get_number(data.data + 16);

    q->image = (int64_t) dg_get_number(data.data);
    q->number = (int64_t) dg_get_number(data.data + 8);
    t2_buf_clear(&q->answers);
    t2_buf_append(&q->answers, data.data + HEAD_BYTES, n_answers);
    t2_buf_clear(&q->text);
    t2_buf_append(&q->text, data.data + HEAD_BYTES + n_answers,
                  data.len_bytes - HEAD_BYTES - n_answers);
}

/* ---- reading ---- */

/* Both are there while the document is read. */
struct reading {
    struct t2_map *labels;
    struct dg_question one;
    struct t2_buf data;
    const char *path;
    uint64_t number; /* of the annotation */
};

static enum t2_status take_answers(struct reading *r, const struct t2_json_value *all,
                                   struct t2_err *err)
{
    static const int64_t padding = 0;
    size_t n = t2_json_size(all);

    t2_buf_clear(&r->one.answers);
    for (size_t i = 0; i < n; i++) {
        const char *text = t2_json_as_string(t2_json_item(all, i), "");
        const uint64_t *label = t2_map_find(r->labels, text, strlen(text));
        if (!label)
            return t2_fail(err, T2_EFORMAT,
                           "'%s': annotation %" PRIu64 ": the answer '%s' is not in '%s'", r->path,
                           r->number, text, DG_VQA_ANSWERS);
        t2_buf_append(&r->one.answers, label, sizeof *label);
    }
    if (n == 0)
        t2_buf_append(&r->one.answers, &padding, sizeof padding);
    return T2_OK;
}

static enum t2_status take_question(struct reading *r, const struct t2_json_value *one,
                                    struct t2_err *err)
{
    const char *text = t2_json_as_string(t2_json_get(one, "question"), NULL);

    r->one.image = t2_json_as_i64(t2_json_get(one, "image_id"), -1);
    r->one.number = t2_json_as_i64(t2_json_get(one, "question_id"), -1);
    if (r->one.image < 0 || r->one.number < 0 || !text)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': annotation %" PRIu64
                       " has no 'image_id', 'question_id' or 'question'",
                       r->path, r->number);
    T2_TRY(take_answers(r, t2_json_get(one, "answer"), err));
    t2_buf_clear(&r->one.text);
    t2_buf_puts(&r->one.text, text);
    put_question(&r->one, &r->data);
    return T2_OK;
}

static enum t2_status read_items(struct dg_source_text *text, const struct dg_options *options,
                                 bool by_image, struct reading *r, struct dg_questions *q,
                                 struct t2_err *err)
{
    struct dg_json_items *all = dg_json_items_new(text, NULL, options->max_memory);
    const struct t2_json_value *one;
    enum t2_status st;

    while ((st = dg_json_items_next(all, NULL, &one, err)) == T2_OK) {
        struct dg_place place = {0, ++q->n};
        r->number = q->n;
        T2_GOTO(st, out, take_question(r, one, err));
        if (by_image)
            place.major = (uint64_t) r->one.image;
        T2_GOTO(st, out, dg_sorter_add(q->sorted, place, t2_buf_slice(&r->data), err));
    }
    if (st == T2_EOF)
        st = tfr_sorter_finish(q->sorted, err);
out:
    dg_json_items_free(all);
    return st;
}

static enum t2_status read_document(enum dg_split split, const struct dg_options *options,
                                    struct dg_input_files *files, bool by_image,
                                    struct dg_questions *q, struct t2_err *err)
{
    struct reading r = {.labels = t2_map_new()};
    struct dg_source_text text = {.in = NULL};
    enum t2_status st;

    T2_GOTO(st, out, read_labels(options, r.labels, err));
    T2_GOTO(st, out, dg_sorter_new(options, &q->sorted, err));
    T2_GOTO(st, out,
            dg_source_open(&dg_vqa_source, members[split], options, files != NULL, &text, err));
    r.path = q->path = t2_strdup(text.path);
    st = read_items(&text, options, by_image, &r, q, err);
    if (st == T2_OK && files)
        dg_source_note(&text, "questions", files);
out:
    dg_source_close(&text);
    dg_question_release(&r.one);
    t2_buf_release(&r.data);
    t2_map_free(r.labels);
    return st;
}

/* The sorter is replaced by one in the order that is drawn. */
static enum t2_status mix(struct dg_questions *q, const struct dg_options *options,
                          struct t2_mt *mt, struct t2_err *err)
{
    struct tfr_sorter *mixed = NULL;
    uint32_t *places = NULL;
    struct dg_place place;
    struct t2_slice data;
    enum t2_status st;

    T2_GOTO(st, out, dg_draw_places(options, mt, q->n, &places, err));
    T2_GOTO(st, out, dg_sorter_new(options, &mixed, err));
    while ((st = dg_sorter_next(q->sorted, &place, &data, err)) == T2_OK) {
        place = (struct dg_place){places[place.minor - 1], 0};
        T2_GOTO(st, out, dg_sorter_add(mixed, place, data, err));
    }
    if (st == T2_EOF)
        st = tfr_sorter_finish(mixed, err);
out:
    t2_free(places);
    tfr_sorter_free(q->sorted);
    q->sorted = mixed;
    return st;
}

enum t2_status dg_questions_read(enum dg_split split, const struct dg_options *options,
                                 struct dg_input_files *files, enum dg_question_order order,
                                 struct t2_mt *mt, struct dg_questions *q, struct t2_err *err)
{
    T2_TRY(read_document(split, options, files, order == DG_QUESTIONS_BY_IMAGE, q, err));
    return order == DG_QUESTIONS_MIXED ? mix(q, options, mt, err) : T2_OK;
}

enum t2_status dg_questions_next(struct dg_questions *q, struct dg_question *one,
                                 struct t2_err *err)
{
    struct dg_place place;
    struct t2_slice data;

    T2_TRY(dg_sorter_next(q->sorted, &place, &data, err));
    get_question(data, one);
    return T2_OK;
}

void dg_questions_release(struct dg_questions *q)
{
    t2_free(q->path);
    tfr_sorter_free(q->sorted);
    *q = (struct dg_questions){.n = 0};
}

enum t2_status dg_questions_skip(enum dg_split split, const struct dg_options *options,
                                 struct t2_mt *mt, struct t2_err *err)
{
    const struct t2_json_value *one;
    struct dg_source_text text;
    struct dg_json_items *all;
    enum t2_status st;
    uint64_t n = 0;

    T2_TRY(dg_source_open(&dg_vqa_source, members[split], options, false, &text, err));
    all = dg_json_items_new(&text, NULL, options->max_memory);
    while ((st = dg_json_items_next(all, NULL, &one, err)) == T2_OK)
        n++;
    t2_mt_skip_shuffle(mt, n);
    dg_json_items_free(all);
    dg_source_close(&text);
    return st == T2_EOF ? T2_OK : st;
}

/* ---- by image: its questions one behind the other, each after its length; a length of 0 ends them
 * ---- */

static void put_length(struct t2_spool *s, uint64_t n)
{
    t2_spool_write(s, &n, sizeof n);
}

static enum t2_status check_index(const struct dg_question_index *ix,
                                  const struct dg_options *options, struct t2_err *err)
{
    uint64_t limit = dg_sort_share(options);
    char human[32];

    if (!options->max_memory || t2_map_memory(ix->offsets) <= limit)
        return T2_OK;
    return t2_fail(err, T2_ENOMEM,
                   "the numbers of %zu images with questions take more than the %s that they may "
                   "of --max_memory",
                   t2_map_count(ix->offsets), t2_human_bytes(limit, human, sizeof human));
}

enum t2_status dg_question_index_fill(struct dg_question_index *ix, struct dg_questions *q,
                                      const struct dg_options *options, struct t2_err *err)
{
    char *beside = t2_path_join(options->data_dir, "questions");
    enum t2_status st = t2_spool_new(beside, &ix->spool, err);
    struct dg_place place;
    struct t2_slice data;

    t2_free(beside);
    T2_TRY(st);
    ix->offsets = t2_map_new();
    while ((st = dg_sorter_next(q->sorted, &place, &data, err)) == T2_OK) {
        bool is_new;
        uint64_t *offset = t2_map_at(ix->offsets, &place.major, sizeof place.major, &is_new);
        if (is_new) {
            put_length(ix->spool, 0);
            *offset = t2_spool_bytes(ix->spool);
            T2_TRY(check_index(ix, options, err));
        }
        put_length(ix->spool, data.len_bytes);
        t2_spool_write(ix->spool, data.data, data.len_bytes);
    }
    put_length(ix->spool, 0);
    return st == T2_EOF ? t2_spool_rewind(ix->spool, err) : st;
}

bool dg_question_index_find(struct dg_question_index *ix, int64_t image)
{
    uint64_t number = (uint64_t) image;
    uint64_t *offset = t2_map_find(ix->offsets, &number, sizeof number);

    if (!offset || *offset == 0) /* a length stands before the first */
        return false;
    ix->at = *offset;
    *offset = 0;
    return true;
}

enum t2_status dg_question_index_next(struct dg_question_index *ix, struct dg_question *one,
                                      struct t2_err *err)
{
    uint64_t n;

    T2_TRY(t2_spool_read_at(ix->spool, ix->at, &n, sizeof n, err));
    if (n == 0)
        return T2_EOF;
    t2_buf_clear(&ix->data);
    T2_TRY(t2_spool_read_at(ix->spool, ix->at + sizeof n, t2_buf_reserve(&ix->data, (size_t) n),
                            (size_t) n, err));
    ix->data.len_bytes = (size_t) n;
    ix->at += sizeof n + n;
    get_question(t2_buf_slice(&ix->data), one);
    return T2_OK;
}

void dg_question_index_release(struct dg_question_index *ix)
{
    t2_map_free(ix->offsets);
    t2_spool_free(ix->spool);
    t2_buf_release(&ix->data);
}
