#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The bill of materials of the static program: SPDX 2.3, with the packages and versions of the list of contents.  Without
# arguments, of a list that is written here; .ci/stages/static calls it with that of a program:
#	srcdir=.. builddir=. sh ../tests/packages/sbom.sh static/nsplit.contents static/nsplit.spdx.json
[ $# -eq 0 ] || { list=$(realpath "$1") made=$(realpath "$2"); }
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need python3
version=$(sed -n "s/^PACKAGE_VERSION='\(.*\)'/\1/p" "$builddir/config.log")
if [ -z "${made-}" ]; then
	list=contents
	made=sbom
	cat > contents <<- END
		nsplit $version, a program without shared libraries

		size      100 bytes, stripped
		SHA-256   $(printf x | sha256sum | cut -d ' ' -f 1)
		compiler  gcc (Debian 12.2.0) "12"
		codecs    raw lzo

		nsplit itself
		  /b/libnsplit.a: 9

		liba-dev:amd64
		  version   1:2.0+dfsg~rc1-1
		  source    a 1:2.0
		  licences  GPL-2+, "public\\domain"
		  see       /usr/share/doc/liba-dev/copyright
		  /usr/lib/liba.a: 3

		libstdc++-12-dev
		  version   12.2.0-14
		  source    gcc-12 12.2.0-14
		  licences  Artistic
		  see       /usr/share/doc/libstdc++-12-dev/copyright
		  /usr/lib/libstdc++.a: 3

		The number after a file is the number of its objects in the program.
	END
	SOURCE_DATE_EPOCH=1000000000 PAGE=https://nsplit.test/n sh "$srcdir/packages/sbom.sh" < contents > sbom
	grep -q '"created": "2001-09-09T01:46:40Z"' sbom || fail "the time: $(cat sbom)"
	grep -q '/libstdc%2B%2B-12-dev@12.2.0-14" ' sbom || fail "no package URL: $(cat sbom)"
	sed '/^liba-dev/,/see/s/^  version.*//' contents > broken
	! PAGE=https://nsplit.test/n sh "$srcdir/packages/sbom.sh" < broken > broken.sbom 2> err ||
		fail 'a package without a version is accepted'
	sed 's/^liba-dev.*/not from a package/' contents > broken
	! PAGE=https://nsplit.test/n sh "$srcdir/packages/sbom.sh" < broken > broken.sbom 2> err ||
		fail 'a file from no package is accepted'
fi

python3 - "$list" "$made" "$version" << 'END' || fail "$made: $(cat "$made")"
import json, re, sys

listed = {}
with open(sys.argv[1], encoding="utf-8") as f:
    blocks = f.read().split("\n\n")
digest = re.search(r"^SHA-256 +([0-9a-f]{64})$", blocks[1], re.M).group(1)
for block in blocks[2:]:
    found = re.match(r"(\S+)\n  version   (\S+)\n", block)
    if found:
        listed[found.group(1).split(":")[0]] = found.group(2)
with open(sys.argv[2], encoding="utf-8") as f:
    spdx = json.load(f)

# What SPDX 2.3 requires of a document, its packages and its relationships.
assert spdx["spdxVersion"] == "SPDX-2.3" and spdx["dataLicense"] == "CC0-1.0" and spdx["SPDXID"] == "SPDXRef-DOCUMENT"
assert spdx["name"] and re.match(r"https://[^ #]+$", spdx["documentNamespace"]) and digest in spdx["documentNamespace"]
assert re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$", spdx["creationInfo"]["created"])
assert all(re.match(r"(Tool|Organization|Person): \S", c) for c in spdx["creationInfo"]["creators"])
ids = [p["SPDXID"] for p in spdx["packages"]]
assert len(set(ids)) == len(ids) and all(re.match(r"SPDXRef-[A-Za-z0-9.-]+$", i) for i in ids), ids
for p in spdx["packages"]:
    assert p["name"] and p["downloadLocation"] and p["copyrightText"] and p["filesAnalyzed"] is False, p
    for ref in p.get("externalRefs", []):
        assert ref["referenceCategory"] == "PACKAGE-MANAGER" and re.match(r"pkg:(deb|rpm)/[a-z]+/[^ @+]+@[^ @+]+$",
               ref["referenceLocator"]), ref
for r in spdx["relationships"]:
    assert r["spdxElementId"] in ids + ["SPDXRef-DOCUMENT"] and r["relatedSpdxElement"] in ids, r
assert [r["relatedSpdxElement"] for r in spdx["relationships"] if r["relationshipType"] == "DESCRIBES"] == [ids[0]]

# The versions agree with the list of contents, and with configure.
packages = {p["name"]: p["versionInfo"] for p in spdx["packages"]}
assert packages.pop("nsplit") == sys.argv[3], packages
assert packages == listed and listed, (packages, listed)
assert spdx["packages"][0]["checksums"] == [{"algorithm": "SHA256", "checksumValue": digest}]
assert {r["relatedSpdxElement"] for r in spdx["relationships"] if r["relationshipType"] == "STATIC_LINK"} == set(ids[1:])
END
