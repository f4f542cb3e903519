// SPDX-License-Identifier: GPL-2.0-or-later
/* What the files share that read the configuration of one kdump system each; kdump_system_find() calls one. */
#ifndef NSPLIT_SYSTEM_KDUMP_FIND_H
#define NSPLIT_SYSTEM_KDUMP_FIND_H

#include "system/kdump_system.h"

void kdump_find_tools(const char *root, struct kdump_system *kdump);
void kdump_find_utils(const char *root, struct kdump_system *kdump);
void kdump_find_suse(const char *root, struct kdump_system *kdump);
void kdump_find_initramfs(const char *root, struct kdump_system *kdump);

/* The release of the kernel that runs; "": unknown. */
void kdump_release(const char *root, char release[128]);

/* A program as a shell would find it.  False: it does not exist. */
bool kdump_find_program(const char *root, const char *name, struct rooted *program);

/* A setting of a shell file, or another value if it is not set or empty. */
void kdump_get(const char *root, const char *file, const char *key, const char *absent,
	       char value[SETTING_LENGTH]);

/* Does systemd start the service?  True if that cannot be known. */
bool kdump_is_enabled(const char *root, const char *service);

/* Does nsplit's hook for initramfs-tools put nsplit into the initramfs? */
bool kdump_captures_in_initramfs(const char *root);

/*
 * The CPUs that a kernel with these words on its command line starts, of which the smallest number counts; 0: all.
 * kdump_cpus_set() takes them from the two settings of a shell file, the command line and what is appended to it;
 * absent: the default of the latter.
 */
unsigned kdump_cpus_in(const char *words);
unsigned kdump_cpus_set(const char *root, const char *file, const char *const keys[2], const char *absent);
/* The fewer of two such numbers. */
unsigned kdump_fewer_cpus(unsigned a, unsigned b);

/* "nsplit -c -d 31": the program and its options; command is shorter than a setting. */
void kdump_set_collector(struct kdump_system *kdump, const char *command);

/* Looks for the collector. */
void kdump_set_caller(const char *root, struct kdump_system *kdump);

/* Looks for the initramfs that has this name. */
void kdump_set_initramfs(const char *root, const char *name, struct kdump_system *kdump);

#endif
