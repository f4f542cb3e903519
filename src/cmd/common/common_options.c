// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>

#include "base/bytes.h"
#include "base/system.h"
#include "cmd/common/common_options.h"
#include "cmd/common/message.h"
#include "codec/codec.h"

const char *const choices_when[] = { "auto", "always", "never", NULL };

int options_result(enum status status, const struct error *e)
{
	if (!status)
		return OPTIONS_READ;
	if (status == STATUS_END)
		return EXIT_PERFECT;
	if (status == STATUS_NO_MEMORY) {
		message("%s", e->text);
		return EXIT_FAILED;
	}
	return message_usage_error(e);
}

unsigned threads_default(void)
{
	return (unsigned)min_u64(cpus_allowed(), THREADS_MAX);
}

const char *codec_value(unsigned n)
{
	for (const struct codec_entry *entry = codec_entries(); entry->name; entry++)
		if (entry->codec && n-- == 0)
			return entry->name;
	return n == 0 ? "auto" : NULL;
}

enum status option_list_codecs(void *settings, const struct option_call *call,
			       struct error *e)
{
	(void)settings;
	(void)call;
	(void)e;
	for (const struct codec_entry *entry = codec_entries(); entry->name; entry++) {
		const struct codec *codec = entry->codec;

		if (!codec)
			continue;
		if (codec->has_levels)
			printf("%-8s levels %d to %d, default %d\n", codec->name,
			       codec->level_min, codec->level_max, codec->level_default);
		else
			printf("%s\n", codec->name);
	}
	return STATUS_END;
}

/* --- options of other programs -------------------------------------------- */

/* zstd, xz and pigz have an option for each level. */
#define LEVELS(answer) \
	{ "0", answer }, { "1", answer }, { "2", answer }, { "3", answer }, { "4", answer }, \
	{ "5", answer }, { "6", answer }, { "7", answer }, { "8", answer }, { "9", answer }

#define NO_VMLINUX "no vmlinux or VMCOREINFO file is needed; the core says what its pages are used for"
#define THREADS "use -j N for N threads; the default is one for each CPU"
#define LEVEL "use -C NAME:LEVEL for a level, as in -C zstd:19"
#define VERIFY "use njoin --verify MEMBER... to check what was captured"
#define RESTORE "use njoin -o FILE MEMBER... to restore the source"
#define KEPT "what is read is never removed"
#define NO_PROGRESS "use --progress=never"
#define NO_NAMES "there is no option for names; the first operand is the SOURCE, and the others are " \
	"OUTPUTs"
#define DD "dd has such operands; here, the first operand is the SOURCE, and the others are OUTPUTs, without 'if=' and " \
	"'of='"
#define MESSAGES "use -q to print less, -v to print more, and --progress=never for no progress"
#define BOUNDED "memory does not grow with the source; --mem-limit=SIZE limits it further"

const struct option_foreign foreign_to_nsplit[] = {
	/* makedumpfile */
	{ "p", "use -s for Snappy, which is -p in makedumpfile, and -j N for N threads" },
	{ "F", "use --format=kdump with the OUTPUT - or '|COMMAND', which receives the flattened format" },
	{ "R", "use njoin -o FILE, which reads members and flattened dumps" },
	{ "L", "use --size-limit=SIZE for all OUTPUTs together, or --keep-free=SIZE" },
	{ "E", "use --format=elf; of members, njoin -o FILE makes an ELF file" },
	{ "x", NO_VMLINUX }, { "i", NO_VMLINUX }, { "g", NO_VMLINUX }, { "vmlinux", NO_VMLINUX },
	{ "D", "use -v to print more" },
	{ "message-level", MESSAGES },
	{ "num-threads", THREADS },
	{ "split", "name several OUTPUTs; each part of the source goes to whichever is free" },
	{ "reassemble", RESTORE },
	{ "dump-dmesg", "use njoin --dmesg, for MEMBERs or for a core" },
	{ "mem-usage", "use --estimate in the running system, or njoin --list CORE" },
	{ "cyclic-buffer", BOUNDED }, { "non-cyclic", BOUNDED },
	{ "non-mmap", "use --mmap=never" },
	{ "show-stats", "use --stats=FILE, or -v" },
	/* zstd, xz, pigz */
	{ "o", "there is no option for outputs; name them after the SOURCE" },
	{ "output", "there is no option for outputs; name them after the SOURCE" },
	{ "T", THREADS }, { "processes", THREADS },
	LEVELS(LEVEL),
	{ "zstd=", LEVEL }, { "lz4=", "use -C lz4hc:LEVEL for a level of LZ4 HC" },
	{ "fast", LEVEL }, { "best", LEVEL }, { "ultra", LEVEL }, { "long", LEVEL },
	{ "extreme", LEVEL },
	{ "adapt", "use -C auto, which chooses the codec by the speed of the outputs" },
	{ "t", VERIFY }, { "test", VERIFY },
	{ "k", KEPT }, { "rm", KEPT },
	{ "decompress", RESTORE }, { "uncompress", RESTORE },
	/* njoin */
	{ "verify", VERIFY }, { "join", RESTORE }, { "salvage", "use njoin --salvage -o FILE MEMBER..." },
	{ "info", "use njoin --info MEMBER... to describe the members" },
	{ "list", "use njoin --list MEMBER... to describe the core; --list-codecs prints the codecs" },
	{ "dmesg", "use njoin --dmesg MEMBER..., or njoin --dmesg CORE" },
	{ "mount", "use nsplit-mount MEMBER... DIR" },
	/* dd */
	{ "if=", DD }, { "of=", DD },
	{ "stdout", "use - as the OUTPUT" }, { "to-stdout", "use - as the OUTPUT" },
	{ "no-progress", NO_PROGRESS },
	/* fio */
	{ "bs", "use -b SIZE for the blocks that are compressed, and --chunksize=SIZE for the records "
	  "that are written" },
	{ "numjobs", THREADS },
	{ "filename", NO_NAMES },
	{ 0 },
};

