/*
 * augment/pipeline_store.c - the result of a pipeline straight into a batch, as floats or as bytes.
 */
#include <string.h>

#include "augment/colour.h"
#include "augment/pipeline_parts.h"
#include "augment/row_finish.h"

static const float zeros[3] = {0, 0, 0}, most[3] = {255, 255, 255};

/* ---- floats ---- */

/* Can this step's rows go where they belong as they come? */
static bool is_last_size(const struct aug_worker *w, const struct aug_step *s, int32_t size)
{
    return s->kind == AUG_RESIZE && !w->is_floats && (s->n > 0 ? s->n : size - s->n) == size;
}

/* What the steps do with each value; *scale of the step that makes floats of bytes. */
static void finish_with(struct aug_finish *f, const struct aug_step *const *steps, int n, bool flip,
                        float *scale)
{
    bool is_first = true;

    *scale = 1;
    for (int i = 0; i < n; i++) {
        const struct aug_step *s = steps[i];
        bool by_255 = s->kind == AUG_UNIT_DIV;
        if (s->kind == AUG_FLIP) {
            f->mirror ^= flip;
            continue;
        }
        if (s->kind == AUG_UNIT && is_first)
            *scale = 1 / 255.0f;
        is_first = false;
        if (s->kind == AUG_FLOATS || s->kind == AUG_UNIT)
            continue;
        aug_finish_add(f, by_255 ? zeros : s->sub, by_255 ? most : s->mul,
                       by_255 || s->kind == AUG_NORMALIZE_DIV);
    }
}

static void take_row(void *arg, int32_t y, float *row)
{
    aug_finish_row(arg, y, row);
}

static void take_bytes(void *arg, int32_t y, const uint8_t *row)
{
    aug_finish_bytes(arg, y, row);
}

/* From which step on only single values change; those fit into a row's finish. */
static int first_of_values(const struct aug_step *const *steps, int n)
{
    int last = n;

    while (last > 0 && n - last < AUG_FINISH_STEPS && aug_step_is_per_value(steps[last - 1]->kind))
        last--;
    return last;
}

static enum t2_status check_size(const struct aug_worker *w, const struct aug_pipeline *p,
                                 int32_t size, struct t2_err *err)
{
    if (aug_run_height(w) == size && aug_run_width(w) == size)
        return T2_OK;
    return t2_fail(err, T2_EFORMAT, "%d x %d pixels where pipeline '%s' wants %d x %d",
                   aug_run_width(w), aug_run_height(w), p->name, size, size);
}

enum t2_status aug_pipeline_store(struct aug_worker *w, const struct aug_pipeline *p, int32_t size,
                                  const uint8_t *file, size_t len_bytes,
                                  const struct aug_choices *c, enum aug_layout layout, float *to,
                                  struct t2_err *err)
{
    const struct aug_step *steps[AUG_MAX_STEPS];
    int n = aug_run_steps(p, c, steps), last = first_of_values(steps, n);
    struct aug_finish f = {.layout = layout, .to = to};
    const struct aug_row_sink sink = {take_row, take_bytes, &f};
    struct aug_resize how;
    float scale;

    size = size > 0 ? size : p->size;
    f.height = f.width = size;
    f.channels = aug_pipeline_channels(p);
    finish_with(&f, steps + last, n - last, c->flip, &scale);
    aug_finish_table(&f, scale);
    T2_TRY(aug_run_decode(w, p, file, len_bytes, c, err));
    for (int i = 0; i < last; i++) {
        if (i + 1 == last && is_last_size(w, steps[i], size)) {
            how = steps[i]->how;
            T2_TRY(aug_run_mirrored(w, &how, err));
            return aug_resize_to_rows(w->resizer, &how, &w->bytes, size, size, &sink, err);
        }
        T2_TRY(aug_run_step(w, steps[i], size, c, err));
    }
    f.mirror ^= w->to_flip;
    T2_TRY(check_size(w, p, size, err));
    if (w->is_floats)
        aug_finish_floats(&f, &w->view);
    for (int32_t y = 0; !w->is_floats && y < size; y++)
        aug_finish_bytes(&f, y, aug_row(&w->bytes, y));
    return T2_OK;
}

/* ---- bytes, for whoever normalises them elsewhere ---- */

/* Are the values behind these steps 0, 1, ... 255? */
static bool leaves_bytes(const struct aug_step *const *steps, int n)
{
    bool whole = true, unit = false;

    for (int i = 0; i < n; i++)
        switch (steps[i]->kind) {
        case AUG_FLOATS:
        case AUG_FLIP:
        case AUG_CENTRE_CROP:
        case AUG_RANDOM_CROP:
        case AUG_PAD:
            break;
        case AUG_RESIZE:
        case AUG_RESIZE_SHORT:
            whole = whole && !unit && !aug_resize_gives_floats(&steps[i]->how);
            break;
        case AUG_AUGMENT: /* operations of bytes: floats become bytes for them */
            whole = !unit;
            break;
        case AUG_UNIT:
        case AUG_UNIT_DIV:
            unit = true;
            whole = false;
            break;
        default:
            whole = false;
        }
    return whole;
}

bool aug_pipeline_has_bytes(const struct aug_pipeline *p)
{
    const struct aug_step *steps[AUG_MAX_STEPS];

    for (int instead = 0; instead <= (p->instead != NULL); instead++) {
        int n = aug_run_steps(p, &(struct aug_choices){.instead = instead != 0}, steps);

        if (!leaves_bytes(steps, first_of_values(steps, n)))
            return false;
    }
    return true;
}

void aug_pipeline_byte_values(const struct aug_pipeline *p, float *values)
{
    const struct aug_step *steps[AUG_MAX_STEPS];
    int n = aug_run_steps(p, &(struct aug_choices){0}, steps), last = first_of_values(steps, n);
    struct aug_finish f = {.channels = aug_pipeline_channels(p)};
    float scale;

    finish_with(&f, steps + last, n - last, false, &scale);
    aug_finish_table(&f, scale);
    memcpy(values, f.values, (size_t) f.channels * sizeof f.values[0]);
}

enum t2_status aug_pipeline_store_bytes(struct aug_worker *w, const struct aug_pipeline *p,
                                        int32_t size, const uint8_t *file, size_t len_bytes,
                                        const struct aug_choices *c, uint8_t *to, uint8_t *mirrored,
                                        struct t2_err *err)
{
    const struct aug_step *steps[AUG_MAX_STEPS];
    int n = aug_run_steps(p, c, steps), last = first_of_values(steps, n);
    bool is_bytes = leaves_bytes(steps, last);
    struct aug_image out;

    T2_ASSERT(is_bytes);
    size = size > 0 ? size : p->size;
    T2_TRY(aug_run_decode(w, p, file, len_bytes, c, err));
    for (int i = 0; i < last; i++)
        T2_TRY(aug_run_step(w, steps[i], size, c, err));
    for (int i = last; i < n; i++)
        w->to_flip ^= steps[i]->kind == AUG_FLIP && c->flip;
    T2_TRY(check_size(w, p, size, err));
    out = aug_image_of(to, size, size, aug_pipeline_channels(p));
    for (int32_t y = 0; y < size; y++) {
        uint8_t *row = aug_row(&out, y);

        if (w->is_floats)
            for (size_t i = 0; i < out.stride_bytes; i++)
                row[i] = (uint8_t) aug_float_row(&w->view, 0, y)[i];
        else
            memcpy(row, aug_row(&w->bytes, y), out.stride_bytes);
    }
    *mirrored = w->to_flip;
    return T2_OK;
}
