/*
 * train/device/card_count.h - how many cards there are, for who wants a process for each of them.
 */
#ifndef DEV_CARD_COUNT_H
#define DEV_CARD_COUNT_H

/* Devices that dev_open_nth(name, nth) shares out among processes: of "cuda" and "auto" the CUDA
 * devices of this machine; 0 where there is none, and of a name that means one device. */
int dev_card_count(const char *name);

#endif
