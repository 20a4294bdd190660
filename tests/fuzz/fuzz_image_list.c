/*
 * tests/fuzz/fuzz_image_list.c - lists of images, labels, boxes, journals, labels on a page: the
 * first byte chooses, the rest is the file.  No crash; labels are in their range, paths are below
 * the folder.
 */
#include <stdlib.h>
#include <string.h>

#include "augment/contact_sheet.h"
#include "base/alloc.h"
#include "datagen/images/image_journal.h"
#include "datagen/images/image_list.h"
#include "tests/fuzz/memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct dg_images *l)
{
    for (size_t i = 0; i < l->n; i++) {
        const struct dg_image *p = &l->items[i];
        if (p->label >= l->labels.n || p->path[0] == '\0')
            abort();
        if (p->path[0] != '/' && strncmp(p->path, "below/", 6) != 0)
            abort();
        if (p->n_boxes && p->first_box + p->n_boxes > l->n_boxes)
            abort();
    }
}

static void read_list(const char *path, bool with_labels)
{
    const char *const lists[] = {path, with_labels ? "" : path, ""};
    struct dg_images l = {.n = 0};
    struct t2_err err = T2_ERR_INIT;

    if (with_labels) {
        t2_strs_push(&l.labels, "a");
        t2_strs_push(&l.labels, "");
    }
    if (dg_images_read_csv(lists, "below", &l, &err) == T2_OK)
        check(&l);
    dg_images_release(&l);
}

static void read_boxes(const char *path)
{
    struct dg_images l = {.n = 0};
    struct t2_err err = T2_ERR_INIT;

    t2_strs_push(&l.labels, "a");
    (void) dg_images_add(&l, t2_strdup("below/a"), DG_IMAGES_TRAIN, 0);
    (void) dg_images_add(&l, t2_strdup("below/b"), DG_IMAGES_TRAIN, 0);
    if (dg_images_read_boxes(path, &l, &err) == T2_OK)
        check(&l);
    dg_images_release(&l);
}

static void read_labels(const char *path)
{
    struct t2_strs labels = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;

    if (dg_images_read_labels(path, &labels, &err) == T2_OK && labels.n < 2)
        abort();
    t2_strs_release(&labels);
}

static void read_journal(const char *path)
{
    struct dg_image_shard shards[2] = {{.is_done = false}};
    struct t2_strs names = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;
    bool is_ours;

    t2_strs_push(&names, "train-00000-of-00002");
    t2_strs_push(&names, "train-00001-of-00002");
    (void) !dg_image_journal_read(path, "plan", &names, shards, &is_ours, &err);
    dg_image_shard_release(&shards[0]);
    dg_image_shard_release(&shards[1]);
    t2_strs_release(&names);
}

static void put_on_page(const uint8_t *data, size_t size)
{
    const struct aug_sheet_settings settings = {.tile = 16, .columns = 2, .label_lines = 3};
    struct t2_err err = T2_ERR_INIT;
    struct aug_sheet *sheet;
    /* callers cut what they show; aug_sheet_add looks at the letters of a long line once for
     * each of them */
    char *label = t2_strndup((const char *) data, size < 2000 ? size : 2000);

    if (aug_sheet_new(&settings, &sheet, &err) != T2_OK ||
        aug_sheet_add(sheet, &(struct aug_tile){.label = label}, &err) != T2_OK)
        abort();
    aug_sheet_free(sheet);
    t2_free(label);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[T_PATH_BYTES];
    int fd;

    if (size == 0)
        return 0;
    fd = t_memory_file(data + 1, size - 1, path);
    switch (data[0] % 6) {
    case 0:
    case 1:
        read_list(path, data[0] % 6 == 1);
        break;
    case 2:
        read_boxes(path);
        break;
    case 3:
        read_labels(path);
        break;
    case 4:
        read_journal(path);
        break;
    default:
        put_on_page(data + 1, size - 1);
        break;
    }
    t_memory_file_close(fd);
    return 0;
}
