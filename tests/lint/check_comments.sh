# Comments name only files that exist; comment_files.pl says how a name is found.
find . -type f ! -path './.git/*' ! -path './build/*' | sed 's,^\./,,' |
    perl tests/lint/comment_files.pl $(sh tests/lint/sources.sh c)
