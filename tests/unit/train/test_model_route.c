/*
 * tests/unit/train/test_model_route.c - paths of models, and what is none.
 */
#include "train/serve/model_route.h"

#include "tests/support/t.h"

static void test_routes(void **state)
{
    static const struct {
        const char *path, *name;
        int64_t version;
        enum srv_verb verb;
    } rows[] = {
        {"/v1/models/m", "m", -1, SRV_STATUS},
        {"/v1/models/a.B-c_9/metadata", "a.B-c_9", -1, SRV_METADATA},
        {"/v1/models/m:predict", "m", -1, SRV_PREDICT},
        {"/v1/models/m/versions/0", "m", 0, SRV_STATUS},
        {"/v1/models/m/versions/0012/metadata", "m", 12, SRV_METADATA},
        {"/v1/models/m/versions/9223372036854775807:predict", "m", INT64_MAX, SRV_PREDICT},
        {"/v1/models/m:classify", "m", -1, SRV_CLASSIFY},
        {"/v1/models/m/versions/3:regress", "m", 3, SRV_REGRESS},
    };

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct srv_route r;

        assert_true(srv_route_parse(rows[i].path, &r));
        assert_true(t2_slice_eq(r.name, t2_slice_of(rows[i].name)));
        assert_int_equal(r.version, rows[i].version);
        assert_int_equal(r.verb, rows[i].verb);
    }
}

static void test_others(void **state)
{
    static const char *const paths[] = {"",
                                        "/",
                                        "v1/models/m",
                                        "/v1/models",
                                        "/v1/models/",
                                        "/v1/models/:predict",
                                        "/v1/models//versions/1",
                                        "/v1/models/m/",
                                        "/v1/models/m:predict/",
                                        "/v1/models/m:predictions",
                                        "/v1/models/m/metadata:predict",
                                        "/v1/models/m/versions",
                                        "/v1/models/m/versions/",
                                        "/v1/models/m/versions/-1",
                                        "/v1/models/m/versions/1x",
                                        "/v1/models/m/versions/9223372036854775808",
                                        "/v1/models/m/versions/00000000000000000001",
                                        "/v1/models/m%3apredict",
                                        "/v1/models/../m",
                                        "/v1/models/m\xc3\xa4:predict",
                                        "/V1/models/m"};

    (void) state;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct srv_route r;

        if (srv_route_parse(paths[i], &r))
            fail_msg("'%s' was taken", paths[i]);
    }
}

T_MAIN(cmocka_unit_test(test_routes), cmocka_unit_test(test_others))
