#!/bin/sh
# mk/pages.sh - what the tools themselves write for `make install`.
#
#   mk/pages.sh man FOLDER          a manual page for each tool and command, from --help
#   mk/pages.sh completion FOLDER   TOOL.bash, TOOL.zsh, TOOL.fish, from the flag tables
#
# BUILD (build/release), TOOLS and VERSION come from the environment.
set -eu
cd "$(dirname "$0")/.."
: "${BUILD:=build/release}" "${VERSION:=$(cat VERSION)}"
rm -rf "$2"
mkdir -p "$2"
for tool in $TOOLS; do
    program=$BUILD/bin/$tool
    case $1 in
    man)
        help=$("$program" --help)
        printf '%s\n' "$help" | sh mk/man.sh "$tool" "$VERSION" >"$2/$tool.1"
        for command in $(printf '%s\n' "$help" | sed -n '/^usage: [^ ]* COMMAND/,/^every command/s/^  \([a-z][a-z]*\)  *[A-Z].*/\1/p'); do
            "$program" "$command" --help >"$2/help"
            sh mk/man.sh "$tool-$command" "$VERSION" <"$2/help" >"$2/$tool-$command.1"
        done
        rm -f "$2/help"
        ;;
    completion)
        for shell in bash zsh fish; do
            "$program" "--completion=$shell" >"$2/$tool.$shell"
        done
        ;;
    esac
done
