# tfrec/module.mk - the sources of libt2-tfrec.a; the format is at the top of the Makefile.
LIB_tfrec := command.c commands.c cmd_count.c

# looking at records

# understanding a set

# choosing and ordering records

# cutting and indexing

# damage

# other formats

# editing a finished set
