// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <dirent.h>
#include <string.h>

#include "system/network.h"
#include "system/rooted.h"

static const char interfaces[] = "/sys/class/net";

/* Virtual interfaces, such as tunnels, do not know their state. */
static bool is_up(const char *root, const char *interface)
{
	char name[PATH_MAX], state[32];

	snprintf(name, sizeof(name), "%s/%s/operstate", interfaces, interface);
	return rooted_line(root, name, state, sizeof(state)) &&
	       (strcmp(state, "up") == 0 || strcmp(state, "unknown") == 0);
}

enum network_state network_of(const char *root)
{
	enum network_state network = NETWORK_DOWN;
	struct rooted found;
	struct dirent *entry;
	DIR *directory;

	if (!rooted_find(root, interfaces, &found))
		return NETWORK_UNKNOWN;
	directory = opendir(found.path);
	if (!directory)
		return NETWORK_UNKNOWN;
	// cppcheck-suppress readdirCalled
	while ((entry = readdir(directory)))
		if (entry->d_name[0] != '.' && strcmp(entry->d_name, "lo") != 0 && is_up(root, entry->d_name))
			network = NETWORK_UP;
	closedir(directory);
	return network;
}
