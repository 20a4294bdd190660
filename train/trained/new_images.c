/*
 * train/trained/new_images.c - see the header.
 */
#include "train/trained/new_images.h"

#include <inttypes.h>
#include <string.h>

#include "augment/sniff.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/list_tree.h"
#include "base/log.h"
#include "base/text.h"
#include "tfrecord/reader.h"

enum { MOST_BYTES = 1 << 30, HEAD_BYTES = 1024 };

struct tr_new_images {
    const struct tr_data_set *data;
    char *from;
    struct t2_strs paths; /* of a folder, an image, a list */
    size_t at;
    struct tfr_reader *reader; /* of a shard */
    struct tfr_example example;
    uint64_t record;
    char *name; /* of the latest */
};

/* True also for kinds that only other builds can decode: the decoder then names what is missing. */
static bool is_image(enum aug_kind kind)
{
    return kind > AUG_UNKNOWN && kind < AUG_N_IMAGE_KINDS;
}

static bool may_be_list(enum aug_kind kind)
{
    return kind == AUG_TEXT || kind == AUG_BASE64 || kind == AUG_EMPTY;
}

/* ---- what it is ---- */

static enum t2_status list_folder(struct tr_new_images *p, struct t2_err *err)
{
    struct t2_strs names = {0};
    enum t2_status st = t2_list_tree(p->from, &names, err);

    for (size_t i = 0; i < names.n; i++)
        t2_strs_take(&p->paths, t2_path_join(p->from, names.items[i]));
    t2_strs_release(&names);
    return st;
}

static enum t2_status read_list(struct tr_new_images *p, struct t2_err *err)
{
    struct t2_slice line;
    struct t2_in *in;
    enum t2_status st;

    T2_TRY(t2_in_new(p->from, &in, err));
    while ((st = t2_in_line(in, &line, err)) == T2_OK) {
        bool cr = line.len_bytes > 0 && line.data[line.len_bytes - 1] == '\r';
        char *path = t2_strndup((const char *) line.data, line.len_bytes - cr);

        if (path[0] != '\0')
            t2_strs_take(&p->paths, t2_path_expand(path));
        t2_free(path);
    }
    t2_in_free(in);
    return st == T2_EOF ? T2_OK : st;
}

/* A file is a shard if its first record can be read. */
static bool opens_as_shard(struct tr_new_images *p)
{
    struct t2_err none = T2_ERR_INIT;
    struct tfr_reader *r = NULL;
    struct t2_slice record;
    bool good =
        tfr_reader_new(p->from, &r, &none) == T2_OK && tfr_reader_next(r, &record, &none) == T2_OK;

    tfr_reader_free(r);
    return good;
}

static enum t2_status find_kind(struct tr_new_images *p, struct t2_err *err)
{
    struct t2_mapped head;
    enum aug_kind kind;

    if (t2_is_dir(p->from))
        return list_folder(p, err);
    T2_TRY(t2_map_file(p->from, &head, err));
    kind = aug_sniff(head.data, head.len_bytes);
    t2_unmap_file(&head);
    if (is_image(kind)) {
        t2_strs_push(&p->paths, p->from);
        return T2_OK;
    }
    if (opens_as_shard(p))
        return tfr_reader_new(p->from, &p->reader, err);
    if (may_be_list(kind))
        return read_list(p, err);
    return t2_fail(err, T2_EFORMAT,
                   "'%s' is %s: give an image, a folder, a shard of records, or a text file with a "
                   "path a line",
                   p->from, aug_kind_explain(kind));
}

enum t2_status tr_new_images_open(const char *from, const struct tr_data_set *data,
                                  struct tr_new_images **images, struct t2_err *err)
{
    struct tr_new_images *p = t2_alloc(1, sizeof *p);
    enum t2_status st;

    *images = NULL;
    p->data = data;
    p->from = t2_path_expand(from);
    st = find_kind(p, err);
    if (st == T2_OK && !p->reader && p->paths.n == 0)
        st = t2_fail(err, T2_EFORMAT, "'%s': no images there", p->from);
    if (st != T2_OK)
        tr_new_images_close(p);
    else
        *images = p;
    return st;
}

void tr_new_images_close(struct tr_new_images *p)
{
    if (!p)
        return;
    tfr_reader_free(p->reader);
    tfr_example_release(&p->example);
    t2_strs_release(&p->paths);
    t2_free(p->name);
    t2_free(p->from);
    t2_free(p);
}

/* ---- one by one ---- */

/* The class that the folder of the file is named after. */
static int32_t class_of_folder(const struct tr_data_set *data, const char *path)
{
    char *dir = t2_path_dir(path);
    const char *folder = t2_path_base(dir);
    int32_t found = -1;

    for (int32_t i = 0; i < data->problem.targets_vocab && found < 0; i++) {
        const char *name = tr_data_set_class(data, i);

        if (name && strcmp(name, folder) == 0)
            found = i;
    }
    t2_free(dir);
    return found;
}

static enum t2_status next_file(struct tr_new_images *p, struct tr_new_image *image,
                                struct t2_err *err)
{
    while (p->at < p->paths.n) {
        const char *path = p->paths.items[p->at++];
        enum aug_kind kind;

        image->name = path;
        T2_TRY(t2_read_file(path, MOST_BYTES, &image->file, err));
        kind = aug_sniff(image->file.data, image->file.len_bytes);
        if (is_image(kind)) {
            image->truth = p->data->problem.describes ? -1 : class_of_folder(p->data, path);
            return T2_OK;
        }
        t2_warn("'%s' is no image that can be decoded (%s): passed over", path,
                aug_kind_name(kind));
    }
    return T2_EOF;
}

/* The image of a record, and its class, if it has one. */
static enum t2_status find_image(struct tr_new_images *p, const struct in_image_recipe *recipe,
                                 struct in_image *found, struct t2_err *err)
{
    const struct mdl_problem *problem = &p->data->problem;

    found->label = -1;
    if (problem->describes)
        return in_image_find(&p->example, recipe, found, err);
    return in_image_parse(&p->example, recipe, problem->targets_vocab, p->data->first_label, found,
                          err);
}

static enum t2_status next_record(struct tr_new_images *p, struct tr_new_image *image,
                                  struct t2_err *err)
{
    struct in_image_recipe any = p->data->images;
    struct in_image found;
    struct t2_slice record;

    T2_TRY(tfr_reader_next(p->reader, &record, err));
    t2_free(p->name);
    image->name = p->name = t2_asprintf("%s:%" PRIu64, p->from, p->record++);
    any.as_stored = false; /* the pixels say it */
    if (tfr_example_parse(&p->example, record, err) != T2_OK ||
        find_image(p, &any, &found, err) != T2_OK)
        return t2_wrap(err, "'%s'", p->name);
    t2_buf_clear(&image->file);
    t2_buf_append(&image->file, found.encoded.data, found.encoded.len_bytes);
    image->truth = found.label;
    return T2_OK;
}

enum t2_status tr_new_images_next(struct tr_new_images *p, struct tr_new_image *image,
                                  struct t2_err *err)
{
    return p->reader ? next_record(p, image, err) : next_file(p, image, err);
}
