#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --plot draws with gnuplot, or writes its script.  A missing gnuplot is reported before the first round.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need python3

# measure OPTION...: two codecs, a millionth part of the smallest real core
measure() {
	nsplit-bench -q fake:1M null: --codecs=raw,lzo --rounds=2 --warmup=0 "$@"
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

mkdir bin
for command in sh cat rm; do
	ln -s "$(command -v $command)" bin/
done
ln -s "$(python3 -c 'import sys; print(sys.executable)')" bin/python3
path=$PATH
for name in none.png none.svg; do
	PATH=${builddir:?}:$PWD/bin
	status=0
	measure -j1 --plot=$name > out 2> err || status=$?
	PATH=$path
	[ $status -eq 1 ] || fail "status $status: $(cat err)"
	expect_err "nsplit-bench: --plot=$name: gnuplot is not installed"
	expect_out ''
	absent $name
done

# The script needs no gnuplot until another machine draws it.
PATH=$builddir:$PWD/bin
status=0
measure -j1,2 --plot=bars.gp > out 2> err || status=$?
PATH=$path
[ $status -eq 0 ] || fail "status $status: $(cat err)"

# Each colour is lighter than the one before it, for a grey printer.
PYTHONPATH=$srcdir/bench python3 -B - << 'END' || fail "see above"
import draw

own = [int(colour[1:], 16) for colour in draw.COLOURS]
grey = [0.299 * (c >> 16) + 0.587 * (c >> 8 & 255) + 0.114 * (c & 255) for c in own]
assert len(own) == 6 and all(b > a + 15 for a, b in zip(grey, grey[1:])), grey
END

need gnuplot
gnuplot bars.gp > bars.svg
says bars.svg Captures 'MB/s of the source' 'raw, 1 thread' 'lzo, 2 threads' 'Captures, as a share of the ceiling' \
	'0 %' 'Speed and compression' raw lzo 'ratio (bytes of the source per byte of the members)'

# Bars have values; with few rounds, all are marked.
expect_status 0 measure -j1,2 --plot="a 'quoted' name.svg"
says "a 'quoted' name.svg" Captures 'raw, 1 thread' '0 %'
# gnuplot draws each text with a box twice.
[ "$(grep -c '^[0-9,.]* !$' said)" -ge 4 ] || fail "not four rates: $(cat said)"
[ "$(grep -c '^[0-9.]* % !$' said)" -ge 4 ] || fail "not four shares: $(cat said)"

# Lines have names.  An emulated disk is equally fast with all codecs, far from the ceiling.
expect_status 0 nsplit-bench -q fake:1M,pattern=random null: --codecs=raw,lzo -j1,2,serial \
	--outputs=1 --disk-rate=1M --rounds=1 --warmup=0 --plot=lines.svg
says lines.svg serial threads 'all codecs, within 2 points'
# Rate, share, and both axes of the last panel; threads begin with serial.
[ "$(grep -cE '^0(\.0+)?( %)?$' said)" -eq 4 ] || fail "not all axes begin at zero: $(cat said)"

# Names are shown in any locale.
name='µ × – <b>&.core'
cp "$builddir/nsplit-bench" "$name"
for locale in C C.UTF-8; do
	for picture in u.svg u.png; do
		expect_status 0 env LC_ALL=$locale "$builddir/nsplit-bench" -q "$name" null: --codecs=raw -j1 \
			--rounds=1 --plot=$picture
		expect_err ''
	done
	texts u.svg | grep -q "^$name, " || fail "$locale: $(texts u.svg)"
done

# If the benchmark ended early, the completed part is drawn, without warnings about the others.
nsplit-bench -q --progress=always fake:3M null: --codecs=raw,lzo -j1-3 --warmup=0 --rounds=100 \
	--disk-rate=1M --plot=early.svg > out 2> err &
pid=$!
kill_at_exit $pid
wait_for grep -q '^nsplit-bench: [1-9][0-9]* of 600, ' err
kill -s TERM $pid
expect_end 143 $pid
says early.svg Captures raw
! grep -i warning err || fail "see above"

# With one round, the longest bar has the full length, however busy the machine is.
expect_status 0 measure -j1 --rounds=1 --plot=b.png
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
# gnuplot is found as the shell finds it: in the current directory if PATH has an empty element, and
# without PATH in the usual directories.
ln -s "$(command -v gnuplot)" gnuplot
PATH=$builddir:$PWD/bin:
status=0
measure -j1 --plot=b.png > out 2> err || status=$?
PATH=$path
[ $status -eq 0 ] || fail "status $status: $(cat err)"
rm gnuplot
expect_status 0 env -u PATH "$builddir/nsplit-bench" -q fake:1M null: --codecs=raw -j1 --rounds=1 --warmup=0 \
	--plot=b.png
# No name is a command of gnuplot.
name=$(printf 'a"\140touch evil\140'"'"'\nsystem "touch evil"')
cp "$builddir/nsplit-bench" "$name"
for threads in 1 1-3; do
	expect_status 0 nsplit-bench -q "$name" null: --codecs=raw,lzo -j$threads --rounds=1 \
		--plot="$name.png"
	[ "$(head -c 4 "$name.png" | tail -c 3)" = PNG ] || fail "not a PNG file: $(cat err)"
	rm "$name.png"
	absent evil
done
expect_status 0 measure -j1 --plot='|touch evil;.png'
[ "$(head -c 4 '|touch evil;.png' | tail -c 3)" = PNG ] || fail "not a PNG file: $(cat err)"
absent evil

draw=$(cd "$builddir/bench" && pwd -P)/draw.py
# If gnuplot fails, or writes nothing, an older picture is kept.
for stub in 'cat > script; echo part; exit 1' 'cat > script'; do
	printf '#!/bin/sh\n%s\n' "$stub" > bin/gnuplot
	chmod +x bin/gnuplot
	printf '\211PNG older\n' > older.png
	cp older.png kept.png
	PATH=$builddir:$PWD/bin
	status=0
	measure -j1 --plot=older.png > out 2> err || status=$?
	PATH=$path
	[ $status -eq 1 ] || fail "status $status: $(cat err)"
	expect_err "nsplit-bench: older.png: gnuplot failed
nsplit-bench: the results were printed as JSON, of which 'python3 $draw' draws what failed"
	sed -n '/^{/,$p' out | python3 "$draw" --plot=later.gp || fail "not the JSON: $(cat out)"
	cmp older.png kept.png || fail 'the older picture is lost'
done
