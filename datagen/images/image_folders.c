/*
 * datagen/images/image_folders.c - lists of images out of folders: by class, ImageNet, Tiny
 * ImageNet.
 *
 *   classes         <dir>/<class>/...                      validation by hash of the file name
 *                   <dir>/{train,validation|valid|val|dev,test}/<class>/...
 *   imagenet        <dir>/train/<synset>/NAME.JPEG, <dir>/validation/NAME.JPEG, synset_labels.txt
 *                   or ILSVRC2012_img_train.tar (a tar of <synset>.tar) and ILSVRC2012_img_val.tar,
 *                   read where they lie
 *   tiny_imagenet   <dir>/wnids.txt, train/<wnid>/images/NAME, train/<wnid>/<wnid>_boxes.txt,
 *                   val/images/NAME, val/val_annotations.txt
 *
 * Paths are sorted, so that the list, and with it the seed's order, does not depend on the file
 * system.
 */
#include <inttypes.h>
#include <string.h>

#include "augment/admit.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/list_tree.h"
#include "base/map.h"
#include "base/text.h"
#include "datagen/images/image_file.h"
#include "datagen/images/image_list.h"

bool dg_parse_folder_layout(const char *name, enum dg_folder_layout *layout)
{
    static const char *const names[] = {"auto", "classes", "imagenet", "tiny_imagenet"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) {
            *layout = (enum dg_folder_layout) i;
            return true;
        }
    return false;
}

/*
 * The first 53 bits of the hash as a number in [0, 1): the choice depends on the name alone, so
 * that an image keeps its split when others are added.
 */
bool dg_is_held_out(const char *name, double percent)
{
    double u = (double) (t2_hash64(name, strlen(name), 0) >> 11) * 0x1p-53;

    return u * 100 < percent;
}

/* ---- what was found, before the labels have numbers ---- */

struct found {
    const char *dir;
    double validation_percent;
    struct t2_strs paths, classes; /* of each image */
    struct where {
        enum dg_image_split split;
        const char *archive; /* as in struct dg_image */
        struct dg_place place;
    } * where;
    size_t capacity;
};

static void found_release(struct found *f)
{
    t2_strs_release(&f->paths);
    t2_strs_release(&f->classes);
    t2_free(f->where);
}

/* Takes ownership of both strings. */
static void found_add(struct found *f, char *path, char *class_name, enum dg_image_split split)
{
    if (f->paths.n == f->capacity) {
        f->capacity = f->capacity ? 2 * f->capacity : 256;
        f->where = t2_realloc(f->where, f->capacity, sizeof *f->where);
    }
    f->where[f->paths.n] = (struct where){.split = split};
    t2_strs_take(&f->paths, path);
    t2_strs_take(&f->classes, class_name);
}

static bool is_called_image(const char *path)
{
    return aug_kind_of_name(path) != AUG_UNKNOWN;
}

static enum t2_status has(const char *dir, const char *name, bool *there, struct t2_err *err)
{
    char *path = t2_path_join(dir, name);
    struct t2_file_info seen;
    enum t2_status st = t2_look_at(path, &seen, err);

    *there = seen.kind != T2_FILE_ABSENT;
    t2_free(path);
    return st;
}

static void sort_labels(const struct found *f, struct t2_strs *labels)
{
    struct t2_map *seen = t2_map_new();

    for (size_t i = 0; i < f->classes.n; i++) {
        bool is_new;
        (void) t2_map_at(seen, f->classes.items[i], strlen(f->classes.items[i]), &is_new);
        if (is_new)
            t2_strs_push(labels, f->classes.items[i]);
    }
    t2_strs_sort(labels);
    t2_map_free(seen);
}

/* Gives the classes their numbers; f is used up. */
static enum t2_status number(struct found *f, struct dg_images *l, struct t2_err *err)
{
    struct t2_map *numbers = t2_map_new();

    if (l->labels.n == 0)
        sort_labels(f, &l->labels);
    for (size_t i = 0; i < l->labels.n; i++)
        *t2_map_at(numbers, l->labels.items[i], strlen(l->labels.items[i]), NULL) = i;
    for (size_t i = 0; i < f->paths.n; i++) {
        const struct where *where = &f->where[i];
        const uint64_t *label =
            t2_map_find(numbers, f->classes.items[i], strlen(f->classes.items[i]));
        struct dg_image *p;
        if (!label) {
            dg_images_drop(l, f->paths.items[i], "its class is not in the list of labels");
            continue;
        }
        p = dg_images_add(l, t2_strdup(f->paths.items[i]), where->split, (uint32_t) *label);
        p->archive = where->archive;
        p->place = where->place;
    }
    t2_map_free(numbers);
    return l->labels.n >= 2
               ? T2_OK
               : t2_fail(err, T2_EUSAGE,
                         "'%s': Require at least two labels: a folder for each class", f->dir);
}

