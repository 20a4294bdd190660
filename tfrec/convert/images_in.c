/*
 * tfrec/convert/images_in.c - DIR/<class>/<image> as Examples, classes and files in the order of
 * their names.
 *
 * The bytes of a file are kept as they are; its type is found by its content, not by its name.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "tfrec/convert/images.h"
#include "tfrec/image_type.h"

enum { MAX_IMAGE_BYTES = 1 << 30 };

struct reader {
    struct rec_reader base;
    const struct rec_convert *c;
    char *dir;
    struct t2_strs classes, files; /* files of the class that is read */
    size_t class_at, file_at;
    int64_t first_label;
    struct t2_buf content;
};

static bool is_hidden(const char *name)
{
    return name[0] == '.';
}

static enum t2_status list_class(struct reader *r, struct t2_err *err)
{
    char *path = t2_path_join(r->dir, r->classes.items[r->class_at]);
    enum t2_status st;

    t2_strs_release(&r->files);
    r->files = (struct t2_strs){NULL, 0, 0};
    r->file_at = 0;
    st = t2_list_dir(path, &r->files, err);
    t2_free(path);
    return st;
}

const char *rec_image_format(enum rec_image type)
{
    static const char *const names[REC_N_IMAGES] = {
        [REC_JPEG] = "jpeg", [REC_PNG] = "png",   [REC_GIF] = "gif",
        [REC_BMP] = "bmp",   [REC_WEBP] = "webp", [REC_TIFF] = "tiff"};

    return names[type];
}

static enum t2_status make_record(struct reader *r, const char *path, const char *name,
                                  struct t2_buf *out, struct t2_err *err)
{
    const char *class_name = r->classes.items[r->class_at];
    struct t2_slice encoded = t2_buf_slice(&r->content), format, text, file;
    enum rec_image type = rec_image_type(encoded);
    int64_t label = r->first_label + (int64_t) r->class_at;

    if (type == REC_NO_IMAGE)
        return t2_fail(err, T2_EFORMAT,
                       "'%s' is no JPEG, PNG, GIF, BMP, WebP or TIFF image; take it out of the "
                       "folder",
                       path);
    if (t2_utf8_invalid_at((const uint8_t *) name, strlen(name)) < strlen(name))
        return t2_fail(err, T2_EFORMAT, "'%s': the name is not UTF-8", path);
    format = t2_slice_of(rec_image_format(type));
    text = t2_slice_of(class_name);
    file = t2_slice_of(name);
    const struct tfr_feature features[] = {
        {.name = "image/class/label", .kind = TFR_INT64, .n = 1, .ints = &label},
        {.name = "image/class/text", .kind = TFR_BYTES, .n = 1, .bytes = &text},
        {.name = "image/encoded", .kind = TFR_BYTES, .n = 1, .bytes = &encoded},
        {.name = "image/filename", .kind = TFR_BYTES, .n = 1, .bytes = &file},
        {.name = "image/format", .kind = TFR_BYTES, .n = 1, .bytes = &format}};
    tfr_example_build(out, features, sizeof features / sizeof *features);
    return T2_OK;
}

static enum t2_status write_labels(const struct rec_convert *c, const struct t2_strs *classes,
                                   struct t2_err *err)
{
    struct t2_buf text = {NULL, 0, 0};
    char *dir = t2_path_dir(c->output);
    char *path = *c->labels ? t2_strdup(c->labels) : t2_path_join(dir, "labels.txt");
    enum t2_status st = T2_OK;

    for (size_t i = 0; i < classes->n && st == T2_OK; i++) {
        if (strpbrk(classes->items[i], "\r\n"))
            st = t2_fail(err, T2_EFORMAT, "a folder's name has a line break: '%s'",
                         classes->items[i]);
        t2_buf_printf(&text, "%s\n", classes->items[i]);
    }
    if (st == T2_OK && (*c->labels || strcmp(c->output, "-") != 0))
        st = t2_write_file(path, text.data, text.len_bytes, err);
    t2_buf_release(&text);
    t2_free(path);
    t2_free(dir);
    return st;
}

static enum t2_status next(struct rec_reader *base, struct t2_buf *out, uint64_t *place,
                           struct t2_err *err)
{
    struct reader *r = (struct reader *) base;
    const char *name;
    char *dir, *path;
    enum t2_status st;

    *place = 0;
    while (r->file_at == r->files.n || is_hidden(r->files.items[r->file_at])) {
        if (r->file_at < r->files.n) {
            r->file_at++;
            continue;
        }
        if (r->class_at + 1 == r->classes.n) { /* all was read: now the labels may appear */
            T2_TRY(write_labels(r->c, &r->classes, err));
            return T2_EOF;
        }
        r->class_at++;
        T2_TRY(list_class(r, err));
    }
    name = r->files.items[r->file_at++];
    dir = t2_path_join(r->dir, r->classes.items[r->class_at]);
    path = t2_path_join(dir, name);
    st = t2_read_file(path, MAX_IMAGE_BYTES, &r->content, err);
    if (st == T2_OK)
        st = make_record(r, path, name, out, err);
    t2_free(path);
    t2_free(dir);
    return st;
}

static void free_reader(struct rec_reader *base)
{
    struct reader *r = (struct reader *) base;

    t2_strs_release(&r->classes);
    t2_strs_release(&r->files);
    t2_buf_release(&r->content);
    t2_free(r->dir);
    t2_free(r);
}

/* The folders in dir, by name. */
static enum t2_status find_classes(struct reader *r, struct t2_err *err)
{
    struct t2_strs names = {NULL, 0, 0};
    enum t2_status st = t2_list_dir(r->dir, &names, err);

    for (size_t i = 0; i < names.n && st == T2_OK; i++) {
        char *path = t2_path_join(r->dir, names.items[i]);
        struct t2_file_info at = {.kind = T2_FILE_ABSENT};
        bool is_passed = is_hidden(names.items[i]);
        if (!is_passed)
            st = t2_look_at(path, &at, err);
        if (st == T2_OK && at.kind == T2_FILE_DIR)
            t2_strs_push(&r->classes, names.items[i]);
        else if (st == T2_OK && !is_passed && strcmp(names.items[i], "labels.txt") != 0)
            st = t2_fail(err, T2_EFORMAT, "'%s' is in no folder of a class", path);
        t2_free(path);
    }
    t2_strs_release(&names);
    if (st == T2_OK && r->classes.n == 0)
        st = t2_fail(err, T2_ENOTFOUND, "'%s' has no folders; there should be one a class", r->dir);
    return st;
}

enum t2_status rec_images_open(const struct rec_convert *c, const char *path,
                               struct rec_reader **out, struct t2_err *err)
{
    struct reader *r;
    enum t2_status st;

    if (c->inputs->n != 1)
        return t2_fail(err, T2_EUSAGE, "one folder of images at a time: labels are its classes");
    r = t2_alloc(1, sizeof *r);
    r->base = (struct rec_reader){.next = next, .free = free_reader};
    r->dir = t2_strdup(path);
    r->c = c;
    r->first_label = c->first_label;
    st = find_classes(r, err);
    if (st == T2_OK)
        st = list_class(r, err);
    if (st == T2_OK)
        *out = &r->base;
    else
        free_reader(&r->base);
    return st;
}
