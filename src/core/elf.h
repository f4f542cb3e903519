// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ELF cores: where the memory is in the source, and the notes.
 *
 * Supported are /proc/vmcore (fs/proc/vmcore.c) and the 64-bit ELF cores of QEMU and makedumpfile
 * -E. Nothing in a core is trusted.
 */
#ifndef NSPLIT_CORE_ELF_H
#define NSPLIT_CORE_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Where the bytes of a core come from: a set (set/read/range.h), or anything else with random access. */
struct core_bytes {
	uint64_t size;
	/*
	 * Reads len bytes at offset, which are within size.  STATUS_MISSING: some of them are
	 * missing.  STATUS_STOPPED: the program is to stop.  Called by one thread at a time.
	 */
	enum status (*read)(void *arg, uint64_t offset, size_t len, uint8_t *dst, struct error *e);
	void *arg;
};

/* Does this failure end the whole operation?  After any other, only the bytes are missing. */
static inline bool core_bytes_end(enum status status)
{
	return status == STATUS_NO_MEMORY || status == STATUS_STOPPED;
}

/*
 * An index of segments by physical or virtual address.  Finding those that contain an address takes
 * logarithmic time, even if segments overlap.
 */

/*
 * A PT_LOAD.  paddr + memsz is at most 2^56, offset + filesz below 2^64, and filesz at most memsz.
 */
struct segment {
	uint64_t vaddr, paddr;
	uint64_t offset;		/* in the core */
	uint64_t filesz;		/* bytes that are in the core */
	uint64_t memsz;			/* bytes of memory; zeros where not in the core */
};

/* The addresses first to last of a segment, both included. */
struct segment_range {
	uint64_t first, last;		/* first, for values_sort() */
	const struct segment *segment;	/* borrowed */
};

struct segment_index {
	struct segment_range *ranges;	/* by first; owned */
	size_t count;
	/*
	 * A binary tree: node 1 is the root, node n has the children 2n and 2n + 1, and node
	 * leaves + i stands for range i.  Each node has the highest last address of the ranges
	 * below it; owned.
	 */
	uint64_t *highest;
	size_t leaves;			/* a power of two above count */
};

/*
 * The physical index covers all memory of the segments, the virtual index only what is in the core.
 * Both borrow the segments.
 */
enum status segment_index_init(struct segment_index *x, const struct segment *segments, size_t count,
			       bool physical, struct error *e);
void segment_index_free(struct segment_index *x);

/* The number of ranges that begin at or before an address. */
size_t segment_index_up_to(const struct segment_index *x, uint64_t address);

/*
 * Sets *at to the index of the last one, among the first count ranges, that does not end before an
 * address.  With count = segment_index_up_to(), that range contains the address; calling again with
 * count = *at finds the next such range.  False: there is none.
 */
bool segment_index_last(const struct segment_index *x, size_t count, uint64_t address, size_t *at);

struct core {
	struct core_bytes bytes;	/* borrowed */
	uint16_t machine;		/* EM_X86_64, EM_AARCH64 or another; 64-bit, little-endian */
	struct segment *segments;	/* in the order of the headers; owned */
	size_t segments_count;
	struct segment_index physical;	/* the segments by address */
	struct segment_index virtual;
	/* The complete notes of all PT_NOTEs, each at a multiple of 4; owned. */
	uint8_t *notes;
	size_t notes_size;
	const char *damage;		/* what was wrong, and replaced by what fits the rest; NULL: nothing */
};

/*
 * Is it the header of an ELF file, or of a core, in which a few bytes may be wrong?  The sizes in it are the same in all
 * 64-bit ones.
 */
bool elf_may_be_core(const Elf64_Ehdr *h);

/* The most program headers of a core: far more than any machine has. */
enum { CORE_HEADERS_MAX = 1 << 17 };

/* Their number, before core_open() takes memory for them.  Fails as that does. */
enum status core_count_headers(const struct core_bytes *bytes, uint64_t *count, struct error *e);

/*
 * STATUS_USAGE: not a core, or an unsupported one.  STATUS_DAMAGED: the core contradicts itself in a way that leaves
 * open what is right, or has more headers or notes than any machine.  Otherwise returns as bytes->read().  core_close()
 * must be called even after a failure.
 */
