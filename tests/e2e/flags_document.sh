# docs/flags.md is what the flag tables say: make flags makes it anew.
sh "$T2_ROOT/mk/flags.sh" "$(dirname "$(command -v t2t-trainer)")" >made
diff "$T2_ROOT/docs/flags.md" made || {
    echo "docs/flags.md is not what the tools say: make flags" >&2
    exit 1
}
# a tool without commands has its tables there
for tool in "$(dirname "$(command -v t2t-trainer)")"/*; do
    tool=$(basename "$tool")
    "$tool" --help | grep -q '^every command' || grep -qx "## $tool" made || {
        echo "mk/flags.sh leaves out $tool" >&2
        exit 1
    }
done
