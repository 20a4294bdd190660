/*
 * datagen/problems/problem_captions.c - captions of the same picture as paraphrases
 * (spec t2t-datagen.md §5.8, §8.5; T2T's paraphrase_ms_coco.py).
 */
#include <stdint.h>

#include "base/alloc.h"
#include "base/map.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/coco_files.h"
#include "datagen/problems/wishes.h"
#include "datagen/source/json_items.h"
#include "datagen/source/row_stream.h"

static const struct dg_source source = {.file = &dg_coco_captions,
                                        .into = "captions_train-val2014",
                                        .sign = "annotations"};
static const struct dg_source_file *const files[] = {&dg_coco_captions, NULL};
static const char *const members[] = {"annotations/captions_train2014.json",
                                      "annotations/captions_val2014.json"};

struct captions_stream {
    struct dg_stream base;
    const struct dg_options *options;
    const char *member;
    bool both_directions, turn;
    bool is_read;
    char *path;
    struct t2_buf texts; /* of all captions */
    struct caption {
        uint64_t image; /* in the order of their first caption */
        size_t offset;  /* of the text, which ends with NUL */
    } * items;
    size_t n, capacity, first, second; /* the pair that comes next */
};

/* A stable sort by image, by counting. */
static void sort_captions(struct captions_stream *s, size_t n_images)
{
    size_t *starts = t2_alloc(n_images + 1, sizeof *starts), i;
    struct caption *sorted = t2_alloc(s->n + 1, sizeof *sorted);

    for (i = 0; i < s->n; ++i)
        ++starts[s->items[i].image + 1];
    for (i = 0; i < n_images; ++i)
        starts[i + 1] += starts[i];
    for (i = 0; i < s->n; ++i)
        sorted[starts[s->items[i].image]++] = s->items[i];
    t2_free(starts);
    t2_free(s->items);
    s->items = sorted;
}

/* Captions of a picture need not stand together, so all are held: what that takes is refused early. */
static enum t2_status check_memory(const struct captions_stream *s, const struct t2_map *images,
                                   struct t2_err *err)
{
    uint64_t limit = s->options->max_memory / 4;
    uint64_t need = s->texts.len_bytes + 2 * s->n * sizeof *s->items + t2_map_memory(images);
    char human[32];

    if (limit == 0 || need <= limit)
        return T2_OK;
    return t2_fail(
        err, T2_ENOMEM,
        "'%s': its captions take more than the %s that they may of --max_memory; raise it", s->path,
        t2_human_bytes(limit, human, sizeof human));
}

static enum t2_status take(struct captions_stream *s, const struct t2_json_value *one,
                           struct t2_map *images, struct t2_err *err)
{
    const struct t2_json_value *id = t2_json_get(one, "image_id");
    int64_t image = t2_json_as_i64(id, 0);
    bool is_new;
    uint64_t *place;

    if (t2_json_type(id) != T2_JSON_INT ||
        t2_json_type(t2_json_get(one, "caption")) != T2_JSON_STRING)
        return t2_fail(err, T2_EFORMAT, "'%s': annotation %zu has no 'image_id' or no 'caption'",
                       s->path, s->n + 1);
    place = t2_map_at(images, &image, sizeof image, &is_new);
    if (is_new)
        *place = t2_map_count(images) - 1;
    if (s->n == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 1024;
        s->items = t2_realloc(s->items, s->capacity, sizeof *s->items);
    }
    s->items[s->n++] = (struct caption){*place, s->texts.len_bytes};
    t2_buf_puts(&s->texts, t2_json_as_string(t2_json_get(one, "caption"), ""));
    t2_buf_push(&s->texts, 0);
    return check_memory(s, images, err);
}

static enum t2_status load(struct captions_stream *s, struct t2_err *err)
{
    struct t2_map *images = t2_map_new();
    const struct t2_json_value *one;
    struct dg_source_text text = {0};
    struct dg_json_items *all = NULL;
    enum t2_status st;

