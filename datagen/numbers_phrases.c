/*
 * datagen/numbers_phrases.c - counted things, times, dates, prices on both sides.
 */
#include "datagen/numbers_phrases.h"

#include "datagen/number_words.h"

void dg_pair_clear(struct dg_pair *s)
{
    t2_buf_clear(&s->en);
    t2_buf_clear(&s->de);
}

void dg_pair_release(struct dg_pair *s)
{
    t2_buf_release(&s->en);
    t2_buf_release(&s->de);
}

void dg_put(struct dg_pair *s, const char *en, const char *de)
{
    t2_buf_puts(&s->en, en);
    t2_buf_puts(&s->de, de);
}

int dg_draw(struct dg_pair *s, int lo, int hi)
{
    return lo + (int) t2_rng_below(s->rng, (uint64_t) (hi - lo) + 1);
}

bool dg_chance(struct dg_pair *s, int percent)
{
    return dg_draw(s, 1, 100) <= percent;
}

const struct dg_subject *dg_put_subject(struct dg_pair *s)
{
    const struct dg_subject *subject = DG_PICK(s, subjects);

    dg_put(s, subject->en_first, subject->de_first);
    return subject;
}

const char *dg_verb_en(const struct dg_verb *v, enum dg_person person)
{
    return person == DG_SHE ? v->en_s : v->en;
}

/* ---- nouns ---- */

static const char *indefinite(enum dg_gender gender, enum dg_case de_case)
{
    static const char *const forms[3][3] = {
        /* masculine, feminine, neuter */
        {"ein", "eine", "ein"},     /* nominative */
        {"einen", "eine", "ein"},   /* accusative */
        {"einem", "einer", "einem"} /* dative */
    };

    return forms[de_case][gender];
}

/* Ending of an adjective after "ein". */
static const char *mixed_ending(enum dg_gender gender, enum dg_case de_case)
{
    static const char *const forms[3][3] = {{"er", "e", "es"},
                                            {"en", "e", "es"},
                                            {"en", "en", "en"}};

    return forms[de_case][gender];
}

/* Never ...01 above 1: those would be inflected again (hunderteine Katze). */
static int draw_count(struct dg_pair *s)
{
    int kind = dg_draw(s, 0, 19), n;

    if (kind < 2)
        return 1;
    if (kind < 10)
        return dg_draw(s, 2, 12);
    if (kind < 18)
        return dg_draw(s, 13, 99);
    n = dg_draw(s, 100, 999);
    return n % 100 == 1 ? n + 1 : n;
}

static void put_one(struct dg_pair *s, const struct dg_noun *noun, const struct dg_adjective *a,
                    enum dg_case de_case)
{
    dg_put(s, "one ", indefinite(noun->gender, de_case));
    dg_put(s, "", " ");
    if (a) {
        t2_buf_printf(&s->en, "%s ", a->en);
        t2_buf_printf(&s->de, "%s%s ", a->stem, mixed_ending(noun->gender, de_case));
    }
    dg_put(s, noun->en, noun->de);
}

static void put_many(struct dg_pair *s, int n, const struct dg_noun *noun,
                     const struct dg_adjective *a, enum dg_case de_case)
{
    dg_en_number(&s->en, n);
    dg_de_number(&s->de, n);
    dg_put(s, " ", " ");
    if (a) {
        t2_buf_printf(&s->en, "%s ", a->en);
        t2_buf_printf(&s->de, "%s%s ", a->stem, de_case == DG_DATIVE ? "en" : "e");
    }
    dg_put(s, noun->en_plural, de_case == DG_DATIVE ? noun->de_dative_plural : noun->de_plural);
}

int dg_put_counted(struct dg_pair *s, enum dg_case de_case)
{
    const struct dg_noun *noun = DG_PICK(s, nouns);
    const struct dg_adjective *a = dg_chance(s, 35) ? DG_PICK(s, adjectives) : NULL;
    int n = draw_count(s);

    if (n == 1)
        put_one(s, noun, a, de_case);
    else
        put_many(s, n, noun, a, de_case);
    return n;
}

