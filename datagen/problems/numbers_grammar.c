/*
 * datagen/problems/numbers_grammar.c - the sentences of translate_ende_numbers.
 *
 * One function per kind of sentence; the table at the end says how often each is drawn.
 */
#include "datagen/problems/numbers_grammar.h"

#include <string.h>

#include "datagen/problems/number_words.h"
#include "datagen/problems/numbers_phrases.h"

/* Verbs of the templates below, by person. */
static const struct dg_verb be = {"are", "is", {"bin", "ist", "sind"}};
static const struct dg_verb live = {"live", "lives", {"wohne", "wohnt", "wohnen"}};
static const struct dg_verb pay = {"pay", "pays", {"bezahle", "bezahlt", "bezahlen"}};
static const struct dg_verb give = {"give", "gives", {"gebe", "gibt", "geben"}};
static const struct dg_verb come = {"come", "comes", {"komme", "kommt", "kommen"}};
static const struct dg_verb travel = {"travel", "travels", {"reise", "reist", "reisen"}};
static const struct dg_verb get_up = {"get up", "gets up", {"stehe", "steht", "stehen"}};
static const struct dg_verb was = {"were", "was", {"wurde", "wurde", "wurden"}};
static const struct dg_verb came = {"came", "came", {"kam", "kam", "kamen"}};
static const struct dg_verb become = {"will be", "will be", {"werde", "wird", "werden"}};

static void put_verb(struct dg_pair *s, const struct dg_verb *v, const struct dg_subject *subject)
{
    t2_buf_printf(&s->en, " %s ", dg_verb_en(v, subject->person));
    t2_buf_printf(&s->de, " %s ", v->de[subject->person]);
}

/* "am", "is", "are" */
static const char *be_en(const struct dg_subject *subject)
{
    return subject->person == DG_I ? "am" : dg_verb_en(&be, subject->person);
}

static void put_numbers(struct dg_pair *s, int n)
{
    dg_en_number(&s->en, n);
    dg_de_number(&s->de, n);
}

static void put_figures(struct dg_pair *s, int n)
{
    t2_buf_printf(&s->en, "%d", n);
    t2_buf_printf(&s->de, "%d", n);
}

/* "on Monday " */
static void put_weekday(struct dg_pair *s)
{
    const struct dg_phrase *day = DG_PICK(s, weekdays);

    t2_buf_printf(&s->en, "on %s", day->en);
    t2_buf_printf(&s->de, "am %s", day->de);
}

/* Anna buys three red apples and one book. / On Monday Anna buys ... */
static void counted(struct dg_pair *s)
{
    const struct dg_verb *v = DG_PICK(s, verbs);

    if (dg_chance(s, 25)) {
        const struct dg_phrase *day = DG_PICK(s, weekdays);
        const struct dg_subject *subject = DG_PICK(s, subjects);
        t2_buf_printf(&s->en, "On %s %s %s ", day->en, subject->en, dg_verb_en(v, subject->person));
        t2_buf_printf(&s->de, "Am %s %s %s ", day->de, v->de[subject->person], subject->de);
    } else {
        put_verb(s, v, dg_put_subject(s));
    }
    dg_put_counted(s, DG_ACCUSATIVE);
    if (dg_chance(s, 45)) {
        dg_put(s, " and ", " und ");
        dg_put_counted(s, DG_ACCUSATIVE);
    }
}

/* Anna comes with three dogs. / Anna travels to Rome with three dogs. */
static void with_counted(struct dg_pair *s)
{
    const struct dg_phrase *city = dg_chance(s, 50) ? DG_PICK(s, cities) : NULL;

    put_verb(s, city ? &travel : &come, dg_put_subject(s));
    if (city)
        t2_buf_printf(&s->en, "to %s ", city->en);
    dg_put(s, "with ", "mit ");
    dg_put_counted(s, DG_DATIVE);
    if (city)
        t2_buf_printf(&s->de, " nach %s", city->de);
}

/* There are three cats in the garden. */
static void there_are(struct dg_pair *s)
{
    const struct dg_place *place = DG_PICK(s, places);
    struct dg_pair thing = {.rng = s->rng};
    int n = dg_put_counted(&thing, DG_NOMINATIVE);

    t2_buf_printf(&s->en, "There %s %s %s", n == 1 ? "is" : "are", t2_buf_cstr(&thing.en),
                  place->en);
    t2_buf_printf(&s->de, "%s %s %s", place->de_first, n == 1 ? "ist" : "sind",
                  t2_buf_cstr(&thing.de));
    dg_pair_release(&thing);
}

