/*
 * datagen/problems/coco_captions.c - three sorts: by the image's id, where images meet their
 * captions; by the place of the image in the document; by the place that was drawn for it.
 */
#include "datagen/problems/coco_captions.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "datagen/problems/coco_files.h"
#include "datagen/source/json_items.h"
#include "datagen/source/scratch_sort.h"

const struct dg_source dg_coco_captions_source = {.file = &dg_coco_captions, .sign = "annotations"};
static const char *const members[] = {"annotations/captions_train2014.json",
                                      "annotations/captions_val2014.json"};
static const uint64_t most_images[] = {80000, 40000};
static const char *const keys[] = {"images", "annotations", NULL};
enum { IMAGES, ANNOTATIONS, SIZES_BYTES = 16 };
/* Behind all images of an id. */
static const uint64_t CAPTIONS = UINT64_C(1) << 63;

struct coco {
    const struct dg_options *options;
    enum dg_split split;
    struct tfr_sorter *by_id;
    char *path;
    struct t2_buf data;
};

/* ---- what the document says ---- */

/* Its id; height, width and name to c->data. */
static enum t2_status take_image(struct coco *c, const struct t2_json_value *one, uint64_t number,
                                 uint64_t *id, struct t2_err *err)
{
    const char *name = t2_json_as_string(t2_json_get(one, "file_name"), NULL);
    int64_t signed_id = t2_json_as_i64(t2_json_get(one, "id"), -1);
    int64_t height = t2_json_as_i64(t2_json_get(one, "height"), -1);
    int64_t width = t2_json_as_i64(t2_json_get(one, "width"), -1);
    uint8_t sizes[SIZES_BYTES];

    if (!name || signed_id < 0 || height < 0 || width < 0)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': image %" PRIu64 " has no 'id', 'file_name', 'height' or 'width'",
                       c->path, number);
    dg_put_number(sizes, (uint64_t) height);
    dg_put_number(sizes + SIZES_BYTES / 2, (uint64_t) width);
    t2_buf_clear(&c->data);
    t2_buf_append(&c->data, sizes, sizeof sizes);
    t2_buf_puts(&c->data, name);
    *id = (uint64_t) signed_id;
    return T2_OK;
}

static enum t2_status fail_caption(const struct coco *c, uint64_t number, struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT,
                   "'%s': annotation %" PRIu64 " has no 'caption', or no 'image_id' of an image",
                   c->path, number);
}

static enum t2_status take_item(struct coco *c, size_t which, const struct t2_json_value *one,
                                uint64_t number, struct t2_err *err)
{
    struct dg_place place = {0, number};
    const char *text;
    int64_t id;

    if (which == IMAGES) {
        T2_TRY(take_image(c, one, number, &place.major, err));
        return dg_sorter_add(c->by_id, place, t2_buf_slice(&c->data), err);
    }
    text = t2_json_as_string(t2_json_get(one, "caption"), NULL);
    id = t2_json_as_i64(t2_json_get(one, "image_id"), -1);
    if (id < 0 || !text)
        return fail_caption(c, number, err);
    place = (struct dg_place){(uint64_t) id, CAPTIONS | number};
    return dg_sorter_add(c->by_id, place, t2_slice_of(text), err);
}

/* with_captions: else images alone are looked at. */
static enum t2_status read_document(struct coco *c, bool with_captions,
                                    struct dg_input_files *files, struct t2_err *err)
{
    static const char *const images_alone[] = {"images", NULL};
    struct dg_source_text text;
    const struct t2_json_value *one;
    struct dg_json_items *all;
    enum t2_status st;
    size_t which;

    T2_TRY(dg_sorter_new(c->options, &c->by_id, err));
    T2_TRY(dg_source_open(&dg_coco_captions_source, members[c->split], c->options, files != NULL,
                          &text, err));
    c->path = t2_strdup(text.path);
    all = dg_json_items_new(&text, with_captions ? keys : images_alone, c->options->max_memory);
    while ((st = dg_json_items_next(all, &which, &one, err)) == T2_OK) {
        st = take_item(c, which, one, dg_json_items_number(all), err);
        if (st != T2_OK)
            break;
    }
    if (st == T2_EOF && files)
        dg_source_note(&text, "captions", files);
    dg_json_items_free(all);
    dg_source_close(&text);
    return st == T2_EOF ? tfr_sorter_finish(c->by_id, err) : st;
}

static void release(struct coco *c)
{
    tfr_sorter_free(c->by_id);
    t2_free(c->path);
    t2_buf_release(&c->data);
}

enum t2_status dg_coco_count(enum dg_split split, const struct dg_options *options, uint64_t *n,
                             struct t2_err *err)
{
    struct coco c = {.options = options, .split = split};
    enum t2_status st = read_document(&c, false, NULL, err);
    struct dg_place place;
    struct t2_slice data;
    uint64_t last = 0;

    *n = 0;
    while (st == T2_OK && (st = dg_sorter_next(c.by_id, &place, &data, err)) == T2_OK) {
        *n += *n == 0 || place.major != last;
        last = place.major;
    }
    if (*n > most_images[split])
        *n = most_images[split];
    release(&c);
    return st == T2_EOF ? T2_OK : st;
}

