/*
 * test_augment_ops.c - operations of AutoAugment and RandAugment on one image, against what
 * TensorFlow 2.21.0 made of it (tests/support/augment_ops.py prints the table; without oneDNN,
 * whose convolution fuses products and sums).
 */
#include <string.h>

#include "augment/augment_op.h"
#include "base/hash.h"
#include "tests/support/t.h"
#include "tests/support/test_images.h"

enum { HEIGHT = 41, WIDTH = 53 };

/* clang-format off */
static const struct row {
    enum aug_augment_op op;
    float value;
    bool fill_grey;
    const char *sha256;
} rows[] = {
    {AUG_AUTO_CONTRAST, 0.0f, false, "2cb2af5507ae82ae6956d859468115516e1ea050fcdd814d8588445565571112"},
    {AUG_EQUALIZE, 0.0f, false, "307071f92bd09049ced25190b236edb3f7461e057872c4ee02e4cea15a5527f0"},
    {AUG_INVERT, 0.0f, false, "45076c91a9e97878a77e219ce2d20e3df342f4458e906556ba98c9945831d393"},
    {AUG_POSTERIZE, 4.0f, false, "7da80d653284ab236ef7b074cdb01e15867eec928669fa684140dac983b9b7dd"},
    {AUG_POSTERIZE, 2.0f, false, "c7fcb002dea5a3a2f3b2bd5ccedbbc44040022d34229e81c916f81c7756d1960"},
    {AUG_POSTERIZE, 1.0f, false, "2829f51f2a9833f2a2f72d8a2d7ca6a422945cfd858e5b23c46ebcca273bbaab"},
    {AUG_POSTERIZE, 0.0f, false, "2829f51f2a9833f2a2f72d8a2d7ca6a422945cfd858e5b23c46ebcca273bbaab"},
    {AUG_SOLARIZE, 256.0f, false, "5a1f91d8828695382d8bb3ccefb85775ad37fa84084bffd29628eda7d34771c7"},
    {AUG_SOLARIZE, 204.0f, false, "fd6fc671cdf3b2bd45161f4bac53ecfc41da1b073031efd573e220ef8a895a3e"},
    {AUG_SOLARIZE, 51.0f, false, "3f7a8a1d903ee2506eaaf3226904f7c3caa86eb9a43761d40c0879b6ed386c3c"},
    {AUG_SOLARIZE_ADD, 33.0f, false, "8a2b57cfef5e08e0bc82cd0dd39f773328682a9cda2775d5bcb71f8aa92f5ce1"},
    {AUG_SOLARIZE_ADD, 77.0f, false, "698cc4135d3d5a6cdc85d93d8492b35c1ec97d772f3794c9e5d714fb664ea314"},
    {AUG_SOLARIZE_ADD, 110.0f, false, "109e2d05b9102dff6700d5894921b9aee7a484176e19b51b146f2b084bb00353"},
    {AUG_COLOR, 0.1f, false, "2b41a117fc4d151ff677d0b914838eeeb3eda48bd7b16deba60573426c7ec345"},
    {AUG_COLOR, 0.28f, false, "3575e3c679aced162ae19ebb1233157dca2f859f9ddfa5add4f9516436597673"},
    {AUG_COLOR, 0.82f, false, "c75b854f4e4838c598e7602725e321785e34bd3affa09018357d5a5494854800"},
    {AUG_COLOR, 1.9f, false, "dc64ae033f9454e6ce55d27791220f8ef1b318b2f3698e17259b8203f1ef52bc"},
    {AUG_CONTRAST, 0.1f, false, "90acef2e018879b8dccd3904142f19aa53b73fdc92c820747c089be87c04ccf6"},
    {AUG_CONTRAST, 0.28f, false, "8da956c5f739652c33290037fa2a60de71d0f30b3a235205f3cbd94a4fe495fc"},
    {AUG_CONTRAST, 0.82f, false, "dd198cb28ab45ee1fe82a21d4649f5f03746acc7fbd53f0bd8d5f7babade49d1"},
    {AUG_CONTRAST, 1.9f, false, "e9e47c3ce1ba2d50fa7e80fad18a2c2de62b94995f36dba7bf7b70ae5a3bd51c"},
    {AUG_BRIGHTNESS, 0.1f, false, "eedc288027b3199ce3605e2e749ee5ebae6196f86b8d4679933eb1076d7137b1"},
    {AUG_BRIGHTNESS, 0.28f, false, "8d3f41cca5d66cb1238968632f5bbdf130ec0c04239c4277bedbd5cc1460188c"},
    {AUG_BRIGHTNESS, 0.82f, false, "90f18a80e52ca8391d85749d165f4ab9ba83959d69288e42b38c0b2ea831ef62"},
    {AUG_BRIGHTNESS, 1.9f, false, "b9c5edba261d8ded88501177a604463d0e4896c2b7e27da0017ebcedde2a3f6f"},
    {AUG_SHARPNESS, 0.1f, false, "c3aa72517a79517a8f335d6f072294ba9ed3f605df05757ef60d77dbfee893c4"},
    {AUG_SHARPNESS, 0.28f, false, "e1d24a5a3d4e00004b24b0df06b089150a56468e01f62a8565a00276bb66d8e2"},
    {AUG_SHARPNESS, 0.82f, false, "73a74ba5d5fafdd1153defc1003aae692c3b50d395d712698f9ed5805397e27e"},
    {AUG_SHARPNESS, 1.9f, false, "22cd003dc8b58ab15717381c835d6c9e564295e92b0bdb9d467f4dddd6c5c061"},
    {AUG_ROTATE, 30.0f, false, "e5f6870d0d96a2fc1323e50859e0ba545a3a3dbc05421fe075e2656274a61990"},
    {AUG_ROTATE, 30.0f, true, "72a467eba5491a2547d1db3102108747802415c8c0edfc2f412c9147bfbba67d"},
    {AUG_ROTATE, -24.0f, false, "4bc604f65ea64e5892f6e61aa1c4e5892b591a41db1a5b083d225fdbebcf03cc"},
    {AUG_ROTATE, -24.0f, true, "4dd9353130cee36e017b9817832a376e8dc5377c41590c50bf0dc09646771f61"},
    {AUG_ROTATE, 7.5f, false, "5431b26fa7d95f4dfec70d99d06951434e552bde63a9dd41ffe81f7eb97bf842"},
    {AUG_ROTATE, 7.5f, true, "e3307542d5eb6e23e763b0cb1c21e330d6c4a2afd63f4a01ed51786bff962588"},
    {AUG_SHEAR_X, 0.3f, false, "1f537a4d6a718c09908c4e78190ad020edb3563d757bc647931bdeb5c9cde7b3"},
    {AUG_SHEAR_X, 0.3f, true, "3929147b04d0f3861861a17921d2ffcb0dfa734181b7a0c9533394923c86c288"},
    {AUG_SHEAR_X, -0.12f, false, "8b1ee30a794b8e0a4a181138ba41759da479a2b065ca714a02bf4acab3f40ad6"},
    {AUG_SHEAR_X, -0.12f, true, "7333b1d9af035e306c6bbee2b1b8889bb953362572c56dc72700f07f8b7d9680"},
    {AUG_SHEAR_Y, 0.21f, false, "5ac26e834d44d6f389047c319ec7183afc1208bfc8ae3fc0257d315493946feb"},
    {AUG_SHEAR_Y, 0.21f, true, "e953685279b3a68ec00c6f7df08693a61d2d8f5f5f6f194ce18fc04e49f7be18"},
    {AUG_SHEAR_Y, -0.3f, false, "3a2cfb20788924d1d27b295f3bccfd9a5ea0fcef4ba70c2d53d4b7aef10163ed"},
    {AUG_SHEAR_Y, -0.3f, true, "1d31c3aa0e39430782169e8320522664cc94d2a77d5ec32d5a108a8467140b18"},
    {AUG_TRANSLATE_X, 100.0f, false, "fca8167052e798c337e39d4168fe0553cb5d4dfde4dcd8f591572e3ff9ab2bdb"},
    {AUG_TRANSLATE_X, 100.0f, true, "40eb4c9797f2369e6613602dd07412ff3a60aa963c7177caab156baad32491df"},
    {AUG_TRANSLATE_X, -22.5f, false, "8b7bb0455cb9b8cb0fa02c73431d6cc5a63d2f94e5933dfac3f1c7ef12781782"},
    {AUG_TRANSLATE_X, -22.5f, true, "4d9df8e7e659223fdac80d8f31f4d95b90f69cc1bb042a6b3425ea77fcdc83f7"},
    {AUG_TRANSLATE_X, 10.0f, false, "1d498017f5e3c4495a1628eb0a2591b3740bf9e78a3f30f914ab71b53ab26013"},
    {AUG_TRANSLATE_X, 10.0f, true, "a447ddb1782ca0d41b592af273b67a0260b153a8a470329adfebdeddcc4dd43b"},
    {AUG_TRANSLATE_Y, -225.0f, false, "41dc96677dbb413d79072793b0ea7592513d263f28cb0db7a00a0364357cb801"},
    {AUG_TRANSLATE_Y, -225.0f, true, "40eb4c9797f2369e6613602dd07412ff3a60aa963c7177caab156baad32491df"},
    {AUG_TRANSLATE_Y, 9.0f, false, "a5abcf90513ed61784743e1f828560eb6d8bd0e0a8e4d1dfe9f99650367078b1"},
    {AUG_TRANSLATE_Y, 9.0f, true, "bdb4f662169b8d7d1aa95f097ee58b2c20e3ea934e2c747891dee9488b87c9d7"},
};
/* clang-format on */

static void test_all(void **state)
{
    struct aug_image scratch = {.data = NULL};
    struct t2_err err = T2_ERR_INIT;
    int n_wrong = 0;
    (void) state;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct aug_augment a = {.op = rows[i].op,
                                      .value = rows[i].value,
                                      .fill_grey = rows[i].fill_grey};
        struct aug_image im = t_image(HEIGHT, WIDTH, 3, 5);
        char hex[T2_SHA256_HEX];
        assert_int_equal(aug_augment_apply(&a, &im, &scratch, &err), T2_OK);
        t2_sha256_of(im.data, HEIGHT * WIDTH * 3, hex);
        if (strcmp(hex, rows[i].sha256) != 0) {
            print_error("%s %g%s differs\n", aug_augment_name(a.op), (double) a.value,
                        a.fill_grey ? " grey" : "");
            n_wrong++;
        }
        aug_image_release(&im);
    }
    aug_image_release(&scratch);
    assert_int_equal(n_wrong, 0);
}

T_MAIN(cmocka_unit_test(test_all))
