# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For tests of kdump-tools-save: moves all paths below the test's own directory, and replaces the
# programs that mount and reboot by stubs.  The test makes vmcore.
# shellcheck source=tests/cli/kdump-lib.sh
. "${srcdir:?}/tests/cli/kdump-lib.sh"

need find nproc timeout
mkdir -p bin etc/default etc/init.d run sbin crash1 crash2

stub bin/systemd-escape <<- 'END'
	printf '%s.mount\n' "$(printf '%s' "$3" | sed 's|^/||; s|/|-|g')"
END
# Each line of the file units has UNIT STATE FRAGMENT, which answer LoadState, is-active and
# FragmentPath; the file started has what the service of kdump-tools calls.
stub bin/systemctl <<- END
	touch $PWD/units $PWD/started
	case \$* in
	*Version*) echo 252.39 ;;
	*ExecStart*) cat $PWD/started ;;
	*LoadState*) grep -q "^\$4 " $PWD/units && echo loaded || echo not-found ;;
	*FragmentPath*) sed -n "s|^\$4 [a-z]* *||p" $PWD/units ;;
	is-active*) grep -q "^\$3 active" $PWD/units ;;
	esac
END
stub bin/reboot <<- END
	echo "reboot \$*" >> $PWD/ended
END
stub etc/init.d/kdump-tools <<- END
	echo "kdump-tools \$*" >> $PWD/ended
END
stub bin/makedumpfile <<- 'END'
	echo 'log of makedumpfile' > "$4"
END
: | stub bin/sync
: | stub sbin/kdump-config
# The two parts of the program.
for part in save setup; do
	sed -e "s|@bindir@|$PWD/bin:$builddir|" -e "s|@pkgdatadir@|$PWD/share|" \
		-e "s|@pkglibexecdir@/kdump-tools-setup|$PWD/setup|" -e "s|@pkglibexecdir@/kdump-tools-save|$PWD/save|" \
		-e "s|@pkglibexecdir@|$srcdir/kdump/common|" -e "s|/etc/|$PWD/etc/|g" \
		-e "s|/proc/vmcore|$PWD/vmcore|g" -e "s|/sys/kernel|$PWD/sys|g" -e "s|/run/systemd|$PWD/run/systemd|" \
		-e "s|/usr/sbin/kdump-config|$PWD/sbin/kdump-config|" \
		-e "s|kdump_tools_path=/bin:|kdump_tools_path=$PWD/bin:|" \
		"$srcdir/kdump/debian/kdump-tools-$part.in" > $part
done
NSPLIT_CONFIG=$PWD/etc/nsplit.conf
NSPLIT_RUN=$PWD/run
export NSPLIT_CONFIG NSPLIT_RUN

# settings LINE...: sets these for kdump-tools, and resets everything else
settings() {
	rm -rf crash1/* crash2/* bin/nsplit bin/njoin units
	: > etc/nsplit.conf
	printf '%s\n' USE_KDUMP=1 "KDUMP_COREDIR=$PWD/crash1" "$@" > etc/default/kdump-tools
	echo "NSPLIT_DIRECTORIES='$PWD/crash2'" > etc/default/nsplit-kdump
}

# saves ENDED: kdump-tools-save ends by calling ENDED; the console is in the file err
saves() {
	rm -f ended
	expect_status 0 timeout -s KILL 60 sh save save
	[ "$(cat ended)" = "$1" ] || fail "it called $(cat ended) and not $1: $(cat err)"
}

# one FILE...: there is one FILE only; prints it
one() {
	[ $# -eq 1 ] && [ -f "$1" ] || fail "expected one file, not: $*"
	printf '%s\n' "$1"
}