    T2_GOTO(st, out, dg_source_open(&source, s->member, s->options, s->base.hash_on, &text, err));
    s->path = t2_strdup(text.path);
    all = dg_json_items_new(&text, "annotations", s->options->max_memory);
    while ((st = dg_json_items_next(all, &one, err)) == T2_OK)
        T2_GOTO(st, out, take(s, one, images, err));
    if (st != T2_EOF)
        goto out;
    st = T2_OK;
    if (s->base.hash_on)
        dg_source_note(&text, "captions", &s->base.files);
    sort_captions(s, t2_map_count(images));
    s->is_read = true;
    s->second = 1;
out:
    dg_json_items_free(all);
    dg_source_close(&text);
    t2_map_free(images);
    return st;
}

static struct t2_slice text_of(const struct captions_stream *s, size_t i)
{
    return t2_slice_of((const char *) s->texts.data + s->items[i].offset);
}

static enum t2_status next(struct dg_stream *base, struct dg_sample *sample, struct t2_err *err)
{
    struct captions_stream *s = (struct captions_stream *) base;

    if (!s->is_read)
        T2_TRY(load(s, err));
    while (s->first < s->n &&
           (s->second >= s->n || s->items[s->second].image != s->items[s->first].image)) {
        ++s->first;
        s->second = s->first + 1;
    }
    if (s->first >= s->n)
        return T2_EOF;
    sample->inputs = text_of(s, s->turn ? s->second : s->first);
    sample->targets = text_of(s, s->turn ? s->first : s->second);
    sample->inputs_origin.path = sample->targets_origin.path = s->path;
    sample->inputs_origin.line = s->first + 1;
    sample->targets_origin.line = s->second + 1;
    if (s->both_directions)
        s->turn = !s->turn;
    if (!s->turn)
        ++s->second;
    return T2_OK;
}

static enum t2_status describe(struct dg_stream *base, struct dg_told *told, struct t2_err *err)
{
    const struct captions_stream *s = (const struct captions_stream *) base;

    return dg_source_describe(&source, s->member, "captions", s->options, told, err);
}

static void release(struct dg_stream *base)
{
    struct captions_stream *s = (struct captions_stream *) base;

    t2_buf_release(&s->texts);
    t2_free(s->items);
    t2_free(s->path);
    t2_free(s);
}

static enum t2_status captions_open(const struct dg_problem *p, const struct dg_options *options,
                                    enum dg_split split, struct dg_stream **stream,
                                    struct t2_err *err)
{
    struct captions_stream *s = t2_alloc(1, sizeof *s);

    (void) err;
    s->base.next = next;
    s->base.free = release;
    s->base.describe = describe;
    s->base.is_clean = true; /* captions are not stripped */
    s->options = options;
    s->member = members[split != DG_TRAIN];
    s->both_directions = p->context != NULL;
    *stream = &s->base;
    return T2_OK;
}

static enum t2_status captions_prepare(const struct dg_problem *p, const struct dg_options *options,
                                       struct t2_err *err)
{
    static const struct dg_source *const sources[] = {&source};

    (void) p;
    return dg_sources_fetch(sources, 1, options, err);
}

static const char both_directions[] = "";

/* clang-format off */
#define CAPTIONS(problem, text, about, ...)                                                        \
    {.name = problem, .summary = text, .has_inputs = true, .shared_vocab = true,                   \
     .n_shards = {10, 1}, .sources = files, .prepare = captions_prepare, .open = captions_open,    \
     .context = about, .targets_vocab = __VA_ARGS__}
#define BOTH(problem, text, about)                                                                 \
    CAPTIONS(problem, text, about, DG_SUBWORDS(8192)),                                             \
    CAPTIONS(problem "_characters", text ", as bytes", about, DG_BYTES)

static const struct dg_problem problems[] = {
    BOTH("paraphrase_generation_ms_coco_problem1d", "Pairs of captions of the same COCO picture",
         NULL),
    BOTH("paraphrase_generation_ms_coco_problem2d",
         "Pairs of captions of the same COCO picture, in both orders", both_directions),
};
/* clang-format on */
static const struct dg_problem *const listed[] = {DG_ONE(problems, 0), DG_ONE(problems, 1),
                                                  DG_ONE(problems, 2), DG_ONE(problems, 3)};
_Static_assert(DG_COUNT(listed) == DG_COUNT(problems), "all are listed");
const struct dg_family dg_family_captions = {"Paraphrases", listed, DG_COUNT(listed)};
