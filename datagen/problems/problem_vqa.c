/*
 * datagen/problems/problem_vqa.c - questions about images, with several right answers (spec
 * t2t-datagen.md §8.9; T2T's vqa.py): beside the images of COCO, or beside features of their
 * regions.
 *
 * The original opens images as text and looks for them under the name of the features: its intent
 * is done here.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/base64.h"
#include "base/file.h"
#include "base/mt19937.h"
#include "datagen/images/image_rows.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/coco_files.h"
#include "datagen/problems/vocab_specs.h"
#include "datagen/problems/vqa_questions.h"
#include "datagen/source/row_stream.h"

/* ---- files ---- */

static const char *const feature_urls[] = {
    "https://drive.google.com/uc?export=download&id=1yTTFUWqx1SScC-Whs2vRbF3tDsEEjrtt", NULL};
static const char features_name[] = "trainval_resnet101_faster_rcnn_genome_36.tsv";
static const struct dg_source_file features_file = {.name = "mscoco_feat.tar.gz",
                                                    .urls = feature_urls};
static const struct dg_source features = {.file = &features_file, .sign = features_name};

/* The words of the archive between <pad>, <EOS> and UNK. */
static enum t2_status make_vocab(const struct dg_problem *p, const struct dg_options *options,
                                 enum dg_side_index side, const char *path, struct t2_err *err)
{
    struct t2_buf text = {NULL, 0, 0};
    enum t2_status st;

    (void) p;
    (void) side;
    t2_buf_puts(&text, "<pad>\n<EOS>\n");
    st = dg_vqa_member(DG_VQA_WORDS, options, &text, err);
    t2_buf_puts(&text, "UNK\n");
    if (st == T2_OK)
        st = t2_write_file(path, text.data, text.len_bytes, err);
    t2_buf_release(&text);
    return st;
}

/* Readers want the answers beside the records. */
static enum t2_status before(const struct dg_problem *p, const struct dg_options *options,
                             enum dg_step step, struct t2_err *err)
{
    char *path = t2_path_join(options->data_dir, DG_VQA_ANSWERS);
    struct t2_buf text = {NULL, 0, 0};
    enum t2_status st = T2_OK;

    (void) p;
    if (step == DG_STEP_VOCAB && !t2_exists(path)) {
        st = dg_vqa_member(DG_VQA_ANSWERS, options, &text, err);
        if (st == T2_OK)
            st = t2_write_file(path, text.data, text.len_bytes, err);
    }
    t2_buf_release(&text);
    t2_free(path);
    return st;
}

/* ---- beside images ---- */

static enum t2_status before_shuffle(const struct dg_problem *p, const struct dg_options *options,
                                     struct t2_mt *mt, struct t2_err *err)
{
    (void) p;
    T2_TRY(dg_questions_skip(DG_TRAIN, options, mt, err));
    return dg_questions_skip(DG_DEV, options, mt, err);
}

static enum t2_status add_question(struct dg_image_rows *s, const struct dg_question *q,
                                   struct t2_err *err)
{
    const char *folder = dg_coco_sources[s->split].sign;
    char *name = t2_asprintf("%s/COCO_%s_%012" PRId64 ".jpg", folder, folder, q->image);
    size_t file = 0;
    enum t2_status st = dg_image_rows_find(s, name, &file, err);

    t2_free(name);
    if (st != T2_OK)
        return st;
    dg_image_rows_add(s, file);
    dg_image_rows_text(s, DG_INPUTS, t2_buf_slice(&q->text));
    dg_image_rows_push(s, DG_TARGETS, q->image);
    dg_image_rows_push(s, DG_TARGETS, q->number);
    for (size_t at = 0; at < q->answers.len_bytes; at += sizeof(int64_t)) {
        int64_t answer;
        memcpy(&answer, q->answers.data + at, sizeof answer);
        dg_image_rows_push(s, DG_TARGETS, answer);
    }
    return T2_OK;
}

static enum t2_status list(struct dg_image_rows *s, struct t2_err *err)
{
    struct dg_input_files *files = s->base.hash_on ? &s->base.files : NULL;
    struct dg_questions all = {.n = 0};
    struct dg_question one = {.number = 0};
    struct t2_mt mt;
    enum t2_status st = T2_OK;

