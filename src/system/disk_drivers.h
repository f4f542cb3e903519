// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel modules that a block device needs. */
#ifndef NSPLIT_SYSTEM_DISK_DRIVERS_H
#define NSPLIT_SYSTEM_DISK_DRIVERS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/names.h"

/*
 * Appends the modules of the drivers of a block device, of each bus that it is connected to, and of the
 * devices that it is made of, as with LVM.  STATUS_MISSING: sysfs does not know the device, as with a file system
 * of the network, or with btrfs.
 */
enum status disk_drivers_of(const char *root, dev_t device, struct names *modules, struct error *e);

/*
 * Is a module part of the kernel of this release?  *known: false if its list cannot be read.  The kernel takes
 * - and _ in the names of modules for the same.
 */
bool module_is_built_in(const char *root, const char *module, bool *known);

/* Is the file, such as "kernel/fs/ext4/ext4.ko.xz", the module of this name? */
bool module_is_file(const char *module, const char *file);

#endif
