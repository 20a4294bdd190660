/*
 * Tests of base/json_page.c: data that looks like HTML stays data.
 */
#include "base/json_page.h"

#include "tests/support/t.h"

static void test_page(void **state)
{
    static const char json[] = "{\"a\":\"</script><!-- & @DATA@\"}";
    struct t2_buf html = {NULL, 0, 0};

    (void) state;
    t2_put_json_page(t2_slice_of("<script>@DATA@</script>"), "@DATA@", t2_slice_of(json), &html);
    assert_string_equal(t2_buf_cstr(&html), "<script>{\"a\":\"\\u003c/script>\\u003c!-- & @DATA@\"}"
                                            "</script>");
    t2_buf_release(&html);
}

T_MAIN(cmocka_unit_test(test_page))