    t2_mt_seed_python(&mt, s->options->random_seed);
    if (s->split == DG_DEV)
        T2_TRY(dg_questions_skip(DG_TRAIN, s->options, &mt, err));
    st = dg_questions_read(s->split, s->options, files, DG_QUESTIONS_MIXED, &mt, &all, err);
    while (st == T2_OK && (st = dg_questions_next(&all, &one, err)) == T2_OK)
        st = add_question(s, &one, err);
    dg_question_release(&one);
    dg_questions_release(&all);
    return st == T2_EOF ? T2_OK : st;
}

/* The image's number and the question's come before the answers. */
static void finish_question(struct dg_record *r)
{
    struct dg_feature *targets = dg_record_find(r, "targets");

    dg_record_int(r, "image/image_id", targets->ints[0]);
    dg_record_int(r, "image/question_id", targets->ints[1]);
    targets->n -= 2;
    memmove(targets->ints, targets->ints + 2, targets->n * sizeof *targets->ints);
    dg_record_rename(r, "targets", "image/answer");
    dg_record_rename(r, "inputs", "image/question");
}

static enum t2_status finish_image(const struct dg_problem *p, const struct dg_texts *texts,
                                   struct dg_record *r, struct t2_err *err)
{
    (void) p;
    (void) err;
    finish_question(r);
    dg_record_bytes(r, "image/encoded", texts->text[DG_CONTEXT]);
    dg_record_bytes(r, "image/format", t2_slice_of("jpeg"));
    return T2_OK;
}

/* ---- beside features of regions ---- */

struct region_stream {
    struct dg_stream base;
    const struct dg_options *options;
    enum dg_split split;
    struct dg_questions questions;
    struct dg_question_index index;
    struct dg_question one;
    struct dg_source_text text;
    struct t2_slice row;
    bool is_loaded, has_row; /* about which there may be another question */
    uint64_t n_given;
    int64_t *numbers;
};

static enum t2_status regions_load(struct region_stream *s, struct t2_err *err)
{
    struct dg_questions *q = &s->questions;
    struct dg_input_files *files = s->base.hash_on ? &s->base.files : NULL;

    T2_TRY(dg_questions_read(s->split, s->options, files, DG_QUESTIONS_BY_IMAGE, NULL, q, err));
    T2_TRY(dg_question_index_fill(&s->index, q, s->options, err));
    tfr_sorter_free(q->sorted);
    q->sorted = NULL;
    s->is_loaded = true;
    return dg_source_open(&features, features_name, s->options, s->base.hash_on, &s->text, err);
}

static enum t2_status row_fail(const struct region_stream *s, const char *what, struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "'%s': line %" PRIu64 ": %s", s->text.path, s->text.lines,
                   what);
}

/* Rows until one that questions are asked about. */
static enum t2_status next_row(struct region_stream *s, struct t2_err *err)
{
    while (!s->has_row) {
        const uint8_t *tab;
        char *digits;
        int64_t image = 0;
        bool good;
        enum t2_status st = dg_source_line(&s->text, &s->row, err);
        if (st == T2_EOF && s->n_given < s->questions.n)
            return t2_fail(err, T2_EFORMAT,
                           "'%s': %" PRIu64 " questions of '%s' have no image there", s->text.path,
                           s->questions.n - s->n_given, s->questions.path);
        if (st == T2_EOF && s->base.hash_on)
            dg_source_note(&s->text, "regions", &s->base.files);
        T2_TRY(st);
        tab = memchr(s->row.data, '\t', s->row.len_bytes);
        digits = t2_strndup((const char *) s->row.data, tab ? (size_t) (tab - s->row.data) : 0);
        good = t2_parse_i64(digits, &image);
        t2_free(digits);
        if (!good)
            return row_fail(s, "it does not begin with the number of an image", err);
        s->has_row = dg_question_index_find(&s->index, image);
    }
    return T2_OK;
}

static enum t2_status next_question(struct region_stream *s, struct t2_err *err)
{
    enum t2_status st;

    for (;;) {
        T2_TRY(next_row(s, err));
        st = dg_question_index_next(&s->index, &s->one, err);
        if (st != T2_EOF)
            return st;
        s->has_row = false;
    }
}

static enum t2_status regions_next(struct dg_stream *base, struct dg_sample *sample,
                                   struct t2_err *err)
{
    struct region_stream *s = (struct region_stream *) base;
    const struct t2_buf *answers = &s->one.answers;

