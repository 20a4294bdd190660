/* Tests of train/exchange/model_file.c: there and back in each storage; what is no such file. */
#include "train/exchange/model_file.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "tests/unit/train/exchanged.h"

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
    assert_true(round_trip(XCH_INT8, &quarter) <= 0.5 / 127.0 + 1e-6);
    assert_true(half < whole && quarter < half);
}

static void refused(const struct ckpt_tensor *tensors, size_t n, const char *const *keys,
                    const char *const *values, size_t n_metadata, const char *message)
{
    const char *path = t_tmp_path("bad.safetensors");
    struct t2_err err = T2_ERR_INIT;
    struct xch_model_file f;

    assert_int_equal(ckpt_write(path, tensors, n, keys, values, n_metadata, NULL, &err), T2_OK);
    assert_int_equal(xch_model_file_open(path, &f, &err), T2_EFORMAT);
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
    values[10] = "file";
    refused(NULL, 0, keys, values, n, "the vocabulary of the targets is missing");
    values[10] = "";
    refused(NULL, 0, keys, values, n, "the vocabulary of the targets is missing");
    values[8] = "{\"hidden_size\": \"x\"}";
    refused(NULL, 0, keys, values, n, "hidden_size");
    values[4] = "-1";
    refused(NULL, 0, keys, values, n, "metadata 'step' is missing or no number");
}

T_MAIN(cmocka_unit_test(test_storages), cmocka_unit_test(test_refused))
