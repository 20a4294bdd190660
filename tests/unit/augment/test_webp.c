/* test_webp.c - WebP, where the build has it. */
#include <string.h>

#include "augment/webp.h"
#include "tests/support/t.h"
#include "tests/support/test_images.h"

#ifdef T2_HAVE_WEBP
#include <webp/encode.h>
#endif

static struct t2_err err = T2_ERR_INIT;
static const struct aug_decode plain = {.channels = 0};

static void test_there_and_back(void **state)
{
    struct aug_image back = {.data = NULL};

    (void) state;
#ifdef T2_HAVE_WEBP
    for (int32_t c = 3; c <= 4; c++) {
        struct aug_image im = t_image(13, 17, c, 1);
        struct aug_info info;
        uint8_t *file;
        for (int32_t i = 0; c == 4 && i < 13 * 17; i++)
            im.data[4 * i + 3] = (uint8_t) (100 + i % 100); /* hidden colours may be changed */
        size_t n = c == 3 ? WebPEncodeLosslessRGB(im.data, 17, 13, 51, &file)
                          : WebPEncodeLosslessRGBA(im.data, 17, 13, 68, &file);
        assert_true(n > 0);
        assert_int_equal(aug_webp_probe(file, n, &info, &err), T2_OK);
        assert_int_equal(info.components, c);
        assert_int_equal(aug_webp_decode(file, n, &plain, &back, NULL, &err), T2_OK);
        t_assert_same_pixels(&im, &back);
        assert_int_equal(aug_webp_decode(file, n / 2, &plain, &back, NULL, &err), T2_EFORMAT);
        assert_int_equal(aug_webp_decode(file, n, &(struct aug_decode){.max_components = 100},
                                         &back, NULL, &err),
                         T2_EFORMAT);
        WebPFree(file);
        aug_image_release(&im);
    }
    aug_image_release(&back);
#else
    assert_int_equal(aug_webp_decode((const uint8_t *) "RIFF", 4, &plain, &back, NULL, &err),
                     T2_EUNSUPPORTED);
#endif
}

T_MAIN(cmocka_unit_test(test_there_and_back))
