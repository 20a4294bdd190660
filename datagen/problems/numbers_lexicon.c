/*
 * datagen/problems/numbers_lexicon.c - the words of translate_ende_numbers, English beside German.
 */
#include "datagen/problems/numbers_lexicon.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define M DG_MASCULINE
#define F DG_FEMININE
#define N DG_NEUTER

/* clang-format off */
const struct dg_noun dg_nouns[] = {
    {"apple",     "apples",     "Apfel",     "Äpfel",      "Äpfeln",      M},
    {"bag",       "bags",       "Tasche",    "Taschen",    "Taschen",     F},
    {"ball",      "balls",      "Ball",      "Bälle",      "Bällen",      M},
    {"bicycle",   "bicycles",   "Fahrrad",   "Fahrräder",  "Fahrrädern",  N},
    {"bird",      "birds",      "Vogel",     "Vögel",      "Vögeln",      M},
    {"boat",      "boats",      "Boot",      "Boote",      "Booten",      N},
    {"book",      "books",      "Buch",      "Bücher",     "Büchern",     N},
    {"bottle",    "bottles",    "Flasche",   "Flaschen",   "Flaschen",    F},
    {"box",       "boxes",      "Kiste",     "Kisten",     "Kisten",      F},
    {"cake",      "cakes",      "Kuchen",    "Kuchen",     "Kuchen",      M},
    {"car",       "cars",       "Auto",      "Autos",      "Autos",       N},
    {"cat",       "cats",       "Katze",     "Katzen",     "Katzen",      F},
    {"chair",     "chairs",     "Stuhl",     "Stühle",     "Stühlen",     M},
    {"clock",     "clocks",     "Uhr",       "Uhren",      "Uhren",       F},
    {"coat",      "coats",      "Mantel",    "Mäntel",     "Mänteln",     M},
    {"cow",       "cows",       "Kuh",       "Kühe",       "Kühen",       F},
    {"cup",       "cups",       "Tasse",     "Tassen",     "Tassen",      F},
    {"dog",       "dogs",       "Hund",      "Hunde",      "Hunden",      M},
    {"door",      "doors",      "Tür",       "Türen",      "Türen",       F},
    {"dress",     "dresses",    "Kleid",     "Kleider",    "Kleidern",    N},
    {"egg",       "eggs",       "Ei",        "Eier",       "Eiern",       N},
    {"flower",    "flowers",    "Blume",     "Blumen",     "Blumen",      F},
    {"fork",      "forks",      "Gabel",     "Gabeln",     "Gabeln",      F},
    {"glass",     "glasses",    "Glas",      "Gläser",     "Gläsern",     N},
    {"goat",      "goats",      "Ziege",     "Ziegen",     "Ziegen",      F},
    {"hat",       "hats",       "Hut",       "Hüte",       "Hüten",       M},
    {"horse",     "horses",     "Pferd",     "Pferde",     "Pferden",     N},
    {"house",     "houses",     "Haus",      "Häuser",     "Häusern",     N},
    {"key",       "keys",       "Schlüssel", "Schlüssel",  "Schlüsseln",  M},
    {"knife",     "knives",     "Messer",    "Messer",     "Messern",     N},
    {"lamp",      "lamps",      "Lampe",     "Lampen",     "Lampen",      F},
    {"lemon",     "lemons",     "Zitrone",   "Zitronen",   "Zitronen",    F},
    {"letter",    "letters",    "Brief",     "Briefe",     "Briefen",     M},
    {"mouse",     "mice",       "Maus",      "Mäuse",      "Mäusen",      F},
    {"newspaper", "newspapers", "Zeitung",   "Zeitungen",  "Zeitungen",   F},
    {"pear",      "pears",      "Birne",     "Birnen",     "Birnen",      F},
    {"pencil",    "pencils",    "Bleistift", "Bleistifte", "Bleistiften", M},
    {"picture",   "pictures",   "Bild",      "Bilder",     "Bildern",     N},
    {"plate",     "plates",     "Teller",    "Teller",     "Tellern",     M},
    {"postcard",  "postcards",  "Postkarte", "Postkarten", "Postkarten",  F},
    {"ring",      "rings",      "Ring",      "Ringe",      "Ringen",      M},
    {"rose",      "roses",      "Rose",      "Rosen",      "Rosen",       F},
    {"shirt",     "shirts",     "Hemd",      "Hemden",     "Hemden",      N},
    {"spoon",     "spoons",     "Löffel",    "Löffel",     "Löffeln",     M},
    {"suitcase",  "suitcases",  "Koffer",    "Koffer",     "Koffern",     M},
    {"table",     "tables",     "Tisch",     "Tische",     "Tischen",     M},
    {"tree",      "trees",      "Baum",      "Bäume",      "Bäumen",      M},
    {"window",    "windows",    "Fenster",   "Fenster",    "Fenstern",    N},
};

