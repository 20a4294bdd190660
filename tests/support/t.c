/*
 * tests/support/t.c - helpers of the tests: comparing arrays, guarded buffers, files.
 */
#include "tests/support/t.h"

#include <dirent.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void t_skip_reason(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    printf("skip: ");
    vprintf(format, args);
    printf("\n");
    va_end(args);
    fflush(stdout);
}

/* ---- arrays ---- */

/* How far a is beyond what b allows, as a multiple of it; <= 1 is close enough. */
static double excess(double a, double b, double atol, double rtol)
{
    double allowed = atol + rtol * fabs(b);

    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b) ? 0 : HUGE_VAL;
    if (a == b)
        return 0;
    return allowed > 0 ? fabs(a - b) / allowed : HUGE_VAL;
}

struct worst {
    size_t index, n_bad;
    double excess, actual, expected;
};

static void worst_add(struct worst *w, size_t i, double a, double b, double atol, double rtol)
{
    double e = excess(a, b, atol, rtol);

    if (e <= 1)
        return;
    if (w->n_bad++ == 0 || e > w->excess)
        *w = (struct worst){i, w->n_bad, e, a, b};
}

static void worst_report(const struct worst *w, size_t n, double atol, double rtol,
                         const char *file, int line)
{
    if (w->n_bad == 0)
        return;
    print_error(
        "%zu of %zu values differ (atol %g, rtol %g); worst at [%zu]: %.9g, expected %.9g\n",
        w->n_bad, n, atol, rtol, w->index, w->actual, w->expected);
    _fail(file, line);
}

void t_assert_close_at(const float *actual, const float *expected, size_t n, double atol,
                       double rtol, const char *file, int line)
{
    struct worst w = {0};

    for (size_t i = 0; i < n; i++)
        worst_add(&w, i, (double) actual[i], (double) expected[i], atol, rtol);
    worst_report(&w, n, atol, rtol, file, line);
}

void t_assert_close_double_at(const double *actual, const double *expected, size_t n, double atol,
                              double rtol, const char *file, int line)
{
    struct worst w = {0};

    for (size_t i = 0; i < n; i++)
        worst_add(&w, i, actual[i], expected[i], atol, rtol);
    worst_report(&w, n, atol, rtol, file, line);
}

void t_assert_same_direction_at(const float *a, const float *b, size_t n, double tol,
                                const char *file, int line)
{
    double ab = 0, aa = 0, bb = 0, cosine, ratio;

    for (size_t i = 0; i < n; i++) {
        ab += (double) a[i] * (double) b[i];
        aa += (double) a[i] * (double) a[i];
        bb += (double) b[i] * (double) b[i];
    }
    if (aa == 0 && bb == 0)
        return;
    cosine = ab / sqrt(aa * bb);
    ratio = sqrt(aa / bb);
    if (1 - cosine <= tol && fabs(ratio - 1) <= tol)
        return;
    print_error("directions differ: 1 - cosine = %.3g, length %.9g, expected %.9g (tolerance %g)\n",
                1 - cosine, sqrt(aa), sqrt(bb), tol);
    _fail(file, line);
}

void t_assert_contains_at(const char *text, const char *part, const char *file, int line)
{
    if (text && strstr(text, part))
        return;
    print_error("'%s'\ndoes not contain '%s'\n", text ? text : "(null)", part);
    _fail(file, line);
}

uint64_t t_hash64(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u; /* splitmix64 */
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

void t_fill(float *x, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float) (t_hash64(seed * 0x100000001b3u + i) >> 40) * 0x1p-23f - 1.0f;
}

/* ---- guarded buffers ---- */

static size_t guarded_size(size_t n)
{
    size_t page = (size_t) sysconf(_SC_PAGESIZE);

    return (n + page - 1) / page * page;
}

void *t_guarded_alloc(size_t n)
{
    size_t page = (size_t) sysconf(_SC_PAGESIZE), size = guarded_size(n);
    char *p = mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(p != MAP_FAILED);
    assert_int_equal(mprotect(p + size, page, PROT_NONE), 0);
    return p + size - n;
}

void t_guarded_free(void *p, size_t n)
{
    size_t page = (size_t) sysconf(_SC_PAGESIZE), size = guarded_size(n);

    if (p)
        munmap((char *) p + n - size, size + page);
}

/* ---- files ---- */

static char *next_path(void)
{
    static char paths[16][4096];
    static unsigned next;

    return paths[next++ % 16];
}

static char tmp_dir[4000];

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void) st, (void) type, (void) ftw;
    return remove(path);
}

static void remove_tmp_dir(void)
{
    nftw(tmp_dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

const char *t_tmp_path(const char *name)
{
    char *path = next_path();

    if (!tmp_dir[0]) {
        const char *base = getenv("TMPDIR");

        snprintf(tmp_dir, sizeof tmp_dir, "%s/t2test.XXXXXX", base && *base ? base : "/tmp");
        assert_non_null(mkdtemp(tmp_dir));
        atexit(remove_tmp_dir);
    }
    snprintf(path, 4096, "%s/%s", tmp_dir, name);
    return path;
}

bool t_is_sample(void)
{
    return getenv("T2_SAMPLE") != NULL;
}

const char *t_data_path(const char *name)
{
    const char *root = getenv("T2_DATA");
    char *path = next_path();

    snprintf(path, 4096, "%s/%s", root && *root ? root : "../shared/data", name);
    return access(path, R_OK) == 0 ? path : NULL;
}

size_t t_data_files(const char *folder, const char *ending)
{
    const char *path = t_data_path(folder);
    DIR *dir = path ? opendir(path) : NULL;
    struct dirent *entry;
    size_t n = 0;

    while (dir && (entry = readdir(dir))) {
        size_t length = strlen(entry->d_name), k = ending ? strlen(ending) : 0;

        n += entry->d_name[0] != '.' && length >= k &&
             (!ending || strcmp(entry->d_name + length - k, ending) == 0);
    }
    if (dir)
        closedir(dir);
    return n;
}

char *t_read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    char *data = NULL;
    size_t size = 0, got;

    *n = 0;
    if (!f)
        fail_msg("'%s' cannot be read", path);
    do {
        if (*n + 1 >= size) {
            size = size ? 2 * size : 65536;
            data = realloc(data, size);
            assert_non_null(data);
        }
        got = fread(data + *n, 1, size - 1 - *n, f);
        *n += got;
    } while (got > 0);
    fclose(f);
    data[*n] = '\0';
    return data;
}

void t_write_file(const char *path, const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");

    if (!f)
        fail_msg("'%s' cannot be written", path);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}