/* "[on Monday] at half past seven" */
static void put_day_and_time(struct dg_pair *s)
{
    if (dg_chance(s, 50)) {
        put_weekday(s);
        dg_put(s, " ", " ");
    }
    dg_put_time(s);
}

/* The train to Munich leaves on Monday at a quarter past seven from platform 12. */
static void departure(struct dg_pair *s)
{
    static const struct dg_phrase vehicles[] = {{"train", "Der Zug"},
                                                {"bus", "Der Bus"},
                                                {"plane", "Das Flugzeug"}};
    int vehicle = dg_draw(s, 0, 3) % 3;
    const struct dg_phrase *city = DG_PICK(s, cities);

    t2_buf_printf(&s->en, "The %s to %s leaves ", vehicles[vehicle].en, city->en);
    t2_buf_printf(&s->de, "%s nach %s %s ", vehicles[vehicle].de, city->de,
                  vehicle == 2 ? "fliegt" : "fährt");
    put_day_and_time(s);
    if (vehicle == 0 && dg_chance(s, 40)) {
        int platform = dg_draw(s, 1, 24);
        t2_buf_printf(&s->en, " from platform %d", platform);
        t2_buf_printf(&s->de, " von Gleis %d", platform);
    }
    t2_buf_puts(&s->de, " ab");
}

/* The bus from Rome arrives at ten to eight. */
static void arrival(struct dg_pair *s)
{
    bool train = dg_chance(s, 60);
    const struct dg_phrase *city = DG_PICK(s, cities);

    t2_buf_printf(&s->en, "The %s from %s arrives ", train ? "train" : "bus", city->en);
    t2_buf_printf(&s->de, "Der %s aus %s kommt ", train ? "Zug" : "Bus", city->de);
    put_day_and_time(s);
    if (train && dg_chance(s, 40)) {
        int platform = dg_draw(s, 1, 24);
        t2_buf_printf(&s->en, " on platform %d", platform);
        t2_buf_printf(&s->de, " auf Gleis %d", platform);
    }
    t2_buf_puts(&s->de, " an");
}

/* The concert begins on Monday at half past seven. / takes place on March 3rd / begins in an
 * hour */
static void event(struct dg_pair *s)
{
    const struct dg_event *e = DG_PICK(s, events);
    int kind = dg_draw(s, 0, 5);

    t2_buf_printf(&s->en, "The %s ", e->en);
    t2_buf_printf(&s->de, "%s ", e->de_first);
    if (kind == 0) {
        dg_put(s, "takes place ", "findet ");
        dg_put_date(s, dg_chance(s, 30));
        t2_buf_puts(&s->de, " statt");
        return;
    }
    if (kind == 1) {
        dg_put(s, "begins in ", "beginnt in ");
        dg_put_span(s);
        return;
    }
    if (dg_chance(s, 60))
        dg_put(s, "begins ", "beginnt ");
    else
        dg_put(s, "ends ", "endet ");
    if (kind == 2) {
        dg_put_date(s, false);
        dg_put(s, " ", " ");
        dg_put_time(s);
    } else if (kind == 3) {
        int day = dg_draw(s, 1, 28);
        const struct dg_phrase *month = DG_PICK(s, months), *weekday = DG_PICK(s, weekdays);
        t2_buf_printf(&s->en, "on %s, %s %d%s", weekday->en, month->en, day,
                      dg_en_ordinal_suffix(day));
        t2_buf_printf(&s->de, "am %s, dem %d. %s", weekday->de, day, month->de);
    } else {
        put_day_and_time(s);
    }
}

/* Anna was born in Hamburg on March 3rd, 1987. */
static void born(struct dg_pair *s)
{
    const struct dg_subject *subject = dg_put_subject(s);
    const struct dg_phrase *city = DG_PICK(s, cities);
    bool in_city = dg_chance(s, 60);

    t2_buf_printf(&s->en, " %s born ", subject->person == DG_THEY ? "were" : "was");
    t2_buf_printf(&s->de, " %s ", was.de[subject->person]);
    if (in_city)
        t2_buf_printf(&s->en, "in %s ", city->en);
    if (dg_chance(s, 30)) {
        int year = dg_draw(s, 1920, 2020);
        t2_buf_printf(&s->en, "in %d", year);
        t2_buf_printf(&s->de, "%d", year);
    } else {
        dg_put_date(s, dg_chance(s, 60));
    }
    if (in_city)
        t2_buf_printf(&s->de, " in %s", city->de);
    t2_buf_puts(&s->de, " geboren");
}

