// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "format/flattened.h"
#include "format/format.h"
#include "format/kdump.h"
#include "io/transfer.h"
#include "set/dump.h"

static const char flattened[DUMP_SIGNATURE] = FLATTENED_SIGNATURE;

/* A few bytes may be damaged: whoever reads on says so. */
static bool is_nearly(const uint8_t *bytes, const char *signature, size_t length)
{
	enum { WRONG_MAX = 2 };
	unsigned wrong = 0;

	for (size_t i = 0; i < length; i++)
		wrong += bytes[i] != (uint8_t)signature[i];
	return wrong <= WRONG_MAX;
}

enum dump_form dump_form_of(const uint8_t signature[DUMP_SIGNATURE])
{
	if (is_nearly(signature, KDUMP_SIGNATURE, KDUMP_SIGNATURE_LENGTH))
		return DUMP_PLAIN;
	return is_nearly(signature, flattened, DUMP_SIGNATURE) ? DUMP_FLATTENED : DUMP_NONE;
}

size_t dump_file_peek(const char *name, void *bytes, size_t len)
{
	struct stat st;
	int fd, errnum;
	size_t got;

	memset(bytes, 0, len);
	errno = ESPIPE;
	/* Standard input, even if a file has this name. */
	if (strcmp(name, "-") == 0 || stat(name, &st) < 0)
		return 0;
	errno = S_ISDIR(st.st_mode) ? EISDIR : S_ISREG(st.st_mode) ? 0 : ESPIPE;
	if (!S_ISBLK(st.st_mode) && !(S_ISREG(st.st_mode) && st.st_size))
		return 0;
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return 0;
	got = transfer_pread(fd, bytes, len, 0);
	errnum = got < len ? errno : 0;
	close(fd);
	errno = errnum;
	return got;
}

enum dump_form dump_recognise(const char *name)
{
	uint8_t signature[DUMP_SIGNATURE];
	size_t got = dump_file_peek(name, signature, sizeof(signature));

	return got == sizeof(signature) ? dump_form_of(signature) : DUMP_NONE;
}

enum status dump_file_open(struct dump_file *f, const char *name, enum dump_form form, struct error *e)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd >= 0)
		return dump_file_take(f, name, fd, form, e);
	*f = (struct dump_file){ .fd = -1 };
	return error_system(e, errno, "%s", name);
}

static enum status check_signature(struct dump_file *f, struct error *e)
{
	uint8_t signature[DUMP_SIGNATURE];

	if (transfer_pread(f->fd, signature, sizeof(signature), 0) < sizeof(signature) ||
	    !memcmp(signature, flattened, sizeof(signature)))
		return STATUS_OK;
	error_set(e, STATUS_DAMAGED, "%s: damaged: the signature of the flattened dump", f->name);
	return names_append(&f->findings, e->text, SIZE_MAX, e);
}

enum status dump_file_take(struct dump_file *f, const char *name, int fd, enum dump_form form, struct error *e)
{
	struct stat st;
	off_t end;

	*f = (struct dump_file){ .fd = fd, .name = strdup(name), .flattened = form == DUMP_FLATTENED };
	if (!f->name)
		return error_system(e, ENOMEM, "%s", name);
	if (fstat(f->fd, &st) < 0)
		return error_system(e, errno, "%s", name);
	f->identity = identity_of(&st);
	end = lseek(f->fd, 0, SEEK_END);
	if (end < 0)
		return error_system(e, errno, "%s", name);
	f->file_size = (uint64_t)end;
	f->stored = S_ISREG(st.st_mode) ? min_u64(f->file_size, (uint64_t)st.st_blocks * 512) : f->file_size;
	if (!f->flattened) {
		f->size = f->file_size;
		return STATUS_OK;
	}
	return check_signature(f, e) ? e->status : dump_file_find_pieces(f, e);
}

void dump_file_close(struct dump_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	free(f->pieces);
	free(f->damage);
	names_free(&f->findings);
	free(f->name);
	*f = (struct dump_file){ .fd = -1 };
}

/* What follows an offset: bytes at a place of the file, or zeros, and how many; a length of 0: it is not there. */
struct place {
	uint64_t length, at;
	bool zeros;
};

static struct place find_place(const struct dump_file *f, uint64_t offset, enum dump_holes holes)
{
	const struct dump_piece *piece;
	size_t i;

	if (!f->flattened)
		return (struct place){ .length = offset < f->size ? f->size - offset : 0, .at = offset };
	i = spans_find(f->pieces, sizeof(*f->pieces), f->count, offset);
	piece = i < f->count ? &f->pieces[i] : NULL;
	if (!piece || piece->offset > offset) {
		bool missing = holes == HOLES_MISSING || dump_file_is_cut(f);
		uint64_t end = piece ? piece->offset : max_u64(f->size, offset);

		return (struct place){ .length = missing ? 0 : end - offset, .zeros = true };
	}
	offset -= piece->offset;
	return (struct place){ piece->length - offset, piece->at + offset, piece->at == DUMP_ZEROS };
}

