/*
 * tfrec/convert/images_out.c - the images of Examples as files, a folder a class.
 *
 * Everything is written below "<out>.incomplete", which takes its name at the end.  No name in a
 * record leads out of there: a class or a file is one plain name, or the record is refused.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/dir_lock.h"
#include "base/file.h"
#include "base/map.h"
#include "base/remote_path.h"
#include "base/text.h"
#include "tfrec/convert/images.h"

const struct rec_format rec_format_images = {"images", rec_images_open, NULL, rec_images_create};

enum { MAX_NAME_BYTES = 255 - 12 /* room for ".incomplete" */ };

struct writer {
    struct rec_writer base;
    const struct rec_convert *c;
    char *dir; /* "<out>.incomplete"; NULL: has its name, or was never made */
    struct t2_lock lock;
    struct t2_strs labels;
    struct t2_map *written; /* "class/file" */
    struct t2_strs paths;   /* of folders; to be removed after a failure */
    struct tfr_example example;
    struct rec_values values;
};

/* The first value of a bytes feature; s->data is NULL when there is none. */
static enum t2_status text_of(const struct tfr_example *e, const char *name, struct rec_values *v,
                              struct t2_slice *s, struct t2_err *err)
{
    const struct tfr_view *view = tfr_example_find(e, name);

    *s = (struct t2_slice){0};
    if (!view || view->kind != TFR_BYTES || view->n == 0)
        return T2_OK;
    T2_TRY(rec_values_load(v, view, err));
    *s = v->bytes[0];
    return T2_OK;
}

/*
 * A name that stays in its folder: no separator, no control character, no leading dot (also "..",
 * hidden files), UTF-8, short enough for NAME_MAX with a suffix.
 */
static bool is_plain_name(struct t2_slice s)
{
    if (s.len_bytes == 0 || s.len_bytes > MAX_NAME_BYTES || s.data[0] == '.')
        return false;
    for (size_t i = 0; i < s.len_bytes; i++) {
        if (s.data[i] == '/' || s.data[i] == '\\' || s.data[i] < ' ' || s.data[i] == 0x7f)
            return false;
    }
    return t2_utf8_invalid_at(s.data, s.len_bytes) == s.len_bytes;
}

static enum t2_status refuse_name(const char *feature, struct t2_slice s, struct t2_err *err)
{
    char shown[64];
    size_t n = s.len_bytes < sizeof shown - 1 ? s.len_bytes : sizeof shown - 1;

    for (size_t i = 0; i < n; i++)
        shown[i] = s.data[i] < ' ' || s.data[i] >= 0x7f ? '?' : (char) s.data[i];
    shown[n] = '\0';
    return t2_fail(err, T2_EFORMAT,
                   "%s '%s' is no plain file name (no '/', no leading '.', UTF-8, at most %d "
                   "bytes)%s",
                   feature, shown, MAX_NAME_BYTES,
                   strcmp(feature, "image/filename") == 0 ? "; --number_files names the files"
                                                          : "");
}

/* image/class/text, else the label's line of --labels, else its number. */
static enum t2_status class_name(struct writer *w, struct t2_buf *name, struct t2_err *err)
{
    const struct tfr_view *view = tfr_example_find(&w->example, "image/class/label");
    struct t2_slice s;
    int64_t label, line;

    t2_buf_clear(name);
    T2_TRY(text_of(&w->example, "image/class/text", &w->values, &s, err));
    if (s.data) {
        if (!is_plain_name(s))
            return refuse_name("image/class/text", s, err);
        t2_buf_append(name, s.data, s.len_bytes);
        return T2_OK;
    }
    if (!view || view->kind != TFR_INT64 || view->n == 0)
        return t2_fail(err, T2_EFORMAT, "neither image/class/text nor image/class/label is there");
    T2_TRY(rec_values_load(&w->values, view, err));
    label = w->values.ints[0];
    if (w->labels.n == 0) {
        t2_buf_printf(name, "%" PRId64, label);
        return T2_OK;
    }
    if (__builtin_sub_overflow(label, w->c->first_label, &line) || line < 0 ||
        (uint64_t) line >= w->labels.n)
        return t2_fail(err, T2_EFORMAT, "label %" PRId64 " is not in '%s'", label, w->c->labels);
    if (!is_plain_name(t2_slice_of(w->labels.items[line])))
        return refuse_name("--labels:", t2_slice_of(w->labels.items[line]), err);
    t2_buf_puts(name, w->labels.items[line]);
    return T2_OK;
}