/* The new table costs 12.50 euros. */
static void costs(struct dg_pair *s)
{
    bool plural = dg_chance(s, 40);

    (void) dg_put_definite(s, DG_NOMINATIVE, plural, true);
    dg_put(s, plural ? " cost " : " costs ", plural ? " kosten " : " kostet ");
    dg_put_price(s);
}

/* Anna pays 1,234.50 euros for the new table. */
static void pays(struct dg_pair *s)
{
    put_verb(s, &pay, dg_put_subject(s));
    dg_put_price(s);
    dg_put(s, " for ", " für ");
    (void) dg_put_definite(s, DG_ACCUSATIVE, dg_chance(s, 40), false);
}

/* Anna buys two kilos of potatoes and half a liter of milk. */
static void shopping(struct dg_pair *s)
{
    const struct dg_verb *v = DG_PICK(s, shopping_verbs);

    put_verb(s, v, dg_put_subject(s));
    dg_put_measured(s);
    if (dg_chance(s, 55)) {
        dg_put(s, " and ", " und ");
        dg_put_measured(s);
    }
}

/* Anna has been waiting for an hour. / has lived in Berlin for three years. */
static void since(struct dg_pair *s)
{
    static const struct dg_verb lasting[] = {
        {"have lived in", "has lived in", {"lebe", "lebt", "leben"}},
        {"have worked in", "has worked in", {"arbeite", "arbeitet", "arbeiten"}},
        {"have been waiting", "has been waiting", {"warte", "wartet", "warten"}}};
    const struct dg_subject *subject = dg_put_subject(s);
    int which = dg_draw(s, 0, 2);
    const struct dg_phrase *city = DG_PICK(s, cities);

    put_verb(s, &lasting[which], subject);
    if (which < 2)
        t2_buf_printf(&s->en, "%s ", city->en);
    dg_put(s, "for ", "seit ");
    dg_put_span(s);
    if (which < 2)
        t2_buf_printf(&s->de, " in %s", city->de);
}

/* Anna came to Hamburg three weeks ago. */
static void ago(struct dg_pair *s)
{
    const struct dg_phrase *city = DG_PICK(s, cities);

    put_verb(s, &came, dg_put_subject(s));
    t2_buf_printf(&s->en, "to %s ", city->en);
    t2_buf_puts(&s->de, "vor ");
    dg_put_span(s);
    t2_buf_puts(&s->en, " ago");
    t2_buf_printf(&s->de, " nach %s", city->de);
}

/* The journey to Rome takes three hours and twenty minutes. */
static void lasts(struct dg_pair *s)
{
    const struct dg_phrase *city = DG_PICK(s, cities);
    static const int most[] = {59, 23, 13};
    int unit = dg_draw(s, 1, 2);

    t2_buf_printf(&s->en, "The journey to %s takes ", city->en);
    t2_buf_printf(&s->de, "Die Reise nach %s dauert ", city->de);
    dg_put_duration(s, &dg_time_units[unit], dg_draw(s, 1, most[unit]), false);
    dg_put(s, " and ", " und ");
    dg_put_duration(s, &dg_time_units[unit - 1], dg_draw(s, 1, most[unit - 1]), false);
}

/* My sister is twenty-one years old. / will be thirty years old on May 3rd. */
static void age(struct dg_pair *s)
{
    const struct dg_subject *subject = dg_put_subject(s);
    bool future = dg_chance(s, 50);
    int n = dg_draw(s, future ? 2 : 1, 99);

    t2_buf_printf(&s->en, " %s ", future ? become.en : be_en(subject));
    t2_buf_printf(&s->de, " %s ", future ? become.de[subject->person] : be.de[subject->person]);
    if (future) {
        struct dg_pair date = {.rng = s->rng};
        dg_put_date(&date, false);
        dg_en_number(&s->en, n);
        t2_buf_printf(&s->en, " years old %s", t2_buf_cstr(&date.en));
        t2_buf_printf(&s->de, "%s ", t2_buf_cstr(&date.de));
        dg_de_number(&s->de, n);
        t2_buf_puts(&s->de, " Jahre alt");
        dg_pair_release(&date);
        return;
    }
    dg_en_number(&s->en, n);
    if (n == 1)
        t2_buf_puts(&s->de, "ein");
    else
        dg_de_number(&s->de, n);
    dg_put(s, n == 1 ? " year old" : " years old", n == 1 ? " Jahr alt" : " Jahre alt");
}

