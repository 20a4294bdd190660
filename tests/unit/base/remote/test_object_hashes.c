/*
 * tests/unit/base/remote/test_object_hashes.c - which texts are hashes of an object.
 */
#include "base/remote/object_hashes.h"

#include "tests/support/t.h"

static void test_crc32c(void **state)
{
    struct t2_object o = {0};

    (void) state;
    t2_object_take_crc32c(&o, "");
    t2_object_take_crc32c(&o, "xyz");
    t2_object_take_crc32c(&o, "AAAA");
    t2_object_take_crc32c(&o, "123456789");
    assert_false(o.has_crc32c);
    t2_object_take_crc32c(&o, "0badCAFE");
    assert_true(o.has_crc32c);
    assert_int_equal(o.crc32c, 0x0badcafe);
    t2_object_take_crc32c(&o, "4waSgw==");
    assert_int_equal(o.crc32c, 0xE3069283);
}

static void test_md5(void **state)
{
    struct t2_object o = {0};

    (void) state;
    t2_object_take_md5_base64(&o, "AAAA");
    t2_object_take_etag(&o, "");
    t2_object_take_etag(&o, "d41d8cd98f00b204e9800998ecf8427e");
    t2_object_take_etag(&o, "\"d41d8cd98f00b204e9800998ecf8427e-3\"");
    t2_object_take_etag(&o, "\"d41d8cd98f00b204e9800998ecf8427g\"");
    assert_false(o.has_md5);
    t2_object_take_etag(&o, "\"D41D8CD98F00B204E9800998ECF8427E\"");
    assert_true(o.has_md5);
    assert_string_equal(o.md5, "d41d8cd98f00b204e9800998ecf8427e");
    t2_object_take_md5_base64(&o, "kAFQmDzST7DWlj99KOF/cg==");
    assert_string_equal(o.md5, "900150983cd24fb0d6963f7d28e17f72");
}

T_MAIN(cmocka_unit_test(test_crc32c), cmocka_unit_test(test_md5))
