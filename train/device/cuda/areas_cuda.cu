/*
 * train/device/cuda/areas_cuda.cu - areas of a grid of positions: a value a thread.
 */
#include "train/device/cuda/dropped.cuh"
#define inline __host__ __device__ inline
extern "C" {
#include "train/device/area_grid.h"
}
#undef inline

namespace
{

/* Channel c of the values of an area. */
struct summary {
    float sum, largest, equal, squares; /* equal: how many are the largest */
};

static __device__ struct summary summary_of(const struct dev_areas &of, enum dev_area_kind kind,
                                            enum dev_type type, const void *x,
                                            const struct dev_area &a, int64_t c)
{
    struct summary s = {0.0f, 0.0f, 0.0f, 0.0f};
    float mean, part = 1.0f / (float) (a.h * a.w);

    for (int64_t i = 0; i < a.h; i++)
        for (int64_t j = 0; j < a.w; j++) {
            float value = get(type, x, dev_area_row(&of, &a, i, j) * of.D + c);
            bool more = s.equal == 0.0f || value > s.largest || value != value;

            s.sum += value;
            s.equal = more ? 1.0f : s.equal + (value == s.largest ? 1.0f : 0.0f);
            s.largest = more ? value : s.largest;
        }
    if (kind != DEV_AREA_DEVIATION)
        return s;
    mean = s.sum * part;
    for (int64_t i = 0; i < a.h; i++)
        for (int64_t j = 0; j < a.w; j++) {
            float apart = get(type, x, dev_area_row(&of, &a, i, j) * of.D + c) - mean;

            s.squares += apart * apart;
        }
    return s;
}

static __device__ float deviation_of(const struct summary &s, float part)
{
    return sqrtf(s.squares * part + 1e-6f);
}

struct area_values {
    struct dev_area_values_args k;
    __device__ void operator()(int64_t i) const
    {
        int64_t number = row_of(i, k.of.D);
        struct dev_area a = dev_area_at(&k.of, number);
        float part = 1.0f / (float) (a.h * a.w), value = 0.0f;

        if (dev_area_is_there(&a)) {
            struct summary s = summary_of(k.of, k.kind, k.type, k.x, a, i - number * k.of.D);

            value = k.kind == DEV_AREA_SUM    ? s.sum
                    : k.kind == DEV_AREA_MEAN ? s.sum * part
                    : k.kind == DEV_AREA_MAX  ? s.largest
                                              : deviation_of(s, part);
        }
        put(k.type, k.y, i, value, false);
    }
};

/* For each kind a kernel, since they need registers of different numbers. */
template <enum dev_area_kind KIND> struct area_values_bwd {
    struct dev_area_values_bwd_args k;
    /* i: the position's place in x */
    __device__ float factor(const struct dev_area &a, int64_t c, int64_t i) const
    {
        float part = 1.0f / (float) (a.h * a.w), x;
        struct summary s;

        if (KIND == DEV_AREA_SUM || KIND == DEV_AREA_MEAN)
            return KIND == DEV_AREA_SUM ? 1.0f : part;
        x = get(k.type, k.x, i);
        s = summary_of(k.of, KIND, k.type, k.x, a, c);
        if (KIND == DEV_AREA_MAX)
            return x == s.largest ? 1.0f / s.equal : 0.0f;
        return (x - s.sum * part) * part / deviation_of(s, part);
    }
    __device__ void operator()(int64_t i) const
    {
        int64_t position = row_of(i, k.of.D), c = i - position * k.of.D;
        struct dev_area at = dev_area_at(&k.of, position * dev_areas_of_position(&k.of));
        float sum = 0.0f;

        for (int h = 1; h <= (int) k.of.most_height; h++)
            for (int w = 1; w <= (int) k.of.most_width; w++)
                for (int r = 0; r < h && at.y + r < k.of.height; r++)
                    for (int q = 0; q < w && at.x + q < k.of.width; q++) {
                        struct dev_area a = {at.b, at.y + r, at.x + q, h, w};

                        if (dev_area_is_there(&a))
                            sum += get(k.type, k.dy, dev_area_number(&k.of, &a) * k.of.D + c) *
                                   factor(a, c, i);
                    }
        put(k.type, k.dx, i, sum, k.accumulate);
    }
};

struct area_ids {
    struct dev_area_ids_args k;
    __device__ void operator()(int64_t i) const
    {
        k.y[i] = dev_area_id(&k, i);
    }
};

int64_t positions_of(const struct dev_areas &of)
{
    return of.B * of.height * of.width;
}

} /* namespace */

extern "C" {

void dev_cuda_area_values(struct dev *d, const struct dev_area_values_args *a)
{
    for_each(d, "area_values", positions_of(a->of) * dev_areas_of_position(&a->of) * a->of.D,
             area_values{*a});
}

void dev_cuda_area_values_bwd(struct dev *d, const struct dev_area_values_bwd_args *a)
{
    int64_t n = positions_of(a->of) * a->of.D;

    switch (a->kind) {
    case DEV_AREA_MEAN:
        for_each(d, "area_values_bwd", n, area_values_bwd<DEV_AREA_MEAN>{*a});
        break;
    case DEV_AREA_SUM:
        for_each(d, "area_values_bwd", n, area_values_bwd<DEV_AREA_SUM>{*a});
        break;
    case DEV_AREA_MAX:
        for_each(d, "area_values_bwd", n, area_values_bwd<DEV_AREA_MAX>{*a});
        break;
    case DEV_AREA_DEVIATION:
        for_each(d, "area_values_bwd", n, area_values_bwd<DEV_AREA_DEVIATION>{*a});
        break;
    }
}

void dev_cuda_area_ids(struct dev *d, const struct dev_area_ids_args *a)
{
    for_each(d, "area_ids", positions_of(a->of) * dev_areas_of_position(&a->of), area_ids{*a});
}

} /* extern "C" */
