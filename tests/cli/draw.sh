#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# bench/draw.py makes of the JSON of nsplit-bench a page: well formed, complete without other files, with any name
# escaped; and pictures, by gnuplot.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need python3
program=$srcdir/bench/draw.py

# measure OPTION...: to the file json; a millionth part of the smallest real core, unless there are operands
measure() {
	nsplit-bench -q --json --warmup=0 "$@" > json
}
# draws STATUS OPTION...
draws() {
	status=0
	python3 "$program" "$2" ${3:+"$3"} < json > out 2> err || status=$?
	[ $status -eq "$1" ] || fail "status $status: $(cat err)"
}

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

# texts FILE: the texts of a picture, one a line; fails if it is not XML
texts() {
	python3 -c '
import sys, xml.etree.ElementTree as tree
for text in tree.parse(sys.argv[1]).iter("{http://www.w3.org/2000/svg}text"):
    print("".join(text.itertext()).strip())' "$1"
}

# says FILE TEXT...: all of them are texts of the picture
says() {
	texts "$1" > said || fail "$1 is not XML"
	shift
	for text; do
		grep -qxF "$text" said || fail "the picture does not contain '$text': $(cat said)"
	done
}

# Each colour is lighter than the one before it, for a grey printer.
PYTHONPATH=$srcdir/bench python3 -B - << 'END' || fail "see above"
import draw

own = [int(colour[1:], 16) for colour in draw.COLOURS]
grey = [0.299 * (c >> 16) + 0.587 * (c >> 8 & 255) + 0.114 * (c & 255) for c in own]
assert len(own) == 6 and all(b > a + 15 for a, b in zip(grey, grey[1:])), grey
END

# Without gnuplot, the tables have bars, and the script for it can be written.
mkdir bin
for command in sh cat; do
	ln -s "$(command -v $command)" bin/
done
ln -s "$(python3 -c 'import sys; print(sys.executable)')" bin/python3
path=$PATH
measure fake:1M null: --codecs=raw,lzo -j1,2 --rounds=2
PATH=$PWD/bin
draws 0 --html=page.html --csv=csv
draws 0 --plot=bars.gp
expect_err ''
draws 1 --plot=none.svg
PATH=$path
expect_err 'draw.py: none.svg: gnuplot is not installed; its commands can be written to a FILE that ends in .gp'
absent none.svg
check_page page.html 0 1
[ "$(grep -o 'style="--part: 100.0%"' page.html | wc -l)" -ge 1 ] || fail 'no bar has the full length'
[ "$(wc -l < csv)" -eq 5 ] || fail "$(cat csv)"
draws 1 --csv=nowhere/csv
expect_err 'draw.py: nowhere/csv: No such file or directory'

need gnuplot
gnuplot bars.gp > bars.svg
says bars.svg Captures 'MB/s of the source' 'raw, 1 thread' 'lzo, 2 threads' 'Captures, as a share of the ceiling' \
	'0 %' 'Speed and compression' raw lzo 'ratio (bytes of the source per byte of the members)'
# Bars have values; with few rounds, all are marked.
draws 0 --plot="a 'quoted' name.svg"
says "a 'quoted' name.svg" Captures 'raw, 1 thread' '0 %'
# gnuplot draws each text with a box twice.
[ "$(grep -c '^[0-9,.]* !$' said)" -ge 4 ] || fail "not four rates: $(cat said)"
[ "$(grep -c '^[0-9.]* % !$' said)" -ge 4 ] || fail "not four shares: $(cat said)"
draws 0 --plot='|touch evil;.png'
[ "$(head -c 4 '|touch evil;.png' | tail -c 3)" = PNG ] || fail "not a PNG file: $(cat err)"
absent evil

# Three pictures of captures, two each of verify and join.
measure fake:1M a b --codecs=raw,lzo -j1,2 --rounds=3 --cache=keep
draws 0 --html=page.html
check_page page.html 7 3
python3 - << 'END' || fail "see above"
import json

report, page = json.load(open("json")), open("page.html", encoding="utf-8").read()
reliable = all(len(cell[rate]["rounds"]) > 2 and max(cell[rate]["spread"], cell[share]["spread"]) <= 0.2
               for cell in report["cells"]
               for rate, share in (("capture", "share"), ("verify", "verify_share"), ("join", "join_share")))
assert ("The speeds and their shares of the ceiling are reliable." in page) == reliable
assert ("Some figures (!) are unreliable" in page) != reliable
least = min(cell["bytes"] for cell in report["cells"])
smallest = [cell for cell in report["cells"] if cell["bytes"] <= 1.001 * least][-1]
assert "<li>Smallest: %s with %d thread" % (smallest["codec"], smallest["threads"]) in page
END
for text in '<td class="name">lzo</td><td>2</td><td>2</td><td>4K</td>' 'prefers-color-scheme: dark' \
	'@media print' '<dt>Processor</dt>' '<dt>Page cache</dt><dd>kept</dd>'; do
	grep -qF "$text" page.html || fail "not in the page: $text"
done

# The figures are those of the JSON.
measure fake:1M null: --codecs=raw -j1 --rounds=3
draws 0 --html=page.html
python3 - << 'END' || fail "see above"
import json, re

cell = json.load(open("json"))["cells"][0]
row = re.search(r'<tr><td class="name">raw</td>.*', open("page.html", encoding="utf-8").read())[0]
shown = [float(re.sub(r"[^0-9.]", "", text)) for text in re.findall(r"<td[^>]*>([^<]*)</td>", row)[1:]]
assert "<li>Fastest: raw with 1 thread: " in open("page.html", encoding="utf-8").read()
median, ratio = cell["capture"]["median"] / 1e6, cell["ratio"]
assert shown[0:2] == [1, 1], shown
assert abs(shown[3] / median - 1) < 0.01, (shown, median)
assert abs(shown[-1] - ratio) < 0.01, (shown, ratio)
END