enum status dump_file_read(const struct dump_file *f, void *bytes, size_t len, uint64_t offset, enum dump_holes holes,
			   size_t *got, struct error *e)
{
	for (*got = 0; *got < len; ) {
		struct place place = find_place(f, offset + *got, holes);
		size_t some = min_u64(len - *got, place.length), read = some;
		uint8_t *to = (uint8_t *)bytes + *got;

		if (!some)
			return error_set(e, STATUS_MISSING, "%s: cut short: byte %" PRIu64 " of the dump is not "
					 "there", f->name, offset + *got);
		if (place.zeros)
			memset(to, 0, some);
		else
			read = transfer_pread(f->fd, to, some, place.at);
		*got += read;
		if (read == some)
			continue;
		if (errno)
			return error_system(e, errno, "%s: at byte %" PRIu64, f->name, place.at + read);
		return error_set(e, STATUS_MISSING, "%s: cut short: it ends before byte %" PRIu64, f->name,
				 place.at + some);
	}
	return STATUS_OK;
}

bool dump_file_has(const struct dump_file *f, uint64_t offset, uint64_t length, enum dump_holes holes)
{
	while (length) {
		uint64_t some = min_u64(length, find_place(f, offset, holes).length);

		if (!some)
			return false;
		offset += some;
		length -= some;
	}
	return true;
}

uint64_t dump_file_next_data(const struct dump_file *f, uint64_t offset)
{
	off_t data;

	if (f->flattened) {
		struct place place = find_place(f, offset, HOLES_ZERO);

		return place.zeros ? offset + place.length : place.length ? offset : f->size;
	}
	data = offset < f->size ? lseek(f->fd, (off_t)offset, SEEK_DATA) : -1;
	/* ENXIO: only a hole follows.  Other errors: there are no holes. */
	if (data < 0)
		return offset < f->size && errno != ENXIO ? offset : f->size;
	return min_u64((uint64_t)data, f->size);
}

/* --- recognising dumps among the files that were given, and explaining why others do not belong to them --- */

/* Is it empty, or are its first bytes zeros?  It may have been a part of a split dump. */
static bool is_blank(const char *name)
{
	uint8_t bytes[DUMP_SIGNATURE];
	size_t got = dump_file_peek(name, bytes, sizeof(bytes));

	return (got == sizeof(bytes) || !errno) && bytes_are_zero(bytes, sizeof(bytes));
}

/* The file is not a dump, but dump is one. */
static enum status refuse(const char *name, const char *dump, struct error *e)
{
	uint8_t bytes[DUMP_SIGNATURE];

	if (dump_file_peek(name, bytes, sizeof(bytes)) == sizeof(bytes) || !errno)
		return error_set(e, STATUS_NOT_OURS, "%s: is neither a dump, as %s is, nor a member of an nsplit set",
				 name, dump);
	if (errno == ESPIPE)
		return error_set(e, STATUS_USAGE, "%s: is a stream, and cannot be read together with the dump %s; "
				 "store it in a file first", name, dump);
	return error_system(e, errno, "%s", name);
}

enum status dump_recognise_all(const struct names *names, bool *all, struct error *e)
{
	const char *dump = NULL, *other = NULL;
	uint8_t bytes[DUMP_SIGNATURE];

	for (size_t i = 0; i < names->count; i++) {
		const char *name = names->names[i];
		const char **first = dump_recognise(name) == DUMP_NONE ? &other : &dump;

		if (!*first && !(first == &other && names->count > 1 && is_blank(name)))
			*first = name;
	}
	*all = dump && !other;
	if (!dump || !other)
		return STATUS_OK;
	/* With a member, the dump is what does not belong there. */
	for (size_t i = 0; i < names->count; i++)
		if (dump_file_peek(names->names[i], bytes, sizeof(bytes)) == sizeof(bytes) &&
		    piece_kind(bytes) == PIECE_SUPERBLOCK)
			return STATUS_OK;
	return refuse(other, dump, e);
}

/* --- what is known of a dump -------------------------------------------------------------- */

bool dump_lacks_files(const struct dump *d)
{
	size_t gaps = 0, unusable = 0;
	uint64_t at = 0;

	for (size_t i = 0; i < d->count; i++) {
		const struct dump_part *p = &d->parts[i];

		unusable += p->unusable != NULL;
		gaps += p->first_rank > at;
		at = max_u64(at, p->end_rank);
	}
	return gaps + (at < d->pages) > unusable;
}

bool dump_is_complete(const struct dump *d)
{
	for (size_t i = 0; i < d->count; i++)
		if (d->parts[i].unusable || dump_file_is_cut(&d->parts[i].file))
			return false;
	return !(d->flags & KDUMP_INCOMPLETE);
}

bool dump_is_intact(const struct dump *d)
{
	for (size_t i = 0; i < d->count; i++)
		if (d->parts[i].file.findings.count)
			return false;
	return dump_is_complete(d) && !d->findings.count;
}

uint64_t dump_stored(const struct dump *d)
{
	uint64_t stored = 0;

	for (size_t i = 0; i < d->count; i++)
		stored += d->parts[i].file.stored;
	return stored;
}

void dump_free(struct dump *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->count; i++) {
		dump_file_close(&d->parts[i].file);
		free(d->parts[i].unusable);
		free(d->parts[i].notes.bytes);
	}
	names_free(&d->findings);
	free(d->parts);
	free(d->head);
	free(d);
}
