#!/bin/sh
# mk/man.sh - `tool --help` on stdin, a manual page on stdout.  usage: mk/man.sh TOOL VERSION
#
# The help text is already laid out for 80 columns, so it is kept as it stands.
set -eu
printf '.TH %s 1 "" "t2t.c %s" "t2t.c"\n.SH NAME\n' "$(printf '%s' "$1" | tr '[:lower:]' '[:upper:]')" "$2"
awk -v tool="$1" '
    { gsub(/\\/, "\\e"); gsub(/-/, "\\-"); sub(/^[.\x27]/, "\\\\\\&&") }
    NR == 1 { sub(/^usage: /, ""); usage = $0; next }
    !named && NF { printf "%s \\- %s\n.SH SYNOPSIS\n.nf\n%s\n.fi\n.SH DESCRIPTION\n.nf\n", tool, $0, usage; named = 1; next }
    named { print }
    END { print ".fi" }'
