// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What this system does after a crash: its kdump, that is the scripts that load a capture kernel and call a collector after
 * the crash, and its capture initramfs.  The script nsplit-check-system of kdump/common reads their files, and prints
 * settings and findings.  kdump/SYSTEM of this tree has the guides.
 */
#ifndef NSPLIT_CMD_NSPLIT_CHECK_SYSTEM_H
#define NSPLIT_CMD_NSPLIT_CHECK_SYSTEM_H

#include <stdbool.h>

#include "base/names.h"
#include "capture/memory/crash_kernel.h"
#include "cmd/nsplit/check/findings.h"

enum kdump_kind {
	KDUMP_NONE,		/* none of these */
	KDUMP_TOOLS,		/* Debian, Ubuntu: kdump-tools */
	KDUMP_UTILS,		/* Fedora, RHEL: kdump-utils, earlier in kexec-tools */
	KDUMP_SUSE,		/* openSUSE, SLES: kdump */
	KDUMP_INITRAMFS,	/* nsplit in an initramfs of initramfs-tools, without kdump-tools */
	KDUMP_UNKNOWN,		/* the script could not say */
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
	char *lines;			/* owned: the texts */
	enum kdump_kind kind;
	enum kdump_caller caller;
	const char *name;		/* "kdump-tools" */
	const char *config;		/* "/etc/default/kdump-tools" */
	const char *disabled;		/* why it loads no capture kernel, a clause */
	const char *misuse;		/* why what it calls saves nothing, a clause */
	const char *collector;		/* the program as it is configured */
	const char *program;		/* the file that it leads to */
	const char *options;		/* of the collector */
	const char *codec, *level;	/* what they mean if they are those of makedumpfile */
	unsigned cpus;			/* that the capture kernel starts; 0: all; without a kdump, 1 */
	bool more_disks;		/* nsplit has further outputs, which only its scripts know */
	bool from_initramfs;		/* the initramfs saves the dump, not the root file system */
	const char *directory;		/* on this machine, in which dumps are saved */
	const char *output;		/* a new file in it, or in one above it that exists */
	const char *target;		/* another machine: "ssh user@host" */
	const char *initramfs;		/* the capture initramfs */
	/*
	 * Secure Boot, "0" or "1", and the lockdown that kernels of distributions switch on with it: "none", "integrity",
	 * "confidentiality", or "unknown".  A locked kernel loads a capture kernel only with kexec_file_load(2) (kexec -s),
	 * and only one with a valid signature, and loads no unsigned module.  /proc/vmcore in the capture kernel is not
	 * restricted.
	 */
	const char *lockdown, *secure_boot;
};

/* Reports why nothing is known of the system, if that is so. */
void kdump_system_find(struct kdump_system *kdump, struct findings *found);
void kdump_system_free(struct kdump_system *kdump);

/* Checks what the kernel reports: if it could start a capture kernel. */
void nsplit_check_kernel(struct findings *found, const struct crash_kernel *kernel);

/* Checks whether the kdump system calls nsplit, and this build of it. */
void nsplit_check_caller(struct findings *found, const struct kdump_system *kdump);

/*
 * Checks all of it.  outputs: of the capture; their disks need drivers, and their commands programs.  Sets
 * kernel->initramfs.
 */
void nsplit_check_system(struct findings *found, const struct kdump_system *kdump, struct crash_kernel *kernel,
			 const struct names *outputs);

enum { BUILD_ID_LENGTH = 128 + 1 };

/*
 * The build id of this program, in hexadecimal digits: the linker writes it into the ELF file.  Two files with the same one
 * are the same build.  False: it has none.
 */
bool nsplit_build_id(char id[BUILD_ID_LENGTH]);

#endif
