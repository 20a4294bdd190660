/*
 * datagen/source/archive_kind.c - signatures of files, rules for names.
 */
#include "datagen/source/archive_kind.h"

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"

enum { TAR_BLOCK = 512, MAX_NAME_BYTES = 4096 };

/* A tar block with the sum that it says, or with tar's magic (its sum is compared later). */
static bool is_tar(const uint8_t *b)
{
    unsigned sum = 8 * ' ', said = 0, i;

    for (i = 0; i < TAR_BLOCK; i++)
        sum += i >= 148 && i < 156 ? 0 : b[i];
    for (i = 148; i < 156 && (b[i] == ' ' || (b[i] >= '0' && b[i] <= '7')); i++)
        said = b[i] == ' ' ? said : said * 8 + (unsigned) (b[i] - '0');
    return memcmp(b + 257, "ustar", 5) == 0 || said == sum;
}

static bool is_zeros(const uint8_t *b)
{
    size_t i;

    for (i = 0; i < TAR_BLOCK && b[i] == 0; i++)
        continue;
    return i == TAR_BLOCK;
}

static char lower(uint8_t c)
{
    return (char) (c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

static bool is_web_page(const uint8_t *head, size_t len_bytes)
{
    static const char *const tags[] = {"<!doctype html", "<html", "<head", "<body"};
    char text[16] = "";
    size_t at = 0, n = 0;

    if (len_bytes >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0)
        at = 3;
    while (at < len_bytes && (head[at] == ' ' || (head[at] >= '\t' && head[at] <= '\r')))
        at++;
    for (; at < len_bytes && n + 1 < sizeof text; at++)
        text[n++] = lower(head[at]);
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        if (t2_starts_with(text, tags[i]))
            return true;
    }
    return false;
}

enum dg_bytes_kind dg_bytes_kind(const uint8_t *head, size_t len_bytes)
{
    static const struct {
        const char *magic;
        size_t len_bytes;
        enum dg_bytes_kind kind;
    } table[] = {
        {"PK\003\004", 4, DG_BYTES_ZIP},
        {"PK\005\006", 4, DG_BYTES_ZIP},
        {"\x1f\x8b", 2, DG_BYTES_GZIP},
        {"\xfd\x37zXZ\0", 6, DG_BYTES_XZ},
        {"7z\xbc\xaf\x27\x1c", 6, DG_BYTES_7Z},
        {"version https://git-lfs", 23, DG_BYTES_LFS_POINTER},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (len_bytes >= table[i].len_bytes &&
            memcmp(head, table[i].magic, table[i].len_bytes) == 0)
            return table[i].kind;
    }
    if (len_bytes >= 4 && memcmp(head, "BZh", 3) == 0 && head[3] >= '1' && head[3] <= '9')
        return DG_BYTES_BZIP2;
    if (len_bytes >= TAR_BLOCK && is_zeros(head))
        return DG_BYTES_ZEROS;
    if (len_bytes >= TAR_BLOCK && is_tar(head))
        return DG_BYTES_TAR;
    return is_web_page(head, len_bytes) ? DG_BYTES_WEB_PAGE : DG_BYTES_OTHER;
}

char *dg_name_inside(const char *path)
{
    static const char *const pairs[][2] = {{".gz", ""},      {".bz2", ""},     {".xz", ""},
                                           {".tgz", ".tar"}, {".tbz", ".tar"}, {".tbz2", ".tar"},
                                           {".txz", ".tar"}};
    const char *base = t2_path_base(path);

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        size_t rest = strlen(base) - strlen(pairs[i][0]);
        if (t2_ends_with(base, pairs[i][0]) && rest > 0)
            return t2_asprintf("%.*s%s", (int) rest, base, pairs[i][1]);
    }
    return t2_strdup(base);
}

const char *dg_member_name(const char **name)
{
    if (**name == '/')
        return "an absolute name";
    while ((*name)[0] == '.' && (*name)[1] == '/') {
        for (*name += 2; **name == '/'; ++*name)
            continue;
    }
    if (**name == '\0')
        return "no name";
    if (strlen(*name) > MAX_NAME_BYTES)
        return "too long a name";
    if (strchr(*name, '\\'))
        return "a backslash in its name";
    for (const char *part = *name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
            return "a name with '..'";
    }
    return NULL;
}

enum t2_status dg_refuse_member(const char *archive, const char *name, const char *why,
                                struct t2_err *err)
{
    char shown[128];
    size_t i;

    for (i = 0; i + 1 < sizeof shown && name[i]; i++)
        shown[i] = (unsigned char) name[i] < ' ' || name[i] == 0x7f ? '?' : name[i];
    shown[i] = '\0';
    return t2_fail(err, T2_EFORMAT,
                   "'%s': member '%s' has %s and is refused: such archives write outside their "
                   "folder; unpack it yourself if you trust it",
                   archive, shown, why);
}