    if (!s->is_loaded)
        T2_TRY(regions_load(s, err));
    T2_TRY(next_question(s, err));
    s->n_given++;
    s->numbers =
        t2_realloc(s->numbers, answers->len_bytes / sizeof *s->numbers + 2, sizeof *s->numbers);
    s->numbers[0] = s->one.image;
    s->numbers[1] = s->one.number;
    memcpy(s->numbers + 2, answers->data, answers->len_bytes);
    sample->inputs = t2_buf_slice(&s->one.text);
    sample->context = s->row;
    sample->numbers[DG_TARGETS] = s->numbers;
    sample->n_numbers[DG_TARGETS] = answers->len_bytes / sizeof *s->numbers + 2;
    sample->inputs_origin = (struct dg_origin){s->text.path, s->text.lines, 0};
    sample->targets_origin = sample->inputs_origin;
    return T2_OK;
}

static enum t2_status regions_describe(struct dg_stream *base, struct dg_input_sizes *sizes,
                                       struct t2_err *err)
{
    const struct region_stream *s = (const struct region_stream *) base;

    return dg_source_describe(&features, features_name, "regions", s->options, sizes, err);
}

static void regions_free(struct dg_stream *base)
{
    struct region_stream *s = (struct region_stream *) base;

    dg_questions_release(&s->questions);
    dg_question_index_release(&s->index);
    dg_question_release(&s->one);
    t2_free(s->numbers);
    dg_source_close(&s->text);
    t2_free(s);
}

static enum t2_status regions_open(const struct dg_problem *p, const struct dg_options *options,
                                   enum dg_split split, struct dg_stream **stream,
                                   struct t2_err *err)
{
    struct region_stream *s = t2_alloc(1, sizeof *s);

    (void) p;
    (void) err;
    s->base.next = regions_next;
    s->base.free = regions_free;
    s->base.describe = regions_describe;
    s->base.is_clean = true;
    s->options = options;
    s->split = split;
    *stream = &s->base;
    return T2_OK;
}

/* image_id, image_w, image_h, num_boxes, boxes, features. */
enum { COLUMN_WIDTH = 1, COLUMN_HEIGHT, COLUMN_COUNT, COLUMN_BOXES, COLUMN_FEATURES, N_COLUMNS };

static bool split_row(struct t2_slice row, struct t2_slice columns[N_COLUMNS])
{
    int n = 0;

    for (size_t i = 0, start = 0; i <= row.len_bytes; i++) {
        if (i < row.len_bytes && row.data[i] != '\t')
            continue;
        if (n == N_COLUMNS)
            return false;
        columns[n++] = (struct t2_slice){row.data + start, i - start};
        start = i + 1;
    }
    if (n == N_COLUMNS && row.len_bytes && row.data[row.len_bytes - 1] == '\r')
        columns[N_COLUMNS - 1].len_bytes--;
    return n == N_COLUMNS;
}

static bool number_of(struct t2_slice column, double *value)
{
    char *digits = t2_strndup((const char *) column.data, column.len_bytes);
    bool good = t2_parse_double(digits, value);

    t2_free(digits);
    return good;
}

/* Little-endian floats in base64; false when they are none. */
static bool push_floats(struct t2_slice base64, struct dg_feature *f)
{
    struct t2_buf bytes = {NULL, 0, 0};
    bool good = t2_base64_decode(base64, &bytes) && bytes.len_bytes > 0 && bytes.len_bytes % 4 == 0;

    for (size_t i = 0; good && i < bytes.len_bytes; i += 4) {
        float value;
        memcpy(&value, bytes.data + i, sizeof value);
        dg_feature_push_float(f, value);
    }
    t2_buf_release(&bytes);
    return good;
}

/* In float, step by step, as NumPy does it. */
static void push_spatial(struct dg_record *r, const struct dg_feature *boxes, size_t n_boxes,
                         float width, float height)
{
    struct dg_feature *f = dg_record_add(r, "image/spatial_feature", TFR_FLOAT);
    size_t columns = boxes->n / n_boxes;

    for (size_t i = 0; i < n_boxes; i++) {
        const float *b = boxes->floats + i * columns;
        float w = (b[2] - b[0]) / width, h = (b[3] - b[1]) / height;
        float x = b[0] / width, y = b[1] / height;
        const float values[] = {x, y, x + w, y + h, w, h};
        for (size_t k = 0; k < DG_COUNT(values); k++)
            dg_feature_push_float(f, values[k]);
    }
}

