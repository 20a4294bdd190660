#!/bin/sh
# mk/man.sh - `tool --help` on stdin, a manual page on stdout.  usage: mk/man.sh TOOL VERSION
#
# The help text is already laid out for 80 columns, so it is kept as it stands; only the first sentence of
# its first paragraph goes elsewhere, under NAME.
set -eu
printf '.TH %s 1 "" "t2t.c %s" "t2t.c"\n.SH NAME\n' "$(printf '%s' "$1" | tr '[:lower:]' '[:upper:]')" "$2"
awk -v tool="$1" '
    function head(    end, rest) {
        end = match(about, /\.( |$)/) ? RSTART : length(about)
        printf "%s \\- %s\n.SH SYNOPSIS\n.nf\n%s\n.fi\n.SH DESCRIPTION\n", tool, substr(about, 1, end), usage
        rest = substr(about, end + 2)
        print (rest == "" ? ".nf" : rest "\n.PP\n.nf")
        named = 1
    }
    { gsub(/\\/, "\\e"); gsub(/-/, "\\-"); sub(/^[.\x27]/, "\\\\\\&&") }
    NR == 1 { sub(/^usage: /, ""); usage = $0; next }
    !named && about == "" && /^ / { usage = usage "\n" $0; next }
    !named && NF { about = about (about == "" ? "" : " ") $0; next }
    !named && about != "" { head(); next }
    named { print }
    END { if (!named) head(); print ".fi" }'