const struct dg_adjective dg_adjectives[] = {
    {"beautiful", "schön",   "schön"},
    {"big",       "groß",    "groß"},
    {"black",     "schwarz", "schwarz"},
    {"blue",      "blau",    "blau"},
    {"cheap",     "billig",  "billig"},
    {"expensive", "teuer",   "teur"},
    {"green",     "grün",    "grün"},
    {"heavy",     "schwer",  "schwer"},
    {"new",       "neu",     "neu"},
    {"old",       "alt",     "alt"},
    {"red",       "rot",     "rot"},
    {"small",     "klein",   "klein"},
    {"white",     "weiß",    "weiß"},
    {"yellow",    "gelb",    "gelb"},
};

const struct dg_subject dg_subjects[] = {
    {"I",               "I",               "ich",             "Ich",             DG_I},
    {"we",              "We",              "wir",             "Wir",             DG_THEY},
    {"they",            "They",            "sie",             "Sie",             DG_THEY},
    {"she",             "She",             "sie",             "Sie",             DG_SHE},
    {"he",              "He",              "er",              "Er",              DG_SHE},
    {"Anna",            "Anna",            "Anna",            "Anna",            DG_SHE},
    {"Clara",           "Clara",           "Clara",           "Clara",           DG_SHE},
    {"David",           "David",           "David",           "David",           DG_SHE},
    {"Emma",            "Emma",            "Emma",            "Emma",            DG_SHE},
    {"Felix",           "Felix",           "Felix",           "Felix",           DG_SHE},
    {"Julia",           "Julia",           "Julia",           "Julia",           DG_SHE},
    {"Laura",           "Laura",           "Laura",           "Laura",           DG_SHE},
    {"Leon",            "Leon",            "Leon",            "Leon",            DG_SHE},
    {"Maria",           "Maria",           "Maria",           "Maria",           DG_SHE},
    {"Max",             "Max",             "Max",             "Max",             DG_SHE},
    {"Paul",            "Paul",            "Paul",            "Paul",            DG_SHE},
    {"Peter",           "Peter",           "Peter",           "Peter",           DG_SHE},
    {"Simon",           "Simon",           "Simon",           "Simon",           DG_SHE},
    {"my sister",       "My sister",       "meine Schwester", "Meine Schwester", DG_SHE},
    {"my brother",      "My brother",      "mein Bruder",     "Mein Bruder",     DG_SHE},
    {"my mother",       "My mother",       "meine Mutter",    "Meine Mutter",    DG_SHE},
    {"my father",       "My father",       "mein Vater",      "Mein Vater",      DG_SHE},
    {"my aunt",         "My aunt",         "meine Tante",     "Meine Tante",     DG_SHE},
    {"my uncle",        "My uncle",        "mein Onkel",      "Mein Onkel",      DG_SHE},
    {"the boy",         "The boy",         "der Junge",       "Der Junge",       DG_SHE},
    {"the girl",        "The girl",        "das Mädchen",     "Das Mädchen",     DG_SHE},
    {"the old man",     "The old man",     "der alte Mann",   "Der alte Mann",   DG_SHE},
    {"the young woman", "The young woman", "die junge Frau",  "Die junge Frau",  DG_SHE},
    {"the children",    "The children",    "die Kinder",      "Die Kinder",      DG_THEY},
    {"my parents",      "My parents",      "meine Eltern",    "Meine Eltern",    DG_THEY},
};

const struct dg_phrase dg_recipients[] = {
    {"me",              "mir"},
    {"us",              "uns"},
    {"him",             "ihm"},
    {"her",             "ihr"},
    {"them",            "ihnen"},
    {"Anna",            "Anna"},
    {"Emma",            "Emma"},
    {"Julia",           "Julia"},
    {"Leon",            "Leon"},
    {"Max",             "Max"},
    {"Peter",           "Peter"},
    {"my sister",       "meiner Schwester"},
    {"my brother",      "meinem Bruder"},
    {"my mother",       "meiner Mutter"},
    {"my uncle",        "meinem Onkel"},
    {"the boy",         "dem Jungen"},
    {"the girl",        "dem Mädchen"},
    {"the old man",     "dem alten Mann"},
    {"the young woman", "der jungen Frau"},
    {"the children",    "den Kindern"},
    {"my parents",      "meinen Eltern"},
};

