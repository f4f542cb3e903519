// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kdump of this system: the scripts that load a capture kernel, and call a collector after the crash.
 * Whether nsplit is that collector, and where the dump goes.  kdump/SYSTEM of this tree has the guides.
 */
#ifndef NSPLIT_SYSTEM_KDUMP_SYSTEM_H
#define NSPLIT_SYSTEM_KDUMP_SYSTEM_H

#include <stdbool.h>

#include "system/rooted.h"
#include "system/setting.h"

enum kdump_kind {
	KDUMP_NONE,		/* none of these */
	KDUMP_TOOLS,		/* Debian, Ubuntu: kdump-tools */
	KDUMP_UTILS,		/* Fedora, RHEL: kdump-utils, earlier in kexec-tools */
	KDUMP_SUSE,		/* openSUSE, SLES: kdump */
	KDUMP_INITRAMFS,	/* nsplit in an initramfs of initramfs-tools, without kdump-tools */
};

/* What the scripts call. */
enum kdump_caller {
	KDUMP_CALLS_NONE,	/* there is no kdump system */
	KDUMP_CALLS_NSPLIT,	/* nsplit, by its name */
	KDUMP_CALLS_LINK,	/* makedumpfile, which is a link to nsplit */
	KDUMP_CALLS_OTHER,	/* another program */
	KDUMP_CALLS_MISSING,	/* a program that does not exist, or a link that leads nowhere */
};

/* Texts are empty where there is nothing. */
struct kdump_system {
	enum kdump_kind kind;
	const char *name;			/* "kdump-tools" */
	const char *config;			/* "/etc/default/kdump-tools"; NULL: none */
	const char *disabled;			/* why it loads no capture kernel, a clause; NULL: it does */
	enum kdump_caller caller;
	const char *misuse;			/* why what it calls saves nothing, a clause; NULL: nothing is known */
	bool saver_broken;			/* kdump-tools: the link to nsplit's unit leads nowhere */
	char collector[SETTING_LENGTH];		/* the program as it is configured */
	struct rooted program;			/* the file that it leads to, unless it is missing */
	char options[SETTING_LENGTH];		/* of the collector */
	unsigned cpus;				/* that the capture kernel starts; 0: all; without a kdump, 1 */
	bool more_disks;			/* nsplit has further outputs, which only its scripts know */
	bool from_initramfs;			/* the initramfs saves the dump, not the root file system */
	char directory[SETTING_LENGTH];		/* on this machine, in which dumps are saved */
	char target[SETTING_LENGTH];		/* another machine: "ssh user@host" */
	char key[SETTING_LENGTH];		/* the file of the key for ssh */
	struct rooted initramfs;		/* the capture initramfs; its path is empty if there is none */
	char initramfs_wanted[PATH_MAX];	/* what it is called */
};

/* root: see system/rooted.h. */
void kdump_system_find(const char *root, struct kdump_system *kdump);

/* Are the options of the collector those of nsplit, not of makedumpfile? */
bool kdump_has_options_of_nsplit(const struct kdump_system *kdump);

/*
 * The text of the dump level in options of makedumpfile, up to a blank; of several -d, the last counts.
 * NULL: there is none.  makedump_level() of kdump/debian/kdump-tools-save.in finds the same one.
 */
const char *kdump_level_in(const char *options);

/* The first option of makedumpfile with which it saves no dump, up to a blank; NULL: there is none. */
const char *kdump_mode_in(const char *options);

/* The codec in options of makedumpfile, by nsplit's name: "raw" if there is none; of several, the last counts. */
const char *kdump_codec_name(const char *options);

/* Where the call is configured: the file or, without one, the name of the system. */
const char *kdump_origin(const struct kdump_system *kdump);

#endif
