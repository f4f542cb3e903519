// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "io/existing.h"
#include "io/transfer.h"

/* --- owners --------------------------------------------------------------------------- */

/*
 * "1000 (NAME)", or only the number.  Reads /etc/passwd: getpwuid() may query the network, and
 * needs shared libraries even in a static program.
 */
static void name_of(uid_t user, char *text, size_t size)
{
	FILE *file = fopen("/etc/passwd", "re");
	struct passwd buffer = { 0 }, *entry;
	char line[1024];

	snprintf(text, size, "%u", (unsigned)user);
	while (file && fgetpwent_r(file, &buffer, line, sizeof(line), &entry) == 0)
		if (entry->pw_uid == user) {
			snprintf(text, size, "%u (%s)", (unsigned)user, entry->pw_name);
			break;
		}
	if (file)
		fclose(file);
}

/* What the shell has opened: it is continued and not replaced. */
static bool is_descriptor(const char *name)
{
	return !strncmp(name, "/dev/std", 8) || !strncmp(name, "/dev/fd/", 8) || !strncmp(name, "/proc/self/fd/", 14);
}

/* What the sentence says about the owner. */
enum why { WITH_OPTION, WITHOUT_OPTION, SIDE_FILE };

static enum status refuse_owner(const struct stat *st, const char *name, enum why why, struct error *e)
{
	const char *kind = S_ISREG(st->st_mode) ? "file" :
			   S_ISFIFO(st->st_mode) ? "named pipe" : "symbolic link";
	char user[64];

	if (st->st_uid == geteuid() || st->st_uid == 0 || is_descriptor(name))
		return STATUS_OK;
	if (!S_ISREG(st->st_mode) && !S_ISFIFO(st->st_mode) && !S_ISLNK(st->st_mode))
		return STATUS_OK;
	name_of(st->st_uid, user, sizeof(user));
	if (why == WITH_OPTION)
		return error_set(e, STATUS_USAGE, "%s: is a %s owned by user %s, who could read the dump; use --any-owner to "
				 "write to it", name, kind, user);
	if (why == WITHOUT_OPTION)
		return error_set(e, STATUS_USAGE, "%s: is a %s owned by user %s, who could read what is written to it", name,
				 kind, user);
	return error_set(e, STATUS_USAGE, "%s: is a %s owned by user %s, who could read and change it", name, kind, user);
}

static enum status refuse_owner_of_name(const char *name, enum why why, struct error *e)
{
	enum status status = STATUS_OK;
	struct stat st;

	if (lstat(name, &st) == 0)
		status = refuse_owner(&st, name, why, e);
	if (!status && stat(name, &st) == 0)
		status = refuse_owner(&st, name, why, e);
	return status;
}

enum status owner_refuse(const struct stat *st, const char *name, struct error *e)
{
	return refuse_owner(st, name, WITH_OPTION, e);
}

enum status owner_refuse_name(const char *name, bool has_option, struct error *e)
{
	return refuse_owner_of_name(name, has_option ? WITH_OPTION : WITHOUT_OPTION, e);
}

/* Root's group, or that of this user alone, which has the user's number. */
static bool is_own_group(gid_t group)
{
	return group == 0 || (group == getegid() && group == geteuid());
}

/* The sticky bit of a directory keeps others from replacing what is not theirs. */
static enum status refuse_writers(const char *path, const char *part, const struct stat *st, struct error *e)
{
	bool directory = S_ISDIR(st->st_mode);
	mode_t others = is_own_group(st->st_gid) ? S_IWOTH : S_IWGRP | S_IWOTH;
	bool open = st->st_mode & others && !(directory && st->st_mode & S_ISVTX);
	char user[64];

	if (S_ISLNK(st->st_mode))
		open = false;
	if (!open && (st->st_uid == geteuid() || st->st_uid == 0))
		return STATUS_OK;
	name_of(st->st_uid, user, sizeof(user));
	return error_set(e, STATUS_USAGE, "%s: others may change it: %s has the owner %s and the mode %04o", path,
			 part, user, (unsigned)st->st_mode & 07777);
}

/* Each directory and link of a path; nobody can replace "/". */
static enum status refuse_writers_of(const char *path, const char *name, struct error *e)
{
	char part[PATH_MAX];
	struct stat st;

	for (size_t end = 1; end <= strlen(path); end++) {
		if (path[end] && path[end] != '/')
			continue;
		snprintf(part, sizeof(part), "%.*s", (int)end, path);
		if (lstat(part, &st) == 0 && S_ISLNK(st.st_mode) && refuse_writers(name, part, &st, e))
			return e->status;
		if (stat(part, &st) == 0 && refuse_writers(name, path[end] ? part : name, &st, e))
			return e->status;
	}
	return STATUS_OK;
}