/* ---- by place in the document: the image, then its captions ---- */

struct join {
    struct tfr_sorter *by_rank;
    struct dg_place image;           /* its id, the number of its first mention; 0: no image yet */
    uint64_t n_images, first_orphan; /* a caption without image; 0: there is none */
};

static enum t2_status end_image(struct coco *c, struct join *j, struct t2_err *err)
{
    struct dg_place place = {j->image.minor, 0};

    if (j->image.minor == 0)
        return T2_OK;
    j->n_images++;
    return dg_sorter_add(j->by_rank, place, t2_buf_slice(&c->data), err);
}

static enum t2_status join_item(struct coco *c, struct join *j, struct dg_place place,
                                struct t2_slice data, struct t2_err *err)
{
    uint64_t number = place.minor & ~CAPTIONS;

    if (place.major != j->image.major || j->image.minor == 0) {
        T2_TRY(end_image(c, j, err));
        j->image = (struct dg_place){place.major, 0};
    }
    if (place.minor & CAPTIONS) {
        if (j->image.minor == 0 && (j->first_orphan == 0 || number < j->first_orphan))
            j->first_orphan = number;
        return dg_sorter_add(j->by_rank, (struct dg_place){j->image.minor, number}, data, err);
    }
    if (j->image.minor == 0)
        j->image.minor = number;
    t2_buf_clear(&c->data);
    t2_buf_append(&c->data, data.data, data.len_bytes);
    return T2_OK;
}

static enum t2_status join_captions(struct coco *c, struct join *j, struct t2_err *err)
{
    struct dg_place place;
    struct t2_slice data;
    enum t2_status st;

    T2_TRY(dg_sorter_new(c->options, &j->by_rank, err));
    while ((st = dg_sorter_next(c->by_id, &place, &data, err)) == T2_OK)
        T2_TRY(join_item(c, j, place, data, err));
    if (st != T2_EOF)
        return st;
    T2_TRY(end_image(c, j, err));
    if (j->first_orphan)
        return fail_caption(c, j->first_orphan, err);
    tfr_sorter_free(c->by_id);
    c->by_id = NULL;
    return tfr_sorter_finish(j->by_rank, err);
}

/* ---- in the order that was drawn ---- */

static enum t2_status mix(struct coco *c, struct join *j, struct t2_mt *mt,
                          struct tfr_sorter *mixed, struct t2_err *err)
{
    uint64_t n = j->n_images < most_images[c->split] ? j->n_images : most_images[c->split];
    uint64_t n_given = 0;
    uint32_t *places;
    struct dg_place place;
    struct t2_slice data;
    enum t2_status st;

    T2_TRY(dg_draw_places(c->options, mt, n, &places, err));
    while ((st = dg_sorter_next(j->by_rank, &place, &data, err)) == T2_OK) {
        if (place.minor == 0 && n_given++ == n)
            break;
        place.major = places[n_given - 1];
        T2_GOTO(st, out, dg_sorter_add(mixed, place, data, err));
    }
    st = st == T2_OK || st == T2_EOF ? tfr_sorter_finish(mixed, err) : st;
out:
    t2_free(places);
    return st;
}

static enum t2_status give(struct coco *c, struct tfr_sorter *mixed, dg_coco_take take,
                           void *context, struct t2_err *err)
{
    struct dg_coco_caption one = {.name = NULL};
    struct dg_place place;
    struct t2_slice data;
    enum t2_status st;

    while ((st = dg_sorter_next(mixed, &place, &data, err)) == T2_OK) {
        if (place.minor == 0) {
            t2_buf_clear(&c->data);
            t2_buf_append(&c->data, data.data, data.len_bytes);
            one.name = t2_buf_cstr(&c->data) + SIZES_BYTES;
            one.height = (int64_t) dg_get_number(c->data.data);
            one.width = (int64_t) dg_get_number(c->data.data + SIZES_BYTES / 2);
        }
        one.is_image = place.minor == 0;
        one.text = one.is_image ? (struct t2_slice){NULL, 0} : data;
        T2_TRY(take(context, &one, err));
    }
    return st == T2_EOF ? T2_OK : st;
}

enum t2_status dg_coco_each(enum dg_split split, const struct dg_options *options,
                            struct dg_input_files *files, struct t2_mt *mt, dg_coco_take take,
                            void *context, struct t2_err *err)
{
    struct coco c = {.options = options, .split = split};
    struct join j = {.by_rank = NULL};
    struct tfr_sorter *mixed = NULL;
    enum t2_status st;

    T2_GOTO(st, out, read_document(&c, true, files, err));
    T2_GOTO(st, out, join_captions(&c, &j, err));
    T2_GOTO(st, out, dg_sorter_new(options, &mixed, err));
    T2_GOTO(st, out, mix(&c, &j, mt, mixed, err));
    tfr_sorter_free(j.by_rank);
    j.by_rank = NULL;
    st = give(&c, mixed, take, context, err);
out:
    tfr_sorter_free(mixed);
    tfr_sorter_free(j.by_rank);
    release(&c);
    return st;
}
