/*
 * datagen/problems/numbers_lexicon.h - the words of translate_ende_numbers, English beside German.
 *
 * Every English form has exactly one German one, so that a translation is right or wrong.
 */
#ifndef DG_NUMBERS_LEXICON_H
#define DG_NUMBERS_LEXICON_H

#include <stddef.h>

enum dg_gender { DG_MASCULINE, DG_FEMININE, DG_NEUTER };
enum dg_case { DG_NOMINATIVE, DG_ACCUSATIVE, DG_DATIVE };
enum dg_person { DG_I, DG_SHE, DG_THEY }; /* first singular, third singular, plural */

/* Something that can be counted. */
struct dg_noun {
    const char *en, *en_plural;
    const char *de, *de_plural, *de_dative_plural;
    enum dg_gender gender;
};

/* One word or phrase that does not change. */
struct dg_phrase {
    const char *en, *de;
};

/* Adjective: de is the form after "ist", stem takes the endings. */
struct dg_adjective {
    const char *en, *de, *stem;
};

/* Who does something; de inside a sentence, the upper-case forms at its beginning. */
struct dg_subject {
    const char *en, *en_first, *de, *de_first;
    enum dg_person person;
};

/* A verb with its object in the accusative. */
struct dg_verb {
    const char *en, *en_s;
    const char *de[3]; /* by person */
};

/* A measure and what is measured with it. */
struct dg_measure {
    const char *en, *en_plural, *de, *de_plural;
    enum dg_gender gender;
    const struct dg_phrase *stuff;
    size_t n_stuff;
};

/* An event or a thing with its article. */
struct dg_event {
    const char *en, *de_first, *de_genitive;
};

/* A place with the preposition: "in the garden". */
struct dg_place {
    const char *en, *de_first;
};

/* A unit of time; de forms for one (accusative, dative) and many (accusative, dative). */
struct dg_time_unit {
    const char *en_one, *en, *en_plural;
    const char *de_one, *de_one_dative, *de_plural, *de_dative_plural;
};

/* Tables with their lengths. */
#define DG_TABLE(type, name)                                                                       \
    extern const type dg_##name[];                                                                 \
    extern const size_t dg_n_##name

DG_TABLE(struct dg_noun, nouns);
DG_TABLE(struct dg_adjective, adjectives);
DG_TABLE(struct dg_subject, subjects);
DG_TABLE(struct dg_phrase, recipients); /* dative */
DG_TABLE(struct dg_verb, verbs);
DG_TABLE(struct dg_verb, shopping_verbs);
DG_TABLE(struct dg_measure, measures);
DG_TABLE(struct dg_event, events);
DG_TABLE(struct dg_place, places);
DG_TABLE(struct dg_phrase, cities);
DG_TABLE(struct dg_phrase, months);
DG_TABLE(struct dg_phrase, weekdays);
DG_TABLE(struct dg_phrase, weekly); /* "Mondays": "montags" */
DG_TABLE(struct dg_phrase, currencies);
DG_TABLE(struct dg_phrase, streets);
DG_TABLE(struct dg_phrase, houses); /* with opening hours, at the beginning of a sentence */
DG_TABLE(struct dg_time_unit, time_units);

#endif