/* The box weighs 12 kilos. / The tower in Paris is 120 meters high. */
static void measures(struct dg_pair *s)
{
    static const struct dg_phrase things[] = {{"tower", "Der Turm"},
                                              {"bridge", "Die Brücke"},
                                              {"wall", "Die Mauer"},
                                              {"house", "Das Haus"}};
    static const struct dg_phrase how[] = {{"high", "hoch"}, {"long", "lang"}, {"wide", "breit"}};
    const struct dg_phrase *thing, *city, *extent;
    int64_t size;

    if (dg_chance(s, 35)) {
        (void) dg_put_definite(s, DG_NOMINATIVE, false, true);
        dg_put(s, " weighs ", " wiegt ");
        put_figures(s, dg_draw(s, 2, 300));
        dg_put(s, " kilos", " Kilo");
        return;
    }
    thing = &things[dg_draw(s, 0, 3)];
    city = DG_PICK(s, cities);
    extent = &how[dg_draw(s, 0, 2)];
    t2_buf_printf(&s->en, "The %s in %s is ", thing->en, city->en);
    t2_buf_printf(&s->de, "%s in %s ist ", thing->de, city->de);
    if (dg_chance(s, 50)) {
        put_figures(s, dg_draw(s, 10, 400));
    } else {
        size = dg_draw(s, 20, 999);
        t2_buf_printf(&s->en, "%d.%d", (int) size / 10, (int) size % 10);
        t2_buf_printf(&s->de, "%d,%d", (int) size / 10, (int) size % 10);
    }
    t2_buf_printf(&s->en, " meters %s", extent->en);
    t2_buf_printf(&s->de, " Meter %s", extent->de);
}

/* It is 350 kilometers from Berlin to Prague. */
static void distance(struct dg_pair *s)
{
    const struct dg_phrase *from = DG_PICK(s, cities), *to;
    int n = dg_draw(s, 20, 999);

    do
        to = DG_PICK(s, cities);
    while (to == from);
    t2_buf_printf(&s->en, "It is %d kilometers from %s to %s", n, from->en, to->en);
    t2_buf_printf(&s->de, "Von %s nach %s sind es %d Kilometer", from->de, to->de, n);
}

/* It is twelve degrees in Berlin today. / It will be minus five degrees in Vienna on Monday. */
static void temperature(struct dg_pair *s)
{
    const struct dg_phrase *city = DG_PICK(s, cities);
    bool minus = dg_chance(s, 30);
    int n = dg_draw(s, 2, minus ? 25 : 38);

    if (dg_chance(s, 50)) {
        t2_buf_puts(&s->en, minus ? "It is minus " : "It is ");
        dg_en_number(&s->en, n);
        t2_buf_printf(&s->en, " degrees in %s today", city->en);
        t2_buf_printf(&s->de, "In %s sind es heute ", city->de);
    } else {
        const struct dg_phrase *day = DG_PICK(s, weekdays);
        t2_buf_puts(&s->en, minus ? "It will be minus " : "It will be ");
        dg_en_number(&s->en, n);
        t2_buf_printf(&s->en, " degrees in %s on %s", city->en, day->en);
        t2_buf_printf(&s->de, "In %s werden es am %s ", city->de, day->de);
    }
    t2_buf_puts(&s->de, minus ? "minus " : "");
    dg_de_number(&s->de, n);
    t2_buf_puts(&s->de, " Grad");
}

/* Hamburg has 1,841,179 inhabitants. */
static void inhabitants(struct dg_pair *s)
{
    const struct dg_phrase *city = DG_PICK(s, cities);
    int64_t n = dg_chance(s, 50) ? dg_draw(s, 100000, 999999) : dg_draw(s, 1000, 4999) * 1000;

    t2_buf_printf(&s->en, "%s has ", city->en);
    t2_buf_printf(&s->de, "%s hat ", city->de);
    dg_en_figures(&s->en, n);
    dg_de_figures(&s->de, n);
    dg_put(s, " inhabitants", " Einwohner");
}

