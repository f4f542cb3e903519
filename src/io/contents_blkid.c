// SPDX-License-Identifier: GPL-2.0-or-later
/* The contents of a block device, found by libblkid.  The only file that includes its header. */
#include "config.h"

#include <blkid.h>
#include <errno.h>
#include <string.h>

#include "io/existing.h"

/* More signatures than any device has; limits the loop if one cannot be erased. */
enum { SIGNATURES_MAX = 100 };

/* A probe for all signatures that libblkid knows; NULL with errno on failure. */
static blkid_probe new_probe(int fd)
{
	blkid_probe probe = blkid_new_probe();

	if (!probe) {
		errno = ENOMEM;
		return NULL;
	}
	errno = 0;
	/* BADCSUM: damaged file systems count.  FORCE_GPT: so does a GPT with only its backup left. */
	if (blkid_probe_set_device(probe, fd, 0, 0) == 0 &&
	    blkid_probe_enable_superblocks(probe, 1) == 0 &&
	    blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE |
					      BLKID_SUBLKS_LABEL | BLKID_SUBLKS_MAGIC |
					      BLKID_SUBLKS_BADCSUM) == 0 &&
	    blkid_probe_enable_partitions(probe, 1) == 0 &&
	    blkid_probe_set_partitions_flags(probe, BLKID_PARTS_MAGIC |
					     BLKID_PARTS_FORCE_GPT) == 0)
		return probe;
	if (!errno)
		errno = EIO;
	blkid_free_probe(probe);
	return NULL;
}

/* 0: found the next signature; 1: no more; negative, with errno: the device cannot be read. */
static int next_signature(blkid_probe probe)
{
	int found;

	errno = 0;
	found = blkid_do_probe(probe);
	if (found < 0 && !errno)
		errno = EIO;
	return found;
}

/* A value of the signature found; "" if it has none. */
static const char *value_of(blkid_probe probe, const char *name)
{
	const char *value;

	return blkid_probe_lookup_value(probe, name, &value, NULL) == 0 ? value : "";
}

/* The kind of contents, for the message. */
static const char *kind_of(const char *usage, const char *type)
{
	if (strcmp(type, "LVM2_member") == 0 || strcmp(type, "LVM1_member") == 0)
		return "an LVM physical volume";
	if (strcmp(type, "swap") == 0)
		return "swap space";
	if (strcmp(usage, "filesystem") == 0)
		return "a file system";
	if (strcmp(usage, "raid") == 0)
		return "a member of a RAID array";
	if (strcmp(usage, "crypto") == 0)
		return "encrypted data";
	return *usage ? "data" : "a partition table";
}

static enum status refuse(blkid_probe probe, const char *name, struct error *e)
{
	const char *usage = value_of(probe, "USAGE");
	const char *type = value_of(probe, *usage ? "TYPE" : "PTTYPE");
	const char *kind = kind_of(usage, type);
	const char *label = value_of(probe, "LABEL");

	if (*label)
		return error_set(e, STATUS_USAGE, "%s: contains %s (%s, labelled '%s'); "
				 "use --overwrite-devices to overwrite", name, kind, type, label);
	return error_set(e, STATUS_USAGE, "%s: contains %s (%s); use --overwrite-devices to overwrite",
			 name, kind, type);
}

enum status contents_refuse(int fd, const char *name, struct error *e)
{
	blkid_probe probe = new_probe(fd);
	enum status status = STATUS_OK;
	int found;

	if (!probe)
		return error_system(e, errno, "%s", name);
	found = next_signature(probe);
	if (found == 0)
		status = refuse(probe, name, e);
	else if (found < 0)
		status = error_system(e, errno, "%s", name);
	blkid_free_probe(probe);
	return status;
}

void contents_erase(int fd)
{
	blkid_probe probe = new_probe(fd);

	if (!probe)
		return;
	for (int i = 0; i < SIGNATURES_MAX; i++)
		if (next_signature(probe) != 0 || blkid_do_wipe(probe, 0) < 0)
			break;
	blkid_free_probe(probe);
}
