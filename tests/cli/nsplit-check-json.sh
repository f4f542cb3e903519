#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --check-params --json prints one object, and no messages.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

expect_usage nsplit '--json requires --check-params or --estimate' --json core new
expect_usage nsplit '--capture-only requires --check-params' --capture-only core new
head -c 5000 "$srcdir/COPYING" > core
echo 'compress = lzo' > conf
NSPLIT_CONFIG=conf
printf 'frob = 1\n' > wrong
expect_status 2 nsplit --check-params --json --config=wrong core new
expect_out ''
expect_err "nsplit: wrong:1: unknown key 'frob'; see nsplit.conf(5)"

need python3
cat > look.py << 'END'
import json, sys

look = json.load(open("out"))


def must(what, got, want):
    if got != want:
        sys.exit("%s: %r and not %r" % (what, got, want))


def found():
    return [(f["id"], f["severity"]) for f in look["findings"]]


exec(open("musts").read())
END

# looks STATUS MUSTS ARGUMENT...
looks() {
	want=$1
	printf '%s\n' "$2" > musts
	shift 2
	expect_status "$want" nsplit --check-params --json "$@"
	expect_err ''
	python3 look.py || fail "the object is wrong: $(cat out)"
}

looks 0 'must("fields", [n for n in look if n not in ("build", "memory_available_bytes")],
     ["schema", "version", "host", "status", "findings", "config", "codec", "dump_level", "source_bytes",
      "outputs", "memory_needed_bytes", "threads"])
must("status", look["status"], "ok")
must("found", found(), [("speed", "unchecked")])
must("settings", (look["config"], look["codec"], look["dump_level"], look["threads"]),
     ("conf", "lzo", 0, 2))
must("source", look["source_bytes"], 5000)
must("outputs", [(o["name"], o["kind"], o["free_bytes"] > 0) for o in look["outputs"]],
     [("new", "file", True)])' -j2 core new
# The same sentences as in messages, and verbose makes no difference.
looks 0 'must("status", look["status"], "warning")
must("found", found(), [("output-unusable", "warning"), ("space-unknown", "unchecked"), ("speed", "unchecked")])
must("text", look["findings"][0]["text"], "nowhere/a: the directory nowhere does not exist")' -v core new nowhere/a
looks 1 'must("status", look["status"], "error")
must("found", found()[0], ("output-unusable", "error"))' core nowhere/a
looks 2 'must("status", look["status"], "error")
must("found", found()[0], ("output-refused", "error"))' core ./core
# What cannot be opened has no size, and a name may contain anything.
looks 1 'must("found", found()[0], ("source-unusable", "error"))
must("source", "source_bytes" in look, False)
must("outputs", look["outputs"][0]["name"], "n\"e\\w")' absent 'n"e\w'

# An output that cannot be written loses the object.
if [ -c /dev/full ]; then
	status=0
	nsplit --check-params --json core new > /dev/full 2> err || status=$?
	[ $status -eq 1 ] || fail "status $status with a full standard output"
	grep -q 'standard output' err || fail "$(cat err)"
fi
