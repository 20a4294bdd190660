/*
 * datagen/source/compile.h - the sources of a translation problem become one pair of text files
 * (T2T's translate.compile_data, spec t2t-datagen.md §5.6).
 */
#ifndef DG_SOURCE_COMPILE_H
#define DG_SOURCE_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "datagen/source/sample_batch.h"

enum dg_parallel_kind {
    DG_PARALLEL_PAIR, /* two files, line by line, to the end of the shorter */
    DG_PARALLEL_SGM,  /* the same, of SGML: one <seg> a line */
    DG_PARALLEL_TSV,  /* two columns of one file */
    DG_PARALLEL_TMX   /* one file of translation units: segments of both languages in turn */
};

/* One source; files may be gzip.  Borrowed while dg_compile runs. */
struct dg_compile_part {
    enum dg_parallel_kind kind;
    const char *lang1, *lang2; /* paths; TSV and TMX: lang2 NULL */
    int column1, column2;      /* TSV: from 0 */
    bool clean;                /* sentence_cleaner.h */
};

/* Zero-initialise; dg_drops_release(&r.drops). */
struct dg_compile_report {
    uint64_t n_read, n_written; /* pairs */
    uint64_t n_replaced;        /* texts with broken parts, by DG_INVALID_REPLACE */
    struct dg_drops drops;
};

/*
 * Writes lang1 and lang2, and before they appear left_out (drop_report.h; NULL: not), lines of the
 * same number ended by LF; both appear when all was good.  Lines lose CR and the blanks at their
 * ends; a pair with an empty side is left out; the rest is as spec §5.6 and §5.7 say. With
 * DG_INVALID_FAIL a byte that is not UTF-8 is T2_EFORMAT, which names file and line.  A line may
 * have a share of max_memory (t2_in_limit_line).
 */
T2_MUST_CHECK enum t2_status dg_compile(const struct dg_compile_part *parts, size_t n,
                                        const char *lang1, const char *lang2, const char *left_out,
                                        enum dg_invalid invalid, uint64_t max_memory,
                                        struct t2_pool *pool, struct dg_compile_report *report,
                                        struct t2_err *err);

#endif
