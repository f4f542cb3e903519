#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Members are private: mode 0600, with any umask, and for existing files.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

echo data > core

for mask in 000 022 077 0777; do
	(umask $mask && nsplit -q core "new-$mask") || fail "umask $mask"
	[ "$(stat -c %a "new-$mask")" = 600 ] ||
		fail "umask $mask gives $(stat -c %a "new-$mask")"
done
echo old > old
chmod 666 old
expect_status 0 nsplit -q --overwrite-dumps core old
[ "$(stat -c %a old)" = 600 ] || fail "an old file keeps mode $(stat -c %a old)"

# So are the files that commands create, unless the commands set a mode.
(
	umask 022
	expect_status 0 nsplit -q '--filter=cat > "$FILE"' core '|cat > c0' '|umask 022; cat > c1' f
)
[ "$(stat -c %a c0 c1 f | tr '\n' ' ')" = '600 644 600 ' ] || fail "$(stat -c '%n %a' c0 c1 f)"
