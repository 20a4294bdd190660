/*
 * datagen/problems/problem_image_text.c - pictures with a text each: captions of COCO, lines of print
 * (spec t2t-datagen.md §6.5; T2T's mscoco.py, ocr.py).
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/map.h"
#include "base/mt19937.h"
#include "datagen/images/picture_rows.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/coco_files.h"
#include "datagen/problems/wishes.h"
#include "datagen/source/source_json.h"
#include "tokenizer/unicode.h"

/* ---- COCO: captions of pictures --------------------------------------------------------------------- */

static const struct dg_source captions = {.file = &dg_coco_captions, .sign = "annotations"};
static const char *const members[] = {"annotations/captions_train2014.json",
                                      "annotations/captions_val2014.json"};
static const size_t most_pictures[] = {80000, 40000};

/* What a file of captions says. */
struct coco {
    struct t2_json_doc *doc;
    char *path;
    size_t n_pictures;
    struct picture {
        const char *name;
        int64_t height, width;
        size_t first; /* caption + 1; 0: none */
    } * pictures;     /* in the order of the file */
    struct caption {
        const char *text;
        size_t next; /* of the same picture, + 1 */
    } * captions;
};

static void release_coco(void *state)
{
    struct coco *c = state;

    t2_json_free(c->doc);
    t2_free(c->path);
    t2_free(c->pictures);
    t2_free(c->captions);
    t2_free(c);
}

/* A picture that is listed twice keeps its first place and its last size, as in a dict. */
static enum t2_status take_pictures(struct coco *c, struct t2_map *places, struct t2_err *err)
{
    const struct t2_json_value *all = t2_json_get(t2_json_root(c->doc), "images");
    size_t n = t2_json_size(all);

    c->pictures = t2_alloc(n + 1, sizeof *c->pictures);
    for (size_t i = 0; i < n; ++i) {
        const struct t2_json_value *one = t2_json_item(all, i);
        const char *name = t2_json_as_string(t2_json_get(one, "file_name"), NULL);
        int64_t id = t2_json_as_i64(t2_json_get(one, "id"), -1);
        int64_t height = t2_json_as_i64(t2_json_get(one, "height"), -1);
        int64_t width = t2_json_as_i64(t2_json_get(one, "width"), -1);
        uint64_t *place;
        bool is_new;
        if (!name || id < 0 || height < 0 || width < 0)
            return t2_fail(err, T2_EFORMAT,
                           "'%s': image %zu has no 'id', 'file_name', 'height' or 'width'", c->path,
                           i + 1);
        place = t2_map_at(places, &id, sizeof id, &is_new);
        if (is_new)
            *place = c->n_pictures++;
        c->pictures[*place] = (struct picture){name, height, width, 0};
    }
    return T2_OK;
}

static enum t2_status take_captions(struct coco *c, const struct t2_map *places, struct t2_err *err)
{
    const struct t2_json_value *all = t2_json_get(t2_json_root(c->doc), "annotations");
    size_t n = t2_json_size(all);

    c->captions = t2_alloc(n + 1, sizeof *c->captions);
    for (size_t i = n; i-- > 0;) { /* from the last on, so that each list ends up in their order */
        const struct t2_json_value *one = t2_json_item(all, i);
        int64_t id = t2_json_as_i64(t2_json_get(one, "image_id"), -1);
        const uint64_t *place = t2_map_find(places, &id, sizeof id);
        const char *text = t2_json_as_string(t2_json_get(one, "caption"), NULL);
        if (!place || !text)
            return t2_fail(err, T2_EFORMAT,
                           "'%s': annotation %zu has no 'caption', or no 'image_id' of an image",
                           c->path, i + 1);
        c->captions[i] = (struct caption){text, c->pictures[*place].first};
        c->pictures[*place].first = i + 1;
    }
    return T2_OK;
}

static enum t2_status read_coco(enum dg_split split, const struct dg_options *options,
                                struct dg_input_files *files, struct coco *c, struct t2_err *err)
{
    struct t2_map *places;
    enum t2_status st;

    T2_TRY(dg_source_json(&captions, members[split], options, "captions", files, &c->doc, &c->path,
                          err));
    places = t2_map_new();
    st = take_pictures(c, places, err);
    if (st == T2_OK)
        st = take_captions(c, places, err);
    t2_map_free(places);
    if (c->n_pictures > most_pictures[split])
        c->n_pictures = most_pictures[split];
    return st;
}

/* The pictures of a split in the order that the original gives them, the one of the splits before drawn too;
 * *order is owned by the caller. */
