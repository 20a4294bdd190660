/*
 * train/input/members.c - the members of a batch, row by row.
 */
#include "train/input/members.h"

#include "base/alloc.h"

void in_members_clear(struct in_members *m)
{
    if (m->row_capacity == 0) {
        m->row_capacity = 64;
        m->begins = t2_alloc(m->row_capacity, sizeof *m->begins);
    }
    m->n_rows = 0;
    m->begins[0] = 0;
    m->begins[1] = 0;
}

void in_members_release(struct in_members *m)
{
    t2_free(m->begins);
    t2_free(m->places);
    t2_free(m->epochs);
    *m = (struct in_members){0};
}

/* begins[n_rows + 1] is where the row that is being filled ends so far. */
void in_members_add(struct in_members *m, const struct in_place *place, uint64_t epoch)
{
    size_t at = m->begins[m->n_rows + 1];

    if (at == m->capacity) {
        m->capacity = 2 * m->capacity + 64;
        m->places = t2_realloc(m->places, m->capacity, sizeof *m->places);
        m->epochs = t2_realloc(m->epochs, m->capacity, sizeof *m->epochs);
    }
    m->places[at] = place;
    m->epochs[at] = epoch;
    m->begins[m->n_rows + 1]++;
}

void in_members_end_row(struct in_members *m)
{
    size_t rows = (size_t) ++m->n_rows;

    if (rows + 1 == m->row_capacity) {
        m->row_capacity *= 2;
        m->begins = t2_realloc(m->begins, m->row_capacity, sizeof *m->begins);
    }
    m->begins[rows + 1] = m->begins[rows];
}