/* ---- folders by class ---- */

/* <dir>/<below>/<class>/...; without folder for validation some are held out. */
static enum t2_status find_classes(struct found *f, struct dg_images *l, const char *below,
                                   enum dg_image_split split, struct t2_err *err)
{
    char *root = *below ? t2_path_join(f->dir, below) : t2_strdup(f->dir);
    struct t2_strs names = {NULL, 0, 0};
    enum t2_status st = t2_list_tree(root, &names, err);

    for (size_t i = 0; i < names.n && st == T2_OK; i++) {
        const char *slash = strchr(names.items[i], '/');
        char *path = t2_path_join(root, names.items[i]);
        enum dg_image_split to = split;
        if (!slash) {
            if (is_called_image(path))
                dg_images_drop(l, path, "lies in no folder of a class");
            t2_free(path);
            continue;
        }
        if (split == DG_IMAGES_TRAIN && f->validation_percent > 0 &&
            dg_is_held_out(t2_path_base(path), f->validation_percent))
            to = DG_IMAGES_VALIDATION;
        found_add(f, path, t2_asprintf("%.*s", (int) (slash - names.items[i]), names.items[i]), to);
    }
    t2_strs_release(&names);
    t2_free(root);
    return st;
}

static const struct {
    const char *name;
    enum dg_image_split split;
} split_folders[] = {
    {"train", DG_IMAGES_TRAIN},      {"validation", DG_IMAGES_VALIDATION},
    {"valid", DG_IMAGES_VALIDATION}, {"val", DG_IMAGES_VALIDATION},
    {"dev", DG_IMAGES_VALIDATION},   {"test", DG_IMAGES_TEST},
};

static enum t2_status read_classes(struct found *f, struct dg_images *l, struct t2_err *err)
{
    enum { N = sizeof split_folders / sizeof *split_folders };
    bool there[N];

    for (size_t i = 0; i < N; i++) {
        T2_TRY(has(f->dir, split_folders[i].name, &there[i], err));
        if (i == 0 && !there[0])
            return find_classes(f, l, "", DG_IMAGES_TRAIN, err);
        if (there[i] && split_folders[i].split == DG_IMAGES_VALIDATION)
            f->validation_percent = 0;
    }
    for (size_t i = 0; i < N; i++)
        if (there[i])
            T2_TRY(find_classes(f, l, split_folders[i].name, split_folders[i].split, err));
    return T2_OK;
}

/* ---- ImageNet, as imagenet_to_gcs.py expects it, or as it is downloaded ---- */

#define SYNSETS "synset_labels.txt"
#define PACKED_TRAIN "ILSVRC2012_img_train.tar"
#define PACKED_VALIDATION "ILSVRC2012_img_val.tar"

/* The sorted images of one folder, as paths. */
static enum t2_status list_images(const char *dir, struct t2_strs *paths, struct t2_err *err)
{
    struct t2_strs names = {NULL, 0, 0};
    enum t2_status st = t2_list_dir(dir, &names, err);

    for (size_t i = 0; i < names.n && st == T2_OK; i++)
        if (is_called_image(names.items[i]))
            t2_strs_take(paths, t2_path_join(dir, names.items[i]));
    t2_strs_release(&names);
    return st;
}

static enum t2_status check_synsets(const char *dir, size_t n_lines, const char *images,
                                    size_t n_images, struct t2_err *err)
{
    return n_lines == n_images
               ? T2_OK
               : t2_fail(err, T2_EFORMAT,
                         "'%s/" SYNSETS "': %zu lines for %zu images in '%s': there must be the "
                         "synset of each, in the order of their names",
                         dir, n_lines, n_images, images);
}

/* The images of an archive; paths name the archive within, too. */
static enum t2_status find_packed(struct found *f, struct dg_images *l, const char *file,
                                  const struct t2_strs *classes, enum dg_image_split split,
                                  struct t2_err *err)
{
    struct dg_packed_images packed = {NULL, 0, 0};
    char *archive = t2_path_join(f->dir, file);
    enum t2_status st = dg_packed_images_find(archive, !classes, &packed, err);

