// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "system/kdump_find.h"

static const char units[] = "/etc/systemd/system";
static const char initramfs_config[] = "/etc/initramfs-tools/conf.d/nsplit";
static const char release_file[] = "/proc/sys/kernel/osrelease";

/* Where the scripts look for programs. */
static const char *const directories[] = { "/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/bin" };

void kdump_release(const char *root, char release[128])
{
	if (!rooted_line(root, release_file, release, 128))
		*release = '\0';
}

/* --- the collector ------------------------------------------------------------------------------ */

static const char *base_of(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

static bool is_nsplit(const char *name)
{
	return strcmp(base_of(name), "nsplit") == 0;
}

bool kdump_find_program(const char *root, const char *name, struct rooted *program)
{
	char path[PATH_MAX];

	if (strchr(name, '/'))
		return rooted_find(root, name, program);
	for (size_t i = 0; i < sizeof(directories) / sizeof(*directories); i++)
		if ((size_t)snprintf(path, sizeof(path), "%s/%s", directories[i], name) < sizeof(path) &&
		    rooted_find(root, path, program))
			return true;
	return false;
}

void kdump_set_caller(const char *root, struct kdump_system *kdump)
{
	if (!kdump_find_program(root, kdump->collector, &kdump->program))
		kdump->caller = KDUMP_CALLS_MISSING;
	else if (is_nsplit(kdump->collector))
		kdump->caller = KDUMP_CALLS_NSPLIT;
	else
		kdump->caller = is_nsplit(kdump->program.name) ? KDUMP_CALLS_LINK : KDUMP_CALLS_OTHER;
}

void kdump_set_collector(struct kdump_system *kdump, const char *command)
{
	size_t length = strcspn(command, " \t");

	memcpy(kdump->collector, command, length);
	kdump->collector[length] = '\0';
	command += length;
	command += strspn(command, " \t");
	memmove(kdump->options, command, strlen(command) + 1);
}

/* --- whether it is enabled ---------------------------------------------------------------------- */

static bool ends_in_wants(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && (strcmp(dot, ".wants") == 0 || strcmp(dot, ".requires") == 0);
}

static bool is_wanted(const char *root, const char *target, const char *service)
{
	char name[PATH_MAX];
	struct rooted found;

	snprintf(name, sizeof(name), "%s/%s/%s", units, target, service);
	return rooted_find(root, name, &found);
}

/* As systemctl enable does it: by a link in a directory of a unit that wants it. */
bool kdump_is_enabled(const char *root, const char *service)
{
	struct rooted found;
	struct dirent *entry;
	bool enabled = false;
	DIR *directory;

	/* Without systemd, this cannot be known, and nothing is reported. */
	if (!rooted_find(root, units, &found))
		return true;
	directory = opendir(found.path);
	if (!directory)
		return true;
	// cppcheck-suppress readdirCalled
	while ((entry = readdir(directory)))
		enabled |= ends_in_wants(entry->d_name) && is_wanted(root, entry->d_name, service);
	closedir(directory);
	return enabled;
}

/* --- the capture kernel's CPUs ------------------------------------------------------------------ */

static const char white[] = " \t\r\n";

/* The number of a word; least: smaller ones are ignored.  0: it limits nothing. */
static unsigned cpus_of(const char *word, const char *key, unsigned least)
{
	size_t length = strlen(key), digits;
	unsigned long number;

	if (strncmp(word, key, length) != 0)
		return 0;
	word += length;
	digits = strspn(word, "0123456789");
	if (!digits || (word[digits] && !strchr(white, word[digits])))
		return 0;
	number = strtoul(word, NULL, 10);
	if (number < least || number > INT_MAX)
		return 0;
	return number ? (unsigned)number : 1;
}

unsigned kdump_fewer_cpus(unsigned a, unsigned b)
{
	return !a || (b && b < a) ? b : a;
}

unsigned kdump_cpus_in(const char *words)
{
	unsigned cpus = 0;

	while (*(words += strspn(words, white))) {
		/* maxcpus=0 starts no further CPU; nr_cpus=0 is ignored. */
		cpus = kdump_fewer_cpus(cpus, cpus_of(words, "nr_cpus=", 1));
		cpus = kdump_fewer_cpus(cpus, cpus_of(words, "maxcpus=", 0));
		words += strcspn(words, white);
	}
	return cpus;
}

unsigned kdump_cpus_set(const char *root, const char *file, const char *const keys[2], const char *absent)
{
	char value[SETTING_LENGTH];
	unsigned cpus;

	kdump_get(root, file, keys[0], "", value);
	cpus = kdump_cpus_in(value);
	kdump_get(root, file, keys[1], absent, value);
	return kdump_fewer_cpus(cpus, kdump_cpus_in(value));
}

/* --- settings ----------------------------------------------------------------------------------- */

void kdump_get(const char *root, const char *file, const char *key, const char *absent,
	       char value[SETTING_LENGTH])
{
	if (!setting_of_shell(root, file, key, value) || !*value)
		snprintf(value, SETTING_LENGTH, "%s", absent);
}

void kdump_set_initramfs(const char *root, const char *name, struct kdump_system *kdump)
{
	snprintf(kdump->initramfs_wanted, sizeof(kdump->initramfs_wanted), "%s", name);
	if (!rooted_find(root, name, &kdump->initramfs))
		*kdump->initramfs.path = '\0';
}

bool kdump_captures_in_initramfs(const char *root)
{
	char value[SETTING_LENGTH];

	return setting_of_shell(root, initramfs_config, "NSPLIT_CAPTURE", value) && strcmp(value, "y") == 0;
}
