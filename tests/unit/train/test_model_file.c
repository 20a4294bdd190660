/* Tests of train/exchange/model_file.c: there and back in each storage; what is no such file. */
#include "train/exchange/model_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "tests/unit/train/exchanged.h"

/* Nothing stands between variables in memory. */
static bool without_gaps(const struct gr_params *p)
{
    int64_t at = 0;

    for (int i = 0; i < p->n_variables; at += p->variables[i++].n)
        if (p->variables[i].offset != at)
            return false;
    return true;
}

/* The largest difference of the variables of a model that was written and read again, by the
 * largest number of each. */
static double round_trip(enum xch_storage storage, uint64_t *n_bytes)
{
    const char *path = t_tmp_path("model.safetensors");
    struct t2_err err = T2_ERR_INIT;
    struct exchanged e;
    struct xch_model_file f;
    struct mdl *m = NULL;
    double most = 0.0;

    exchanged_open(&e, "");
    if (xch_write_model_file(&e.m, path, storage, &err) != T2_OK ||
        t2_file_size(path, n_bytes, &err) != T2_OK ||
        xch_model_file_open(path, &f, &err) != T2_OK ||
        mdl_new(f.state.model, e.s.dev, f.hp, &f.problem, MDL_EVAL, &m, &err) != T2_OK ||
        xch_model_file_restore(&f, mdl_params(m), &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(f.state.step, 7);
    assert_string_equal(f.decode_hparams, "beam_size=2");
    assert_int_equal(tok_size(f.inputs), 258);
    /* what has fewer bits is made when it is read, as it is below */
    assert_true((mdl_params(m)->late != NULL) == (storage != XCH_FLOAT32 && e.s.dev->host_memory));
    for (int i = 0; i < e.m.params->n_variables; i++) {
        const struct gr_variable *v = &e.m.params->variables[i];
        struct xch_model read = e.m;
        double largest = 1e-9, difference = 0.0;
        float *a, *b;

        read.params = mdl_params(m);
        assert_int_equal(xch_variable(&e.m, v, &a, &err), T2_OK);
        assert_int_equal(xch_variable(&read, &read.params->variables[i], &b, &err), T2_OK);
        for (int64_t k = 0; k < v->n; k++) {
            largest = fmax(largest, fabs((double) a[k]));
            difference = fmax(difference, fabs((double) a[k] - (double) b[k]));
        }
        most = fmax(most, difference / largest);
        t2_free(a);
        t2_free(b);
    }
    /* float32 is used where it lies, by a device that can and where sizes fit */
    assert_true((mdl_params(m)->lent.mapping != NULL) ==
                (storage == XCH_FLOAT32 && e.s.dev->host_memory && without_gaps(mdl_params(m))));
    mdl_free(m);
    xch_model_file_close(&f);
    exchanged_close(&e);
    return most;
}

static void test_storages(void **state)
{
    uint64_t whole, half, quarter;

    (void) state;
    assert_true(round_trip(XCH_FLOAT32, &whole) == 0.0);
    assert_true(round_trip(XCH_BFLOAT16, &half) <= 1.0 / 256.0);
    assert_true(round_trip(XCH_INT8, &quarter) <= 1.0 / 127.0 + 1e-6); /* of two neighbours */
    assert_true(half < whole && quarter < half);
}

/* One bit of the data, wherever it is. */
static void test_damage(void **state)
{
    static const double places[] = {0.0, 0.6, 0.9999}; /* of the data */
    const char *path = t_tmp_path("damaged.safetensors");
    struct t2_err err = T2_ERR_INIT;
    struct exchanged e;

    (void) state;
    exchanged_open(&e, "");
    for (int s = XCH_FLOAT32; s <= XCH_INT8; s++)
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            struct xch_model_file f;
            struct mdl *m = NULL;
            uint8_t *bytes;
            size_t n, data_at; /* behind the header, whose length is in the first bytes */

            assert_int_equal(xch_write_model_file(&e.m, path, (enum xch_storage) s, &err), T2_OK);
            bytes = (uint8_t *) t_read_file(path, &n);
            data_at = 8 + bytes[0] + ((size_t) bytes[1] << 8) + ((size_t) bytes[2] << 16);
            bytes[data_at + (size_t) (places[i] * (double) (n - data_at))] ^= 4;
            t_write_file(path, bytes, n);
            free(bytes);
            if (xch_model_file_open(path, &f, &err) != T2_OK ||
                mdl_new(f.state.model, e.s.dev, f.hp, &f.problem, MDL_EVAL, &m, &err) != T2_OK)
                fail_msg("%s", err.message);
            assert_int_equal(xch_model_file_restore(&f, mdl_params(m), &err), T2_EFORMAT);
            t_assert_contains(err.message, "the model file is damaged: the CRC-32C of its data");
            mdl_free(m);
            xch_model_file_close(&f);
        }
    exchanged_close(&e);
}

static void refused(const struct ckpt_tensor *tensors, size_t n, const char *const *keys,
                    const char *const *values, size_t n_metadata, const char *message)
{
    const char *path = t_tmp_path("bad.safetensors");
    struct t2_err err = T2_ERR_INIT;
    struct xch_model_file f;

    assert_int_equal(ckpt_write(path, tensors, n, keys, values, n_metadata, NULL, &err), T2_OK);
    if (xch_model_file_open(path, &f, &err) == T2_OK)
        assert_int_equal(xch_model_file_settle(&f, &err), T2_EFORMAT);
    assert_int_equal(err.status, T2_EFORMAT);
    t_assert_contains(err.message, message);
    t_assert_contains(err.message, "bad.safetensors");
    xch_model_file_close(&f);
}

static void test_refused(void **state)
{
    static const char *const keys[] = {
        "format",         "model",           "hparams_set",       "problem", "step",
        "input_space_id", "target_space_id", "context_separator", "hparams", "inputs",
        "targets",        "targets_offset",  "targets_vocab"};
    const char *values[] = {"t2t.c model 1",
                            "transformer",
                            "transformer_tiny",
                            "p",
                            "1",
                            "0",
                            "0",
                            "0",
                            "{}",
                            "",
                            "bytes",
                            "0",
                            "258"};
    const size_t n = sizeof keys / sizeof *keys;

    (void) state;
    refused(NULL, 0, NULL, NULL, 0, "is no model that stands alone (its format is 'not named'");
    for (size_t i = 1; i < n; i++) /* cut behind each */
        refused(NULL, 0, keys, values, i, "metadata '");
    values[12] = "300";
    refused(NULL, 0, keys, values, n, "has 258 ids, not 300");
    values[12] = "70000";
    refused(NULL, 0, keys, values, n, "has 0 bytes, which are not 70000 ids");
    values[10] = "file";
    refused(NULL, 0, keys, values, n, "the vocabulary of the targets is missing");
    values[10] = "";
    refused(NULL, 0, keys, values, n, "the vocabulary of the targets is missing");
    values[8] = "{\"hidden_size\": \"x\"}";
    refused(NULL, 0, keys, values, n, "hidden_size");
    values[4] = "-1";
    refused(NULL, 0, keys, values, n, "metadata 'step' is missing or no number");
}

T_MAIN(cmocka_unit_test(test_storages), cmocka_unit_test(test_damage),
       cmocka_unit_test(test_refused))