    t2_strs_take(&l->archives, archive);
    if (st == T2_OK && classes)
        st = check_synsets(f->dir, classes->n, archive, packed.n, err);
    for (size_t i = 0; i < packed.n && st == T2_OK; i++) {
        const char *name = packed.items[i].name;
        int n = (int) strcspn(name, "/");
        struct where *where;
        if (classes)
            found_add(f, t2_path_join(archive, name), t2_strdup(classes->items[i]), split);
        else
            found_add(f, t2_asprintf("%s/%.*s.tar%s", archive, n, name, name + n),
                      t2_strndup(name, (size_t) n), split);
        where = &f->where[f->paths.n - 1];
        where->archive = archive;
        where->place = packed.items[i].place;
    }
    dg_packed_images_release(&packed);
    return st;
}

static enum t2_status imagenet_train(struct found *f, struct t2_err *err)
{
    char *root = t2_path_join(f->dir, "train");
    struct t2_strs synsets = {NULL, 0, 0}, paths = {NULL, 0, 0};
    enum t2_status st = t2_list_dir(root, &synsets, err);

    for (size_t i = 0; i < synsets.n && st == T2_OK; i++) {
        char *dir = t2_path_join(root, synsets.items[i]);
        struct t2_file_info seen;
        st = t2_look_at(dir, &seen, err);
        if (st == T2_OK && seen.kind == T2_FILE_DIR)
            st = list_images(dir, &paths, err);
        t2_free(dir);
    }
    t2_strs_sort(&paths); /* by the whole path, as a sorted glob */
    for (size_t i = 0; i < paths.n; i++) {
        char *dir = t2_path_dir(paths.items[i]);
        found_add(f, t2_strdup(paths.items[i]), t2_strdup(t2_path_base(dir)), DG_IMAGES_TRAIN);
        t2_free(dir);
    }
    t2_strs_release(&paths);
    t2_strs_release(&synsets);
    t2_free(root);
    return st;
}

/* Lines as Python's bytes.splitlines: CR, LF and CR LF. */
static enum t2_status read_synsets(const char *path, struct t2_strs *synsets, struct t2_err *err)
{
    struct t2_buf text = {NULL, 0, 0};
    size_t start = 0;

    T2_TRY(t2_read_file(path, UINT64_C(1) << 28, &text, err));
    for (size_t i = 0; i <= text.len_bytes; i++) {
        bool at_end = i == text.len_bytes;
        if (!at_end && text.data[i] != '\n' && text.data[i] != '\r')
            continue;
        if (!at_end || i > start)
            t2_strs_take(synsets,
                         t2_asprintf("%.*s", (int) (i - start), (const char *) text.data + start));
        if (!at_end && text.data[i] == '\r' && i + 1 < text.len_bytes && text.data[i + 1] == '\n')
            i++;
        start = i + 1;
    }
    t2_buf_release(&text);
    return T2_OK;
}

static enum t2_status imagenet_validation(struct found *f, struct dg_images *l, struct t2_err *err)
{
    char *list = t2_path_join(f->dir, SYNSETS);
    char *root = t2_path_join(f->dir, "validation");
    struct t2_strs synsets = {NULL, 0, 0}, paths = {NULL, 0, 0};
    struct t2_file_info seen;
    enum t2_status st = t2_look_at(root, &seen, err);
    bool packed = seen.kind == T2_FILE_ABSENT;

    if (st == T2_OK && !packed)
        st = list_images(root, &paths, err);
    if (st == T2_OK)
        st = read_synsets(list, &synsets, err);
    if (st == T2_OK && packed)
        st = find_packed(f, l, PACKED_VALIDATION, &synsets, DG_IMAGES_VALIDATION, err);
    else if (st == T2_OK)
        st = check_synsets(f->dir, synsets.n, root, paths.n, err);
    for (size_t i = 0; i < paths.n && st == T2_OK; i++)
        found_add(f, t2_strdup(paths.items[i]), t2_strdup(synsets.items[i]), DG_IMAGES_VALIDATION);
    t2_strs_release(&paths);
    t2_strs_release(&synsets);
    t2_free(root);
    t2_free(list);
    return st;
}

static enum t2_status read_imagenet(struct found *f, struct dg_images *l, struct t2_err *err)
{
    bool unpacked, packed;

