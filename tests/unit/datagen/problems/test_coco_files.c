/*
 * tests/unit/datagen/problems/test_coco_files.c - the problems of COCO use the same files.
 */
#include <string.h>

#include "datagen/problems/coco_files.h"
#include "tests/support/t.h"

static bool uses(const char *problem, const struct dg_source_file *file)
{
    const struct dg_source_file *const *f = dg_find(problem)->sources;

    while (*f && *f != file)
        f++;
    return *f != NULL;
}

static void test_shared(void **state)
{
    (void) state;
    assert_true(uses("paraphrase_generation_ms_coco_problem1d", &dg_coco_captions));
    assert_true(uses("image_ms_coco_tokens32k", &dg_coco_captions));
    for (int i = 0; i < 2; i++) {
        assert_true(uses("image_ms_coco_tokens32k", &dg_coco_images[i]));
        assert_true(uses("image_vqav2_tokens10k_labels3k", &dg_coco_images[i]));
        assert_ptr_equal(dg_coco_sources[i].file, &dg_coco_images[i]);
        assert_int_equal(strncmp(dg_coco_images[i].name, dg_coco_sources[i].sign,
                                 strlen(dg_coco_sources[i].sign)),
                         0);
    }
}

T_MAIN(cmocka_unit_test(test_shared))
