/*
 * tests/fuzz/replay.c - runs a fuzz target without libFuzzer: over the files of its corpus and over
 * mutations of them that are the same every time.
 *
 * usage: fuzz_x CORPUS_DIR [MUTATIONS]
 *
 * The empty input always runs.  The input that kills the target is kept in $TMPDIR/fuzz-input.
 */
#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SIZE_LIMIT = 1 << 20, FILES_LIMIT = 4096 };

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

static void keep_input(int sig)
{
    static const char text[] = "fuzz replay: killed; the input is in $TMPDIR/fuzz-input\n";
    char path[4096];
    const char *dir = getenv("TMPDIR");
    FILE *f;

    /* Not async-signal-safe, but the process is lost anyway and the file is worth the try. */
    snprintf(path, sizeof path, "%s/fuzz-input", dir ? dir : "/tmp");
    f = fopen(path, "wb");
    if (f) {
        fwrite(current, 1, current_size, f);
        fclose(f);
    }
    if (write(2, text, sizeof text - 1) < 0)
        _exit(1);
    signal(sig, SIG_DFL);
    raise(sig);
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
    LLVMFuzzerTestOneInput(copy, size);
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

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *) a, *(char *const *) b);
}

static size_t read_input(const char *dir, const char *name, uint8_t *into)
{
    char path[4096];
    size_t n;
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", dir, name);
    f = fopen(path, "rb");
    if (!f) {
        fprintf(stderr, "fuzz replay: '%s' cannot be read\n", path);
        exit(1);
    }
    n = fread(into, 1, SIZE_LIMIT, f);
    fclose(f);
    return n;
}

static size_t list_corpus(const char *path, char **names)
{
    struct dirent *entry;
    size_t n = 0;
    DIR *dir = opendir(path);

    if (!dir)
        return 0;
    while (n < FILES_LIMIT && (entry = readdir(dir)))
        if (entry->d_name[0] != '.' && (names[n] = strdup(entry->d_name)))
            n++;
    closedir(dir);
    qsort(names, n, sizeof *names,
          compare_names); /* the folder's order is not the same everywhere */
    return n;
}

int main(int argc, char **argv)
{
    static char *names[FILES_LIMIT];
    static uint8_t input[SIZE_LIMIT], work[2 * SIZE_LIMIT];
    long mutations = argc > 2 ? strtol(argv[2], NULL, 10) : 4000;
    size_t n_files;

    if (argc < 2) {
        fprintf(stderr, "usage: %s CORPUS_DIR [MUTATIONS]\n", argv[0]);
        return 2;
    }
    signal(SIGSEGV, keep_input);
    signal(SIGABRT, keep_input);
    signal(SIGFPE, keep_input);
    signal(SIGBUS, keep_input);
    run(input, 0);
    n_files = list_corpus(argv[1], names);
    for (size_t i = 0; i < n_files; i++) {
        size_t n = read_input(argv[1], names[i], input);

        run(input, n);
        for (long k = 0; k < mutations / (long) n_files; k++) {
            memcpy(work, input, n);
            run(work, mutate(work, n, sizeof work));
        }
        free(names[i]);
    }
    if (n_files == 0)
        for (long k = 0; k < mutations; k++)
            run(work, mutate(work, (size_t) k % 64, sizeof work));
    printf("%zu files, %ld mutations\n", n_files, mutations);
    return 0;
}