    T2_TRY(has(f->dir, "train", &unpacked, err));
    T2_TRY(has(f->dir, PACKED_TRAIN, &packed, err));
    if (!unpacked && packed)
        T2_TRY(find_packed(f, l, PACKED_TRAIN, NULL, DG_IMAGES_TRAIN, err));
    else
        T2_TRY(imagenet_train(f, err));
    T2_TRY(has(f->dir, "validation", &unpacked, err));
    T2_TRY(has(f->dir, PACKED_VALIDATION, &packed, err));
    return unpacked || packed ? imagenet_validation(f, l, err) : T2_OK;
}

/* ---- Tiny ImageNet: 64 x 64, boxes in pixels ---- */

/* Cuts the next column of a line with tabs. */
static struct t2_slice next_column(struct t2_slice *line)
{
    const uint8_t *tab = line->len_bytes ? memchr(line->data, '\t', line->len_bytes) : NULL;
    size_t n = tab ? (size_t) (tab - line->data) : line->len_bytes;
    struct t2_slice column = {line->data, n};

    n += tab != NULL;
    line->data += n;
    line->len_bytes -= n;
    return column;
}

static bool next_pixel(struct t2_slice *line, float *value)
{
    struct t2_slice column = next_column(line);
    char text[16] = "";
    int64_t pixel;

    while (column.len_bytes && column.data[column.len_bytes - 1] == '\r')
        column.len_bytes--;
    if (column.len_bytes >= sizeof text)
        return false;
    if (column.len_bytes)
        memcpy(text, column.data, column.len_bytes);
    if (!t2_parse_i64(text, &pixel) || pixel < 0 || pixel > 1 << 20)
        return false;
    *value = (float) pixel;
    return true;
}

/* One file of "name TAB [wnid TAB] x0 TAB y0 TAB x1 TAB y1". */
struct tiny_file {
    const char *list, *images; /* path of the list, folder of the images */
    const char *wnid;          /* of all; NULL: in a column */
    enum dg_image_split split;
};

static enum t2_status tiny_line(const struct tiny_file *t, struct t2_slice line,
                                const struct t2_map *numbers, struct dg_images *l)
{
    struct t2_slice name = next_column(&line);
    struct t2_slice wnid = t->wnid ? t2_slice_of(t->wnid) : next_column(&line);
    const uint64_t *label = t2_map_find(numbers, wnid.data, wnid.len_bytes);
    struct dg_image_box box;
    char *file, *path;

    if (name.len_bytes == 0 || memchr(name.data, 0, name.len_bytes) ||
        memchr(name.data, '/', name.len_bytes) || !next_pixel(&line, &box.xmin) ||
        !next_pixel(&line, &box.ymin) || !next_pixel(&line, &box.xmax) ||
        !next_pixel(&line, &box.ymax))
        return T2_EFORMAT;
    file = t2_asprintf("%.*s", (int) name.len_bytes, (const char *) name.data);
    path = t2_path_join(t->images, file);
    t2_free(file);
    if (!label) {
        dg_images_drop(l, path, "its class is not in the list of labels");
        t2_free(path);
        return T2_OK;
    }
    (void) dg_images_add(l, path, t->split, (uint32_t) *label);
    dg_images_add_box(l, box);
    return T2_OK;
}

enum { MOST_LINE_BYTES = 1 << 20 }; /* of a list of images: a name and some numbers */

static enum t2_status read_tiny_file(const struct tiny_file *t, const struct t2_map *numbers,
                                     struct dg_images *l, struct t2_err *err)
{
    struct t2_in *in = NULL;
    struct t2_slice line;
    enum t2_status st;

    T2_TRY(t2_in_new(t->list, &in, err));
    t2_in_most_line(in, MOST_LINE_BYTES);
    while ((st = t2_in_line(in, &line, err)) == T2_OK) {
        if (line.len_bytes && tiny_line(t, line, numbers, l) != T2_OK) {
            st = t2_fail(err, T2_EFORMAT,
                         "'%s': line %" PRIu64 ": must be a name%s and four pixels between tabs",
                         t->list, t2_in_line_number(in), t->wnid ? "" : ", a class");
            break;
        }
    }
    t2_in_free(in);
    return st == T2_EOF ? T2_OK : st;
}

