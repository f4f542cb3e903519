// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The machine that --check-params, --estimate and --drill are about: its capture kernel, the command line of nsplit
 * there, its capture initramfs, and its kdump, that is the scripts that load a capture kernel and call a collector after the
 * crash.  The script nsplit-check-system of kdump/common reads their files, and prints settings and findings.
 */
#ifndef NSPLIT_CMD_NSPLIT_CRASH_MACHINE_H
#define NSPLIT_CMD_NSPLIT_CRASH_MACHINE_H

#include "capture/memory/crash_kernel.h"
#include "capture/memory/memory_limits.h"
#include "cmd/nsplit/check/findings.h"
#include "cmd/nsplit/options.h"

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

/*
 * The command line with which this system's kdump calls nsplit, as far as it is known here: options, threads,
 * and a file in the directory of its dumps.  The texts that options read from it point to.
 */
struct collector_call {
	char *words;			/* owned: the options of kdump */
	char level[16], codec[32], threads[16];
	char **argv;			/* owned; its words are not; nsplit's, also if kdump calls makedumpfile */
	int argc;
	char text[2048];		/* the command line of kdump, for messages; what does not fit is cut off */
};

struct crash_machine {
	const char *root;		/* see crash_machine_root() */
	struct kdump_system kdump;
	struct collector_call call;
	bool asked;			/* what is asked is about the call, since there are no operands */
	bool called;			/* and the options are those of the call */
	struct findings found;		/* mistakes in the call */
};

/* The directory above /proc, /sys and /etc: NSPLIT_ROOT, or "" for this machine. */
const char *crash_machine_root(void);

/*
 * Finds the kdump of this system.  If the command line, argc and argv, has no operands, *o becomes what that kdump calls,
 * and the options of the command line override it.  *o then points into the machine, which must outlive it.
 * STATUS_USAGE: these options do not go together with those of kdump.  crash_machine_end() in any case.
 */
enum status crash_machine_begin(struct crash_machine *machine, struct nsplit_options *o, int argc, char **argv,
				struct error *e);
void crash_machine_end(struct crash_machine *machine);

/*
 * Prints what is wrong with the call and, unless o->quiet, the call.  who: what the line begins with.  False: it would
 * save no dump, and *why is set.
 */
bool crash_machine_report_call(struct crash_machine *machine, const struct nsplit_options *o, const char *who,
			       struct error *why);

/* Reads what the kernel reports, and how much memory the files of the capture initramfs take.  outputs: of the capture. */
struct crash_kernel crash_machine_kernel(const struct crash_machine *machine, const struct names *outputs);

/* What a capture may take in that capture kernel. */
struct limit crash_machine_limit(const struct crash_kernel *kernel);

/* How many of the CPUs that this process may use the capture kernel starts. */
unsigned crash_machine_cpus(const struct crash_machine *machine);

/* Would a crash start the capture kernel?  What prevents it is reported, and *why is set. */
bool crash_machine_is_ready(const struct crash_kernel *kernel, struct error *why);

/* Checks what the kernel reports: if it could start a capture kernel. */
void nsplit_check_kernel(struct findings *found, const struct crash_kernel *kernel);

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
