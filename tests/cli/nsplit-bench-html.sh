#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --html writes one page: well formed, complete without other files, with any name escaped.  Without
# gnuplot, it has no charts.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need python3

# check_page FILE FIGURES TABLES: every tag is closed in order, and nothing is loaded from elsewhere
check_page() {
	python3 - "$@" << 'END' || fail "see above: $1"
import html.parser, re, sys, urllib.parse, xml.etree.ElementTree as tree

VOID = {"meta", "link", "br", "img", "hr", "input", "source", "base"}
ATTRIBUTES = {"src", "href", "xlink:href", "srcset", "data", "action", "poster", "background", "manifest"}

class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.count = [], {}

    def handle_starttag(self, tag, attributes):
        self.count[tag] = self.count.get(tag, 0) + 1
        if tag == "img":
            self.check_picture(dict(attributes))
        else:
            assert not ATTRIBUTES & {name for name, _ in attributes}, (tag, attributes)
        if tag not in VOID:
            self.open.append(tag)

    def check_picture(self, attributes):
        assert set(attributes) == {"alt", "src"}, attributes
        kind, _, data = attributes["src"].partition(",")
        assert kind == "data:image/svg+xml", kind
        for element in tree.fromstring(urllib.parse.unquote_to_bytes(data)).iter():
            assert not element.tag.endswith(("script", "image")), element.tag
            assert all(value.startswith("#") for name, value in element.items() if name.endswith("href"))

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()

text = open(sys.argv[1], encoding="utf-8").read()
page = Page()
page.feed(text)
page.close()
assert not page.open, page.open
assert text.startswith("<!DOCTYPE html>\n") and text.endswith("</html>\n")
outside = re.sub('src="data:[^"]*"', "", text)
for word in ("http:", "https:", "//", "@import", "url(", "<script", "<link", "<iframe"):
    assert word not in outside, word
assert page.count.get("figure", 0) == page.count.get("img", 0) == int(sys.argv[2]), page.count
assert page.count["table"] == int(sys.argv[3]), page.count
END
	# quickstart installs it.
	! command -v tidy > tidy.path || tidy -q -e "$1" 2> tidy.err || fail "$(cat tidy.err)"
}

# bare STATUS OPTION...: on a machine with nothing in PATH but what is in bin/
mkdir bin
ln -s "$(command -v sh)" bin/
path=$PATH
bare() {
	want=$1
	shift
	PATH=${builddir:?}:$PWD/bin
	status=0
	nsplit-bench -q fake:1M null: --codecs=raw,lzo -j1,2 --rounds=1 --warmup=0 "$@" > out 2> err || status=$?
	PATH=$path
	[ $status -eq "$want" ] || fail "status $status: $(cat err)"
}

# What cannot be drawn is not measured; with --json, it can be drawn later.
draw=$(cd "$builddir/bench" && pwd -P)/draw.py
bare 1 --html=late.html --csv=late.csv
expect_err 'nsplit-bench: python3 is not installed, so nothing can be drawn; use --json, and draw it where it is'
absent late.html late.csv
expect_out ''
bare 0 --json=late.json
python3 "$draw" --csv=late.csv --html=late.html < late.json || fail 'not drawn'
if command -v gnuplot > gnuplot.path; then check_page late.html 3 2; else check_page late.html 0 2; fi
[ "$(wc -l < late.csv)" -eq 5 ] || fail "$(cat late.csv)"
cp "$builddir/nsplit-bench" bin/
PATH=$PWD/bin:$path
expect_status 1 nsplit-bench -q fake:1M null: --codecs=raw -j1 --rounds=1 --warmup=0 --csv=alone.csv
PATH=$path
grep -q '/draw\.py does not exist, so nothing can be drawn; use --json, and draw it where it is$' err || fail "$(cat err)"
rm bin/nsplit-bench

# Without gnuplot, the tables have bars.
ln -s "$(python3 -c 'import sys; print(sys.executable)')" bin/python3
bare 0 --html=page.html
expect_err 'nsplit-bench: gnuplot is not installed, so the page has tables, but no charts'
check_page page.html 0 2
[ "$(grep -o 'style="--part: 100.0%"' page.html | wc -l)" -ge 1 ] || fail 'no bar has the full length'
# Also if all descriptors of one digit are in use.
bare 0 --html=page.html 3< bin 4< bin 5< bin 6< bin 7< bin 8< bin 9< bin

