/*
 * test_numbers_phrases.c - inflection of counted things; times and dates that must come up.
 */
#include "datagen/problems/numbers_phrases.h"

#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/str.h"
#include "tests/support/t.h"

typedef void (*phrase_fn)(struct dg_pair *s);

/* Draws many phrases and keeps English -> German; the same English never has two German forms. */
struct phrases {
    struct t2_map *index; /* English -> position in german */
    struct t2_strs german;
};

static void draw(struct phrases *p, phrase_fn fn, int n)
{
    struct dg_pair s = {0};
    struct t2_rng rng;

    p->index = t2_map_new();
    t2_rng_init(&rng, 1, T2_RNG_TEST, 0, 0);
    s.rng = &rng;
    for (int i = 0; i < n; i++) {
        uint64_t *at;
        bool inserted;
        dg_pair_clear(&s);
        fn(&s);
        at = t2_map_at(p->index, s.en.data, s.en.len_bytes, &inserted);
        if (inserted) {
            *at = p->german.n;
            t2_strs_push(&p->german, t2_buf_cstr(&s.de));
        } else {
            assert_string_equal(p->german.items[*at], t2_buf_cstr(&s.de));
        }
    }
    dg_pair_release(&s);
}

static void check(const struct phrases *p, const char *en, const char *de)
{
    const uint64_t *at = t2_map_find(p->index, en, strlen(en));

    if (!at)
        fail_msg("'%s' was never drawn", en);
    else
        assert_string_equal(p->german.items[*at], de);
}

static void release(struct phrases *p)
{
    t2_map_free(p->index);
    t2_strs_release(&p->german);
}

static void nominative(struct dg_pair *s)
{
    (void) dg_put_counted(s, DG_NOMINATIVE);
}

static void accusative(struct dg_pair *s)
{
    (void) dg_put_counted(s, DG_ACCUSATIVE);
}

static void dative(struct dg_pair *s)
{
    (void) dg_put_counted(s, DG_DATIVE);
}

static void test_counted(void **state)
{
    struct phrases p = {0};

    (void) state;
    draw(&p, nominative, 200000);
    check(&p, "one dog", "ein Hund");
    check(&p, "one cat", "eine Katze");
    check(&p, "one red apple", "ein roter Apfel");
    check(&p, "one red rose", "eine rote Rose");
    check(&p, "one expensive book", "ein teures Buch");
    check(&p, "two cats", "zwei Katzen");
    check(&p, "three white mice", "drei weiße Mäuse");
    release(&p);
    memset(&p, 0, sizeof p);
    draw(&p, accusative, 200000);
    check(&p, "one dog", "einen Hund");
    check(&p, "one cat", "eine Katze");
    check(&p, "one red apple", "einen roten Apfel");
    check(&p, "one expensive book", "ein teures Buch");
    check(&p, "twenty-one keys", "einundzwanzig Schlüssel");
    release(&p);
    memset(&p, 0, sizeof p);
    draw(&p, dative, 200000);
    check(&p, "one dog", "einem Hund");
    check(&p, "one red rose", "einer roten Rose");
    check(&p, "one new car", "einem neuen Auto");
    check(&p, "three dogs", "drei Hunden");
    check(&p, "three cars", "drei Autos");
    check(&p, "two big birds", "zwei großen Vögeln");
    release(&p);
}

static void test_times(void **state)
{
    struct phrases p = {0};

    (void) state;
    draw(&p, dg_put_time, 20000);
    check(&p, "at one o'clock", "um ein Uhr");
    check(&p, "at seven o'clock in the morning", "um sieben Uhr morgens");
    check(&p, "at a quarter past seven", "um Viertel nach sieben");
    check(&p, "at a quarter to one", "um Viertel vor eins");
    check(&p, "at half past seven", "um halb acht");
    check(&p, "at half past twelve", "um halb eins");
    check(&p, "at five past one", "um fünf nach eins");
    check(&p, "at 7:35 a.m.", "um 7:35 Uhr");
    check(&p, "at 7:35 p.m.", "um 19:35 Uhr");
    release(&p);
}

static void short_date(struct dg_pair *s)
{
    dg_put_date(s, false);
}

static void long_date(struct dg_pair *s)
{
    dg_put_date(s, true);
}

