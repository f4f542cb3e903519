# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What stages share.  The runner and each stage read this file in the top directory.  The runner has
# made the directory $work, with logs in log, temporary files in tmp, builds, and bare systems.
#
# Most variables are for stages.
# shellcheck disable=SC2034

set -euo pipefail

top=$PWD
: "${work:?is made by the runner}" "${nightly?is set by the runner}"
export LC_ALL=C DEBIAN_FRONTEND=noninteractive
jobs=$(nproc)
[ "$jobs" -ge 2 ] || jobs=2

as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)

programs=(nsplit njoin nsplit-bench nsplit-mount mkfakevmcore)

# The tests that depend most on the codecs of a build, and on FUSE.
codec_tests='tests/unit/test_codec tests/unit/test_pack tests/cli/nsplit-codecs.sh
	tests/cli/roundtrip-codecs.sh tests/vectors/vectors.sh'
mount_tests='tests/cli/nsplit-mount.sh tests/cli/nsplit-mount-missing.sh tests/cli/nsplit-mount-ends.sh'

# Tests that may be skipped, with the reason.  As root on Debian, with the packages that are
# installed there, every test can run, except those that the machine does not allow: many containers
# have no FUSE, and some kernels lack file systems.
may_be_skipped=()
grep -qw vfat /proc/filesystems || modprobe -qn vfat 2>/dev/null || may_be_skipped+=(tests/system/full-vfat)
# The tests that mount.
if ! (: <> /dev/fuse) 2>/dev/null; then
	mapfile -t fuse_tests < <(grep -l '^need_fuse$' tests/cli/*.sh)
	may_be_skipped+=("${fuse_tests[@]%.sh}")
fi
# Tests that make mount namespaces, which is impossible in a chroot whose root directory is no mount.
mapfile -t namespace_tests < <(grep -lE '^unshare -m true .*\|\| skip|^need_there$' tests/*/*.sh)

die() {
	printf '%s\n' "$*" >&2
	exit 1
}

# --- builds -----------------------------------------------------------------

# configured NAME CONFIGURE-ARGUMENT...: runs configure in the build directory NAME, and stays there
configured() {
	mkdir "$work/$1"
	cd "$work/$1"
	shift
	[ -x "$top/configure" ] || (cd "$top" && autoreconf -fi)
	"$top/configure" --silent "$@"
}

# build NAME CONFIGURE-ARGUMENT...: likewise, and runs make
build() {
	configured "$@"
	make -j "$jobs"
}

# check TESTS [COMMAND...]: runs these tests of the build in the current directory, under COMMAND if
# given; none may be skipped
check() {
	local tests=$1

	shift
	"$@" make -j "$jobs" check TESTS="$tests" || {
		show_failed_tests .
		return 1
	}
	nothing_skipped .
}

