# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Packages of Debian's other suites and architectures.  apt gets them with a configuration of its own,
# from the mirror that this machine uses, into the cache; nothing is installed, and the machine's own
# sources remain as they are.
#
# The cache is a directory that packages_cache() sets.  Several processes may use one at a time: whatever
# adds to it runs in packages_alone().  A directory has the suffix ".new" until it is complete, so what an
# interrupted process leaves is not taken for more than it is, and is removed the next time.

# The suites; a kernel that several of them have comes from the newest.
packages_suites='bullseye bookworm bookworm-backports trixie trixie-backports forky sid experimental'

# packages_missing: prints why packages cannot be fetched, or nothing
packages_missing() {
	for packages_program in apt-get dpkg flock; do
		command -v $packages_program > /dev/null || {
			echo "$packages_program is not installed, so Debian's packages cannot be fetched"
			return
		}
	done
	[ -e /usr/share/keyrings/debian-archive-keyring.gpg ] ||
		echo "the keys of Debian's archive are missing (Debian: debian-archive-keyring)"
}

# packages_cache: sets cache, and makes that directory
packages_cache() {
	[ -n "${KERNELS_CACHE:-${XDG_CACHE_HOME:-${HOME-}}}" ] || {
		echo 'set KERNELS_CACHE to a directory for packages; without HOME, there is no default' >&2
		return 1
	}
	cache=${KERNELS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/nsplit-kernels}
	# It becomes part of compilers' options and of apt's configuration.
	case $cache in
	*[!A-Za-z0-9_./+,@-]*)
		echo "the name of the directory $cache has characters that commands treat specially;" \
			'set KERNELS_CACHE to another one' >&2
		return 1
		;;
	esac
	mkdir -p "$cache" && cache=$(cd "$cache" && pwd)
}

# packages_alone COMMAND...: no two processes run such a command at a time.  It runs in a subshell.
packages_alone() {
	[ -z "${packages_locked-}" ] || {
		"$@"
		return
	}
	(
		flock -n 9 || {
			echo "waiting for another process that adds to $cache" >&2
			flock 9
		}
		packages_locked=yes
		"$@"
	) 9> "$cache/lock"
}

# packages_once FILE COMMAND...: runs the command, which makes FILE, unless it exists
packages_once() {
	[ -e "$1" ] || packages_alone packages_unless "$@"
}

# Another process may have made it in the meantime.
packages_unless() {
	packages_once_file=$1
	shift
	[ -e "$packages_once_file" ] || "$@"
}

# packages_begin: makes the configuration, and fetches the lists if they are older than a day
packages_begin() {
	packages_apt=$cache/apt
	mkdir -p "$packages_apt/lists/partial" "$packages_apt/archives/partial" "$cache/debs"
	packages_mirror=$(debian_mirror "$(. /etc/os-release && echo "$VERSION_CODENAME")")
	[ -n "$packages_mirror" ] || {
		echo 'apt has no list of a Debian release (apt-get update)' >&2
		packages_apt=
		return 1
	}
	packages_configuration
	(
		flock 9
		[ -n "$(find "$packages_apt/updated" -mtime -1 2> /dev/null)" ] ||
			{ packages_run apt-get -q update && touch "$packages_apt/updated"; }
	) 9> "$packages_apt/lock" > "$packages_apt/update.log" 2>&1 || {
		echo "Debian's lists of packages cannot be fetched; apt said:" >&2
		tail -n 5 "$packages_apt/update.log" >&2
		packages_apt=
		return 1
	}
}

# The lists are fetched again where another version of these scripts has fetched fewer.
packages_configuration() {
	packages_new=$packages_apt/configuration.$$
	for packages_suite in $packages_suites; do
		case $packages_suite in
		bookworm) packages_lists=amd64,arm64,ppc64el,s390x ;;
		trixie) packages_lists=amd64,arm64,riscv64 ;;
		*) packages_lists=amd64,arm64 ;;
		esac
		printf 'deb [signed-by=%s arch=%s] %s %s main\n' /usr/share/keyrings/debian-archive-keyring.gpg \
			$packages_lists "$packages_mirror" "$packages_suite"
	done > "$packages_new"
	cmp -s "$packages_new" "$packages_apt/sources.list" || rm -f "$packages_apt/updated"
	mv "$packages_new" "$packages_apt/sources.list"
	# An empty status: dependencies are complete, whatever is installed here.
	: > "$packages_apt/status"
	cat > "$packages_new" <<- END
		Dir::Etc::SourceList "$packages_apt/sources.list";
		Dir::Etc::SourceParts "/dev/null";
		Dir::State::Lists "$packages_apt/lists";
		Dir::State::status "$packages_apt/status";
		Dir::Cache "$packages_apt";
		APT::Architectures { "amd64"; "arm64"; "ppc64el"; "riscv64"; "s390x"; };
		APT::Sandbox::User "";
		Acquire::Languages "none";
		APT::Update::Error-Mode "any";
		Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
	END
	mv "$packages_new" "$packages_apt/apt.conf"
}

# packages_run APT-COMMAND...: runs it with this configuration
packages_run() {
	[ -n "${packages_apt-}" ] || packages_begin || return 1
	env APT_CONFIG="$packages_apt/apt.conf" "$@" < /dev/null
}