/* 12.5 percent of the houses are new. */
static void percent(struct dg_pair *s)
{
    const struct dg_noun *noun = DG_PICK(s, nouns);
    const struct dg_adjective *a = DG_PICK(s, adjectives);
    int tenths = dg_draw(s, 11, 989);

    if (tenths % 10 == 0)
        put_figures(s, tenths / 10);
    else {
        t2_buf_printf(&s->en, "%d.%d", tenths / 10, tenths % 10);
        t2_buf_printf(&s->de, "%d,%d", tenths / 10, tenths % 10);
    }
    t2_buf_printf(&s->en, " percent of the %s are %s", noun->en_plural, a->en);
    t2_buf_printf(&s->de, " Prozent der %s sind %s", noun->de_plural, a->de);
}

/* Peter says that seven plus eight is fifteen. */
static void sum(struct dg_pair *s)
{
    static const struct dg_phrase operators[] = {{"plus", "plus"},
                                                 {"minus", "minus"},
                                                 {"times", "mal"},
                                                 {"divided by", "geteilt durch"}};
    static const struct dg_verb telling[] = {{"say", "says", {"sage", "sagt", "sagen"}},
                                             {"know", "knows", {"weiß", "weiß", "wissen"}},
                                             {"learn", "learns", {"lerne", "lernt", "lernen"}}};
    const struct dg_subject *subject;
    const struct dg_verb *verb;
    int op = dg_draw(s, 0, 3), a = dg_draw(s, 1, 99), b = dg_draw(s, 1, 99), c = a + b;

    if (op == 2 || op == 3) {
        a = dg_draw(s, 1, 20);
        b = dg_draw(s, 2, 20);
        c = a * b;
    }
    if (op == 1 || op == 3) { /* the other way round */
        int whole = c;
        c = a;
        a = whole;
    }
    verb = &telling[dg_draw(s, 0, 2)];
    subject = dg_put_subject(s);
    t2_buf_printf(&s->en, " %s that ", dg_verb_en(verb, subject->person));
    t2_buf_printf(&s->de, " %s, dass ", verb->de[subject->person]);
    put_numbers(s, a);
    t2_buf_printf(&s->en, " %s ", operators[op].en);
    t2_buf_printf(&s->de, " %s ", operators[op].de);
    put_numbers(s, b);
    dg_put(s, " is ", " ");
    put_numbers(s, c);
    t2_buf_puts(&s->de, " ist");
}

/* Anna lives on the third floor. / takes the second bus / The third day of the festival is a
 * Monday. */
static void ordinal(struct dg_pair *s)
{
    static const struct dg_verb take = {"take", "takes", {"nehme", "nimmt", "nehmen"}};
    int kind = dg_draw(s, 0, 3), n = dg_draw(s, 1, 31);
    const struct dg_event *e = DG_PICK(s, events);

    if (kind == 3) {
        t2_buf_puts(&s->en, "Today is the ");
        dg_en_ordinal(&s->en, n);
        t2_buf_printf(&s->en, " day of the %s", e->en);
        t2_buf_puts(&s->de, "Heute ist der ");
        dg_de_ordinal_stem(&s->de, n);
        t2_buf_printf(&s->de, "e Tag %s", e->de_genitive);
        return;
    }
    if (kind == 0) {
        put_verb(s, &live, dg_put_subject(s));
        dg_put(s, "on the ", "im ");
    } else if (kind == 1) {
        put_verb(s, &take, dg_put_subject(s));
        dg_put(s, "the ", "den ");
    } else {
        const struct dg_subject *subject = dg_put_subject(s);
        t2_buf_printf(&s->en, " %s in ", be_en(subject));
        t2_buf_printf(&s->de, " %s auf dem ", be.de[subject->person]);
    }
    dg_en_ordinal(&s->en, n);
    dg_de_ordinal_stem(&s->de, n);
    dg_put(s,
           kind == 0   ? " floor"
           : kind == 1 ? " train"
                       : " place",
           kind == 0   ? "en Stock"
           : kind == 1 ? "en Zug"
                       : "en Platz");
}

