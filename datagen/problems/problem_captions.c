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
#include "datagen/source/row_stream.h"
#include "datagen/source/source_json.h"

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
    struct t2_json_doc *doc;
    char *path;
    struct caption {
        uint64_t image; /* in the order of their first caption */
        const char *text;
    } * items;
    size_t n, first, second; /* the pair that comes next */
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

static enum t2_status take_annotations(struct captions_stream *s, struct t2_err *err)
{
    const struct t2_json_value *all = t2_json_get(t2_json_root(s->doc), "annotations");
    struct t2_map *images = t2_map_new();
    enum t2_status st = T2_OK;
    size_t i;

    s->n = t2_json_size(all);
    s->items = t2_alloc(s->n + 1, sizeof *s->items);
    for (i = 0; i < s->n && st == T2_OK; ++i) {
        const struct t2_json_value *one = t2_json_item(all, i);
        const struct t2_json_value *id = t2_json_get(one, "image_id");
        int64_t image = t2_json_as_i64(id, 0);
        bool is_new;
        uint64_t *place;
        if (t2_json_type(id) != T2_JSON_INT ||
            t2_json_type(t2_json_get(one, "caption")) != T2_JSON_STRING) {
            st = t2_fail(err, T2_EFORMAT, "'%s': annotation %zu has no 'image_id' or no 'caption'",
                         s->path, i + 1);
            break;
        }
        place = t2_map_at(images, &image, sizeof image, &is_new);
        if (is_new)
            *place = t2_map_count(images) - 1;
        s->items[i].image = *place;
        s->items[i].text = t2_json_as_string(t2_json_get(one, "caption"), "");
    }
    if (st == T2_OK)
        sort_captions(s, t2_map_count(images));
    t2_map_free(images);
    return st;
}

static enum t2_status load(struct captions_stream *s, struct t2_err *err)
{
    T2_TRY(dg_source_json(&source, s->member, s->options, "captions",
                          s->base.hash_on ? &s->base.files : NULL, &s->doc, &s->path, err));
    T2_TRY(take_annotations(s, err));
    s->second = 1;
    return T2_OK;
}

static enum t2_status next(struct dg_stream *base, struct dg_sample *sample, struct t2_err *err)
{
    struct captions_stream *s = (struct captions_stream *) base;

    if (!s->doc)
        T2_TRY(load(s, err));
    while (s->first < s->n &&
           (s->second >= s->n || s->items[s->second].image != s->items[s->first].image)) {
        ++s->first;
        s->second = s->first + 1;
    }
    if (s->first >= s->n)
        return T2_EOF;
    sample->inputs = t2_slice_of(s->items[s->turn ? s->second : s->first].text);
    sample->targets = t2_slice_of(s->items[s->turn ? s->first : s->second].text);
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

    t2_json_free(s->doc);
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