# packages_get PACKAGE...: downloads each, such as crash/sid or zlib1g:arm64/bookworm, and prints the
# path of its file
packages_get() {
	for packages_name; do
		packages_dir=$cache/debs/$(printf '%s' "$packages_name" | tr / @)
		[ -e "$packages_dir/done" ] || packages_download || return 1
		printf '%s\n' "$packages_dir"/*.deb
	done
}

# Downloads packages_name to packages_dir.
packages_download() {
	rm -rf "$packages_dir"
	mkdir -p "$packages_dir"
	(cd "$packages_dir" && packages_run apt-get -q download "$packages_name") \
		> "$packages_dir/log" 2>&1 || {
		tail -n 3 "$packages_dir/log" >&2
		return 1
	}
	touch "$packages_dir/done"
}

# packages_fetch PACKAGE...: downloads those that are missing with one call of apt, which takes seconds
# for each.  packages_get then finds them.
packages_fetch() {
	packages_new=$cache/debs/fetch.new
	packages_missing=
	for packages_name; do
		[ -e "$cache/debs/$(printf '%s' "$packages_name" | tr / @)/done" ] ||
			packages_missing="$packages_missing $packages_name"
	done
	[ -n "$packages_missing" ] || return 0
	rm -rf "$packages_new"
	mkdir -p "$packages_new"
	# shellcheck disable=SC2086
	(cd "$packages_new" && packages_run apt-get -q download $packages_missing) \
		> "$packages_new/log" 2>&1 || {
		tail -n 3 "$packages_new/log" >&2
		rm -rf "$packages_new"
		return 1
	}
	for packages_name in $packages_missing; do
		packages_dir=$cache/debs/$(printf '%s' "$packages_name" | tr / @)
		rm -rf "$packages_dir"
		mkdir "$packages_dir"
		mv "$packages_new/${packages_name%%[:/]*}"_*.deb "$packages_dir/" && touch "$packages_dir/done"
	done
	rm -rf "$packages_new"
}

# packages_closure SUITE ARCHITECTURE PACKAGE...: prints the names of these packages and of all they
# depend on, for packages_get
packages_closure() {
	packages_suite=$1
	packages_arch=$2
	shift 2
	packages_wanted=
	for packages_name; do
		packages_wanted="$packages_wanted $packages_name:$packages_arch/$packages_suite"
	done
	# shellcheck disable=SC2086
	packages_run apt-get -q --simulate --no-install-recommends -o "APT::Architecture=$packages_arch" \
		-o "APT::Default-Release=$packages_suite" install $packages_wanted |
		sed -n "s/^Inst \([^ :]*\).*\[all\].*/\1\/$packages_suite/p
			s/^Inst \([^ :]*\).*/\1:$packages_arch\/$packages_suite/p"
}

# packages_unpack DIRECTORY PACKAGE...: unpacks their files there
packages_unpack() {
	packages_into=$1
	shift
	mkdir -p "$packages_into"
	for packages_one; do
		packages_file=$(packages_get "$packages_one") || return 1
		dpkg -x "$packages_file" "$packages_into" || return 1
		# Kernels are large, and are not unpacked twice.
		case $packages_one in
		linux-*) rm -rf "$cache/debs/$(printf '%s' "$packages_one" | tr / @)" ;;
		esac
	done
}

# packages_root DIRECTORY SUITE ARCHITECTURE PACKAGE...: a directory with the packages, and all that they
# depend on, unpacked; its file "versions" says which they are.  It is made again if it lacks one of the
# packages, since another version of these scripts made it.
packages_root() {
	packages_root_has "$@" || packages_alone packages_root_unless "$@"
}

packages_root_unless() {
	packages_root_has "$@" || packages_root_make "$@"
}

packages_root_has() {
	[ -d "$1" ] || return 1
	packages_versions=$1/versions
	shift 3
	[ -e "$packages_versions" ] || return 0
	for packages_name; do
		grep -q "^$packages_name " "$packages_versions" || return 1
	done
}

packages_root_make() {
	packages_dir_of_root=$1
	packages_new_root=$1.new
	shift
	rm -rf "$packages_new_root"
	[ -n "${packages_apt-}" ] || packages_begin || return 1
	packages_names=$(packages_closure "$@")
	[ -n "$packages_names" ] || return 1
	# shellcheck disable=SC2086
	packages_fetch $packages_names && packages_unpack "$packages_new_root" $packages_names || return 1
	packages_merged "$packages_new_root" && packages_relative "$packages_new_root" || return 1
	for packages_one in $packages_names; do
		packages_file=$(packages_get "$packages_one") || return 1
		# shellcheck disable=SC2016 # for dpkg
		dpkg-deb --show --showformat='${Package} ${Version}\n' "$packages_file"
	done > "$packages_new_root/versions"
	rm -rf "$packages_dir_of_root"
	mv -T "$packages_new_root" "$packages_dir_of_root"
}

# packages_merged ROOT: /bin, /lib and /sbin become links, as in an installed Debian
packages_merged() {
	for packages_link in bin lib sbin lib64; do
		mkdir -p "$1/usr/$packages_link"
		if [ -d "$1/$packages_link" ] && [ ! -L "$1/$packages_link" ]; then
			cp -a "$1/$packages_link/." "$1/usr/$packages_link/" || return 1
			rm -rf "${1:?}/$packages_link"
		fi
		[ -L "$1/$packages_link" ] || ln -s "usr/$packages_link" "$1/$packages_link" || return 1
	done
}

# packages_relative ROOT: an absolute link in it would lead to this machine's files
packages_relative() {
	find "$1" -type l -lname '/*' | while read -r packages_link; do
		ln -sfnr "$1$(readlink "$packages_link")" "$packages_link" || exit 1
	done
}
