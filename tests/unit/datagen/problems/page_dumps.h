/*
 * page_dumps.h - small dumps of page histories for the tests of this folder.
 */
#ifndef T2_TESTS_PAGE_DUMPS_H
#define T2_TESTS_PAGE_DUMPS_H

#define REVISION(text)                                                                             \
    "    <revision>\n      <id>7</id>\n      <text xml:space=\"preserve\">" text                   \
    "</text>\n    </revision>\n"
#define PAGE(title, id, revisions)                                                                 \
    "  <page>\n    <title>" title "</title>\n    <ns>0</ns>\n    <id>" id "</id>\n" revisions      \
    "  </page>\n"
#define DUMP(pages) "<mediawiki>\n  <siteinfo>\n  </siteinfo>\n" pages "</mediawiki>\n"

#endif