enum status writers_refuse(const char *path, struct error *e)
{
	char real[PATH_MAX];

	if (realpath(path, real) && refuse_writers_of(real, path, e))
		return e->status;
	return refuse_writers_of(path, path, e);
}

/* --- contents ------------------------------------------------------------------------- */

/* What the pieces of a member begin with, and bytes in one of them at the end: doc/format.md. */
static const char superblock[] = "nsplitSB", footer[] = "nsplitFT";
enum { MAGIC = 8, FOOTER_PIECE = 4096, HEAD = 24 };

/* In either byte order, for a machine of either. */
static bool is_elf_core(const uint8_t head[HEAD])
{
	return memcmp(head, ELFMAG, SELFMAG) == 0 && (head[EI_DATA] == ELFDATA2MSB ? head[17] : head[16]) == ET_CORE;
}

/* Also those of other programs: LiME, and Windows with 32 and 64 bits. */
static bool is_dump(const uint8_t head[HEAD])
{
	static const char flattened[16] = "makedumpfile";
	static const char *const magics[] = { "KDUMP   ", "DISKDUMP", "EMiL\1\0\0", "PAGEDUMP", "PAGEDU64" };

	for (size_t i = 0; i < sizeof(magics) / sizeof(*magics); i++)
		if (memcmp(head, magics[i], MAGIC) == 0)
			return true;
	return memcmp(head, flattened, sizeof(flattened)) == 0;
}

/* Of gzip, bzip2, xz, zstd (two: also of pzstd), lz4 (two forms), lzop, lzip, compress, zip and 7z. */
static bool is_packed(const uint8_t head[HEAD])
{
	static const char *const magics[] = {
		"\37\213\10", "BZh", "\3757zXZ", "\50\265\57\375", "\120\52\115\30", "\4\42\115\30", "\2\41\114\30",
		"\211LZO", "LZIP", "\37\235", "PK\3\4", "7z\274\257",
	};

	for (size_t i = 0; i < sizeof(magics) / sizeof(*magics); i++)
		if (memcmp(head, magics[i], strlen(magics[i])) == 0)
			return true;
	return false;
}

/* Its superblock may be damaged.  The position is kept: standard input is read from there. */
static bool ends_with_footer(int fd)
{
	char magic[MAGIC];
	off_t position = lseek(fd, 0, SEEK_CUR), end = position < 0 ? -1 : lseek(fd, 0, SEEK_END);

	if (position >= 0 && lseek(fd, position, SEEK_SET) != position)
		return false;
	return end >= FOOTER_PIECE &&
	       transfer_pread(fd, magic, MAGIC, (uint64_t)(end - end % FOOTER_PIECE) - FOOTER_PIECE) == MAGIC &&
	       memcmp(magic, footer, MAGIC) == 0;
}

enum holding holding_of_head(int fd)
{
	uint8_t head[HEAD] = { 0 };

	transfer_pread(fd, head, HEAD, 0);
	if (memcmp(head, superblock, MAGIC) == 0)
		return HOLDS_MEMBER;
	if (is_elf_core(head))
		return HOLDS_CORE;
	if (is_dump(head))
		return HOLDS_DUMP;
	return is_packed(head) ? HOLDS_PACKED : HOLDS_OTHER;
}

enum holding holding_of_fd(int fd)
{
	enum holding holding = holding_of_head(fd);

	return holding == HOLDS_OTHER && ends_with_footer(fd) ? HOLDS_MEMBER : holding;
}

enum holding holding_of(const char *name)
{
	enum holding holding = HOLDS_OTHER;
	struct stat st;
	int fd;

	if (stat(name, &st) < 0 || (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode)))
		return HOLDS_OTHER;
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return HOLDS_OTHER;
	/* On a device, the footer of an old member remains where something else was made since then. */
	holding = S_ISBLK(st.st_mode) ? holding_of_head(fd) : holding_of_fd(fd);
	close(fd);
	return holding;
}

const char *holding_text(enum holding holding)
{
	static const char *const texts[] = {
		[HOLDS_OTHER] = "another file", [HOLDS_CORE] = "a core", [HOLDS_DUMP] = "a dump",
		[HOLDS_MEMBER] = "a member", [HOLDS_PACKED] = "a compressed file, perhaps a core",
	};

	return texts[holding];
}

enum status holding_refuse(enum holding holding, const char *name, struct error *e)
{
	if (holding == HOLDS_OTHER)
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, "%s: is %s; use --overwrite-dumps to overwrite it", name, holding_text(holding));
}