const struct dg_verb dg_verbs[] = {
    {"buy",      "buys",      {"kaufe",    "kauft",    "kaufen"}},
    {"find",     "finds",     {"finde",    "findet",   "finden"}},
    {"get",      "gets",      {"bekomme",  "bekommt",  "bekommen"}},
    {"have",     "has",       {"habe",     "hat",      "haben"}},
    {"look for", "looks for", {"suche",    "sucht",    "suchen"}},
    {"need",     "needs",     {"brauche",  "braucht",  "brauchen"}},
    {"see",      "sees",      {"sehe",     "sieht",    "sehen"}},
    {"sell",     "sells",     {"verkaufe", "verkauft", "verkaufen"}},
};

const struct dg_verb dg_shopping_verbs[] = {
    {"bring", "brings", {"bringe",   "bringt",   "bringen"}},
    {"buy",   "buys",   {"kaufe",    "kauft",    "kaufen"}},
    {"need",  "needs",  {"brauche",  "braucht",  "brauchen"}},
    {"order", "orders", {"bestelle", "bestellt", "bestellen"}},
    {"take",  "takes",  {"nehme",    "nimmt",    "nehmen"}},
};

static const struct dg_phrase by_weight[] = {
    {"apples", "Äpfel"},  {"butter", "Butter"}, {"cheese", "Käse"},         {"flour", "Mehl"},
    {"meat", "Fleisch"},  {"potatoes", "Kartoffeln"}, {"rice", "Reis"},     {"sugar", "Zucker"},
    {"tomatoes", "Tomaten"},
};
static const struct dg_phrase drinks[] = {
    {"juice", "Saft"}, {"milk", "Milch"}, {"water", "Wasser"}, {"wine", "Wein"},
};
static const struct dg_phrase in_bottles[] = {
    {"beer", "Bier"}, {"juice", "Saft"}, {"oil", "Öl"}, {"water", "Wasser"}, {"wine", "Wein"},
};
static const struct dg_phrase hot[] = {
    {"coffee", "Kaffee"}, {"milk", "Milch"}, {"tea", "Tee"},
};
static const struct dg_phrase sliced[] = {
    {"bread", "Brot"}, {"cheese", "Käse"}, {"meat", "Fleisch"},
};
static const struct dg_phrase in_cans[] = {
    {"beer", "Bier"}, {"fish", "Fisch"}, {"soup", "Suppe"}, {"tomatoes", "Tomaten"},
};

/* The first two take halves: "einen halben Liter", "ein halbes Kilo". */
const struct dg_measure dg_measures[] = {
    {"liter",  "liters",  "Liter",   "Liter",    M, drinks,     COUNT(drinks)},
    {"kilo",   "kilos",   "Kilo",    "Kilo",     N, by_weight,  COUNT(by_weight)},
    {"bottle", "bottles", "Flasche", "Flaschen", F, in_bottles, COUNT(in_bottles)},
    {"cup",    "cups",    "Tasse",   "Tassen",   F, hot,        COUNT(hot)},
    {"glass",  "glasses", "Glas",    "Gläser",   N, drinks,     COUNT(drinks)},
    {"slice",  "slices",  "Scheibe", "Scheiben", F, sliced,     COUNT(sliced)},
    {"can",    "cans",    "Dose",    "Dosen",    F, in_cans,    COUNT(in_cans)},
};

const struct dg_event dg_events[] = {
    {"concert",    "Das Konzert",     "des Konzerts"},
    {"course",     "Der Kurs",        "des Kurses"},
    {"exam",       "Die Prüfung",     "der Prüfung"},
    {"exhibition", "Die Ausstellung", "der Ausstellung"},
    {"festival",   "Das Festival",    "des Festivals"},
    {"film",       "Der Film",        "des Films"},
    {"game",       "Das Spiel",       "des Spiels"},
    {"journey",    "Die Reise",       "der Reise"},
    {"meeting",    "Die Besprechung", "der Besprechung"},
    {"party",      "Die Feier",       "der Feier"},
    {"trip",       "Der Ausflug",     "des Ausflugs"},
    {"wedding",    "Die Hochzeit",    "der Hochzeit"},
};

const struct dg_place dg_places[] = {
    {"at the market",          "Auf dem Markt"},
    {"at the station",         "Am Bahnhof"},
    {"behind the school",      "Hinter der Schule"},
    {"in front of the church", "Vor der Kirche"},
    {"in the cellar",          "Im Keller"},
    {"in the garden",          "Im Garten"},
    {"in the kitchen",         "In der Küche"},
    {"in the room",            "Im Zimmer"},
    {"in the shop",            "Im Laden"},
    {"next to the bridge",     "Neben der Brücke"},
    {"on the street",          "Auf der Straße"},
    {"under the roof",         "Unter dem Dach"},
};

