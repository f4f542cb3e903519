#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit --drill with commands: a small core, the commands of drill-remove, and each fallback by itself.
# shellcheck source=tests/cli/drill-lib.sh
. "${srcdir:?}/tests/cli/drill-lib.sh"

sent='nsplit: drill: 16.0 MiB in N; N written; MEMORY; not verified, since not all of it can be read here'

# The size is that of a small core by itself.
drill 0 -c /proc/vmcore '|cat > a'
expect_err "$(began '16.0 MiB')
nsplit: drill: what 'cat > a' has stored is still there; remove it, or set drill-remove in nsplit.conf
$sent"
expect_status 0 njoin -q --verify a
rm a
# Beside a file, which is removed; with braces, which nsplit expands.
drill 0 -c /proc/vmcore '|cat > a{1..2}' b
expect_err "$(began '16.0 MiB')
nsplit: drill: what 'cat > a1' has stored is still there; remove it, or set drill-remove in nsplit.conf
nsplit: drill: what 'cat > a2' has stored is still there; remove it, or set drill-remove in nsplit.conf
$sent; removed"
absent b
rm a1 a2

# drill-remove, with the same stamp.
echo 'drill-remove = rm "a{1..2}-{now}"' > conf
NSPLIT_CONFIG=$PWD/conf drill 0 -c /proc/vmcore '|cat > a{1..2}-{now}'
expect_err "$(began '16.0 MiB')
$sent"
absent a*
# Several, of which one fails.
printf 'drill-remove = rm a\ndrill-remove = exit 3\ndrill-remove = echo run > removed\n' > conf
NSPLIT_CONFIG=$PWD/conf drill 1 -q -c /proc/vmcore '|cat > a'
expect_err "nsplit: drill: drill-remove: 'exit 3' failed with exit status 3
nsplit: drill failed: drill-remove: 'exit 3' failed with exit status 3"
absent a
rm removed
# Not without need.
NSPLIT_CONFIG=$PWD/conf drill 0 -q $size -c /proc/vmcore a
expect_err ''
absent removed
# Nor if the command is not run.
NSPLIT_CONFIG=$PWD/conf drill 1 -q -c /proc/vmcore nowhere/b --fallback=nowhere/c
absent removed

# A command that fails.
drill 1 -q -c /proc/vmcore '|cat > /dev/null; exit 4'
expect_err "nsplit: |cat > /dev/null; exit 4: exited with status 4; given up, no output is left
nsplit: nothing was captured: every output failed
nsplit: drill: what 'cat > /dev/null; exit 4' has stored is still there; remove it, or set drill-remove in nsplit.conf
nsplit: drill failed: 0 B in N; N written; MEMORY; 1 of 1 output failed: |cat > /dev/null; exit 4: exited with status 4"

# Fallbacks.
drill 0 $size -c --fallback=b --fallback='|cat > c' /proc/vmcore a
expect_err "$(began '8.0 MiB')
nsplit: drill: fallback b.drill: 16.0 MiB in N; N written; MEMORY; verified and removed
nsplit: drill: fallback |cat > c: 16.0 MiB in N; N written; MEMORY; not verified, since not all of it can be read here
nsplit: drill: what 'cat > c' has stored is still there; remove it, or set drill-remove in nsplit.conf
$(ended '8.0 MiB')"
absent a b
rm c
drill 1 -q $size -c --fallback=nowhere/b /proc/vmcore a
expect_err "nsplit: nowhere/b.drill: the directory nowhere does not exist; given up, no output is left
nsplit: nothing was captured: every output failed
nsplit: drill failed: fallback nowhere/b.drill: 0 B in N; N written; MEMORY; 1 of 1 output failed: nowhere/b.drill: the directory nowhere does not exist; removed
nsplit: drill failed: fallback nowhere/b.drill has failed"
# Of a core that is there, the fallback gets made-up data, too.
mkfakevmcore -s 3000000 core
drill 0 -c -d0 --fallback=b core a
expect_err "nsplit: drill: source: core; memory: 60.0 MiB; CPUs: N
nsplit: drill: fallback b.drill: 16.0 MiB in N; N written; MEMORY; verified and removed
$(ended '2.9 MiB')"
# The first output fails, and its fallback takes its place, as after a crash.
drill 1 -q $size -c --fallback=b /proc/vmcore nowhere/a
expect_err "nsplit: nowhere/a.drill: the directory nowhere does not exist; given up, continuing on the fallback b.drill
nsplit: drill failed: 8.0 MiB in N; N written; MEMORY; 1 of 1 output failed: nowhere/a.drill: the directory nowhere does not exist; verified and removed"
absent a b

# What a filter stores need not be a file of that name.
# shellcheck disable=SC2016 # for nsplit
drill 0 -q $size -c --filter='cat > "$FILE.kept"' /proc/vmcore a
expect_err "nsplit: drill: a.drill: it is not known where the filter has stored this; remove it, or set drill-remove in nsplit.conf"
rm a.drill.kept
echo 'drill-remove = rm a.drill.kept' > conf
# shellcheck disable=SC2016 # for nsplit
NSPLIT_CONFIG=$PWD/conf drill 0 $size -c --filter='cat > "$FILE.kept"' /proc/vmcore a
expect_err "$(began '8.0 MiB')
nsplit: drill: 8.0 MiB in N; N written; MEMORY; not verified, since not all of it can be read here"
absent a a.drill.kept

# The key.
expect_usage nsplit "unknown option '--drill-remove'; do you mean '--drill-memory'?" --drill-remove=true /proc/vmcore a
echo 'drill-remove =' > conf
NSPLIT_CONFIG=$PWD/conf expect_status 2 nsplit --drill /proc/vmcore a
expect_err 'nsplit: '"$PWD"'/conf:1: drill-remove: the command is empty'