/* --- both ----------------------------------------------------------------------------- */

enum status existing_refuse(const char *name, const struct stat *st, unsigned permits, struct error *e)
{
	bool file = S_ISREG(st->st_mode);

	if (!file && !S_ISBLK(st->st_mode) && !S_ISCHR(st->st_mode) && !S_ISFIFO(st->st_mode))
		return error_set(e, STATUS_USAGE, "%s: is a %s; an output must be a file or a device", name,
				 S_ISDIR(st->st_mode) ? "directory" : "socket");
	if (file && !(permits & PERMIT_OVERWRITE && permits & PERMIT_DUMPS) &&
	    holding_refuse(holding_of(name), name, e))
		return e->status;
	if ((file || S_ISBLK(st->st_mode)) && !(permits & PERMIT_OVERWRITE))
		return error_set(e, STATUS_USAGE, "%s: %s; use -f to overwrite", name,
				 file ? "already exists" : "is a block device");
	return permits & PERMIT_ANY_OWNER ? STATUS_OK : owner_refuse_name(name, true, e);
}

static enum status probe_stdout(struct identity *id, struct error *e)
{
	struct stat st;

	if (fstat(STDOUT_FILENO, &st) < 0)
		return error_system(e, errno, "standard output");
	if (isatty(STDOUT_FILENO))
		return error_set(e, STATUS_USAGE, "standard output: is a terminal; refusing to write binary data to it");
	*id = identity_of(&st);
	return STATUS_OK;
}

enum status existing_probe(const char *name, unsigned permits, struct identity *id, struct error *e)
{
	struct stat st;

	*id = (struct identity){ 0 };
	if (strcmp(name, "-") == 0)
		return probe_stdout(id, e);
	if (stat(name, &st) == 0) {
		*id = identity_of(&st);
		return existing_refuse(name, &st, permits, e);
	}
	if (errno != ENOENT)
		return error_system(e, errno, "%s", name);
	if (lstat(name, &st) == 0)
		return error_set(e, STATUS_USAGE, "%s: is a dangling symbolic link", name);
	return STATUS_OK;
}

/* --- side files ----------------------------------------------------------------------- */

enum { SIDE_FILE_MODE = 0600 };		/* names of outputs, and what the capture found */

static bool is_ours(const struct side_file *f, const char *head, size_t length)
{
	const char *const *word = f->signs, *at = head, *end = head + length;

	if (length < strlen(*word) || memcmp(head, *word, strlen(*word)) != 0)
		return false;
	for (; at && *word; word++) {
		at = memmem(at, (size_t)(end - at), *word, strlen(*word));
		if (at)
			at += strlen(*word);
	}
	return at;
}

static enum status refuse_contents(const struct side_file *f, int fd, struct error *e)
{
	char head[SIDE_FILE_HEAD];
	size_t length = transfer_pread(fd, head, sizeof(head), 0);

	if (!length || is_ours(f, head, length))
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, "%s: is %s; only a file that %s has written is replaced", f->name,
			 holding_text(holding_of_fd(fd)), f->called);
}

static enum status refuse_name(const struct side_file *f, struct error *e)
{
	enum status status;
	struct stat st;
	int fd;

	if (is_descriptor(f->name) || stat(f->name, &st) < 0)
		return STATUS_OK;
	status = refuse_owner_of_name(f->name, SIDE_FILE, e);
	if (!status && S_ISBLK(st.st_mode))
		return error_set(e, STATUS_USAGE, "%s: is a block device", f->name);
	if (status || !S_ISREG(st.st_mode))
		return status;
	fd = open(f->name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return error_system(e, errno, "%s", f->name);
	status = refuse_contents(f, fd, e);
	close(fd);
	return status;
}

enum status side_file_refuse(const struct side_file *f, struct error *e)
{
	return refuse_name(f, e) ? error_prefix(e, "%s=", f->called) : STATUS_OK;
}

/* The file may have been replaced since its name was looked at. */
static enum status empty(const struct side_file *f, int fd, struct error *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return error_system(e, errno, "%s", f->name);
	if (!S_ISREG(st.st_mode) || is_descriptor(f->name))
		return STATUS_OK;
	if (refuse_owner(&st, f->name, SIDE_FILE, e) || refuse_contents(f, fd, e))
		return e->status;
	/* A file system without modes refuses the first. */
	if ((fchmod(fd, SIDE_FILE_MODE) < 0 && errno != EPERM && errno != ENOTSUP) || ftruncate(fd, 0) < 0)
		return error_system(e, errno, "%s", f->name);
	return STATUS_OK;
}

/* Reading is for empty(). */
static int open_existing(const struct side_file *f)
{
	struct stat st;
	bool replaced = !is_descriptor(f->name) && stat(f->name, &st) == 0 && S_ISREG(st.st_mode);

	return open(f->name, (replaced ? O_RDWR : O_WRONLY | O_APPEND) | O_CLOEXEC | O_NOCTTY);
}

enum status side_file_open(const struct side_file *f, FILE **file, struct error *e)
{
	int fd = open(f->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, SIDE_FILE_MODE);
	enum status status = STATUS_OK;

