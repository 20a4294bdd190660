/*
 * test_dist.c - collectives between ranks, failures that all get, lines that must be alike.
 */
#include "tests/support/t.h"
#include <stdio.h>
#include <string.h>

#include "tests/support/comm_threads.h"
#include "train/dist/dist.h"

enum { MOST = 7 };

static enum t2_status gathers(struct dist *d, void *arg, struct t2_err *err)
{
    int me = dist_rank(d), n = dist_size(d);
    int32_t mine = 100 + me, all[MOST];
    size_t at[MOST], bytes[MOST];
    char parts[64] = "", data[4] = "";
    int64_t least;

    (void) arg;
    T2_TRY(dist_all_gather(d, &mine, sizeof mine, all, err));
    for (int r = 0; r < n; r++)
        if (all[r] != 100 + r)
            return t2_fail(err, T2_EFORMAT, "all_gather");
    for (int r = 0, k = 0; r < n; k += r++) { /* rank r has r bytes */
        at[r] = (size_t) k;
        bytes[r] = (size_t) r;
    }
    for (int i = 0; i < me; i++)
        parts[at[me] + (size_t) i] = (char) ('a' + me);
    T2_TRY(dist_all_gather_parts(d, parts, at, bytes, err));
    for (int r = 0; r < n; r++)
        for (int i = 0; i < r; i++)
            if (parts[at[r] + (size_t) i] != 'a' + r)
                return t2_fail(err, T2_EFORMAT, "all_gather_parts");
    for (int root = 0; root < n; root++) {
        snprintf(data, sizeof data, "%c", me == root ? 'A' + root : '-');
        T2_TRY(dist_broadcast(d, data, sizeof data, root, err));
        if (data[0] != 'A' + root)
            return t2_fail(err, T2_EFORMAT, "broadcast");
    }
    for (int root = 0; root < n; root++) {
        char got[64] = "", own[MOST];

        memset(own, 'a' + me, sizeof own);
        T2_TRY(dist_gather_parts(d, own, bytes[me], root, got, at, bytes, err));
        if (memcmp(got, me == root ? parts : "", me == root ? strlen(parts) + 1 : 1) != 0)
            return t2_fail(err, T2_EFORMAT, "gather_parts");
    }
    T2_TRY(dist_least(d, 50 - me, &least, err));
    if (least != 51 - n)
        return t2_fail(err, T2_EFORMAT, "least");
    return dist_barrier(d, err);
}

static void test_collectives(void **state)
{
    struct t_rank_result results[MOST];

    (void) state;
    for (int n = 1; n <= MOST; n++) {
        t_run_ranks(n, gathers, NULL, results);
        t_assert_ranks(n, results);
    }
}

static enum t2_status hosts(struct dist *d, void *arg, struct t2_err *err)
{
    (void) arg;
    if (d->n_here != (dist_rank(d) == 4 ? 1 : 2))
        return t2_fail(err, T2_EFORMAT, "%d ranks here", d->n_here);
    return strcmp(d->hosts[3], "host1") == 0 ? T2_OK : t2_fail(err, T2_EFORMAT, "hosts");
}

static void test_hosts(void **state)
{
    struct t_rank_result results[5];

    (void) state;
    t_run_ranks(5, hosts, NULL, results);
    t_assert_ranks(5, results);
}

/* Ranks 1 and 2 of 4 fail. */
static enum t2_status some_fail(struct dist *d, void *arg, struct t2_err *err)
{
    int me = dist_rank(d);
    enum t2_status mine =
        me == 1 || me == 2 ? t2_fail(err, T2_ENOMEM, "too little on %d", me) : T2_OK;
    enum t2_status st = dist_agree(d, mine, err);

    (void) arg;
    if (!d->all_know)
        return t2_fail(err, T2_EFORMAT, "not all know");
    return st;
}

static enum t2_status none_fails(struct dist *d, void *arg, struct t2_err *err)
{
    enum t2_status st = dist_agree(d, T2_OK, err);

    (void) arg;
    return d->all_know ? t2_fail(err, T2_EFORMAT, "all know") : st;
}

static void test_agree(void **state)
{
    struct t_rank_result results[4];

    (void) state;
    t_run_ranks(4, some_fail, NULL, results);
    for (int r = 0; r < 4; r++) {
        assert_int_equal(results[r].status, T2_ENOMEM);
        assert_string_equal(results[r].err.message, "rank 1 on 'host0': too little on 1");
    }
    t_run_ranks(4, none_fails, NULL, results);
    t_assert_ranks(4, results);
}

static enum t2_status same_lines(struct dist *d, void *arg, struct t2_err *err)
{
    const char *const *lines = arg;

    return dist_same_lines(d, lines[dist_rank(d)], err);
}

static void test_same_lines(void **state)
{
    static const struct {
        const char *lines[3], *says;
    } cases[] = {
        {{"a=1\nb=2\n", "a=1\nb=2\n", "a=1\nb=2\n"}, NULL},
        {{"a=1\nb=2\n", "a=1\nb=2\n", "a=1\nb=20\n"},
         "rank 0 on 'host0' has b=2, rank 2 on 'host1' has b=20"},
        {{"a=1\n", "a=12\n", "a=1\n"}, "rank 0 on 'host0' has a=1, rank 1 on 'host0' has a=12"},
        {{"a=1\n", "a=1\n", "a=1\nb=2\n"}, "rank 0 on 'host0' has , rank 2 on 'host1' has b=2"},
        {{"", "", "x"}, "rank 2 on 'host1' has x"},
    };
    struct t_rank_result results[3];

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *lines[3];

        memcpy(lines, cases[i].lines, sizeof lines);
        t_run_ranks(3, same_lines, lines, results);
        for (int r = 0; r < 3; r++) {
            assert_int_equal(results[r].status, cases[i].says ? T2_EUSAGE : T2_OK);
            if (cases[i].says)
                assert_non_null(strstr(results[r].err.message, cases[i].says));
        }
    }
}

T_MAIN(cmocka_unit_test(test_collectives), cmocka_unit_test(test_hosts),
       cmocka_unit_test(test_agree), cmocka_unit_test(test_same_lines))
