#!/bin/sh
# mk/text.sh PREFIX FILE - the bytes of a file as C: `const char <PREFIX>_text_<stem>[]` and
# `const size_t <PREFIX>_text_<stem>_bytes`; to stdout.
set -eu
prefix=$1
stem=$(basename "$2")
stem=${stem%%.*}
echo "/* Made of $2 by mk/text.sh. */"
echo '#include <stddef.h>'
echo "extern const char ${prefix}_text_${stem}[];"
echo "extern const size_t ${prefix}_text_${stem}_bytes;"
echo "const char ${prefix}_text_${stem}[] = {"
# octal: a char may be signed
od -An -v -to1 "$2" | sed "s/ *\([0-7][0-7]*\)/'\\\\\\1',/g"
echo '};'
echo "const size_t ${prefix}_text_${stem}_bytes = sizeof ${prefix}_text_${stem};"
