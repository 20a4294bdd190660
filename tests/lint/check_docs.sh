# Documents: all are in the index, links lead somewhere, files that they name exist, lines of text end
# within 100 columns (tables and code may be wider).
bad=0
documents=$(ls README.md CONTRIBUTING.md docs/*.md python/README.md)
for doc in docs/*.md; do
    [ "$doc" = docs/README.md ] && continue
    grep -qF "(${doc#docs/})" docs/README.md || { echo "$doc: not in docs/README.md" && bad=1; }
done
for doc in $documents; do
    # [text](file) is relative to the document
    for link in $(grep -oE '\]\([^)# ]+' "$doc" | sed 's/^](//' | grep -v '^[a-z]*:'); do
        [ -e "$(dirname "$doc")/$link" ] || { echo "$doc: the link $link leads nowhere" && bad=1; }
    done
    # `folder/file.c` is relative to the root; the name of a place-holder is x or NAME
    for file in $(grep -oE '`(base|tfrecord|tokenizer|augment|audio|tfrec|vocab|datagen|train|python|bench|tests|docs|mk|scripts)/[A-Za-z0-9_/.-]+\.(c|h|sh|py|mk|md|txt|def)`' "$doc" |
        tr -d '`' | grep -vE '(^|[/_])(x|NAME)([._]|$)' | sort -u); do
        # what a walk-through makes is not there yet
        grep -qE "^(\`\`\`[a-z]+ |cat >)$file( |$)" "$doc" && continue
        [ -e "$file" ] || { echo "$doc: $file does not exist" && bad=1; }
    done
    perl -CSD -ne 'chomp; $code = !$code if /^```/;
        if (!$code && !/^(    |\||```)/ && length > 100) { print "$ARGV:$.: ", length, " columns\n"; $bad = 1 }
        END { $? = $bad ? 1 : 0 }' "$doc" || bad=1
done
exit $bad
