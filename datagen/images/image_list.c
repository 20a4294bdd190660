/*
 * datagen/images/image_list.c - the list of images, and its labels.
 */
#include "datagen/images/image_list.h"

#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/text.h"

enum { MOST_LINE_BYTES = 1 << 20 }; /* of a list of labels */

const char *dg_image_split_name(enum dg_image_split split)
{
    static const char *const names[DG_N_IMAGE_SPLITS] = {"train", "validation", "test"};

    return names[split];
}

void dg_images_release(struct dg_images *l)
{
    for (size_t i = 0; i < l->n; i++)
        t2_free(l->items[i].path);
    for (size_t i = 0; i < l->n_drops; i++)
        t2_free(l->drops[i].path);
    t2_strs_release(&l->labels);
    t2_strs_release(&l->archives);
    t2_free(l->items);
    t2_free(l->boxes);
    t2_free(l->drops);
    memset(l, 0, sizeof *l);
}

/* Room for one more. */
static void *grow(void *items, size_t n, size_t *capacity, size_t size)
{
    if (n < *capacity)
        return items;
    *capacity = *capacity ? 2 * *capacity : 64;
    return t2_realloc(items, *capacity, size);
}

struct dg_image *dg_images_add(struct dg_images *l, char *path, enum dg_image_split split,
                               uint32_t label)
{
    l->items = grow(l->items, l->n, &l->capacity, sizeof *l->items);
    l->items[l->n] =
        (struct dg_image){.path = path, .split = split, .label = label, .first_box = l->n_boxes};
    return &l->items[l->n++];
}

void dg_images_drop(struct dg_images *l, const char *path, const char *why)
{
    l->drops = grow(l->drops, l->n_drops, &l->drops_capacity, sizeof *l->drops);
    l->drops[l->n_drops++] = (struct dg_image_drop){t2_strdup(path), why};
}

void dg_images_add_box(struct dg_images *l, struct dg_image_box box)
{
    T2_ASSERT(l->n > 0);
    l->boxes = grow(l->boxes, l->n_boxes, &l->boxes_capacity, sizeof *l->boxes);
    l->boxes[l->n_boxes++] = box;
    l->items[l->n - 1].n_boxes++;
}

size_t dg_images_count(const struct dg_images *l, enum dg_image_split split)
{
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++)
        n += l->items[i].split == split;
    return n;
}

/* ---- labels ---- */

static size_t without_end_blanks(struct t2_slice line)
{
    size_t n = line.len_bytes;

    while (n > 0 &&
           (line.data[n - 1] == ' ' || (line.data[n - 1] >= '\t' && line.data[n - 1] <= '\r')))
        n--;
    return n;
}

static enum t2_status read_lines(struct t2_in *in, struct t2_strs *labels, struct t2_err *err)
{
    struct t2_slice line;
    enum t2_status st;

    while ((st = t2_in_line(in, &line, err)) == T2_OK) {
        size_t n = without_end_blanks(line);
        t2_strs_take(labels, t2_asprintf("%.*s", (int) n, (const char *) line.data));
    }
    return st == T2_EOF ? T2_OK : st;
}

static enum t2_status check_labels(const char *path, const struct t2_strs *labels,
                                   struct t2_err *err)
{
    struct t2_map *seen = t2_map_new();
    enum t2_status st = T2_OK;

    if (labels->n < 2)
        st = t2_fail(err, T2_EUSAGE, "'%s': Require at least two labels", path);
    for (size_t i = 0; i < labels->n && st == T2_OK; i++) {
        uint64_t *first = t2_map_at(seen, labels->items[i], strlen(labels->items[i]), NULL);
        if (*first)
            st =
                t2_fail(err, T2_EFORMAT, "'%s': line %zu: the label '%s' is that of line %llu, too",
                        path, i + 1, labels->items[i], (unsigned long long) *first);
        *first = i + 1;
    }
    t2_map_free(seen);
    return st;
}

enum t2_status dg_images_read_labels(const char *path, struct t2_strs *labels, struct t2_err *err)
{
    struct t2_in *in = NULL;
    enum t2_status st;

    T2_TRY(t2_in_new(path, &in, err));
    t2_in_most_line(in, MOST_LINE_BYTES);
    st = read_lines(in, labels, err);
    t2_in_free(in);
    return st == T2_OK ? check_labels(path, labels, err) : st;
}
