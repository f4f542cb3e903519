#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes a software bill of materials, SPDX 2.3 in JSON, of static/nsplit.contents on standard input.
#	PAGE=https://... sh packages/sbom.sh < static/nsplit.contents
# The licences of a package are text, as it states them: Debian's names are not all identifiers of SPDX.
# SOURCE_DATE_EPOCH replaces the time of the document.

set -eu

LC_ALL=C
export LC_ALL
if [ -n "${SOURCE_DATE_EPOCH-}" ]; then
	created=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
else
	created=$(date -u +%Y-%m-%dT%H:%M:%SZ)
fi
if command -v dpkg-query > /dev/null && [ -s /var/lib/dpkg/status ]; then
	kind=deb
else
	kind=rpm
fi
# shellcheck source=/dev/null
system=$(. /etc/os-release 2> /dev/null && printf '%s' "${ID-}")

awk -v created="$created" -v page="${PAGE:?}" -v kind="$kind" -v system_id="${system:-linux}" '
# gsub() reads backslashes in its replacement differently in each awk.
function quoted(text,   made, i, letter) {
	for (i = 1; i <= length(text); i++) {
		letter = substr(text, i, 1)
		made = made (letter == "\\" || letter == "\"" ? "\\" : "") (letter ~ /[[:cntrl:]]/ ? " " : letter)
	}
	return "\"" made "\""
}
function field(name, text) { return "      " quoted(name) ": " quoted(text) }
# A path within a package URL.
function escaped(text) {
	gsub(/%/, "%25", text)
	gsub(/\+/, "%2B", text)
	gsub(/:/, "%3A", text)
	gsub(/~/, "%7E", text)
	return text
}
function id_of(name) {
	gsub(/[^A-Za-z0-9.-]/, "-", name)
	return "SPDXRef-Package-" name
}
function ends_package() {
	if (name == "")
		return
	if (version == "")
		exit failed = 1
	bare = name
	sub(/:.*/, "", bare)
	packages = packages ",\n    {\n" field("SPDXID", id_of(name)) ",\n" field("name", bare) ",\n" \
		field("versionInfo", version) ",\n" field("downloadLocation", "NOASSERTION") ",\n" \
		"      \"filesAnalyzed\": false,\n" \
		(source != "" ? field("sourceInfo", "source package " source) ",\n" : "") \
		field("licenseConcluded", "NOASSERTION") ",\n" field("licenseDeclared", "NOASSERTION") ",\n" \
		field("licenseComments", "The package names: " licences) ",\n" \
		field("copyrightText", "NOASSERTION") ",\n" \
		"      \"externalRefs\": [{ \"referenceCategory\": \"PACKAGE-MANAGER\", \"referenceType\": \"purl\",\n" \
		"        \"referenceLocator\": " \
		quoted("pkg:" kind "/" system_id "/" escaped(bare) "@" escaped(version)) " }]\n    }"
	relations = relations ",\n    { \"spdxElementId\": " quoted(id_of("nsplit")) \
		", \"relationshipType\": \"STATIC_LINK\", \"relatedSpdxElement\": " quoted(id_of(name)) " }"
	name = version = source = licences = ""
}
NR == 1 { sub(/,$/, "", $2); own_version = $2 }
/^SHA-256 / { digest = $2 }
/^compiler / { compiler = $0; sub(/^compiler +/, "", compiler) }
/^$/ { ends_package(); blocks++; first = 1; next }
# The text at the end.
/^The number after a file/ { exit }
blocks >= 2 && first {
	first = 0
	if ($0 == "nsplit itself")
		next
	if ($0 == "not from a package")
		exit failed = 1
	name = $1
}
name != "" && $1 == "version" { version = $2 }
name != "" && $1 == "source" { source = $2 " " $3; sub(/ $/, "", source) }
name != "" && $1 == "licences" { licences = $0; sub(/^ *licences +/, "", licences) }
END {
	if (failed || own_version == "" || digest == "" || packages == "") {
		print "sbom.sh: no complete list of contents" > "/dev/stderr"
		exit 1
	}
	printf "{\n  \"spdxVersion\": \"SPDX-2.3\",\n  \"dataLicense\": \"CC0-1.0\",\n"
	printf "  \"SPDXID\": \"SPDXRef-DOCUMENT\",\n  \"name\": %s,\n", quoted("nsplit-" own_version "-static")
	printf "  \"documentNamespace\": %s,\n", quoted(page "/spdx/nsplit-" own_version "-" digest)
	printf "  \"creationInfo\": {\n    \"created\": %s,\n", quoted(created)
	printf "    \"creators\": [%s]\n  },\n", quoted("Tool: nsplit-sbom-" own_version)
	printf "  \"documentDescribes\": [%s],\n  \"packages\": [\n    {\n", quoted(id_of("nsplit"))
	printf "%s,\n%s,\n%s,\n", field("SPDXID", id_of("nsplit")), field("name", "nsplit"), field("versionInfo", own_version)
	printf "%s,\n%s,\n", field("packageFileName", "nsplit"), field("downloadLocation", "NOASSERTION")
	printf "%s,\n      \"filesAnalyzed\": false,\n", field("homepage", page)
	printf "      \"checksums\": [{ \"algorithm\": \"SHA256\", \"checksumValue\": %s }],\n", quoted(digest)
	printf "%s,\n%s,\n", field("licenseConcluded", "GPL-2.0-or-later"), field("licenseDeclared", "GPL-2.0-or-later")
	printf "%s,\n%s,\n", field("copyrightText", "2026 the authors of nsplit"), field("comment", "Compiled by " compiler)
	printf "%s\n    }%s\n  ],\n", field("primaryPackagePurpose", "APPLICATION"), packages
	printf "  \"relationships\": [\n    { \"spdxElementId\": \"SPDXRef-DOCUMENT\", \"relationshipType\": \"DESCRIBES\", "
	printf "\"relatedSpdxElement\": %s }%s\n  ]\n}\n", quoted(id_of("nsplit")), relations
}'