static void test_dates(void **state)
{
    struct phrases p = {0};

    (void) state;
    draw(&p, short_date, 20000);
    check(&p, "on March 3rd", "am 3. März");
    check(&p, "on May 1st", "am 1. Mai");
    check(&p, "on the third of March", "am dritten März");
    check(&p, "on the twenty-first of December", "am einundzwanzigsten Dezember");
    assert_null(t2_map_find(p.index, "on February 29th", strlen("on February 29th")));
    release(&p);
    memset(&p, 0, sizeof p);
    draw(&p, long_date, 500000);
    check(&p, "on March 3rd, 1987", "am 3. März 1987");
    release(&p);
}

static void test_measures_and_spans(void **state)
{
    struct phrases p = {0};

    (void) state;
    draw(&p, dg_put_measured, 20000);
    check(&p, "one liter of milk", "einen Liter Milch");
    check(&p, "half a liter of milk", "einen halben Liter Milch");
    check(&p, "half a kilo of flour", "ein halbes Kilo Mehl");
    check(&p, "one and a half liters of water", "anderthalb Liter Wasser");
    check(&p, "two kilos of potatoes", "zwei Kilo Kartoffeln");
    check(&p, "three bottles of wine", "drei Flaschen Wein");
    check(&p, "one cup of tea", "eine Tasse Tee");
    release(&p);
    memset(&p, 0, sizeof p);
    draw(&p, dg_put_span, 5000);
    check(&p, "an hour", "einer Stunde");
    check(&p, "a month", "einem Monat");
    check(&p, "three hours", "drei Stunden");
    check(&p, "three days", "drei Tagen");
    check(&p, "two years", "zwei Jahren");
    release(&p);
}

static void test_duration_accusative(void **state)
{
    static const char *const expected[] = {"eine Minute", "eine Stunde", "einen Tag",
                                           "eine Woche",  "einen Monat", "ein Jahr"};
    struct dg_pair s = {0};

    (void) state;
    for (size_t i = 0; i < dg_n_time_units; i++) {
        dg_pair_clear(&s);
        dg_put_duration(&s, &dg_time_units[i], 1, false);
        assert_string_equal(t2_buf_cstr(&s.de), expected[i]);
    }
    dg_pair_clear(&s);
    dg_put_duration(&s, &dg_time_units[2], 3, false);
    assert_string_equal(t2_buf_cstr(&s.de), "drei Tage");
    dg_pair_release(&s);
}

static void definite_accusative(struct dg_pair *s)
{
    (void) dg_put_definite(s, DG_ACCUSATIVE, false, false);
}

static void definite_plural(struct dg_pair *s)
{
    (void) dg_put_definite(s, DG_NOMINATIVE, true, true);
}

static void definite_first(struct dg_pair *s)
{
    (void) dg_put_definite(s, DG_NOMINATIVE, false, true);
}

static void test_definite(void **state)
{
    struct phrases p = {0};

    (void) state;
    draw(&p, definite_accusative, 50000);
    check(&p, "the new table", "den neuen Tisch");
    check(&p, "the new lamp", "die neue Lampe");
    check(&p, "the expensive book", "das teure Buch");
    release(&p);
    memset(&p, 0, sizeof p);
    draw(&p, definite_plural, 50000);
    check(&p, "The new tables", "Die neuen Tische");
    check(&p, "The cats", "Die Katzen");
    release(&p);
    memset(&p, 0, sizeof p);
    draw(&p, definite_first, 50000);
    check(&p, "The new table", "Der neue Tisch");
    check(&p, "The window", "Das Fenster");
    release(&p);
}

static void test_prices(void **state)
{
    struct phrases p = {0};

    (void) state;
    draw(&p, dg_put_price, 500000);
    check(&p, "12.50 euros", "12,50 Euro");
    check(&p, "forty francs", "vierzig Franken");
    check(&p, "12,450 dollars", "12.450 Dollar");
    release(&p);
}

T_MAIN(cmocka_unit_test(test_counted), cmocka_unit_test(test_times), cmocka_unit_test(test_dates),
       cmocka_unit_test(test_measures_and_spans), cmocka_unit_test(test_duration_accusative),
       cmocka_unit_test(test_definite), cmocka_unit_test(test_prices))
