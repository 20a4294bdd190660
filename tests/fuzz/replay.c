/*
 * tests/fuzz/replay.c - runs a fuzz target without libFuzzer: over the files of its corpus and over
 * mutations of them that are the same every time.
 *
 * usage: fuzz_x CORPUS_DIR [MUTATIONS]
 *
 * CORPUS_DIR is read with its sub-folders; without a file in it nothing is tested, which fails.
 * The empty input always runs.  The input that kills the target is kept in $TMPDIR/fuzz-input, and
 * so is one that takes too long: more processor time than a second and some microseconds for each
 * of its bytes, twice.  Sound readers need nanoseconds for a byte; the margin is for slow machines,
 * sanitizers and targets that do their work several times.  Some mutations say a piece of a file so
 * often that it has 256 KiB: what is done for each pair of pieces shows there.
 */
#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SIZE_LIMIT = 1 << 20, FILES_LIMIT = 4096, SWOLLEN_BYTES = 1 << 18, SWOLLEN_ONE_IN = 200 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(T2_DEBUG)
enum { SLOWER = 10 };
#else
enum { SLOWER = 1 };
#endif
static const double SECONDS = 1, SECONDS_PER_BYTE = 4e-6;

static uint64_t rng_state = 0x2545f4914f6cdd1du;

static uint64_t rng(void)
{
    uint64_t x = rng_state += 0x9e3779b97f4a7c15u; /* splitmix64 */

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* What is running, for the signal handler. */
static const uint8_t *current;
static size_t current_size;

static void keep_input(void)
{
    char path[4096];
    const char *dir = getenv("TMPDIR");
    FILE *f;

    snprintf(path, sizeof path, "%s/fuzz-input", dir ? dir : "/tmp");
    f = fopen(path, "wb");
    if (f) {
        fwrite(current, 1, current_size, f);
        fclose(f);
    }
}

static void killed(int sig)
{
    static const char text[] = "fuzz replay: killed; the input is in $TMPDIR/fuzz-input\n";

    /* Not async-signal-safe, but the process is lost anyway and the file is worth the try. */
    keep_input();
    if (write(2, text, sizeof text - 1) < 0)
        _exit(1);
    signal(sig, SIG_DFL);
    raise(sig);
}

/* Of all threads. */
static double processor_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static double slowest; /* the largest part of its time that an input took */

static void check_time(const uint8_t *data, size_t size)
{
    double limit = SLOWER * (SECONDS + SECONDS_PER_BYTE * (double) size), took = 0;

    for (int i = 0; i < 2; i++) { /* a second time: the first may have met a hiccup */
        double start = processor_seconds();
        LLVMFuzzerTestOneInput(data, size);
        took = processor_seconds() - start;
        if (took <= limit) {
            slowest = took / limit > slowest ? took / limit : slowest;
            return;
        }
    }
    fprintf(stderr,
            "fuzz replay: %zu bytes take %.1f s of processor time, more than %.1f; the input is in "
            "$TMPDIR/fuzz-input\n",
            size, took, limit);
    keep_input();
    exit(1);
}

/* A copy of its own size, so that a sanitizer sees one byte too far. */
static void run(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);

    if (!copy)
        abort();
    memcpy(copy, data, size);
    current = copy;
    current_size = size;
    check_time(copy, size);
    free(copy);
}

static const uint8_t odd_bytes[] = {0, 1, 0x7f, 0x80, 0xff, '\n', ' ', '"', '\\', '\'', '_', ';'};

static size_t mutate(uint8_t *p, size_t n, size_t capacity)
{
    unsigned rounds = 1 + (unsigned) (rng() % 4);

    while (rounds--) {
        size_t at = n ? rng() % n : 0, len, k;

        switch (rng() % 7) {
        case 0: /* a flipped bit */
            if (n)
                p[at] ^= (uint8_t) (1u << (rng() % 8));
            break;
        case 1: /* a byte that parsers trip over */
            if (n)
                p[at] = odd_bytes[rng() % sizeof odd_bytes];
            break;
        case 2: /* cut short */
            n = at;
            break;
        case 3: /* a piece taken out */
            len = n - at ? rng() % (n - at) : 0;
            len = len > 64 ? 64 : len;
            memmove(p + at, p + at + len, n - at - len);
            n -= len;
            break;
        case 4: /* a piece said twice */
            len = n - at ? 1 + rng() % (n - at) : 0;
            len = len > 64 ? 64 : len;
            if (n + len <= capacity) {
                memmove(p + at + len, p + at, n - at);
                n += len;
            }
            break;
        case 5: /* a random byte more */
            if (n < capacity) {
                memmove(p + at + 1, p + at, n - at);
                p[at] = (uint8_t) rng();
                n++;
            }
            break;
        default: /* a length field gone wild */
            for (k = 0; k < 4 && at + k < n; k++)
                p[at + k] = (uint8_t) rng();
            break;
        }
    }
    return n;
}

