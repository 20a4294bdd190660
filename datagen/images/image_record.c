/*
 * datagen/images/image_record.c - an image file becomes a record.
 */
#include "datagen/images/image_record.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "tfrecord/example.h"

void dg_image_scratch_release(struct dg_image_scratch *s)
{
    aug_image_release(&s->pixels);
    t2_buf_release(&s->jpeg);
}

static bool ends_with(struct t2_slice file, const char *end, size_t n)
{
    return file.len_bytes >= n && memcmp(file.data + file.len_bytes - n, end, n) == 0;
}

/* Whether the file ends with its kind's end mark (JPEG's EOI, PNG's IEND chunk): then the header
 * alone is checked, unless --decode_all.  GIF, BMP and WebP are always decoded. */
static bool has_end(struct t2_slice file)
{
    switch (aug_sniff(file.data, file.len_bytes)) {
    case AUG_JPEG:
        return ends_with(file, "\xff\xd9", 2);
    case AUG_PNG:
        return ends_with(file, "\0\0\0\0IEND\xae\x42\x60\x82", 12);
    default:
        return false;
    }
}

enum t2_status dg_image_admit(const char *path, struct t2_slice file,
                              const struct dg_image_policy *policy, struct aug_image *scratch,
                              struct aug_admission *a, struct t2_err *err)
{
    struct aug_admit_policy admit = policy->admit;

    admit.header_only = !policy->decode_all && has_end(file);
    if (aug_admit(path, file.data, file.len_bytes, &admit, scratch, a, err) != T2_OK)
        return err->status == T2_EINTERRUPTED ? T2_EINTERRUPTED : t2_wrap(err, "'%s'", path);
    return T2_OK;
}

/* The columns of the boxes, as four lists; owned by the caller. */
static float *box_columns(const struct dg_images *l, const struct dg_image *p, float width,
                          float height)
{
    float *columns = t2_alloc(4 * p->n_boxes + 1, sizeof *columns);
    float x = l->boxes_are_pixels ? width : 1, y = l->boxes_are_pixels ? height : 1;

    for (size_t i = 0; i < p->n_boxes; i++) {
        const struct dg_image_box *box = &l->boxes[p->first_box + i];
        columns[i] = box->xmin / x;
        columns[p->n_boxes + i] = box->xmax / x;
        columns[2 * p->n_boxes + i] = box->ymin / y;
        columns[3 * p->n_boxes + i] = box->ymax / y;
    }
    return columns;
}

static const char *format_name(const struct aug_admission *a)
{
    return a->verdict == AUG_REENCODE ? "JPEG" : aug_kind_name(a->kind);
}

/* What the features of a record point to. */
struct values {
    int64_t height, width, channels, label;
    struct t2_slice colourspace, synset, format, filename, encoded;
};

static void build(const struct dg_images *l, const struct dg_image *p, const struct values *v,
                  struct t2_buf *out)
{
    const size_t n = p->n_boxes;
    float *boxes = box_columns(l, p, (float) v->width, (float) v->height);
    int64_t *labels = t2_alloc(n + 1, sizeof *labels);
    struct tfr_feature features[] = {
        {.name = "image/height", .kind = TFR_INT64, .n = 1, .ints = &v->height},
        {.name = "image/width", .kind = TFR_INT64, .n = 1, .ints = &v->width},
        {.name = "image/colorspace", .kind = TFR_BYTES, .n = 1, .bytes = &v->colourspace},
        {.name = "image/channels", .kind = TFR_INT64, .n = 1, .ints = &v->channels},
        {.name = "image/class/label", .kind = TFR_INT64, .n = 1, .ints = &v->label},
        {.name = "image/class/synset", .kind = TFR_BYTES, .n = 1, .bytes = &v->synset},
        {.name = "image/format", .kind = TFR_BYTES, .n = 1, .bytes = &v->format},
        {.name = "image/filename", .kind = TFR_BYTES, .n = 1, .bytes = &v->filename},
        {.name = "image/encoded", .kind = TFR_BYTES, .n = 1, .bytes = &v->encoded},
        {.name = "image/object/bbox/xmin", .kind = TFR_FLOAT, .n = n, .floats = boxes},
        {.name = "image/object/bbox/xmax", .kind = TFR_FLOAT, .n = n, .floats = boxes + n},
        {.name = "image/object/bbox/ymin", .kind = TFR_FLOAT, .n = n, .floats = boxes + 2 * n},
        {.name = "image/object/bbox/ymax", .kind = TFR_FLOAT, .n = n, .floats = boxes + 3 * n},
        {.name = "image/object/bbox/label", .kind = TFR_INT64, .n = n, .ints = labels},
    };
    const size_t n_all = sizeof features / sizeof *features;

    for (size_t i = 0; i < n; i++)
        labels[i] = v->label;
    tfr_example_build(out, features, l->has_boxes ? n_all : n_all - 5);
    t2_free(labels);
    t2_free(boxes);
}

enum t2_status dg_image_record(const struct dg_images *l, const struct dg_image *p,
                               struct t2_slice file, const struct aug_admission *a,
                               const struct dg_image_policy *policy,
                               struct dg_image_scratch *scratch, int64_t *height, int64_t *width,
                               struct t2_buf *out, struct t2_err *err)
{
    bool lies = a->turned && a->info.orientation >= 5;
    struct values v = {.height = lies ? a->info.width : a->info.height,
                       .width = lies ? a->info.height : a->info.width,
                       .channels = 3, /* of what decode_jpeg(channels=3) gives */
                       .label = (int64_t) p->label + 1,
                       .colourspace = t2_slice_of("RGB"),
                       .synset = t2_slice_of(l->labels.items[p->label]),
                       .format = t2_slice_of(format_name(a)),
                       .filename = t2_slice_of(t2_path_base(p->path)),
                       .encoded = file};

    if (a->verdict == AUG_REENCODE) {
        t2_buf_clear(&scratch->jpeg);
        T2_TRY(aug_reencode(file.data, file.len_bytes, &policy->admit, &scratch->pixels,
                            &scratch->jpeg, err));
        v.encoded = t2_buf_slice(&scratch->jpeg);
    }
    *height = v.height;
    *width = v.width;
    build(l, p, &v, out);
    return T2_OK;
}