const struct dg_noun *dg_put_definite(struct dg_pair *s, enum dg_case de_case, bool plural,
                                      bool first)
{
    static const char *const nominative[2][4] = {{"der", "die", "das", "die"},
                                                 {"Der", "Die", "Das", "Die"}};
    static const char *const accusative[4] = {"den", "die", "das", "die"};
    const struct dg_noun *noun = DG_PICK(s, nouns);
    int form = plural ? 3 : (int) noun->gender;
    const char *article = de_case == DG_ACCUSATIVE ? accusative[form] : nominative[first][form];

    T2_ASSERT(de_case != DG_DATIVE);
    dg_put(s, first ? "The " : "the ", article);
    dg_put(s, "", " ");
    if (dg_chance(s, 50)) {
        const struct dg_adjective *a = DG_PICK(s, adjectives);
        bool weak_n = plural || (de_case == DG_ACCUSATIVE && noun->gender == DG_MASCULINE);
        t2_buf_printf(&s->en, "%s ", a->en);
        t2_buf_printf(&s->de, "%s%s ", a->stem, weak_n ? "en" : "e");
    }
    dg_put(s, plural ? noun->en_plural : noun->en, plural ? noun->de_plural : noun->de);
    return noun;
}

/* "half a liter", "one and a half liters", "half a kilo". */
static void put_half(struct dg_pair *s, const struct dg_measure *m)
{
    if (dg_chance(s, 50)) {
        t2_buf_printf(&s->en, "half a %s", m->en);
        t2_buf_printf(&s->de, "%s %s %s", indefinite(m->gender, DG_ACCUSATIVE),
                      m->gender == DG_MASCULINE ? "halben" : "halbes", m->de);
    } else {
        t2_buf_printf(&s->en, "one and a half %s", m->en_plural);
        t2_buf_printf(&s->de, "anderthalb %s", m->de_plural);
    }
}

void dg_put_measured(struct dg_pair *s)
{
    const struct dg_measure *m = DG_PICK(s, measures);
    const struct dg_phrase *stuff = &m->stuff[dg_draw(s, 0, (int) m->n_stuff - 1)];

    if (m->gender != DG_FEMININE && m - dg_measures < 2 && dg_chance(s, 30)) {
        put_half(s, m);
    } else if (dg_chance(s, 15)) {
        t2_buf_printf(&s->en, "one %s", m->en);
        t2_buf_printf(&s->de, "%s %s", indefinite(m->gender, DG_ACCUSATIVE), m->de);
    } else {
        int n = dg_draw(s, 2, 20);
        dg_en_number(&s->en, n);
        dg_de_number(&s->de, n);
        t2_buf_printf(&s->en, " %s", m->en_plural);
        t2_buf_printf(&s->de, " %s", m->de_plural);
    }
    t2_buf_printf(&s->en, " of %s", stuff->en);
    t2_buf_printf(&s->de, " %s", stuff->de);
}

/* ---- clock and calendar ---- */

static int next_hour(int hour)
{
    return hour % 12 + 1;
}

/* "um ein Uhr", but "um Viertel nach eins". */
static void put_full_hour(struct dg_pair *s, int hour)
{
    t2_buf_puts(&s->en, "at ");
    dg_en_number(&s->en, hour);
    t2_buf_puts(&s->en, " o'clock");
    t2_buf_puts(&s->de, "um ");
    if (hour == 1)
        t2_buf_puts(&s->de, "ein");
    else
        dg_de_number(&s->de, hour);
    t2_buf_puts(&s->de, " Uhr");
    if (hour >= 5 && hour <= 11 && dg_chance(s, 40))
        dg_put(s, " in the morning", " morgens");
    else if (hour <= 5 && dg_chance(s, 40))
        dg_put(s, " in the afternoon", " nachmittags");
    else if (hour >= 6 && hour <= 10 && dg_chance(s, 40))
        dg_put(s, " in the evening", " abends");
}

static void put_around_hour(struct dg_pair *s, int hour)
{
    static const struct dg_phrase parts[] = {
        {"half past", "halb"},           {"a quarter past", "Viertel nach"},
        {"five past", "fünf nach"},      {"ten past", "zehn nach"},
        {"twenty past", "zwanzig nach"}, {"a quarter to", "Viertel vor"},
        {"five to", "fünf vor"},         {"ten to", "zehn vor"},
        {"twenty to", "zwanzig vor"}};
    /* half and quarter are heard more often */
    static const int choice[] = {0, 0, 0, 1, 1, 5, 5, 2, 3, 4, 6, 7, 8};
    int part = choice[dg_draw(s, 0, (int) (sizeof choice / sizeof *choice) - 1)];

    t2_buf_printf(&s->en, "at %s ", parts[part].en);
    dg_en_number(&s->en, hour);
    t2_buf_printf(&s->de, "um %s ", parts[part].de);
    dg_de_number(&s->de, part == 0 ? next_hour(hour) : hour);
}

