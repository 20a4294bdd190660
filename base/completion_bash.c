/*
 * base/completion_bash.c - a tool's completion for bash.
 *
 * The script looks at the line itself, up to the cursor: COMP_WORDS is cut at '=' only where
 * COMP_WORDBREAKS says so.  It needs nothing of the package bash-completion.
 */
#include "base/completion.h"

#include <string.h>

static const char head[] =
    "{\n"
    "    local line=${COMP_LINE:0:COMP_POINT} word before flag= value= prefix= command= flags= "
    "words= kind=\n"
    "    local -a all\n"
    "    word=${line##*[[:space:]]}\n"
    "    read -ra all <<<\"${line%\"$word\"}\"\n"
    "    before=${all[${#all[@]}-1]}\n"
    "    COMPREPLY=()\n";

/* `--name=value` is completed behind the '=', `--name value` as a word. */
static const char split_word[] =
    "    case $word in\n"
    "    -*=*) flag=${word%%=*} value=${word#*=}\n"
    "        [[ $COMP_WORDBREAKS == *=* ]] || prefix=$flag= ;;\n"
    "    -*) ;;\n"
    "    *) case $before in -*=*) ;; -*) flag=$before value=$word ;; esac ;;\n"
    "    esac\n"
    "    flag=${flag##-} flag=${flag#-} flag=${flag//-/_}\n";

static const char tail[] =
    "    if [[ -n $flag && -n $kind ]]; then\n"
    "        case $kind in\n"
    "        words) COMPREPLY=($(compgen -W \"$words\" -P \"$prefix\" -- \"$value\")) ;;\n"
    "        folder) compopt -o filenames\n"
    "            COMPREPLY=($(compgen -d -P \"$prefix\" -- \"$value\")) ;;\n"
    "        file) compopt -o filenames\n"
    "            COMPREPLY=($(compgen -f -P \"$prefix\" -- \"$value\")) ;;\n"
    "        esac\n"
    "        return\n"
    "    fi\n"
    "    [[ $word == -* ]] || return 0\n"
    "    COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))\n"
    "    [[ ${#COMPREPLY[@]} -gt 0 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
    "    return 0\n"
    "}\n";

static bool is_hidden(const struct t2_completion_flag *f)
{
    return strlen(f->name) == 1; /* -o FILE: shorter to type than to complete */
}

static void put_flags(const struct t2_completion_command *c, struct t2_buf *out)
{
    t2_buf_puts(out, " flags='");
    for (size_t i = 0; i < c->n_flags; i++) {
        const struct t2_completion_flag *f = &c->flags[i];

        if (!is_hidden(f))
            t2_buf_printf(out, "--%s%s ", f->name,
                          f->kind == T2_COMPLETE_NOTHING || f->is_optional ? "" : "=");
        if (f->is_optional)
            t2_buf_printf(out, "--%s= ", f->name);
    }
    t2_buf_puts(out, "' ;;\n");
}

static void put_values(const struct t2_completion_command *c, struct t2_buf *out)
{
    static const char *const kinds[] = {"", "text", "words", "file", "folder"};

    for (size_t i = 0; i < c->n_flags; i++) {
        const struct t2_completion_flag *f = &c->flags[i];

        if (f->kind == T2_COMPLETE_NOTHING)
            continue;
        t2_buf_printf(out, "    %s:%s) kind=%s", c->name, f->name, kinds[f->kind]);
        for (size_t w = 0; w < f->words.n; w++)
            t2_buf_printf(out, "%s%s", w == 0 ? " words='" : " ", f->words.items[w]);
        t2_buf_printf(out, "%s ;;\n", f->words.n > 0 ? "'" : "");
    }
}

void t2_completion_bash(const struct t2_completion *c, struct t2_buf *out)
{
    bool has_commands = c->n > 0 && c->commands[0].name[0] != '\0';

    t2_buf_printf(out, "# bash completion of %s, written by `%s --completion=bash`\n_", c->tool,
                  c->tool);
    for (const char *p = c->tool; *p != '\0'; p++)
        t2_buf_push(out, (uint8_t) (*p == '-' ? '_' : *p));
    t2_buf_printf(out, "_completion()\n%s", head);
    if (has_commands) {
        t2_buf_puts(out, "    if [[ ${#all[@]} -le 1 ]]; then\n"
                         "        COMPREPLY=($(compgen -W '");
        for (size_t i = 0; i < c->n; i++)
            t2_buf_printf(out, "%s ", c->commands[i].name);
        t2_buf_puts(out, "help --help --version' -- \"$word\"))\n"
                         "        return 0\n"
                         "    fi\n"
                         "    command=${all[1]}\n");
    }
    t2_buf_puts(out, split_word);
    t2_buf_puts(out, "    case $command in\n");
    for (size_t i = 0; i < c->n; i++) {
        t2_buf_printf(out, "    %s)", has_commands ? c->commands[i].name : "''");
        put_flags(&c->commands[i], out);
    }
    t2_buf_puts(out, "    esac\n    case $command:$flag in\n");
    for (size_t i = 0; i < c->n; i++)
        put_values(&c->commands[i], out);
    t2_buf_printf(out, "    esac\n%s", tail);
    t2_buf_puts(out, "complete -o default -o bashdefault -F _");
    for (const char *p = c->tool; *p != '\0'; p++)
        t2_buf_push(out, (uint8_t) (*p == '-' ? '_' : *p));
    t2_buf_printf(out, "_completion %s\n", c->tool);
}
