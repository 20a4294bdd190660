/*
 * datagen/images/image_csv.c - lists of images in CSV files; boxes.
 *
 * Lists are "path,label" without a header; boxes "file,xmin,ymin,xmax,ymax" as shares of the
 * sides, 0 to 1, as process_bounding_boxes.py writes them. Without a list of labels the files are
 * read twice: the labels of all rows, sorted, first.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/map.h"
#include "datagen/images/image_list.h"

static enum t2_status row_fail(const char *path, const struct t2_csv *csv, const char *what,
                               struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "'%s': line %" PRIu64 ": %s", path, t2_csv_line(csv), what);
}

/* Paths and labels of C have no NUL inside. */
static bool has_nul(struct t2_slice s)
{
    return s.len_bytes && memchr(s.data, 0, s.len_bytes);
}

static char *text_of(struct t2_slice s)
{
    return t2_asprintf("%.*s", (int) s.len_bytes, (const char *) s.data);
}

static struct t2_map *numbers_of(const struct t2_strs *labels)
{
    struct t2_map *map = t2_map_new();

    for (size_t i = 0; i < labels->n; i++)
        *t2_map_at(map, labels->items[i], strlen(labels->items[i]), NULL) = i;
    return map;
}

/* What a row does. */
struct reading {
    const char *dir;
    enum dg_image_split split;
    struct dg_images *list;
    const struct t2_map *labels; /* NULL: they are collected */
    struct t2_map *found;
};

static enum t2_status take_row(struct reading *r, const char *path, const struct t2_csv *csv,
                               const struct t2_slice *fields, struct t2_err *err)
{
    const uint64_t *label;
    char *image;

    if (has_nul(fields[0]) || has_nul(fields[1]))
        return row_fail(path, csv, "holds a NUL byte", err);
    if (fields[0].len_bytes == 0)
        return row_fail(path, csv, "the path is empty", err);
    if (!r->labels) {
        (void) t2_map_at(r->found, fields[1].data, fields[1].len_bytes, NULL);
        return T2_OK;
    }
    image = text_of(fields[0]);
    if (strstr(image, "://")) {
        enum t2_status st = t2_fail(err, T2_EUNSUPPORTED,
                                    "'%s': line %" PRIu64 ": '%s' is not on this machine: copy the "
                                    "images here first (gsutil -m cp -r)",
                                    path, t2_csv_line(csv), image);
        t2_free(image);
        return st;
    }
    if (*r->dir && *image != '/') {
        char *below = t2_path_join(r->dir, image);
        t2_free(image);
        image = below;
    }
    label = t2_map_find(r->labels, fields[1].data, fields[1].len_bytes);
    if (label) {
        (void) dg_images_add(r->list, image, r->split, (uint32_t) *label);
        return T2_OK;
    }
    dg_images_drop(r->list, image, "its label is not in the list of labels");
    t2_free(image);
    return T2_OK;
}

static enum t2_status read_file(struct reading *r, const char *path, struct t2_err *err)
{
    struct t2_csv *csv = NULL;
    const struct t2_slice *fields;
    enum t2_status st;
    uint64_t empty = 0; /* number of the last empty line */
    size_t n;

    T2_TRY(t2_csv_new(path, ',', true, &csv, err));
    while ((st = t2_csv_next(csv, &fields, &n, err)) == T2_OK) {
        if (n == 1 && fields[0].len_bytes == 0) { /* harmless at the end only */
            empty = empty ? empty : t2_csv_line(csv);
            continue;
        }
        if (empty) {
            st = t2_fail(err, T2_EFORMAT,
                         "'%s': line %" PRIu64 ": is empty, and rows follow: must be path,label",
                         path, empty);
            break;
        }
        st = n == 2 ? take_row(r, path, csv, fields, err)
                    : row_fail(path, csv,
                               "must be path,label: two fields, in quotes when they hold a comma",
                               err);
        if (st != T2_OK)
            break;
    }
    t2_csv_free(csv);
    return st == T2_EOF ? T2_OK : st;
}

static enum t2_status read_all(struct reading *r, const char *const lists[DG_N_IMAGE_SPLITS],
                               struct t2_err *err)
{
    for (int split = 0; split < DG_N_IMAGE_SPLITS; split++) {
        r->split = (enum dg_image_split) split;
        if (lists[split][0])
            T2_TRY(read_file(r, lists[split], err));
    }
    return T2_OK;
}

static enum t2_status collect_labels(const char *const lists[DG_N_IMAGE_SPLITS],
                                     struct dg_images *l, struct t2_err *err)
{
    struct reading r = {.list = l, .found = t2_map_new()};
    enum t2_status st = read_all(&r, lists, err);
    int first = 0;

