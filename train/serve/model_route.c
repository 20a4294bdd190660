/*
 * train/serve/model_route.c - see the header.
 */
#include "train/serve/model_route.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

static const char name_letters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

/* Moves *at behind word when it stands there. */
static bool eat(const char **at, const char *word)
{
    if (!t2_starts_with(*at, word))
        return false;
    *at += strlen(word);
    return true;
}

static bool eat_version(const char **at, int64_t *version)
{
    size_t n = strspn(*at, "0123456789");
    char digits[20];

    if (n == 0 || n >= sizeof digits)
        return false;
    memcpy(digits, *at, n);
    digits[n] = '\0';
    *at += n;
    return t2_parse_i64(digits, version);
}

static bool verb_of(const char *rest, enum srv_verb *verb)
{
    static const char *const rests[] = {"", "/metadata", ":predict", ":classify", ":regress"};

    for (size_t i = 0; i < sizeof rests / sizeof *rests; i++)
        if (strcmp(rest, rests[i]) == 0) {
            *verb = (enum srv_verb) i;
            return true;
        }
    return false;
}

bool srv_route_parse(const char *path, struct srv_route *route)
{
    const char *at = path;
    size_t n;

    if (!eat(&at, "/v1/models/"))
        return false;
    n = strspn(at, name_letters);
    if (n == 0)
        return false;
    *route = (struct srv_route){.name = {(const uint8_t *) at, n}, .version = -1};
    at += n;
    if (eat(&at, "/versions/") && !eat_version(&at, &route->version))
        return false;
    return verb_of(at, &route->verb);
}