const struct dg_phrase dg_cities[] = {
    {"Berlin", "Berlin"},      {"Bremen", "Bremen"},     {"Brussels", "Brüssel"},
    {"Cologne", "Köln"},       {"Dresden", "Dresden"},   {"Frankfurt", "Frankfurt"},
    {"Geneva", "Genf"},        {"Hamburg", "Hamburg"},   {"Hanover", "Hannover"},
    {"Leipzig", "Leipzig"},    {"London", "London"},     {"Munich", "München"},
    {"Nuremberg", "Nürnberg"}, {"Paris", "Paris"},       {"Prague", "Prag"},
    {"Rome", "Rom"},           {"Stuttgart", "Stuttgart"}, {"Vienna", "Wien"},
    {"Warsaw", "Warschau"},    {"Zurich", "Zürich"},
};

const struct dg_phrase dg_months[] = {
    {"January", "Januar"}, {"February", "Februar"}, {"March", "März"},
    {"April", "April"},    {"May", "Mai"},          {"June", "Juni"},
    {"July", "Juli"},      {"August", "August"},    {"September", "September"},
    {"October", "Oktober"}, {"November", "November"}, {"December", "Dezember"},
};

const struct dg_phrase dg_weekdays[] = {
    {"Monday", "Montag"}, {"Tuesday", "Dienstag"}, {"Wednesday", "Mittwoch"},
    {"Thursday", "Donnerstag"}, {"Friday", "Freitag"}, {"Saturday", "Samstag"},
    {"Sunday", "Sonntag"},
};

const struct dg_phrase dg_weekly[] = {
    {"Mondays", "montags"}, {"Tuesdays", "dienstags"}, {"Wednesdays", "mittwochs"},
    {"Thursdays", "donnerstags"}, {"Fridays", "freitags"}, {"Saturdays", "samstags"},
    {"Sundays", "sonntags"},
};

const struct dg_phrase dg_currencies[] = {
    {"euros", "Euro"}, {"euros", "Euro"}, {"dollars", "Dollar"}, {"pounds", "Pfund"},
    {"francs", "Franken"},
};

const struct dg_phrase dg_streets[] = {
    {"Castle Street", "Schlossstraße"}, {"Church Street", "Kirchstraße"},
    {"Forest Street", "Waldstraße"},    {"Garden Street", "Gartenstraße"},
    {"Lake Street", "Seestraße"},       {"Main Street", "Hauptstraße"},
    {"Park Street", "Parkstraße"},      {"School Street", "Schulstraße"},
    {"Station Street", "Bahnhofstraße"},
};

const struct dg_phrase dg_houses[] = {
    {"The bank", "Die Bank"},       {"The castle", "Das Schloss"}, {"The library", "Die Bibliothek"},
    {"The museum", "Das Museum"},   {"The shop", "Der Laden"},     {"The swimming pool", "Das Schwimmbad"},
    {"The zoo", "Der Zoo"},
};

const struct dg_time_unit dg_time_units[] = {
    {"a minute", "minute", "minutes", "eine Minute",  "einer Minute", "Minuten", "Minuten"},
    {"an hour",  "hour",   "hours",   "eine Stunde",  "einer Stunde", "Stunden", "Stunden"},
    {"a day",    "day",    "days",    "einen Tag",    "einem Tag",    "Tage",    "Tagen"},
    {"a week",   "week",   "weeks",   "eine Woche",   "einer Woche",  "Wochen",  "Wochen"},
    {"a month",  "month",  "months",  "einen Monat",  "einem Monat",  "Monate",  "Monaten"},
    {"a year",   "year",   "years",   "ein Jahr",     "einem Jahr",   "Jahre",   "Jahren"},
};
/* clang-format on */

const size_t dg_n_nouns = COUNT(dg_nouns);
const size_t dg_n_adjectives = COUNT(dg_adjectives);
const size_t dg_n_subjects = COUNT(dg_subjects);
const size_t dg_n_recipients = COUNT(dg_recipients);
const size_t dg_n_verbs = COUNT(dg_verbs);
const size_t dg_n_shopping_verbs = COUNT(dg_shopping_verbs);
const size_t dg_n_measures = COUNT(dg_measures);
const size_t dg_n_events = COUNT(dg_events);
const size_t dg_n_places = COUNT(dg_places);
const size_t dg_n_cities = COUNT(dg_cities);
const size_t dg_n_months = COUNT(dg_months);
const size_t dg_n_weekdays = COUNT(dg_weekdays);
const size_t dg_n_weekly = COUNT(dg_weekly);
const size_t dg_n_currencies = COUNT(dg_currencies);
const size_t dg_n_streets = COUNT(dg_streets);
const size_t dg_n_houses = COUNT(dg_houses);
const size_t dg_n_time_units = COUNT(dg_time_units);
