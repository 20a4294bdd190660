/*
 * datagen/sets/preview_set.c - which shards, names of classes and pipeline a page of images is of.
 */
#include "datagen/sets/preview_set.h"

#include <string.h>

#include "base/alloc.h"
#include "datagen/problem.h"
#include "tfrecord/shards.h"

const char *dg_preview_pipeline(const char *name)
{
    /* The first that fits; specification t2t-datagen 6.6. */
    static const struct {
        const char *begin, *pipeline;
    } table[] = {
        {"image_mnist", "mnist"},
        {"image_fashion_mnist", "mnist_raw"},
        {"image_cifar10_plain8", "cifar_plain8"},
        {"image_cifar", "cifar_train"},
        {"image_imagenet224_no_normalization", "t2t_imagenet_raw_train"},
        {"image_imagenet32", "t2t_imagenet_small_train"},
        {"image_imagenet64", "t2t_imagenet_small_train"},
        {"image_imagenet", "t2t_imagenet_train"},
        {"image_celeba", "t2t_celeba"},
        {"img2img_", "t2t_area"},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strncmp(name, table[i].begin, strlen(table[i].begin)) == 0)
            return table[i].pipeline;
    return "";
}

enum t2_status dg_preview_check(const char *name, struct t2_err *err)
{
    const struct dg_problem *p = dg_find(name);

    if (!p || !p->open) /* a data set from elsewhere may have it */
        return T2_OK;
    for (const char *const *f = p->record.more_fields; f && *f; f++)
        if (strcmp(*f, "image/encoded bytes") == 0)
            return T2_OK;
    return t2_fail(err, T2_EUSAGE, "--preview: '%s' has no images", name);
}

static enum t2_status find(const char *name, const char *data_dir, struct dg_view **v,
                           struct t2_strs *files, struct t2_err *err)
{
    struct t2_err unknown = T2_ERR_INIT;
    bool known = dg_view_open(name, data_dir, v, &unknown) == T2_OK;

    return tfr_find_shards(data_dir, known ? (*v)->dataset_filename : name, "train", files, err);
}

bool dg_preview_is_there(const char *name, const char *data_dir)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_strs files = {NULL, 0, 0};
    struct dg_view *v = NULL;
    bool there = find(name, data_dir, &v, &files, &err) == T2_OK;

    dg_view_free(v);
    t2_strs_release(&files);
    return there;
}

enum t2_status dg_preview_set(const char *name, const char *data_dir,
                              const struct dg_sheet_spec *spec, struct t2_err *err)
{
    struct dg_sheet_spec w = *spec;
    struct t2_strs files = {NULL, 0, 0};
    struct dg_view *v = NULL;
    enum t2_status st = find(name, data_dir, &v, &files, err);
    bool named = v && v->targets.labels;

    if (!w.pipeline[0])
        w.pipeline = dg_preview_pipeline(name);
    if (st == T2_OK)
        st = dg_sheet_of_records(&files, named ? v->targets.labels : NULL,
                                 named ? (size_t) v->targets.size : 0, &w, err);
    dg_view_free(v);
    t2_strs_release(&files);
    return st;
}
