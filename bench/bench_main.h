/*
 * bench/bench_main.h - what a bench program does around its work: flags, the median of its times,
 * one JSON object on stdout.
 */
#ifndef BENCH_MAIN_H
#define BENCH_MAIN_H

#include <stdio.h>
#include <stdlib.h>

#include "base/flags.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "train/device/device.h"

static inline int bench_by_value(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;

    return x < y ? -1 : x > y;
}

/* Sorts the n times. */
static inline double bench_median(double *seconds, int64_t n)
{
    qsort(seconds, (size_t) n, sizeof *seconds, bench_by_value);
    return seconds[n / 2];
}

/* One result; more keys may follow. */
struct bench_result {
    struct t2_buf text;
    struct t2_json json;
};

static inline void bench_result_begin(struct bench_result *r, double value, const char *unit,
                                      const struct dev *dev)
{
    *r = (struct bench_result){0};
    t2_json_init(&r->json, &r->text, 0);
    t2_json_object(&r->json);
    t2_json_kv_double(&r->json, "value", value);
    t2_json_kv_string(&r->json, "unit", unit);
    t2_json_kv_string(&r->json, "device", dev->describe(dev));
}

static inline void bench_result_end(struct bench_result *r)
{
    t2_json_end_object(&r->json);
    puts(t2_buf_cstr(&r->text));
    fflush(stdout);
    t2_buf_release(&r->text);
}

/* main() of a program without arguments beside its flags. */
static inline int bench_main(const struct t2_tool *tool, int argc, char **argv,
                             enum t2_status (*run)(struct t2_err *err))
{
    struct t2_strs rest = {0};
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st;

    t2_log_init(tool->name);
    st = t2_flags_parse(tool, argc, argv, &rest, &err);
    if (st == T2_OK)
        st = run(&err);
    t2_strs_release(&rest);
    return st == T2_OK ? 0 : t2_report(&err);
}

#endif