    for (size_t i = 0; i < t2_map_count(r.found); i++)
        t2_strs_take(&l->labels, text_of(t2_map_key(r.found, i)));
    t2_strs_sort(&l->labels);
    t2_map_free(r.found);
    while (first < DG_N_IMAGE_SPLITS - 1 && !lists[first][0])
        first++;
    if (st == T2_OK && l->labels.n < 2)
        st = t2_fail(err, T2_EUSAGE, "'%s': Require at least two labels", lists[first]);
    return st;
}

enum t2_status dg_images_read_csv(const char *const lists[DG_N_IMAGE_SPLITS], const char *dir,
                                  struct dg_images *l, struct t2_err *err)
{
    struct reading r = {.dir = dir, .list = l};
    struct t2_map *labels;
    enum t2_status st;

    if (l->labels.n == 0)
        T2_TRY(collect_labels(lists, l, err));
    labels = numbers_of(&l->labels);
    r.labels = labels;
    st = read_all(&r, lists, err);
    t2_map_free(labels);
    return st;
}

/* ---- boxes ---- */

static bool parse_box(const struct t2_slice *fields, struct dg_image_box *box)
{
    float *const values[] = {&box->xmin, &box->ymin, &box->xmax, &box->ymax};

    for (size_t i = 0; i < 4; i++) {
        char *text = text_of(fields[i]);
        double value = -1;
        bool good = t2_parse_double(text, &value);
        t2_free(text);
        if (!good || value < 0 || value > 1)
            return false;
        *values[i] = (float) value;
    }
    return true;
}

struct named_box {
    uint64_t image;
    struct dg_image_box box;
};

/* Boxes in the order of the file, chained to their images. */
struct box_file {
    struct named_box *items;
    size_t n, capacity;
};

static enum t2_status read_box_rows(const char *path, const struct t2_map *names,
                                    struct box_file *boxes, struct t2_err *err)
{
    struct t2_csv *csv = NULL;
    const struct t2_slice *fields;
    enum t2_status st;
    size_t n;

    T2_TRY(t2_csv_new(path, ',', true, &csv, err));
    while ((st = t2_csv_next(csv, &fields, &n, err)) == T2_OK) {
        struct named_box one = {0};
        const uint64_t *image;
        if (n == 1 && fields[0].len_bytes == 0)
            continue;
        if (n != 5 || !parse_box(fields + 1, &one.box)) {
            st =
                row_fail(path, csv, "must be file,xmin,ymin,xmax,ymax with numbers of 0 to 1", err);
            break;
        }
        image = t2_map_find(names, fields[0].data, fields[0].len_bytes);
        if (!image)
            continue;
        one.image = *image;
        if (boxes->n == boxes->capacity) {
            boxes->capacity = boxes->capacity ? 2 * boxes->capacity : 256;
            boxes->items = t2_realloc(boxes->items, boxes->capacity, sizeof *boxes->items);
        }
        boxes->items[boxes->n++] = one;
    }
    t2_csv_free(csv);
    return st == T2_EOF ? T2_OK : st;
}

/* Counting sort by image; boxes of one image keep their order. */
static void place_boxes(const struct box_file *from, struct dg_images *l)
{
    size_t at = 0;

    for (size_t i = 0; i < from->n; i++)
        l->items[from->items[i].image].n_boxes++;
    for (size_t i = 0; i < l->n; i++) {
        l->items[i].first_box = at;
        at += l->items[i].n_boxes;
        l->items[i].n_boxes = 0;
    }
    t2_free(l->boxes);
    l->boxes = t2_alloc(at ? at : 1, sizeof *l->boxes);
    l->n_boxes = l->boxes_capacity = at;
    for (size_t i = 0; i < from->n; i++) {
        struct dg_image *p = &l->items[from->items[i].image];
        l->boxes[p->first_box + p->n_boxes++] = from->items[i].box;
    }
}

enum t2_status dg_images_read_boxes(const char *path, struct dg_images *l, struct t2_err *err)
{
    struct t2_map *names = t2_map_new();
    struct box_file boxes = {NULL, 0, 0};
    enum t2_status st;

    for (size_t i = 0; i < l->n; i++) {
        const char *name = t2_path_base(l->items[i].path);
        l->items[i].n_boxes = 0;
        *t2_map_at(names, name, strlen(name), NULL) = i;
    }
    st = read_box_rows(path, names, &boxes, err);
    t2_map_free(names);
    if (st == T2_OK) {
        place_boxes(&boxes, l);
        l->has_boxes = true;
        l->boxes_are_pixels = false;
    }
    t2_free(boxes.items);
    return st;
}