static enum t2_status draw(enum dg_split split, const struct dg_options *options, struct t2_mt *mt,
                           size_t n, uint32_t **order, struct t2_err *err)
{
    if (split == DG_DEV) {
        struct coco *train = t2_alloc(1, sizeof *train);
        enum t2_status st = read_coco(DG_TRAIN, options, NULL, train, err);
        t2_mt_skip_shuffle(mt, train->n_pictures);
        release_coco(train);
        T2_TRY(st);
    }
    *order = t2_alloc(n + 1, sizeof **order);
    for (size_t i = 0; i < n; ++i)
        (*order)[i] = (uint32_t) i;
    t2_mt_shuffle_u32(mt, *order, n);
    return T2_OK;
}

static enum t2_status before_shuffle(const struct dg_problem *p, const struct dg_options *options,
                                     struct t2_mt *mt, struct t2_err *err)
{
    (void) p;
    for (int split = DG_TRAIN; split <= DG_DEV; ++split) {
        struct coco *c = t2_alloc(1, sizeof *c);
        enum t2_status st = read_coco((enum dg_split) split, options, NULL, c, err);
        t2_mt_skip_shuffle(mt, c->n_pictures);
        release_coco(c);
        T2_TRY(st);
    }
    return T2_OK;
}

static enum t2_status add_captions(struct dg_picture_rows *s, const struct coco *c,
                                   const struct picture *picture, struct t2_err *err)
{
    char *name = t2_path_join(dg_coco_sources[s->split].sign, picture->name);
    size_t file = 0;
    enum t2_status st = dg_picture_rows_find(s, name, &file, err);

    t2_free(name);
    for (size_t i = picture->first; i && st == T2_OK; i = c->captions[i - 1].next) {
        dg_picture_rows_add(s, file)->text[DG_TARGETS] = c->captions[i - 1].text;
        dg_picture_rows_push(s, DG_INPUTS, picture->height);
        dg_picture_rows_push(s, DG_INPUTS, picture->width);
    }
    return st;
}

static enum t2_status list_coco(struct dg_picture_rows *s, struct t2_err *err)
{
    struct coco *c = t2_alloc(1, sizeof *c);
    uint32_t *order = NULL;
    struct t2_mt mt;
    enum t2_status st;

    s->state = c;
    s->release = release_coco;
    T2_TRY(read_coco(s->split, s->options, s->base.hash_on ? &s->base.files : NULL, c, err));
    t2_mt_seed_python(&mt, s->options->random_seed);
    st = draw(s->split, s->options, &mt, c->n_pictures, &order, err);
    for (size_t i = 0; i < c->n_pictures && st == T2_OK; ++i)
        st = add_captions(s, c, &c->pictures[order[i]], err);
    t2_free(order);
    return st;
}

/* Code points as they are, where the encoder of bytes gives them plus 2: the original's way. */
static void use_code_points(struct t2_slice text, struct dg_feature *ids)
{
    uint32_t code_point;
    bool valid;

    ids->n = 0;
    for (size_t at = 0; at < text.len_bytes;) {
        at += tok_utf8_decode(text.data + at, text.len_bytes - at, &code_point, &valid);
        dg_feature_push(ids, code_point);
    }
    dg_feature_push(ids, 1); /* <EOS> */
}

static enum t2_status finish_coco(const struct dg_problem *p, const struct dg_texts *texts,
                                  struct dg_record *r, struct t2_err *err)
{
    const int64_t height = dg_record_find(r, "inputs")->ints[0];
    const int64_t width = dg_record_find(r, "inputs")->ints[1];

    (void) err;
    if (p->targets_vocab.kind == DG_VOCAB_BYTES)
        use_code_points(texts->text[DG_TARGETS], dg_record_find(r, "targets"));
    dg_record_rename(r, "targets", "image/class/label");
    dg_record_remove(r, "inputs");
    dg_record_bytes(r, "image/encoded", texts->text[DG_CONTEXT]);
    dg_record_bytes(r, "image/format", t2_slice_of("jpeg"));
    dg_record_int(r, "image/height", height);
    dg_record_int(r, "image/width", width);
    return T2_OK;
}

/* ---- OCR: lines of print ------------------------------------------------------------------------------ */

static const struct dg_source_file ocr_file = {
    .name = "ocr",
    .gone = "it holds the pictures 0.png and 1.png, and their texts 0.txt and 1.txt",
    .is_folder = true};
static const struct dg_source ocr = {.file = &ocr_file, .sign = "ocr"};

