/*
 * fuzz_image_sources.c - a data.mdb of LSUN, a row of VQA's regions, a record of FSNS: no crash on
 * any bytes, and entries lie in the file.  The corpus is written by
 * fixtures/make/make_image_sources.py.
 */
#include <stdlib.h>

#include "datagen/feature_list.h"
#include "datagen/images/lmdb.h"
#include "datagen/problem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void is_inside(struct t2_slice part, const uint8_t *data, size_t size)
{
    if (part.data < data || part.data > data + size ||
        part.len_bytes > (size_t) (data + size - part.data))
        abort();
}

static void walk(const uint8_t *data, size_t size)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_slice key, value;
    struct dg_lmdb m;

    if (dg_lmdb_open((struct t2_slice){data, size}, "fuzz", &m, &err) != T2_OK)
        return;
    for (int i = 0; i < 10000 && dg_lmdb_next(&m, &key, &value, &err) == T2_OK; i++) {
        is_inside(key, data, size);
        is_inside(value, data, size);
    }
}

/* As a sample of the problem whose context it is. */
static void finish(const char *problem, bool has_question, const uint8_t *data, size_t size)
{
    const struct dg_problem *p = dg_find(problem);
    const struct dg_texts texts = {.text = {[DG_CONTEXT] = {data, size}}};
    struct dg_record r = {.n = 0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf out = {NULL, 0, 0};

    for (int i = 0; has_question && i < 3; i++) {
        struct dg_feature *f = dg_record_find(&r, "targets");
        dg_feature_push(f ? f : dg_record_add(&r, "targets", TFR_INT64), i);
    }
    if (has_question)
        dg_record_int(&r, "inputs", 2);
    if (p->record.finish(p, &texts, &r, &err) == T2_OK)
        dg_record_write(&r, &out);
    t2_buf_release(&out);
    dg_record_release(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    walk(data, size);
    finish("image_vqav2_rcnn_feature_tokens10k_labels3k", true, data, size);
    finish("image_fsns", false, data, size);
    return 0;
}
