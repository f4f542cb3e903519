# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The beginning of the scripts whose outputs are rclone commands.
# shellcheck source=tests/remote/lib.sh
. "${srcdir:?}/tests/remote/lib.sh"

need rclone

# Variables of the caller must not redirect rclone.
for variable in $(env | sed -n 's/^\(RCLONE_[A-Z0-9_]*\|AWS_[A-Z0-9_]*\|[A-Za-z]*_[Pp][Rr][Oo][Xx][Yy]\)=.*/\1/p'); do
	unset "$variable"
done
RCLONE_CONFIG=$lib_dir/home/rclone.conf
# A server that is gone is given up soon.
RCLONE_CONTIMEOUT=2s RCLONE_TIMEOUT=3s RCLONE_LOW_LEVEL_RETRIES=1
export RCLONE_CONFIG RCLONE_CONTIMEOUT RCLONE_TIMEOUT RCLONE_LOW_LEVEL_RETRIES

# documented_remote TYPE: writes the configuration of such a remote in doc/remote.md to the file
# TYPE.conf
documented_remote() {
	awk -v type="type = $1" '
		/^    \[h1\]$/ { inside = 1; text = "" }
		/^$/ { if (inside && index(text, type "\n")) printf "%s", text; inside = 0 }
		inside { text = text substr($0, 5) "\n" }
	' "$srcdir/doc/remote.md" > "$1.conf"
	[ -s "$1.conf" ] || fail "not in doc/remote.md: a remote of type $1"
}

# rclone_as_documented: to the remotes h1 and h2 and back, with the commands of doc/remote.md
rclone_as_documented() {
	expect_status 0 as_documented "nsplit -c /proc/vmcore '|rclone rcat h1:dumps/a' '|rclone rcat h2:dumps/a'"
	expect_status 0 as_documented 'njoin -o copy <(rclone cat h1:dumps/a) <(rclone cat h2:dumps/a)'
	same copy core
	rm copy
	rclone deletefile h1:dumps/a
	rclone deletefile h2:dumps/a
}

# capturing BYTES: captures to both hosts; h2 receives only BYTES until go_on
capturing() {
	held=$1
	nsplit -q --stripe --chunksize=64K core '|rclone rcat h1:dumps/a' \
		"|held $held | rclone rcat h2:dumps/a" 2> err &
	nsplit=$!
	kill_at_exit $nsplit
}

# lost: h2 is lost; h1 has everything
lost() {
	go_on
	ended 0
	# How much it still takes after the server is gone, and its exit status, depend on rclone.
	sed -i 's/: exited with status [1-9][^;]*;/: ended;/' err
	said "nsplit: |held $held | rclone rcat h2:dumps/a: ended; given up, continuing on 1 output"
	expect_status 0 bash -c 'njoin -q -o copy <(rclone cat h1:dumps/a)'
	expect_err ""
	same copy core
	rm copy
}
