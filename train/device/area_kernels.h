/*
 * train/device/area_kernels.h - arguments of the kernels of area attention (Li et al. 2019); a part
 * of kernels.h.
 */
#ifndef DEV_AREA_KERNELS_H
#define DEV_AREA_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "train/device/types.h"

/*
 * Areas of a memory that lies as a grid of height x width positions, row by row: of every position
 * those whose last one (below, right) it is, most_height most_width of them, area
 * (h - 1) most_width + w - 1 being the one of h rows and w columns.  Those that would reach beyond
 * the edge are not there: values 0, no gradient.  Areas of the original are in another order (by
 * size), which attention does not see; here what a position adds comes behind what was there
 * before.
 */
struct dev_areas {
    int64_t B, height, width, D;
    int64_t most_height, most_width;
};

/* Of the n values x of an area, each channel by itself:
 *   mean: sum x / n;  sum: sum x;  max: the largest;
 *   deviation: sqrt(sum (x - mean)^2 / n + 1e-6) */
enum dev_area_kind { DEV_AREA_MEAN, DEV_AREA_SUM, DEV_AREA_MAX, DEV_AREA_DEVIATION };

/* x (B, height width, D) -> y (B, height width most_height most_width, D) */
struct dev_area_values_args {
    struct dev_areas of;
    enum dev_area_kind kind;
    enum dev_type type;
    const void *x;
    void *y;
};

/* dx [+]= the gradient; of the largest equal parts to all that are it.  x is read for max and
 * deviation alone. */
struct dev_area_values_bwd_args {
    struct dev_areas of;
    enum dev_area_kind kind;
    enum dev_type type;
    const void *x, *dy;
    bool accumulate;
    void *dx;
};

/*
 * What attention's masks say of areas, ids (B, height width) -> y (B, height width most_height
 * most_width); D counts nothing.
 *   there: 1, without ids;  filled: 1 where none of its ids is 0
 *   same: the id that all of it have, else -1 (segments)
 *   greatest: the largest of its ids (levels);  last: its last position, without ids
 * Where no area is: 0 of the first two, -1 of same, INT32_MAX of the last two.
 */
enum dev_area_id_kind {
    DEV_AREA_THERE,
    DEV_AREA_FILLED,
    DEV_AREA_SAME,
    DEV_AREA_GREATEST,
    DEV_AREA_LAST
};

struct dev_area_ids_args {
    struct dev_areas of;
    enum dev_area_id_kind kind;
    const int32_t *ids;
    int32_t *y;
};

#endif