/* Anna lives at 12 Garden Street. / We are in room 214. / Please open the book to page 127. */
static void numbered(struct dg_pair *s)
{
    int kind = dg_draw(s, 0, 4), n = dg_draw(s, 2, 999);
    const struct dg_phrase *street = DG_PICK(s, streets);
    const struct dg_subject *subject;

    if (kind == 0) {
        t2_buf_printf(&s->en, "Please open the book to page %d", n);
        t2_buf_printf(&s->de, "Bitte schlagen Sie das Buch auf Seite %d auf", n);
        return;
    }
    subject = dg_put_subject(s);
    if (kind <= 2) {
        t2_buf_printf(&s->en, " %s in room %d", be_en(subject), n);
        t2_buf_printf(&s->de, " %s in Zimmer %d", be.de[subject->person], n);
    } else {
        n = n % 199 + 1;
        put_verb(s, &live, subject);
        t2_buf_printf(&s->en, "at %d %s", n, street->en);
        t2_buf_printf(&s->de, "in der %s %d", street->de, n);
    }
}

static bool is_speaker(const char *en)
{
    return strcmp(en, "I") == 0 || strcmp(en, "we") == 0 || strcmp(en, "me") == 0 ||
           strcmp(en, "us") == 0;
}

/* Anna gives the boy three apples. */
static void gives(struct dg_pair *s)
{
    const struct dg_subject *subject = dg_put_subject(s);
    const struct dg_phrase *to;

    do
        to = DG_PICK(s, recipients);
    while (strcmp(to->en, subject->en) == 0 || (is_speaker(subject->en) && is_speaker(to->en)));
    put_verb(s, &give, subject);
    t2_buf_printf(&s->en, "%s ", to->en);
    t2_buf_printf(&s->de, "%s ", to->de);
    dg_put_counted(s, DG_ACCUSATIVE);
}

/* Anna gets up every Monday at half past six. */
static void gets_up(struct dg_pair *s)
{
    const struct dg_phrase *day = DG_PICK(s, weekdays);

    put_verb(s, &get_up, dg_put_subject(s));
    if (dg_chance(s, 60)) {
        t2_buf_printf(&s->en, "every %s ", day->en);
        t2_buf_printf(&s->de, "jeden %s ", day->de);
    }
    dg_put_time(s);
    t2_buf_puts(&s->de, " auf");
}

/* The museum is open from 9 a.m. to 5 p.m. on Mondays. */
static void opening_hours(struct dg_pair *s)
{
    const struct dg_phrase *house = DG_PICK(s, houses), *day = DG_PICK(s, weekly);
    int from = dg_draw(s, 6, 11), to = dg_draw(s, 1, 11);
    bool on_day = dg_chance(s, 60);

    t2_buf_printf(&s->en, "%s is open from %d a.m. to %d p.m.", house->en, from, to);
    if (on_day)
        t2_buf_printf(&s->en, " on %s", day->en);
    t2_buf_printf(&s->de, "%s ist %s%svon %d bis %d Uhr geöffnet", house->de, on_day ? day->de : "",
                  on_day ? " " : "", from, to + 12);
}

static const struct {
    void (*write)(struct dg_pair *s);
    int weight;
} kinds[] = {
    {counted, 14}, {with_counted, 6}, {there_are, 8},   {departure, 6}, {arrival, 4},
    {event, 9},    {born, 5},         {costs, 6},       {pays, 6},      {shopping, 9},
    {since, 4},    {ago, 3},          {lasts, 3},       {age, 5},       {measures, 5},
    {distance, 3}, {temperature, 3},  {inhabitants, 3}, {percent, 3},   {sum, 5},
    {ordinal, 5},  {numbered, 4},     {gives, 8},       {gets_up, 4},   {opening_hours, 3},
};

static void finish(struct dg_pair *s)
{
    size_t n = s->en.len_bytes;

    if (n > 0 && s->en.data[n - 1] != '.') /* "5 p.m." ends the sentence as well */
        t2_buf_puts(&s->en, ".");
    t2_buf_puts(&s->de, ".");
}

void dg_numbers_sentence(uint64_t seed, uint64_t index, struct t2_buf *en, struct t2_buf *de)
{
    struct dg_pair s = {.en = *en, .de = *de};
    struct t2_rng rng;
    int total = 0, at;
    size_t i;

    t2_rng_init(&rng, seed, T2_RNG_DATA, 0, index);
    s.rng = &rng;
    dg_pair_clear(&s);
    for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
        total += kinds[i].weight;
    at = dg_draw(&s, 0, total - 1);
    for (i = 0; at >= kinds[i].weight; i++)
        at -= kinds[i].weight;
    kinds[i].write(&s);
    finish(&s);
    *en = s.en;
    *de = s.de;
}
