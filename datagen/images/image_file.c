/*
 * datagen/images/image_file.c - the bytes of images, from files and from archives.
 */
#include "datagen/images/image_file.h"

#include <stdlib.h>
#include <string.h>

#include "augment/admit.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/signals.h"

static const uint64_t largest_file = UINT64_C(1) << 30;

enum t2_status dg_image_load(const struct dg_image *p, struct t2_buf *file, struct t2_err *err)
{
    if (!p->archive)
        return t2_read_file(p->path, largest_file, file, err);
    if (p->place.bytes > largest_file)
        return t2_fail(err, T2_EFORMAT, "'%s': larger than 1 GiB", p->path);
    return dg_place_read(p->archive, &p->place, file, err);
}

enum t2_status dg_image_look(const struct dg_image *p, struct t2_file_info *seen,
                             struct t2_err *err)
{
    T2_TRY(t2_look_at(p->archive ? p->archive : p->path, seen, err));
    if (p->archive && seen->kind != T2_FILE_ABSENT)
        seen->bytes = p->place.bytes;
    return T2_OK;
}

/* ---- archives ---- */

struct finder {
    const char *path, *class_name; /* class_name: of the archive within; NULL: of the outer one */
    struct dg_packed_images *list;
};

void dg_packed_images_release(struct dg_packed_images *l)
{
    for (size_t i = 0; i < l->n; i++)
        t2_free(l->items[i].name);
    t2_free(l->items);
    memset(l, 0, sizeof *l);
}

static enum t2_status see_image(void *context, const char *name, const struct dg_place *place,
                                struct t2_err *err)
{
    const struct finder *f = context;
    struct dg_packed_images *l = f->list;

    if (t2_ends_with(name, ".tar") || t2_ends_with(name, ".tar.gz") || t2_ends_with(name, ".tgz"))
        return t2_fail(err, T2_EFORMAT,
                       "'%s': member '%s%s%s' is an archive where images belong: archives may be "
                       "nested once, <class>.tar in the archive of training images",
                       f->path, f->class_name ? f->class_name : "", f->class_name ? ".tar/" : "",
                       name);
    if (aug_kind_of_name(name) == AUG_UNKNOWN)
        return T2_OK;
    if (l->n == l->capacity) {
        l->capacity = l->capacity ? 2 * l->capacity : 256;
        l->items = t2_realloc(l->items, l->capacity, sizeof *l->items);
    }
    l->items[l->n++] =
        (struct dg_packed_image){f->class_name ? t2_asprintf("%s/%s", f->class_name, name)
                                               : t2_strdup(name),
                                 *place};
    return T2_OK;
}

static enum t2_status see_class(void *context, const char *name, const struct dg_place *place,
                                struct t2_err *err)
{
    const struct finder *outer = context;
    size_t n = strlen(name);
    struct finder inner = *outer;
    char *class_name, *shown;
    enum t2_status st = t2_check_interrupt(err);

    if (st != T2_OK)
        return st;
    if (!t2_ends_with(name, ".tar") || n <= 4 || name[0] == '.' || strchr(name, '/'))
        return t2_fail(err, T2_EFORMAT,
                       "'%s': member '%s' is no archive of a class: all must be called as "
                       "n01440764.tar is",
                       outer->path, name);
    class_name = t2_strndup(name, n - 4);
    shown = t2_path_join(outer->path, name);
    inner.class_name = class_name;
    st = dg_archive_places(outer->path, place, shown, see_image, &inner, err);
    t2_free(shown);
    t2_free(class_name);
    return st;
}

static int by_name(const void *a, const void *b)
{
    const struct dg_packed_image *x = a, *y = b;

    return strcmp(x->name, y->name);
}

enum t2_status dg_packed_images_find(const char *path, bool by_class, struct dg_packed_images *l,
                                     struct t2_err *err)
{
    struct finder f = {path, NULL, l};

    T2_TRY(dg_archive_places(path, NULL, path, by_class ? see_class : see_image, &f, err));
    if (l->n == 0)
        return t2_fail(err, T2_ENOTFOUND, "'%s': no images in the archive", path);
    qsort(l->items, l->n, sizeof *l->items, by_name);
    for (size_t i = 1; i < l->n; i++)
        if (strcmp(l->items[i - 1].name, l->items[i].name) == 0)
            return t2_fail(err, T2_EFORMAT, "'%s': '%s' is in it twice", path, l->items[i].name);
    return T2_OK;
}