/* A piece in the middle again and again, its digits counting up so that names differ. */
static size_t swell(const uint8_t *from, size_t n, uint8_t *p)
{
    size_t at = rng() % n, len = 1 + rng() % (n - at), out = at;

    len = len > 256 ? 256 : len;
    memcpy(p, from, at);
    for (unsigned k = 0; out + len + (n - at - len) <= SWOLLEN_BYTES; k++) {
        unsigned digits = k;
        memcpy(p + out, from + at, len);
        for (size_t i = len; i-- > 0 && digits > 0;)
            if (p[out + i] >= '0' && p[out + i] <= '9') {
                p[out + i] = (uint8_t) ('0' + digits % 10);
                digits /= 10;
            }
        out += len;
    }
    memcpy(p + out, from + at + len, n - at - len);
    return out + n - at - len;
}

static void run_mutation(const uint8_t *file, size_t n)
{
    static uint8_t work[2 * SIZE_LIMIT];
    static long k;

    if (++k % SWOLLEN_ONE_IN == 0 && n > 0 && n <= SWOLLEN_BYTES) {
        run(work, swell(file, n, work));
        return;
    }
    memcpy(work, file, n);
    run(work, mutate(work, n, sizeof work));
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *) a, *(char *const *) b);
}

static size_t read_input(const char *path, uint8_t *into)
{
    size_t n;
    FILE *f;

    f = fopen(path, "rb");
    if (!f) {
        fprintf(stderr, "fuzz replay: '%s' cannot be read\n", path);
        exit(1);
    }
    n = fread(into, 1, SIZE_LIMIT, f);
    fclose(f);
    return n;
}

/* Appends the files of a folder and of those in it to the n that are there; how many there are. */
static size_t list_corpus(const char *folder, char **paths, size_t n)
{
    struct dirent *entry;
    DIR *dir = opendir(folder);

    if (!dir)
        return n;
    while (n < FILES_LIMIT && (entry = readdir(dir))) {
        char path[4096];
        struct stat st;
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (stat(path, &st) != 0)
            continue;
        if (S_ISDIR(st.st_mode))
            n = list_corpus(path, paths, n);
        else if ((paths[n] = strdup(path)))
            n++;
    }
    closedir(dir);
    return n;
}

int main(int argc, char **argv)
{
    static char *paths[FILES_LIMIT];
    static uint8_t input[SIZE_LIMIT];
    long mutations = argc > 2 ? strtol(argv[2], NULL, 10) : 4000;
    size_t n_files;

    if (argc < 2) {
        fprintf(stderr, "usage: %s CORPUS_DIR [MUTATIONS]\n", argv[0]);
        return 2;
    }
    signal(SIGSEGV, killed);
    signal(SIGABRT, killed);
    signal(SIGFPE, killed);
    signal(SIGBUS, killed);
    run(input, 0);
    n_files = list_corpus(argv[1], paths, 0);
    if (n_files == 0) {
        fprintf(stderr, "fuzz replay: '%s' holds no file to start from\n", argv[1]);
        return 1;
    }
    /* the folder's order is not the same everywhere */
    qsort(paths, n_files, sizeof *paths, compare_paths);
    for (size_t i = 0; i < n_files; i++) {
        size_t n = read_input(paths[i], input);

        run(input, n);
        for (long k = 0; k < mutations / (long) n_files; k++)
            run_mutation(input, n);
        free(paths[i]);
    }
    printf("%zu files, %ld mutations; the slowest took %.1f %% of its time\n", n_files, mutations,
           100 * slowest);
    return 0;
}