static void put_digital(struct dg_pair *s)
{
    int hour = dg_draw(s, 1, 11), minute = dg_draw(s, 1, 59);
    bool afternoon = dg_chance(s, 60);

    t2_buf_printf(&s->en, "at %d:%02d %s", hour, minute, afternoon ? "p.m." : "a.m.");
    t2_buf_printf(&s->de, "um %d:%02d Uhr", afternoon ? hour + 12 : hour, minute);
}

void dg_put_time(struct dg_pair *s)
{
    int kind = dg_draw(s, 1, 10), hour = dg_draw(s, 1, 12);

    if (kind <= 3)
        put_full_hour(s, hour);
    else if (kind <= 7)
        put_around_hour(s, hour);
    else
        put_digital(s);
}

void dg_put_date(struct dg_pair *s, bool with_year)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int month = dg_draw(s, 0, 11), day = dg_draw(s, 1, days[month]);
    const struct dg_phrase *name = &dg_months[month];

    if (with_year) {
        int year = dg_draw(s, 1920, 2029);
        t2_buf_printf(&s->en, "on %s %d%s, %d", name->en, day, dg_en_ordinal_suffix(day), year);
        t2_buf_printf(&s->de, "am %d. %s %d", day, name->de, year);
    } else if (dg_chance(s, 60)) {
        t2_buf_printf(&s->en, "on %s %d%s", name->en, day, dg_en_ordinal_suffix(day));
        t2_buf_printf(&s->de, "am %d. %s", day, name->de);
    } else {
        t2_buf_puts(&s->en, "on the ");
        dg_en_ordinal(&s->en, day);
        t2_buf_printf(&s->en, " of %s", name->en);
        t2_buf_puts(&s->de, "am ");
        dg_de_ordinal_stem(&s->de, day);
        t2_buf_printf(&s->de, "en %s", name->de);
    }
}

void dg_put_duration(struct dg_pair *s, const struct dg_time_unit *unit, int n, bool dative)
{
    if (n == 1) {
        dg_put(s, unit->en_one, dative ? unit->de_one_dative : unit->de_one);
        return;
    }
    dg_en_number(&s->en, n);
    dg_de_number(&s->de, n);
    t2_buf_printf(&s->en, " %s", unit->en_plural);
    t2_buf_printf(&s->de, " %s", dative ? unit->de_dative_plural : unit->de_plural);
}

void dg_put_span(struct dg_pair *s)
{
    static const int most[] = {59, 24, 30, 12, 18, 60};
    int unit = dg_draw(s, 0, (int) dg_n_time_units - 1);
    int n = dg_chance(s, 20) ? 1 : dg_draw(s, 2, most[unit]);

    dg_put_duration(s, &dg_time_units[unit], n, true);
}

/* ---- money ---- */

void dg_put_price(struct dg_pair *s)
{
    const struct dg_phrase *currency = DG_PICK(s, currencies);
    int kind = dg_draw(s, 1, 10);

    if (kind <= 5) {
        int64_t cents = dg_draw(s, 2, 199) * 100 + dg_draw(s, 1, 99);
        dg_en_hundredths(&s->en, cents);
        dg_de_hundredths(&s->de, cents);
    } else if (kind <= 8) {
        int n = dg_draw(s, 2, 99);
        dg_en_number(&s->en, n);
        dg_de_number(&s->de, n);
    } else if (kind == 9) {
        int64_t cents = (int64_t) dg_draw(s, 1000, 9999) * 100 + dg_draw(s, 0, 19) * 5;
        dg_en_hundredths(&s->en, cents);
        dg_de_hundredths(&s->de, cents);
    } else {
        int64_t n = dg_draw(s, 100, 9999) * 10;
        dg_en_figures(&s->en, n);
        dg_de_figures(&s->de, n);
    }
    t2_buf_printf(&s->en, " %s", currency->en);
    t2_buf_printf(&s->de, " %s", currency->de);
}
