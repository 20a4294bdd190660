/*
 * base/remote/known_objects.h - what this process has seen of objects, so that it need not ask
 * again.
 *
 * What was there stays known for T2_REMOTE_STAT seconds (600); that nothing was there is not kept.
 * A version that was replaced meanwhile is noticed when it is read.  Any thread.
 */
#ifndef T2_BASE_REMOTE_KNOWN_OBJECTS_H
#define T2_BASE_REMOTE_KNOWN_OBJECTS_H

#include "base/remote/store.h"

bool t2_known_get(const char *path, struct t2_object *o);
/* An object that is not there is forgotten. */
void t2_known_set(const char *path, const struct t2_object *o);

#endif
