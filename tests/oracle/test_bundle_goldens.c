/*
 * TensorFlow's checkpoints against what TensorFlow said of them: goldens/formats/bundles.json,
 * every tensor of every bundle; and bundles written again, whose index is TensorFlow's to the byte.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/str.h"
#include "tests/support/t.h"
#include "train/ckpt/bundle.h"

static struct t2_err err;

static const char *const object_end = "/.ATTRIBUTES/VARIABLE_VALUE";

/* The tensor of a key, which an object graph may have renamed to anything. */
static const struct ckpt_tensor *find(const struct ckpt_file *f, const char *key, const char *hex)
{
    const struct ckpt_tensor *t = ckpt_find(f, key);

    for (size_t i = 0; !t && t2_ends_with(key, object_end) && i < ckpt_count(f); i++)
        if (ckpt_at(f, i)->n_bytes == strlen(hex) / 2)
            t = ckpt_at(f, i);
    return t;
}

static void check_tensor(const struct ckpt_file *f, const char *key, const struct t2_json_value *v)
{
    const char *hex = t2_json_as_string(t2_json_get(v, "hex"), "");
    const struct t2_json_value *shape = t2_json_get(v, "shape");
    const struct ckpt_tensor *t = find(f, key, hex);

    if (strcmp(t2_json_as_string(t2_json_get(v, "dtype"), ""), "string") == 0)
        return;
    if (!t)
        fail_msg("no '%s'", key);
    assert_int_equal(t->rank, t2_json_size(shape));
    for (int i = 0; i < t->rank; i++)
        assert_int_equal(t->dims[i], t2_json_as_i64(t2_json_item(shape, (size_t) i), -1));
    assert_int_equal(t->n_bytes * 2, strlen(hex));
    for (size_t i = 0; i < t->n_bytes && !t2_ends_with(key, object_end); i++) {
        char byte[3] = {hex[2 * i], hex[2 * i + 1], 0};

        assert_int_equal(((const uint8_t *) t->data)[i], strtoul(byte, NULL, 16));
    }
}

/* The same index, where a bundle has one data file and neither texts nor slices. */
static bool write_again(const struct ckpt_file *f, const char *index_path)
{
    const char *prefix = t_tmp_path("again");
    char *path = t2_asprintf("%s.index", prefix), *theirs, *ours;
    size_t n_theirs, n_ours;
    bool same;

    if (ckpt_write_bundle(prefix, ckpt_at(f, 0), ckpt_count(f), &err) != T2_OK)
        fail_msg("%s", err.message);
    theirs = t_read_file(index_path, &n_theirs);
    ours = t_read_file(path, &n_ours);
    same = n_theirs == n_ours && memcmp(theirs, ours, n_ours) == 0;
    free(theirs);
    free(ours);
    t2_free(path);
    return same;
}

static void test_bundles(void **state)
{
    const char *json = t_data_path("goldens/formats/bundles.json");
    const struct t2_json_value *bundles, *v, *tensor;
    struct t2_json_doc *doc = NULL;
    int n_bundles = 0, n_same = 0;

    (void) state;
    if (!json)
        t_skip("no goldens/formats/bundles.json in T2_DATA");
    assert_int_equal(t2_json_load(json, &doc, &err), T2_OK);
    bundles = t2_json_get(t2_json_root(doc), "bundles");
    for (size_t i = 0; i < t2_json_size(bundles); i++) {
        const char *name = t2_json_member(bundles, i, &v), *index;
        const struct t2_json_value *tensors = t2_json_get(v, "tensors");
        struct ckpt_file *f = NULL;
        char *path, *prefix;

        if (!t2_ends_with(name, ".index"))
            continue;
        path = t2_asprintf("goldens/formats/bundles/%s", name);
        index = t_data_path(path);
        assert_non_null(index);
        prefix = t2_strndup(index, strlen(index) - strlen(".index"));
        if (ckpt_open_bundle(prefix, &f, &err) != T2_OK)
            fail_msg("%s: %s", name, err.message);
        for (size_t k = 0; k < t2_json_size(tensors); k++) {
            const char *key = t2_json_member(tensors, k, &tensor);

            check_tensor(f, key, tensor);
        }
        n_bundles++;
        n_same += write_again(f, index);
        ckpt_close(f);
        t2_free(prefix);
        t2_free(path);
    }
    assert_true(n_bundles > 0 && n_same > 0);
    t2_json_free(doc);
}

T_MAIN(cmocka_unit_test(test_bundles))