const struct option_foreign foreign_to_njoin[] = {
	/* makedumpfile */
	{ "c", "use --format=kdump --compress=zlib for makedumpfile's -c, and -o - for standard "
	  "output" },
	{ "l", "use --format=kdump --compress=lzo for makedumpfile's -l, and --list to examine a "
	  "core" },
	{ "p", "use --format=kdump --compress=snappy" },
	{ "z", "use --format=kdump --compress=zstd" },
	{ "E", "an ELF core is what -o FILE writes" },
	{ "F", "njoin writes no flattened dump; -o - writes an ELF core to standard output" },
	{ "R", "no option is needed; -o FILE makes a plain file of a flattened dump" },
	{ "x", NO_VMLINUX }, { "i", NO_VMLINUX }, { "g", NO_VMLINUX }, { "vmlinux", NO_VMLINUX },
	{ "D", "use -v to print more" },
	{ "message-level", MESSAGES },
	{ "num-threads", THREADS },
	{ "split", "with --format=kdump, repeat -o to write a split dump" },
	{ "reassemble", "use -o FILE, and name all MEMBERs, or all files of a split dump" },
	{ "join", "use -o FILE to restore the source" }, { "mount", "use nsplit-mount MEMBER... DIR" },
	/* dd */
	{ "if=", "dd has such operands; here, name the MEMBERs alone" },
	{ "of=", "dd has such operands; here, use -o FILE" },
	{ "dump-dmesg", "use --dmesg" },
	{ "mem-usage", "use --list" },
	/* zstd, xz, pigz */
	{ "T", THREADS },
	LEVELS("njoin compresses only pages for --format=kdump; use --compress=NAME:LEVEL, as in "
	       "--compress=zstd:19"),
	{ "t", "use --verify" }, { "test", "use --verify" }, { "check", "use --verify" },
	{ "k", KEPT }, { "keep", KEPT }, { "rm", KEPT },
	{ "decompress", "use -o FILE to restore the source" },
	{ "stdout", "use -o -" },
	{ "no-progress", NO_PROGRESS },
	{ 0 },
};

const struct option_foreign foreign_to_mount[] = {
	/* makedumpfile */
	{ "D", "use -v to print more" },
	{ "message-level", "use -q to print less, and -v to print more" },
	{ "num-threads", "use -j N for N threads" },
	{ "dump-dmesg", "use njoin --dmesg MEMBER..." }, { "dmesg", "use njoin --dmesg MEMBER..." },
	{ "verify", "use njoin --verify MEMBER..." }, { "info", "use njoin --info MEMBER..." },
	{ "list", "use njoin --list MEMBER..." },
	{ "F", "files are shown, not written; use njoin -o - for standard output" },
	{ "E", "vmcore is the ELF core" },
	/* mount, fusermount3, zstd */
	{ "u", "use fusermount3 -u MOUNTPOINT to unmount" },
	{ "r", "files are always read-only" }, { "read-only", "files are always read-only" },
	{ "x", NO_VMLINUX }, { "i", NO_VMLINUX }, { "vmlinux", NO_VMLINUX },
	{ "T", "use -j N for N threads" },
	{ 0 },
};
