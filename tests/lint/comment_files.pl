#!/usr/bin/perl
# tests/lint/comment_files.pl - reads the names of the tree's files on standard input, and looks at the
# comments of the C files among its arguments: one that names a file of the tree which is not there
# (renamed, removed) is stale, and so is a first line with another file's name.
#
# A name is a path from the root or the end of one (`cpu/gemm.c`, `gemm.c`).  Python files, documents and
# results are looked at by their path from the root only, as the originals' have none.  Not looked at:
# patterns (check_*.sh, <name>_main.c), and names that tests/lint/foreign_files.txt lists.
use strict;
use warnings;
my (%ends, %top, %foreign);
while (<STDIN>) {
    chomp;
    my @parts = split m{/};
    $top{$parts[0]} = 1 if @parts > 1;
    $ends{join '/', @parts[$_ .. $#parts]} = 1 for 0 .. $#parts;
}
open(my $list, '<', 'tests/lint/foreign_files.txt') or die "tests/lint/foreign_files.txt: $!\n";
/^([^#\s]+)/ and $foreign{$1} = 1 while <$list>;
my ($bad, $folders) = (0, join '|', sort keys %top);
for my $file (@ARGV) {
    open(my $in, '<', $file) or die "$file: $!\n";
    local $/;
    my $text = <$in>;
    if ($text =~ m{\A/\*\n \* (\S+) - } && $file !~ m{(^|/)\Q$1\E\z}) {
        print "$file:2: the first line names $1\n";
        $bad = 1;
    }
    while ($text =~ m{"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(/\*.*?\*/|//[^\n]*)}gs) {
        next unless defined $1;
        my ($comment, $start) = ($1, $-[1]);
        while ($comment =~ m{(?<![\w/.*<>%\$-])([\w-][\w./-]*\.(?:c|h|pl|sh|mk|def)
                             |(?:$folders)/[\w./-]+\.(?:py|md|txt|jsonl))(?![\w*>(/-])}gx) {
            my ($name, $at) = ($1, $start + $-[1]);
            next if $ends{$name} || $foreign{$name};
            print "$file:", 1 + (substr($text, 0, $at) =~ tr/\n//),
                ": a comment names $name, which does not exist\n";
            $bad = 1;
        }
    }
}
exit $bad;