static enum t2_status finish_regions(const struct dg_problem *p, const struct dg_texts *texts,
                                     struct dg_record *r, struct t2_err *err)
{
    struct t2_slice columns[N_COLUMNS];
    struct dg_feature *boxes, *vectors;
    double width, height, count;

    (void) p;
    finish_question(r);
    boxes = dg_record_add(r, "image/bboxes", TFR_FLOAT);
    vectors = dg_record_add(r, "image/feature", TFR_FLOAT);
    if (!split_row(texts->text[DG_CONTEXT], columns) || !number_of(columns[COLUMN_WIDTH], &width) ||
        !number_of(columns[COLUMN_HEIGHT], &height) || !number_of(columns[COLUMN_COUNT], &count) ||
        !push_floats(columns[COLUMN_BOXES], boxes) ||
        !push_floats(columns[COLUMN_FEATURES], vectors))
        return t2_fail(
            err, T2_EFORMAT,
            "not image_id, image_w, image_h, num_boxes, boxes and features between tabs, "
            "the last two as base64 of floats");
    if (count < 1 || count > (double) boxes->n || boxes->n % (size_t) count != 0 ||
        boxes->n / (size_t) count < 4)
        return t2_fail(err, T2_EFORMAT, "%zu numbers are not %g boxes of four or more", boxes->n,
                       count);
    push_spatial(r, boxes, (size_t) count, (float) width, (float) height);
    dg_feature_push_float(dg_record_add(r, "image/height", TFR_FLOAT), (float) height);
    dg_feature_push_float(dg_record_add(r, "image/width", TFR_FLOAT), (float) width);
    return T2_OK;
}

/* ---- the problems ---- */

static enum t2_status regions_prepare(const struct dg_problem *p, const struct dg_options *options,
                                      struct t2_err *err)
{
    static const struct dg_source *const both[] = {&dg_vqa_source, &features};

    (void) p;
    return dg_sources_fetch(both, DG_COUNT(both), options, err);
}

/* clang-format off */
static const struct dg_image_spec images = {
    .source = {&dg_coco_sources[0], &dg_coco_sources[1]}, .list = list,
    .pattern = {"train2014/*", "val2014/*"},
    .sources = (const struct dg_source *const[]){&dg_vqa_source, &dg_coco_sources[0], &dg_coco_sources[1], NULL}};
static const struct dg_source_file *const image_files[] = {
    &dg_vqa_file, &dg_coco_images[0], &dg_coco_images[1], NULL};
static const struct dg_source_file *const region_files[] = {&dg_vqa_file, &features_file, NULL};
#define QUESTION_FIELDS                                                                            \
    "image/answer int64", "image/image_id int64", "image/question int64", "image/question_id int64"
static const char *const image_fields[] = {QUESTION_FIELDS, "image/encoded bytes",
                                             "image/format bytes", NULL};
static const char *const region_fields[] = {
    QUESTION_FIELDS, "image/bboxes float", "image/feature float", "image/height float",
    "image/spatial_feature float", "image/width float", NULL};

#define VQA(name_, summary_, files, fields, ...)                                                   \
    {.name = name_, .summary = summary_, .has_inputs = true,                                       \
     .inputs_vocab = {.kind = DG_VOCAB_TOKENS, .file = DG_VQA_WORDS, .oov_token = "UNK"},            \
     .targets_vocab = {.kind = DG_VOCAB_NUMBERS, .approx_size = 3000, .raw_ids = true},            \
     .text.no_eos = {true, true}, .n_shards = {128, 64}, .vocab.make = make_vocab,                      \
     .before = before, .record.replaces_sides = true,                  \
     .sources = files, .record.more_fields = fields, __VA_ARGS__}

static const struct dg_problem problems[] = {
    VQA("image_vqav2_tokens10k_labels3k", "questions about COCO's images", image_files, image_fields,
        .prepare = dg_image_rows_prepare, .open = dg_image_rows_open, .record.finish = finish_image,
        .sharding.before_shuffle = before_shuffle, .context = &images),
    VQA("image_vqav2_rcnn_feature_tokens10k_labels3k", "questions about regions of COCO's images",
        region_files, region_fields, .prepare = regions_prepare, .open = regions_open,
        .record.finish = finish_regions),
};
/* clang-format on */
const struct dg_family dg_family_vqa = {"Questions about images", problems, DG_COUNT(problems)};
