/*
 * train/device/area_grid.h - where areas lie (struct dev_areas), for all devices.
 */
#ifndef DEV_AREA_GRID_H
#define DEV_AREA_GRID_H

#include "train/device/area_kernels.h"

static inline int64_t dev_areas_of_position(const struct dev_areas *of)
{
    return of->most_height * of->most_width;
}

/* An area: its last position, its rows and columns. */
struct dev_area {
    int64_t b, y, x, h, w;
};

/* Number i of all areas of the batch. */
static inline struct dev_area dev_area_at(const struct dev_areas *of, int64_t i)
{
    int64_t each = dev_areas_of_position(of), slot = i % each, at = i / each;
    struct dev_area a;

    a.b = at / (of->height * of->width);
    a.y = at / of->width % of->height;
    a.x = at % of->width;
    a.h = slot / of->most_width + 1;
    a.w = slot % of->most_width + 1;
    return a;
}

static inline int64_t dev_area_number(const struct dev_areas *of, const struct dev_area *a)
{
    return ((a->b * of->height + a->y) * of->width + a->x) * dev_areas_of_position(of) +
           (a->h - 1) * of->most_width + a->w - 1;
}

static inline bool dev_area_is_there(const struct dev_area *a)
{
    return a->h <= a->y + 1 && a->w <= a->x + 1;
}

/* The row of x of its position that is i rows above the last and j columns in front of it. */
static inline int64_t dev_area_row(const struct dev_areas *of, const struct dev_area *a, int64_t i,
                                   int64_t j)
{
    return (a->b * of->height + a->y - i) * of->width + a->x - j;
}

/* Of the mask. */
static inline int32_t dev_area_id(const struct dev_area_ids_args *k, int64_t number)
{
    struct dev_area a = dev_area_at(&k->of, number);
    bool there = dev_area_is_there(&a);
    int32_t id;

    switch (k->kind) {
    case DEV_AREA_THERE:
        return there;
    case DEV_AREA_LAST:
        return there ? (int32_t) (a.y * k->of.width + a.x) : INT32_MAX;
    case DEV_AREA_FILLED:
        id = there;
        break;
    case DEV_AREA_SAME:
        id = there ? k->ids[dev_area_row(&k->of, &a, 0, 0)] : -1;
        break;
    default:
        id = there ? 0 : INT32_MAX;
        break;
    }
    for (int64_t i = 0; there && i < a.h; i++)
        for (int64_t j = 0; j < a.w; j++) {
            int32_t its = k->ids[dev_area_row(&k->of, &a, i, j)];

            if (k->kind == DEV_AREA_FILLED)
                id = its ? id : 0;
            else if (k->kind == DEV_AREA_SAME)
                id = its == id ? id : -1;
            else
                id = its > id ? its : id;
        }
    return id;
}

#endif