static enum t2_status tiny_class(const char *root, const char *wnid, const struct t2_map *numbers,
                                 struct dg_images *l, struct t2_err *err)
{
    char *dir = t2_path_join(root, wnid), *name = t2_asprintf("%s_boxes.txt", wnid);
    char *list = t2_path_join(dir, name), *images = t2_path_join(dir, "images");
    struct tiny_file t = {list, images, wnid, DG_IMAGES_TRAIN};
    struct t2_strs paths = {NULL, 0, 0};
    const uint64_t *label = t2_map_find(numbers, wnid, strlen(wnid));
    struct t2_file_info boxes, folder;
    enum t2_status st = t2_look_at(list, &boxes, err);

    if (st == T2_OK)
        st = t2_look_at(images, &folder, err);
    if (st == T2_OK && boxes.kind != T2_FILE_ABSENT) {
        st = read_tiny_file(&t, numbers, l, err);
    } else if (st == T2_OK && label && folder.kind == T2_FILE_DIR) { /* without boxes */
        st = list_images(images, &paths, err);
        for (size_t i = 0; i < paths.n; i++)
            (void) dg_images_add(l, t2_strdup(paths.items[i]), DG_IMAGES_TRAIN, (uint32_t) *label);
    }
    t2_strs_release(&paths);
    t2_free(images);
    t2_free(list);
    t2_free(name);
    t2_free(dir);
    return st;
}

static enum t2_status read_tiny(const char *dir, struct dg_images *l, struct t2_err *err)
{
    char *wnids = t2_path_join(dir, "wnids.txt"), *train = t2_path_join(dir, "train");
    char *list = t2_path_join(dir, "val/val_annotations.txt");
    char *images = t2_path_join(dir, "val/images");
    struct tiny_file validation = {list, images, NULL, DG_IMAGES_VALIDATION};
    struct t2_strs classes = {NULL, 0, 0};
    struct t2_map *numbers = t2_map_new();
    struct t2_file_info seen;
    enum t2_status st = T2_OK;

    if (l->labels.n == 0) {
        st = dg_images_read_labels(wnids, &l->labels, err);
        t2_strs_sort(&l->labels); /* as the numbers of ImageNet */
    }
    for (size_t i = 0; i < l->labels.n; i++)
        *t2_map_at(numbers, l->labels.items[i], strlen(l->labels.items[i]), NULL) = i;
    l->has_boxes = l->boxes_are_pixels = true;
    if (st == T2_OK)
        st = t2_list_dir(train, &classes, err);
    for (size_t i = 0; i < classes.n && st == T2_OK; i++)
        st = tiny_class(train, classes.items[i], numbers, l, err);
    if (st == T2_OK)
        st = t2_look_at(list, &seen, err);
    if (st == T2_OK && seen.kind != T2_FILE_ABSENT)
        st = read_tiny_file(&validation, numbers, l, err);
    t2_map_free(numbers);
    t2_strs_release(&classes);
    t2_free(images);
    t2_free(list);
    t2_free(train);
    t2_free(wnids);
    return st;
}

/* ---- all ---- */

static enum t2_status find_layout(const char *dir, enum dg_folder_layout *layout,
                                  struct t2_err *err)
{
    bool tiny, synsets, packed;

    T2_TRY(has(dir, "wnids.txt", &tiny, err));
    T2_TRY(has(dir, SYNSETS, &synsets, err));
    T2_TRY(has(dir, PACKED_TRAIN, &packed, err));
    *layout = tiny ? DG_FOLDERS_TINY : synsets || packed ? DG_FOLDERS_IMAGENET : DG_FOLDERS_CLASSES;
    return T2_OK;
}

enum t2_status dg_images_read_folders(const char *dir, enum dg_folder_layout layout,
                                      double validation_percent, struct dg_images *l,
                                      struct t2_err *err)
{
    struct found f = {.dir = dir, .validation_percent = validation_percent};
    struct t2_file_info seen;
    enum t2_status st;

    T2_TRY(t2_look_at(dir, &seen, err));
    if (seen.kind != T2_FILE_DIR)
        return t2_fail(err, T2_ENOTFOUND, "'%s': no such directory", dir);
    if (layout == DG_FOLDERS_AUTO)
        T2_TRY(find_layout(dir, &layout, err));
    if (layout == DG_FOLDERS_TINY)
        return read_tiny(dir, l, err);
    st = layout == DG_FOLDERS_IMAGENET ? read_imagenet(&f, l, err) : read_classes(&f, l, err);
    if (st == T2_OK)
        st = number(&f, l, err);
    found_release(&f);
    return st;
}