static enum t2_status file_name(struct writer *w, uint64_t number, enum rec_image type,
                                struct t2_buf *name, struct t2_err *err)
{
    struct t2_slice s = {0};

    t2_buf_clear(name);
    if (!w->c->number_files)
        T2_TRY(text_of(&w->example, "image/filename", &w->values, &s, err));
    if (s.data) {
        if (!is_plain_name(s))
            return refuse_name("image/filename", s, err);
        t2_buf_append(name, s.data, s.len_bytes);
        return T2_OK;
    }
    t2_buf_printf(name, "%08" PRIu64 ".%s", number,
                  type == REC_JPEG ? "jpg" : rec_image_format(type));
    return T2_OK;
}

static enum t2_status make_folder(struct writer *w, const char *path, struct t2_err *err)
{
    if (mkdir(path, 0777) != 0)
        return errno == EEXIST ? T2_OK
                               : t2_fail_errno(err, errno, "cannot create the folder '%s'", path);
    t2_strs_push(&w->paths, path);
    return T2_OK;
}

static enum t2_status write_image(struct writer *w, const struct t2_buf *class_dir,
                                  const struct t2_buf *file, struct t2_slice encoded,
                                  struct t2_err *err)
{
    char *folder = t2_path_join(w->dir, t2_buf_cstr(class_dir));
    char *path = t2_path_join(folder, t2_buf_cstr(file));
    char *key = t2_asprintf("%s/%s", t2_buf_cstr(class_dir), t2_buf_cstr(file));
    bool is_new;
    enum t2_status st = T2_OK;

    (void) t2_map_at(w->written, key, strlen(key), &is_new);
    if (!is_new || t2_exists(path)) /* the second: a file system that knows no case */
        st = t2_fail(err, T2_EFORMAT,
                     "'%s' was written by an earlier record; --number_files names the files", key);
    if (st == T2_OK)
        st = make_folder(w, folder, err);
    if (st == T2_OK)
        st = t2_write_file(path, encoded.data, encoded.len_bytes, err);
    if (st == T2_OK)
        t2_strs_push(&w->paths, path);
    t2_free(key);
    t2_free(path);
    t2_free(folder);
    return st;
}

static enum t2_status add(struct rec_writer *base, uint64_t number, struct t2_slice made,
                          struct t2_err *err)
{
    struct writer *w = (struct writer *) base;
    struct t2_buf folder = {NULL, 0, 0}, file = {NULL, 0, 0};
    struct t2_slice encoded;
    enum rec_image type;
    enum t2_status st;

    T2_TRY(tfr_example_parse(&w->example, made, err));
    T2_TRY(text_of(&w->example, "image/encoded", &w->values, &encoded, err));
    if (!encoded.data)
        return t2_fail(err, T2_EFORMAT, "there is no image/encoded");
    type = rec_image_type(encoded);
    if (type == REC_NO_IMAGE)
        return t2_fail(err, T2_EFORMAT, "image/encoded is no image of a known type");
    st = class_name(w, &folder, err);
    if (st == T2_OK)
        st = file_name(w, number, type, &file, err);
    if (st == T2_OK)
        st = write_image(w, &folder, &file, encoded, err);
    t2_buf_release(&folder);
    t2_buf_release(&file);
    return st;
}

static enum t2_status commit(struct rec_writer *base, struct t2_err *err)
{
    struct writer *w = (struct writer *) base;

    (void) rmdir(w->c->output); /* an empty folder may be there */
    T2_TRY(t2_rename(w->dir, w->c->output, err));
    t2_free(w->dir);
    w->dir = NULL;
    t2_lock_give(&w->lock);
    return T2_OK;
}

static void free_writer(struct rec_writer *base)
{
    struct writer *w = (struct writer *) base;

    for (size_t i = w->paths.n; i-- > 0 && w->dir;) {
        if (unlink(w->paths.items[i]) != 0)
            (void) rmdir(w->paths.items[i]);
    }
    t2_lock_give(&w->lock);
    t2_free(w->dir);
    t2_strs_release(&w->paths);
    t2_strs_release(&w->labels);
    t2_map_free(w->written);
    tfr_example_release(&w->example);
    rec_values_release(&w->values);
    t2_free(w);
}