# With one round, the longest bar has the full length, however busy the machine is.
measure fake:1M null: --codecs=raw,lzo -j1 --rounds=1
draws 0 --plot=b.png
# In this locale, C.
expect_err ''
[ "$(head -c 4 b.png | tail -c 3)" = PNG ] || fail "not a PNG file"
# The lines of the grid are behind the bars.
python3 - b.png << 'END' || fail "see above"
import struct, sys, zlib

def rows(png):
    """Of each row, its pixels as (red, green, blue): 8 bits, RGB or RGBA, not interlaced."""
    at, data = 8, b""
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            assert (depth, interlaced) == (8, 0) and colour in (2, 6)
        elif kind == b"IDAT":
            data += body
        at += 12 + length
    size = 3 if colour == 2 else 4
    data, before = zlib.decompress(data), bytes(width * size)
    for row in range(height):
        begin = row * (width * size + 1)
        method, line = data[begin], bytearray(data[begin + 1:begin + 1 + width * size])
        for i in range(len(line)):
            a = line[i - size] if i >= size else 0
            b, c = before[i], before[i - size] if i >= size else 0
            nearest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            line[i] = line[i] + (0, a, b, (a + b) // 2, nearest)[method] & 255
        before = bytes(line)
        yield [tuple(line[i:i + 3]) for i in range(0, len(line), size)]

# The panel of rates is 480 pixels wide.  The longest bar is one colour from end to end.
picture = [row[:480] for row in rows(open(sys.argv[1], "rb").read())]
for bar in (0x17, 0x36, 0x5c), (0xa3, 0x24, 0x3b):
    long = [row for row in picture if row.count(bar) > 200]
    if long:
        assert len(long) >= 8, len(long)
        row = long[2]
        found = row[row.index(bar):480 - row[::-1].index(bar)]
        assert set(found) == {bar}, set(found)
        sys.exit()
sys.exit("no long bar")
END

# Lines have names.  An emulated disk is equally fast with all codecs, far from the ceiling.
measure fake:1M,pattern=random null: --codecs=raw,lzo -j1,2,serial --outputs=1 --disk-rate=1M --rounds=1
draws 0 --plot=lines.svg
says lines.svg serial threads 'all codecs, within 2 points'
# Rate, share, and both axes of the last panel; threads begin with serial.
[ "$(grep -cE '^0(\.0+)?( %)?$' said)" -eq 4 ] || fail "not all axes begin at zero: $(cat said)"

# Names are shown as they are, in any locale, and are no markup; bytes that are not text are replaced.
name=$(printf 'µ × – <b>&"\047\001\377</title><script>alert(1)</script>.core' | tr / _)
cp "${builddir:?}/nsplit-bench" "$name"
measure "$name" null: --codecs=raw,lzo -j1-3 --rounds=1
draws 0 --html
mv out page.html
check_page page.html 3 1
grep -qF 'µ × – &lt;b&gt;&amp;&quot;&#39;��&lt;_title&gt;&lt;script&gt;alert(1)' page.html ||
	fail "$(grep '<title>' page.html)"
for locale in C C.UTF-8; do
	LC_ALL=$locale draws 0 --plot=u.svg
	expect_err ''
	texts u.svg | grep -q "^µ × – <b>&" || fail "$locale: $(texts u.svg)"
done
# No name is a command of gnuplot.
name=$(printf 'a"\140touch evil\140'"'"'\nsystem "touch evil"')
cp "$builddir/nsplit-bench" "$name"
for threads in 1 1-3; do
	measure "$name" null: --codecs=raw,lzo -j$threads --rounds=1
	draws 0 --plot="$name.png"
	[ "$(head -c 4 "$name.png" | tail -c 3)" = PNG ] || fail "not a PNG file: $(cat err)"
	absent evil
done

# What was measured until a signal, without warnings about the others.
nsplit-bench -q --json --progress=always fake:3M null: --codecs=raw,lzo -jserial --warmup=0 --rounds=100 \
	--disk-rate=1M > json 2> err &
pid=$!
kill_at_exit $pid
wait_for grep -q '^nsplit-bench: [1-9][0-9]* of 200, ' err
kill -s TERM $pid
expect_end 143 $pid
! grep -v ' left: [a-z]*, serial, 1 output, blocks of 4K$' err | grep ' left: ' || fail "see above"
draws 0 --html=early.html --plot=early.svg
expect_err ''
says early.svg Captures raw
check_page early.html 3 1
grep -q 'ended early' early.html || fail 'the page does not say that it is incomplete'
grep -q '<li>Fastest: [a-z]*, serial: [0-9.]* MB/s\( (!)\)\?, ' early.html || fail "$(grep Fastest early.html)"

# If gnuplot fails, or writes nothing, an older picture is kept.
for stub in 'cat > script; echo part; exit 1' 'cat > script'; do
	printf '#!/bin/sh\n%s\n' "$stub" > bin/gnuplot
	chmod +x bin/gnuplot
	printf '\211PNG older\n' > older.png
	cp older.png kept.png
	PATH=$PWD/bin
	draws 1 --plot=older.png
	PATH=$path
	expect_err 'draw.py: older.png: gnuplot failed'
	cmp older.png kept.png || fail 'the older picture is lost'
done

# Without it, all of the above has passed, but the pages were not checked by it.
need tidy