static bool is_blank(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static enum t2_status add_line(struct dg_picture_rows *s, const char *dir, int i,
                               struct t2_buf *text, struct t2_err *err)
{
    char *path = t2_asprintf("%s/%d.txt", dir, i);
    size_t first = 0, end;
    enum t2_status st = t2_read_file(path, 1 << 20, text, err);

    for (end = text->len_bytes; end > 0 && is_blank(text->data[end - 1]);)
        --end;
    while (first < end && is_blank(text->data[first]))
        ++first;
    if (st == T2_OK && first == end)
        st = t2_fail(err, T2_EFORMAT, "'%s' is empty", path);
    t2_strs_take(&s->paths, t2_asprintf("%s/%d.png", dir, i));
    (void) dg_picture_rows_add(s, s->paths.n - 1);
    for (size_t k = first; k < end && st == T2_OK; ++k)
        dg_picture_rows_push(s, DG_TARGETS, text->data[k]);
    t2_free(path);
    return st;
}

static enum t2_status list_ocr(struct dg_picture_rows *s, struct t2_err *err)
{
    enum { N_LINES = 2 };
    struct t2_buf text = {NULL, 0, 0};
    char *dir = NULL;
    enum t2_status st;

    T2_TRY(dg_source_path(&ocr, s->options, &dir, err));
    st = T2_OK;
    for (int i = 0; i < N_LINES && st == T2_OK; ++i)
        st = add_line(s, dir, i, &text, err);
    t2_buf_release(&text);
    t2_free(dir);
    return st;
}

/* ---- the problems -------------------------------------------------------------------------------------- */

/* clang-format off */
static const struct dg_picture_spec coco = {
    .source = {&dg_coco_sources[0], &dg_coco_sources[1]}, .list = list_coco,
    .pattern = {"train2014/*", "val2014/*"},
    .sources = (const struct dg_source *const[]){&dg_coco_sources[0], &dg_coco_sources[1], &captions, NULL}};
static const struct dg_picture_spec lines = {
    .source = {&ocr, &ocr}, .list = list_ocr, .sources = (const struct dg_source *const[]){&ocr, NULL}};
static const struct dg_source_file *const coco_files[] = {
    &dg_coco_pictures[0], &dg_coco_pictures[1], &dg_coco_captions, NULL};
static const struct dg_source_file *const ocr_files[] = {&ocr_file, NULL};

#define TEXTS(name_, stem, summary_, spec, files, finish_, ...)                                    \
    {.name = name_, .dataset_filename = stem, .summary = summary_, .has_inputs = true,             \
     .inputs_vocab = {.kind = DG_VOCAB_NUMBERS, .approx_size = 256}, .sources = files,             \
     .sides_become_fields = true, .prepare = dg_picture_rows_prepare, .open = dg_picture_rows_open, \
     .finish = finish_, .more_fields = dg_picture_fields, .context = &(spec), __VA_ARGS__}
#define COCO(name, stem, summary, space, ...)                                                       \
    TEXTS(name, stem, summary, coco, coco_files, finish_coco, .n_shards = {100, 10},               \
          .before_shuffle = before_shuffle, .target_space_id = space,                              \
          .targets_vocab = __VA_ARGS__)
#define TOKENS32K DG_OF("translate_ende_wmt32k", 32768)

static const struct dg_problem problems[] = {
    COCO("image_ms_coco_characters", NULL, "captions of COCO's pictures, as characters",
         DG_SPACE_EN_CHARACTERS, DG_BYTES),
    COCO("image_ms_coco_tokens32k", NULL, "captions of COCO's pictures",
         DG_SPACE_EN_TOKENS, TOKENS32K),
    COCO("image_text_ms_coco", "image_ms_coco_tokens32k", "COCO's pictures, 32 x 32, from captions",
         DG_SPACE_EN_TOKENS, TOKENS32K),
    COCO("image_text_ms_coco_multi_resolution", "image_ms_coco_tokens32k",
         "COCO's pictures, in several sizes, from captions", DG_SPACE_EN_TOKENS, TOKENS32K),
    TEXTS("ocr_test", NULL, "two lines of print, to try reading them", lines, ocr_files, dg_finish_picture,
          .n_shards = {1, 1}, .target_space_id = DG_SPACE_EN_CHARACTERS,
          .targets_vocab = {.kind = DG_VOCAB_NUMBERS, .approx_size = 256, .raw_ids = true}),
};
/* clang-format on */
static const struct dg_problem *const listed[] = {DG_ONE(problems, 0), DG_ONE(problems, 1),
                                                  DG_ONE(problems, 2), DG_ONE(problems, 3),
                                                  DG_ONE(problems, 4)};
_Static_assert(DG_COUNT(listed) == DG_COUNT(problems), "all are listed");
const struct dg_family dg_family_image_text = {"Pictures with texts", listed, DG_COUNT(listed)};
