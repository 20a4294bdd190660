/*
 * test_admit_goldens.c - verdicts on all of weird-jpeg, pngsuite and the images of goldens/hostile.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "augment/admit.h"
#include "base/file.h"
#include "base/json.h"
#include "tests/support/t.h"

static struct t2_err err = T2_ERR_INIT;
static struct aug_image scratch;

static enum aug_verdict verdict_on(const char *name, struct aug_admission *a)
{
    const struct aug_admit_policy policy = {.reencode = AUG_REENCODE_NEVER};
    struct t2_buf file = {NULL, 0, 0};
    const char *path = t_data_path(name);

    assert_non_null(path);
    assert_int_equal(t2_read_file(path, 0, &file, &err), T2_OK);
    assert_int_equal(aug_admit(name, file.data, file.len_bytes, &policy, &scratch, a, &err), T2_OK);
    t2_buf_release(&file);
    return a->verdict;
}

static void test_hostile(void **state)
{
    const char *path = t_data_path("goldens/hostile/expected.json");
    struct t2_json_doc *doc = NULL;
    size_t n = 0;

    (void) state;
    if (!path)
        t_skip("no goldens/hostile in T2_DATA");
    assert_int_equal(t2_json_load(path, &doc, &err), T2_OK);
    for (size_t i = 0; i < t2_json_size(t2_json_root(doc)); i++) {
        const struct t2_json_value *v = NULL;
        const char *name = t2_json_member(t2_json_root(doc), i, &v);
        struct aug_admission a;
        char file[256];
        if (strncmp(name, "pictures/", 9) != 0)
            continue;
        snprintf(file, sizeof file, "goldens/hostile/%s", name);
        bool refused = verdict_on(file, &a) == AUG_REFUSE;
        if (refused != (strcmp(t2_json_as_string(t2_json_get(v, "verdict"), ""), "refuse") == 0))
            fail_msg("%s: %s", name, a.why);
        assert_true(!refused || strlen(a.why) > 0);
        n++;
    }
    assert_true(n > 0);
    assert_int_equal(n, t_data_files("goldens/hostile/pictures", NULL));
    t2_json_free(doc);
}

/* TensorFlow 2.21's decode_image. */
static void test_weird(void **state)
{
    const char *path = t_data_path("goldens/images/decode.tsv");
    struct t2_strs lines = {NULL, 0, 0};
    int n = 0, n_refused = 0, n_files = 0;
    char last[256] = "";
    size_t len;
    char *table;

    (void) state;
    if (!path)
        t_skip("no goldens/images/decode.tsv in T2_DATA");
    table = t_read_file(path, &len);
    t2_strs_split(&lines, table, '\n');
    for (size_t i = 1; i < lines.n; i++) {
        struct t2_strs columns = {NULL, 0, 0};
        struct aug_admission a;
        t2_strs_split(&columns, lines.items[i], '\t');
        /* the rows of a file stand together */
        if (columns.n > 5 && strcmp(columns.items[0], last) != 0) {
            snprintf(last, sizeof last, "%s", columns.items[0]);
            n_files++;
        }
        if (columns.n > 5 && strstr(columns.items[5], "tf2.21.0:image.c3")) {
            bool refused = verdict_on(columns.items[0], &a) == AUG_REFUSE;
            if (refused != (strcmp(columns.items[1], "refused") == 0))
                fail_msg("%s: %s", columns.items[0], a.why);
            n_refused += refused;
            n++;
        }
        t2_strs_release(&columns);
    }
    assert_true(n_refused > 0 && n > n_refused); /* both verdicts were seen */
    assert_int_equal(n, n_files);
    t2_strs_release(&lines);
    aug_image_release(&scratch);
    free(table);
}

T_MAIN(cmocka_unit_test(test_hostile), cmocka_unit_test(test_weird))