# nothing_skipped DIRECTORY: no test in this build was skipped, except those in may_be_skipped
nothing_skipped() {
	local log name unexpected=()

	while read -r log; do
		name=${log#"$1/"}
		name=${name%.trs}
		[[ " ${may_be_skipped[*]} " == *" $name "* ]] || unexpected+=("$name")
	done < <(grep -rl --include='*.trs' '^:test-result: SKIP' "$1")
	[ ${#unexpected[@]} -eq 0 ] || {
		for name in "${unexpected[@]}"; do
			tail -n 3 "$1/$name.log"
		done
		die "skipped, although this machine has everything: ${unexpected[*]}"
	}
}

# not_skipped LINE COMMAND...: COMMAND, which skips what the machine lacks, must print a line that
# matches LINE, since everything has just been installed here
not_skipped() {
	local line=$1 output=$work/log/output

	shift
	"$@" | tee "$output"
	grep "$line" "$output" || die "skipped, although this machine has everything: $*"
}

in_git() {
	git -C "$top" -c safe.directory="$top" "$@"
}

tree_state() {
	in_git status --porcelain --untracked-files=all
}

show_failed_tests() {
	local result
	while read -r result; do
		printf '\n--- %s\n' "${result%.trs}.log"
		tail -n 40 "${result%.trs}.log"
	done < <(grep -rlE --include='*.trs' '^:test-result: (FAIL|ERROR|XPASS)' "$1")
}

# The build that several stages use.
in_werror_build() {
	[ -d "$work/werror" ] || build werror --enable-werror
	cd "$work/werror"
}

# left_out LIBRARY...: it is not in the list of codecs, and the program is not linked with it
left_out() {
	local library codecs=$work/log/codecs

	# Not in the condition below, where a crash of the program would look like an empty list.
	./nsplit --list-codecs > "$codecs"
	ldd nsplit >> "$codecs"
	for library in "$@"; do
		if grep -E -e "^$library" -e "lib(${library/zlib/deflate})\\.so" "$codecs"; then
			die "$library is still there"
		fi
	done
}

# without LIBRARY...: only checks that it compiles and links, so without optimization
without() {
	configured "without-$(IFS=-; echo "$*")" --enable-werror "${@/#/--without-}" CFLAGS=-O0
	make -j "$jobs" "${programs[@]}"
	left_out "$@"
}

# --- a bare Debian ----------------------------------------------------------

# The README's commands are run in a Debian that has git and ca-certificates in addition to the
# minimal system.  Each run makes it anew, since an installed package would hide that a command does
# not install it.

# The suite of the run: Debian 12 or 13, of which the tree decides, so that a run can be repeated, or another
# one.  In a nightly run, others have stages of their own.
suite=${NSPLIT_SUITE:-bookworm}
[ -n "$nightly${NSPLIT_SUITE-}" ] || case $(in_git rev-parse 'HEAD^{tree}') in
*[13579bdf]) suite=trixie ;;
esac

# Whose headers are those of a kernel in which fakevmcore has nothing to undo.
[ "$suite" = bookworm ] || may_be_skipped+=(tests/cli/fakevmcore-headers)

# The build directory of the stage plain.
results=$work/$suite/user/root/nsplit/build

# tree_under_test: prints the tree as a tar archive, including uncommitted changes
tree_under_test() {
	local index=$work/index

	cp "$(in_git rev-parse --absolute-git-dir)/index" "$index"
	GIT_INDEX_FILE=$index in_git add -A
	in_git archive "$(GIT_INDEX_FILE=$index in_git write-tree)"
}

# bare_original SUITE: makes $work/SUITE/debian, with the tree to be cloned; the bare systems are copies of it.
bare_original() {
	local root=$work/$1/debian mirror

	# shellcheck source=tests/packages/debian-root.sh
	. "$top/tests/packages/debian-root.sh"
	# Without an argument: that of this system.
	# shellcheck disable=SC2119
	mirror=$(debian_mirror)
	[ -n "$mirror" ] || die 'apt knows no mirror of Debian; run apt-get update'
	mkdir -p "$work/$1"
	# Its mounts end with it.
	"${as_root[@]}" unshare --mount --pid --mount-proc --fork --kill-child \
		debootstrap --variant=minbase --include=git,ca-certificates \
		--keyring=/usr/share/keyrings/debian-archive-keyring.gpg "$1" "$root" "$mirror"
	"${as_root[@]}" bash -c "$(declare -f debian_finished); debian_finished '$root'"
	# A user who runs this with sudo reads the results there.
	"${as_root[@]}" chmod 755 "$root/root"
	tree_under_test | "${as_root[@]}" tar --one-top-level="$root/srv/nsplit" --no-same-owner -x
	in_bare "$1/debian" 'cd /srv/nsplit
		git init -q -b main && git add -Af
		git -c user.name=ci -c user.email=ci@localhost commit -q -m "the tree under test"'
}

# bare_system SUITE/NAME: makes it, unless this run has made it before.  Packages that another system of that
# suite has downloaded are copied, but not installed.
bare_system() {
	local root=$work/$1 of=$work/${1%/*} archives=var/cache/apt/archives

	[ ! -d "$root" ] || return 0
	[ -d "$of/debian" ] || bare_original "${1%/*}"
	"${as_root[@]}" cp -a "$of/debian" "$root"
	"${as_root[@]}" find "$of" -path "$of/*/$archives/*.deb" -exec cp -nt "$root/$archives" {} +
	in_bare "$1" 'git clone /srv/nsplit nsplit'
}

# in_bare SUITE/NAME COMMAND-LINE [HOW]: runs it there as root, in /root; HOW: see debian-enter.sh
in_bare() {
	local left

	printf '$ %s\n' "$2"
	"${as_root[@]}" unshare --mount --pid --fork --kill-child \
		sh "$top/tests/packages/debian-enter.sh" "${3-booted}" "$work/$1" "$2" \
		${NSPLIT_SHORT:+NSPLIT_SHORT="$NSPLIT_SHORT"} < /dev/null || return
	# As in nothing_left_behind() for the other tests.  Sid's systemd-tmpfiles makes the directories of sockets
	# when quickstart installs packages.
	left=$(ls -A --ignore='.*-unix' "$work/$1/tmp")
	[ -z "$left" ] || {
		# The caller shows this, and what was printed before.
		printf 'left behind in /tmp of the bare system: %s\n' "$left"
		return 1
	}
}

# reported_in_bare SUITE/NAME COMMAND-LINE PATTERN [HOW]: likewise; the end of the run reports how long it
# took, and the lines that match PATTERN.  In a nightly run, in a plain chroot, and while each CPU has something
# else to do, as on a machine that builds packages.
reported_in_bare() {
	local from=$SECONDS output=$work/log/output load=: how=booted where="in a bare Debian (${1%/*})"

	if [ -n "$nightly" ]; then
		# They end with the namespace.
		load="for cpu in \$(seq $(nproc)); do (while :; do :; done) & done"
		how=${4-chroot}
		where="$where, $how, with $(nproc) busy loops"
	fi
	in_bare "$1" "$load; cd nsplit && $2" "$how" > "$output" 2>&1 || {
		cat "$output"
		show_failed_tests "$work/$1/root/nsplit/build"
		return 1
	}
	cat "$output"
	{
		printf '%s: %s\n' "$where" "$2"
		grep -E "$3" "$output" | sed 's/^/    /'
		printf '    status 0 after %d s\n' "$((SECONDS - from))"
	} >> "$work/log/bare"
}

# readme_command COMMAND: prints it, if it is a line of the README that a reader copies, or in backquotes there
readme_command() {
	grep -qFx "    $1" README.md || grep -qF "\`$1\`" README.md || die "not in the README: $1"
	printf '%s\n' "$1"
}
