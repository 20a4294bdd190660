/*
 * base/remote/known_objects.c - a table of objects by path.
 */
#include "base/remote/known_objects.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/progress.h"
#include "base/str.h"

struct known {
    struct t2_object o;
    double seen_s;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct t2_map *places; /* path: index in items, plus 1 */
static struct known *items;
static size_t n_items;

static double life_s(void)
{
    const char *text = getenv("T2_REMOTE_STAT");
    double value = 0;

    return text && t2_parse_double(text, &value) && value >= 0 ? value : 600;
}

bool t2_known_get(const char *path, struct t2_object *o)
{
    uint64_t *place;
    bool yes;

    pthread_mutex_lock(&lock);
    place = places ? t2_map_find(places, path, strlen(path)) : NULL;
    yes = place && *place > 0 && items[*place - 1].o.is_there &&
          t2_now_s() - items[*place - 1].seen_s < life_s();
    if (yes)
        *o = items[*place - 1].o;
    pthread_mutex_unlock(&lock);
    return yes;
}

void t2_known_set(const char *path, const struct t2_object *o)
{
    uint64_t *place;

    pthread_mutex_lock(&lock);
    if (!places)
        places = t2_map_new();
    place = t2_map_at(places, path, strlen(path), NULL);
    if (*place == 0) {
        items = t2_realloc(items, n_items + 1, sizeof *items);
        *place = ++n_items;
    }
    items[*place - 1] = (struct known){*o, t2_now_s()};
    pthread_mutex_unlock(&lock);
}