enum status core_open(struct core *core, const struct core_bytes *bytes, struct error *e);
/* The same with other limits, where memory is scarce. */
struct core_limits {
	size_t headers;			/* of the program; about 100 bytes of memory each */
	uint64_t notes;			/* bytes */
	bool physical_only;		/* there are no virtual addresses: no index of them is made */
};
/* As many headers, and the notes of more CPUs than any machine has: half a KiB for each. */
extern const struct core_limits core_limits_scarce;
enum status core_open_within(struct core *core, const struct core_bytes *bytes,
			     const struct core_limits *limits, struct error *e);
void core_close(struct core *core);

/*
 * A segment together with those that go on where it, or another of them, ends or begins: in memory, and at virtual
 * addresses unless there are none.  Some writers cut what is one segment of others.  Two of them may have the page
 * between them both.  Its place in the core is undefined.
 */
struct segment core_segment_whole(const struct core *core, const struct segment *segment, uint64_t page_size);

/* Memory of segments that is in the source. */
struct stored_range {
	uint64_t offset, length;	/* first, for spans_find() */
	uint64_t paddr;
};

/*
 * All of it, by offset and without overlaps.  joined: segments that go on where another one ends, in the source and in
 * memory, are one range.  STATUS_DAMAGED: segments at different addresses share bytes of the source.  Free *stored in
 * any case.
 */
enum status core_stored(const struct core *core, bool joined, struct stored_range **stored, size_t *count,
			struct error *e);

/* The end of the last segment in the file, which may be beyond the end of the source. */
uint64_t core_segments_end(const struct core *core);

/*
 * For who writes a core: stores the ELF header, the program header of the notes, those of memory, which are returned and
 * to be filled in, and the section header with their number, if it needs one.  And where the notes are then.
 */
Elf64_Phdr *elf_put_header(uint8_t *head, uint16_t machine, uint64_t headers, uint64_t notes_size);
Elf64_Phdr elf_load(const struct segment *s);
uint64_t elf_notes_offset(uint64_t headers);

struct note {
	const char *name;		/* name_size bytes, with or without a final zero byte */
	size_t name_size;
	uint32_t type;
	const uint8_t *desc;
	size_t desc_size;
};

/* The note at *at, which is 0 at first and is advanced to the next one.  False: no more notes. */
bool core_next_note(const struct core *core, size_t *at, struct note *note);
/*
 * What makedumpfile has erased from memory (its option --config), a line each: the text of all notes "ERASEINFO".
 * Returns its length, and stores as many bytes unless text is NULL.
 */
size_t core_erased(const struct core *core, char *text);
/* Such text is filled up with zero bytes.  Removes them, in place or not, and returns what is left. */
size_t erased_compact(char *text, const void *bytes, size_t size);
/* The CPUs of the machine: each has a note with its registers. */
uint64_t core_count_cpus(const struct core *core);
/* Does the note have this name? */
bool note_has_name(const struct note *note, const char *name);

/* --- VMCOREINFO ---------------------------------------------------------- */

/*
 * A note in which the crashed kernel describes itself, with lines KEY=VALUE
 * (Documentation/admin-guide/kdump/vmcoreinfo.rst).
 */
struct vmcoreinfo {
	const char *text;	/* in the notes of the core; borrowed */
	size_t size;
};

/* The first note with a line KEY=VALUE.  STATUS_USAGE: the core has none; info is empty then. */
enum status vmcoreinfo_find(const struct core *core, struct vmcoreinfo *info, struct error *e);

/*
 * The value of the first line with this key, such as "OSRELEASE" or "SYMBOL(prb)".  False: there is
 * none, or it does not fit.
 */
bool vmcoreinfo_text(const struct vmcoreinfo *info, const char *key, char *value, size_t size);

/* The same for a decimal number, such as "CRASHTIME".  Also false: it is not a number. */
bool vmcoreinfo_number(const struct vmcoreinfo *info, const char *key, uint64_t *value);

/*
 * The value of KIND(NAME).  SYMBOL is an address in hexadecimal; OFFSET, SIZE, LENGTH and NUMBER
 * are decimal, perhaps negative, or hexadecimal.  False: there is none, or it is not a number.
 */
bool vmcoreinfo_get(const struct vmcoreinfo *info, const char *kind, const char *name,
		    uint64_t *value);

/* PAGESIZE, a power of two from 4096 to 65536.  STATUS_DAMAGED: it is missing or invalid. */
enum status vmcoreinfo_page_size(const struct vmcoreinfo *info, uint32_t *size, struct error *e);
/* The same, but on x86_64, all pages have one size, whatever bytes of VMCOREINFO are wrong. */
enum status core_page_size(const struct core *core, const struct vmcoreinfo *info, uint32_t *size, struct error *e);

#endif