static enum t2_status read_labels(struct writer *w, struct t2_err *err)
{
    struct t2_slice line;
    struct t2_in *in;
    enum t2_status st;

    if (!*w->c->labels)
        return T2_OK;
    T2_TRY(t2_in_new(w->c->labels, &in, err));
    while ((st = t2_in_line(in, &line, err)) == T2_OK) {
        if (line.len_bytes > 0 && line.data[line.len_bytes - 1] == '\r')
            line.len_bytes--;
        t2_strs_take(&w->labels, t2_strndup((const char *) line.data, line.len_bytes));
    }
    t2_in_free(in);
    return st == T2_EOF ? T2_OK : st;
}

/* Held while "<out>.incomplete" is written: no other run writes the folder meanwhile. */
static enum t2_status take_lock(struct writer *w, struct t2_err *err)
{
    if (t2_refuse_remote(w->c->output, err) != T2_OK) /* the folder is renamed at the end */
        return t2_wrap(err, "a folder of images");
    char *dir = t2_path_dir(w->c->output);
    char *name = t2_asprintf("%s.incomplete", t2_path_base(w->c->output));
    enum t2_status st = t2_lock_take(dir, name, "writing images", &w->lock, err);

    t2_free(name);
    t2_free(dir);
    return st;
}

/* What a run that was killed left under this name; links in it are removed, not followed. */
static enum t2_status remove_leftover(const char *dir, struct t2_err *err)
{
    struct t2_strs names = {NULL, 0, 0};
    enum t2_status st = T2_OK;
    struct stat s;

    if (lstat(dir, &s) != 0)
        return errno == ENOENT ? T2_OK : t2_fail_errno(err, errno, "cannot look at '%s'", dir);
    if (!S_ISDIR(s.st_mode) || s.st_uid != geteuid())
        return t2_fail(err, T2_EIO, "'%s' is in the way; look at it, then remove it", dir);
    T2_TRY(t2_list_dir(dir, &names, err));
    for (size_t i = 0; i < names.n && st == T2_OK; i++) {
        char *path = t2_path_join(dir, names.items[i]);
        if (lstat(path, &s) != 0)
            st = t2_fail_errno(err, errno, "cannot look at '%s'", path);
        else if (S_ISDIR(s.st_mode))
            st = remove_leftover(path, err);
        else
            st = t2_remove(path, err);
        t2_free(path);
    }
    t2_strs_release(&names);
    T2_TRY(st);
    return rmdir(dir) == 0 ? T2_OK : t2_fail_errno(err, errno, "cannot remove '%s'", dir);
}

/* The output is not there, or is an empty folder; what is left of a killed run goes. */
static enum t2_status make_output(struct writer *w, struct t2_err *err)
{
    struct t2_strs names = {NULL, 0, 0};
    enum t2_status st = T2_OK;

    if (strcmp(w->c->output, "-") == 0)
        return t2_fail(err, T2_EUSAGE, "images go to a folder, not to '-'");
    if (t2_exists(w->c->output)) {
        st = t2_list_dir(w->c->output, &names, err);
        if (st == T2_OK && names.n > 0)
            st =
                t2_fail(err, T2_EUSAGE, "'%s' is not empty; nothing is written over", w->c->output);
        t2_strs_release(&names);
        T2_TRY(st);
    }
    T2_TRY(t2_make_parents(w->c->output, err));
    T2_TRY(take_lock(w, err));
    w->dir = t2_asprintf("%s.incomplete", w->c->output);
    st = remove_leftover(w->dir, err);
    if (st == T2_OK && mkdir(w->dir, 0777) != 0)
        st = t2_fail_errno(err, errno, "cannot create the folder '%s'", w->dir);
    if (st != T2_OK) {
        t2_free(w->dir);
        w->dir = NULL;
        return st;
    }
    t2_strs_push(&w->paths, w->dir);
    return T2_OK;
}

enum t2_status rec_images_create(const struct rec_convert *c, struct rec_writer **out,
                                 struct t2_err *err)
{
    struct writer *w = t2_alloc(1, sizeof *w);
    enum t2_status st;

    w->base = (struct rec_writer){NULL, NULL, NULL, add, commit, free_writer};
    w->c = c;
    w->lock.fd = -1;
    w->written = t2_map_new();
    st = read_labels(w, err);
    if (st == T2_OK)
        st = make_output(w, err);
    if (st == T2_OK)
        *out = &w->base;
    else
        free_writer(&w->base);
    return st;
}
