/*
 * datagen/problems/problem_captions.c - captions of the same image as paraphrases
 * (spec t2t-datagen.md §5.8, §8.5; T2T's paraphrase_ms_coco.py).
 */
#include <inttypes.h>

#include "base/alloc.h"
#include "base/str.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/coco_files.h"
#include "datagen/problems/vocab_specs.h"
#include "datagen/source/json_items.h"
#include "datagen/source/row_stream.h"
#include "datagen/source/scratch_sort.h"

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
    char *path;
    struct tfr_sorter *sorted; /* image by image; NULL: nothing was read */
    struct dg_place place;     /* of `waiting` */
    struct t2_slice waiting;   /* the first caption of the next image */
    bool has_ended;
    struct t2_buf texts; /* of the captions of an image, one behind the other */
    size_t *starts, n, capacity, first, second; /* the pair that comes next */
    uint64_t n_before;                          /* captions of earlier images */
};

/* ---- by image, in the order of their first captions ---- */

static enum t2_status read_captions(struct captions_stream *s, struct tfr_sorter *by_id,
                                    struct t2_err *err)
{
    static const char *const keys[] = {"annotations", NULL};
    const struct t2_json_value *one, *id;
    struct dg_source_text text = {0};
    struct dg_json_items *all;
    enum t2_status st;

    T2_TRY(dg_source_open(&source, s->member, s->options, s->base.hash_on, &text, err));
    s->path = t2_strdup(text.path);
    all = dg_json_items_new(&text, keys, s->options->max_memory);
    while ((st = dg_json_items_next(all, NULL, &one, err)) == T2_OK) {
        const char *caption = t2_json_as_string(t2_json_get(one, "caption"), NULL);
        struct dg_place place = {0, dg_json_items_number(all)};
        id = t2_json_get(one, "image_id");
        place.major = (uint64_t) t2_json_as_i64(id, 0);
        if (t2_json_type(id) != T2_JSON_INT || !caption)
            st = t2_fail(err, T2_EFORMAT,
                         "'%s': annotation %" PRIu64 " has no 'image_id' or no 'caption'", s->path,
                         place.minor);
        else
            st = dg_sorter_add(by_id, place, t2_slice_of(caption), err);
        if (st != T2_OK)
            break;
    }
    if (st == T2_EOF && s->base.hash_on)
        dg_source_note(&text, "captions", &s->base.files);
    dg_json_items_free(all);
    dg_source_close(&text);
    return st == T2_EOF ? T2_OK : st;
}

/* The number of the first caption takes the place of the image's. */
static enum t2_status sort_captions(struct captions_stream *s, struct tfr_sorter *by_id,
                                    struct t2_err *err)
{
    struct dg_place place, image = {0, 0};
    struct t2_slice caption;
    enum t2_status st;

    T2_TRY(dg_sorter_new(s->options, &s->sorted, err));
    T2_TRY(tfr_sorter_finish(by_id, err));
    while ((st = dg_sorter_next(by_id, &place, &caption, err)) == T2_OK) {
        if (image.minor == 0 || place.major != image.major)
            image = place;
        T2_TRY(dg_sorter_add(s->sorted, (struct dg_place){image.minor, place.minor}, caption, err));
    }
    return st == T2_EOF ? tfr_sorter_finish(s->sorted, err) : st;
}

static enum t2_status load(struct captions_stream *s, struct t2_err *err)
{
    struct tfr_sorter *by_id = NULL;
    enum t2_status st = dg_sorter_new(s->options, &by_id, err);

    if (st == T2_OK)
        st = read_captions(s, by_id, err);
    if (st == T2_OK)
        st = sort_captions(s, by_id, err);
    tfr_sorter_free(by_id);
    return st;
}

/* ---- samples ---- */

static enum t2_status advance(struct captions_stream *s, struct t2_err *err)
{
    enum t2_status st = dg_sorter_next(s->sorted, &s->place, &s->waiting, err);

    s->has_ended = st == T2_EOF;
    return s->has_ended ? T2_OK : st;
}

static enum t2_status add_caption(struct captions_stream *s, struct t2_err *err)
{
    uint64_t limit = dg_sort_share(s->options);
    char human[32];

    if (s->n + 1 >= s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 16;
        s->starts = t2_realloc(s->starts, s->capacity, sizeof *s->starts);
    }
    s->starts[s->n++] = s->texts.len_bytes;
    t2_buf_append(&s->texts, s->waiting.data, s->waiting.len_bytes);
    s->starts[s->n] = s->texts.len_bytes;
    if (s->texts.len_bytes + s->n * sizeof *s->starts <= limit)
        return T2_OK;
    return t2_fail(err, T2_ENOMEM,
                   "'%s': the captions of one image, the one of annotation %" PRIu64
                   ", take more than the %s that they may of --max_memory",
                   s->path, s->place.major, t2_human_bytes(limit, human, sizeof human));
}

/* The captions of the next image. */
static enum t2_status next_image(struct captions_stream *s, struct t2_err *err)
{
    uint64_t image = s->place.major;

    if (s->has_ended)
        return T2_EOF;
    s->n_before += s->n;
    s->n = s->first = 0;
    s->second = 1;
    t2_buf_clear(&s->texts);
    while (!s->has_ended && s->place.major == image) {
        T2_TRY(add_caption(s, err));
        T2_TRY(advance(s, err));
    }
    return T2_OK;
}

static struct t2_slice text_of(struct captions_stream *s, size_t i)
{
    return (struct t2_slice){(const uint8_t *) t2_buf_cstr(&s->texts) + s->starts[i],
                             s->starts[i + 1] - s->starts[i]};
}

static enum t2_status next(struct dg_stream *base, struct dg_sample *sample, struct t2_err *err)
{
    struct captions_stream *s = (struct captions_stream *) base;

    if (!s->sorted) {
        T2_TRY(load(s, err));
        T2_TRY(advance(s, err));
    }
    while (s->second >= s->n) {
        if (s->first + 2 < s->n) {
            s->first++;
            s->second = s->first + 1;
        } else {
            T2_TRY(next_image(s, err));
        }
    }
    sample->inputs = text_of(s, s->turn ? s->second : s->first);
    sample->targets = text_of(s, s->turn ? s->first : s->second);
    sample->inputs_origin.path = sample->targets_origin.path = s->path;
    sample->inputs_origin.line = s->n_before + s->first + 1;
    sample->targets_origin.line = s->n_before + s->second + 1;
    if (s->both_directions)
        s->turn = !s->turn;
    if (!s->turn)
        s->second++;
    return T2_OK;
}

static enum t2_status describe(struct dg_stream *base, struct dg_input_sizes *sizes,
                               struct t2_err *err)
{
    const struct captions_stream *s = (const struct captions_stream *) base;
    enum t2_status st;

    sizes->for_sort = true;
    st = dg_source_describe(&source, s->member, "captions", s->options, sizes, err);
    sizes->for_sort = false;
    return st;
}

static void release(struct dg_stream *base)
{
    struct captions_stream *s = (struct captions_stream *) base;

    tfr_sorter_free(s->sorted);
    t2_buf_release(&s->texts);
    t2_free(s->starts);
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
    BOTH("paraphrase_generation_ms_coco_problem1d", "Pairs of captions of the same COCO image",
         NULL),
    BOTH("paraphrase_generation_ms_coco_problem2d",
         "Pairs of captions of the same COCO image, in both orders", both_directions),
};
/* clang-format on */
const struct dg_family dg_family_captions = {"Paraphrases", problems, DG_COUNT(problems)};
