/*
 * tfrec/event_images.c - images of events as files.
 */
#include "tfrec/event_images.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/map.h"
#include "tfrec/image_type.h"

enum { NAME_PART_BYTES = 100 };

static bool is_safe(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

/* A name never begins with a point. */
static void put_safe(struct t2_slice text, struct t2_buf *name)
{
    for (size_t i = 0; i < text.len_bytes && i < NAME_PART_BYTES; i++) {
        uint8_t c = text.data[i];
        t2_buf_push(name, is_safe(c) && !(c == '.' && name->len_bytes == 0) ? c : '_');
    }
}

static const char *ending_of(enum rec_image type)
{
    switch (type) {
    case REC_JPEG:
        return "jpg";
    case REC_GIF:
        return "gif";
    case REC_BMP:
        return "bmp";
    case REC_WEBP:
        return "webp";
    case REC_TIFF:
        return "tif";
    default:
        return "png";
    }
}

static enum t2_status write_image(struct rec_event_files *f, const struct rec_event_row *row,
                                  struct t2_slice image, struct t2_err *err)
{
    enum rec_image type = rec_image_type(image);
    struct t2_buf name = {0};
    enum t2_status st;
    char *path;

    if (type == REC_NO_IMAGE) {
        f->n_unknown++;
        return T2_OK;
    }
    if (row->show_run) {
        put_safe(t2_slice_of(row->run), &name);
        t2_buf_push(&name, '-');
    }
    put_safe(row->value->tag, &name);
    t2_buf_printf(&name, "-step%" PRId64, row->event->step);
    if (!f->used)
        f->used = t2_map_new();
    uint64_t n = (*t2_map_at(f->used, name.data, name.len_bytes, NULL))++;
    /* Two tags may become one name: a number makes the difference, and cannot end a name by
     * itself. */
    if (n > 0)
        t2_buf_printf(&name, ".%" PRIu64, n);
    t2_buf_printf(&name, ".%s", ending_of(type));
    path = t2_path_join(f->folder, t2_buf_cstr(&name));
    st = t2_write_file(path, image.data, image.len_bytes, err);
    f->n_written += st == T2_OK;
    t2_free(path);
    t2_buf_release(&name);
    return st;
}

enum t2_status rec_event_write_images(struct rec_event_files *f, const struct rec_event_row *row,
                                      struct t2_err *err)
{
    size_t n = rec_event_images(row, NULL, 0);
    struct t2_slice *images;
    enum t2_status st = T2_OK;

    if (n == 0)
        return T2_OK;
    images = t2_alloc(n, sizeof *images);
    (void) rec_event_images(row, images, n);
    if (f->n_written == 0)
        st = t2_make_dirs(f->folder, err);
    for (size_t i = 0; st == T2_OK && i < n; i++)
        st = write_image(f, row, images[i], err);
    t2_free(images);
    return st;
}

void rec_event_files_release(struct rec_event_files *f)
{
    t2_map_free(f->used);
    f->used = NULL;
}
