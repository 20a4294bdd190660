/* Tests of train/ckpt/tensor_file.c: maps are kept, forgotten and given back. */
#include "train/ckpt/tensor_file.h"

#include "tests/support/t.h"

static void test_maps(void **state)
{
    static char pages[3 * 65536];
    const char *path = t_tmp_path("pages");
    struct ckpt_file *f = ckpt_file_new("x");
    struct t2_mapped map;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    t_fill((float *) (void *) pages, sizeof pages / sizeof(float), 1);
    t_write_file(path, pages, sizeof pages);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(t2_map_file(path, &map, &err), T2_OK);
        ckpt_file_keep_map(f, &map);
        assert_null(map.data);
    }
    ckpt_forget(f, f->maps[1].data + 100, sizeof pages - 100);
    ckpt_forget(f, pages, sizeof pages); /* in no map: stays */
    assert_memory_equal(f->maps[1].data, pages, sizeof pages);
    assert_int_equal(ckpt_count(f), 0);
    assert_null(ckpt_find(f, "x"));
    ckpt_close(f);
}

T_MAIN(cmocka_unit_test(test_maps))