	if (fd < 0 && errno == EEXIST) {
		status = side_file_refuse(f, e);
		if (status)
			return status;
		fd = open_existing(f);
		if (fd >= 0)
			status = empty(f, fd, e);
	}
	if (fd < 0)
		return path_creation_error(e, errno, f->name);
	*file = status ? NULL : fdopen(fd, "w");
	if (*file)
		return STATUS_OK;
	if (!status)
		status = error_system(e, errno, "%s", f->name);
	close(fd);
	return status;
}

/* --- FILE.sha256 beside a dump: a line of sha256sum --------------------------------------- */

/* A digest, two spaces, a name in which each byte may take two, and what encloses it. */
enum { LINE_LENGTH = DIGEST_TEXT_LENGTH + 2 * NAME_MAX + 8, DIGEST_MODE = 0600 };

static bool name_digest_file(const char *file, char name[PATH_MAX])
{
	int len = snprintf(name, PATH_MAX, "%s.sha256", file);

	return len >= 0 && len < PATH_MAX;
}

/* Of a name with a newline or backslash, these are escaped, and a backslash begins the line.  Returns the length. */
static size_t make_line(const char *file, const uint8_t sum[DIGEST_LENGTH], char line[LINE_LENGTH])
{
	const char *name = path_base(file);
	bool escaped = strpbrk(name, "\\\n");
	size_t at = 0;

	if (escaped)
		line[at++] = '\\';
	hex_format(sum, DIGEST_LENGTH, line + at);
	at += DIGEST_TEXT_LENGTH;
	line[at++] = ' ';
	line[at++] = ' ';
	for (; *name && at + 3 < LINE_LENGTH; name++) {
		if (*name == '\\' || *name == '\n')
			line[at++] = '\\';
		line[at++] = *name == '\n' ? 'n' : *name;
	}
	line[at++] = '\n';
	return at;
}

static enum status write_line(int fd, const char *name, const char *line, size_t len, struct error *e)
{
	int errnum = 0;

	if (transfer_write(fd, line, len) != len || fsync(fd) < 0)
		errnum = errno;
	if (close(fd) < 0 && !errnum)
		errnum = errno;
	return errnum ? error_system(e, errnum, "%s", name) : path_sync_directory(name, e);
}

/* A line of sha256sum, and nothing else; or a symbolic link, of which only itself is removed. */
static bool is_digest_file(const char *name)
{
	char line[LINE_LENGTH], target[1];
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	size_t length = fd < 0 ? 0 : transfer_pread(fd, line, sizeof(line), 0), at = 0;

	if (fd >= 0)
		close(fd);
	if (readlink(name, target, sizeof(target)) > 0)
		return true;
	at += length && line[0] == '\\';
	for (size_t i = 0; i < DIGEST_TEXT_LENGTH; i++, at++)
		if (at >= length || !strchr("0123456789abcdef", line[at]) || !line[at])
			return fd >= 0 && !length;	/* of a disk that was full */
	return at + 2 < length && line[at] == ' ' && line[at + 1] == ' ' && line[length - 1] == '\n' &&
	       memchr(line, '\n', length) == line + length - 1;
}

enum status digest_file_write(const char *file, const uint8_t sum[DIGEST_LENGTH], struct error *e)
{
	char name[PATH_MAX], line[LINE_LENGTH];
	size_t len = make_line(file, sum, line);
	enum status status;
	int fd;

	if (!name_digest_file(file, name))
		return error_system(e, ENAMETOOLONG, "%s.sha256", file);
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, DIGEST_MODE);
	if (fd < 0 && errno != EEXIST)
		return path_creation_error(e, errno, name);
	if (fd < 0 && !is_digest_file(name))
		return error_set(e, STATUS_USAGE, "%s: is another file; only a file that --digest has written is replaced",
				 name);
	if (fd < 0)
		return error_set(e, STATUS_USAGE, "%s: already exists; use -f to overwrite it", name);
	status = write_line(fd, name, line, len, e);
	if (status)
		unlink(name);
	return status;
}

void digest_file_remove(const char *file)
{
	char name[PATH_MAX];

	if (name_digest_file(file, name) && is_digest_file(name))
		unlink(name);
}
