#include "base/heaps.h"

#include <malloc.h>
#include <stdlib.h>

#include "base/pool.h"
#include "tests/support/t.h"

enum { N = 64, BYTES = 1 << 20 };

static void fill(void *arg, int64_t piece, int worker)
{
    void **blocks = arg;

    (void) worker;
    blocks[piece] = malloc(BYTES);
    assert_non_null(blocks[piece]);
}

/* Without the limit glibc keeps blocks of this size in heaps once one was freed. */
static void test_freed(void **state)
{
    struct t2_pool *pool = t2_pool_new(4);
    void *blocks[N];
    struct mallinfo2 before, after;

    (void) state;
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    skip(); /* their heaps are others */
#endif
    free(malloc(BYTES));
    before = mallinfo2();
    t2_pool_run(pool, N, fill, blocks);
    after = mallinfo2();
    assert_true(after.hblkhd - before.hblkhd >= (size_t) N * BYTES);
    for (int i = 0; i < N; i++)
        free(blocks[i]);
    after = mallinfo2();
    assert_true(after.hblkhd <= before.hblkhd);
    assert_true(after.arena <= before.arena + BYTES);
    t2_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_freed)};

    t2_bound_heaps();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