need gnuplot
# Three pictures of captures, two each of verify and join; the verdict is a table, too.
expect_status 0 nsplit-bench -q fake:1M a b --codecs=raw,lzo -j1,2 --rounds=3 --warmup=0 --random-reads=10 \
	--cache=keep --html=page.html --json=json
check_page page.html 7 5
grep -q '^threads codec ' out || fail "no table: $(cat out)"
python3 - << 'END' || fail "see above"
import json

report, page = json.load(open("json")), open("page.html", encoding="utf-8").read()
reliable = all(v["reliable"] == v["figures"] for kind, v in report["verdict"].items() if kind != "ceilings")
assert ("The speeds and their shares of the ceiling are reliable." in page) == reliable
assert ("Some figures (!) are unreliable" in page) != reliable
least = min(cell["bytes"] for cell in report["cells"])
smallest = [cell for cell in report["cells"] if cell["bytes"] <= 1.001 * least][-1]
assert "<li>Smallest: %s with %d thread" % (smallest["codec"], smallest["threads"]) in page
END
for text in '<td class="name">lzo</td><td>2</td><td>2</td><td>4K</td>' 'Random reads' 'prefers-color-scheme: dark' \
	'@media print' '<dt>Processor</dt>' '<dt>Page cache</dt><dd>kept</dd>'; do
	grep -qF "$text" page.html || fail "not in the page: $text"
done

# Names are shown as they are, and are no markup; bytes that are not text are replaced.
name=$(printf '<b>&"\047\001\377</title><script>alert(1)</script>.core' | tr / _)
cp "${builddir:?}/nsplit-bench" "$name"
expect_status 0 nsplit-bench -q "$name" null: --codecs=raw,lzo -j1-3 --rounds=1 --warmup=0 --html
mv out page.html
check_page page.html 3 2
grep -qF '&lt;b&gt;&amp;&quot;&#39;��&lt;_title&gt;&lt;script&gt;alert(1)' page.html ||
	fail "$(grep '<title>' page.html)"
! grep -q '^threads codec ' page.html || fail 'the table is in the page'

# The figures are those of the JSON.
expect_status 0 nsplit-bench -q fake:1M null: --codecs=raw -j1 --rounds=3 --html=page.html --json
python3 - << 'END' || fail "see above"
import json, re

cell = json.load(open("out"))["cells"][0]
row = re.search(r'<tr><td class="name">raw</td>.*', open("page.html", encoding="utf-8").read())[0]
shown = [float(re.sub(r"[^0-9.]", "", text)) for text in re.findall(r"<td[^>]*>([^<]*)</td>", row)[1:]]
assert "<li>Fastest: raw with 1 thread: " in open("page.html", encoding="utf-8").read()
median, ratio = cell["capture"]["median"] / 1e6, cell["ratio"]
assert shown[0:2] == [1, 1], shown
assert abs(shown[3] / median - 1) < 0.01, (shown, median)
assert abs(shown[-1] - ratio) < 0.01, (shown, ratio)
END

# A page of what was measured until a signal.
nsplit-bench -q --progress=always fake:3M null: --codecs=raw,lzo -jserial --warmup=0 --rounds=100 \
	--disk-rate=1M --html=early.html > out 2> err &
pid=$!
kill_at_exit $pid
wait_for grep -q '^nsplit-bench: [1-9][0-9]* of 200, ' err
kill -s TERM $pid
expect_end 143 $pid
check_page early.html 3 2
grep -q 'ended early' early.html || fail 'the page does not say that it is incomplete'
grep -q '<li>Fastest: [a-z]*, serial: [0-9.]* MB/s\( (!)\)\?, ' early.html || fail "$(grep Fastest early.html)"
! grep -v ' left: [a-z]*, serial, 1 output, blocks of 4K$' err | grep ' left: ' || fail "see above"

# Without it, all of the above has passed, but the pages were not checked by it.
need tidy
