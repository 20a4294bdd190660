/*
 * train/device/window_range.h - which windows of a row or column have a pixel in them (struct
 * dev_windows), for all devices.
 */
#ifndef DEV_WINDOW_RANGE_H
#define DEV_WINDOW_RANGE_H

#include <stdint.h>

struct dev_window_range {
    int64_t from, end;
};

/* Of n windows, number r of which covers r step + first .. r step + first + size - 1, those with
 * `at`. */
static inline struct dev_window_range dev_windows_with(int64_t at, int64_t n, int64_t step,
                                                       int64_t first, int64_t size)
{
    int64_t above = at - first, below = above - size; /* r step <= above, r step > below */
    struct dev_window_range range;

    range.from = below < 0 ? 0 : below / step + 1;
    range.end = above < 0 ? 0 : above / step + 1;
    range.end = range.end < n ? range.end : n;
    return range;
}

#endif
