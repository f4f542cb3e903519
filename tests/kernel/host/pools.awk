# SPDX-License-Identifier: GPL-2.0-or-later
# Models of the kernel's pools of compressed pages, to compare one that no kernel has with those that
# were measured.
#	awk -v pool=zbud|zsmalloc|ztree -f pools.awk
# reads the sizes of objects, one a line, in the order in which they are stored, and prints how many the
# pool accepts, and the bytes of the pages that it then uses.  No object is freed.
#
# zbud (mm/zbud.c of Linux 6.1): a page has a header of 64 bytes and up to two objects, each a multiple of
# 64 bytes.  An object joins another one in the page with the least sufficient space, or begins a page.
#
# zsmalloc (mm/zsmalloc.c of Linux 6.1): an object and its handle of 8 bytes take a slot; the size of slots
# is a multiple of 16 bytes.  A block of one to four pages has slots of one size.  The number of pages is the
# one that wastes the least, in whole percent.  Sizes with the same pages and slots a block share blocks.
#
# ztree (mm/ztree.c as posted to linux-mm in 2021): a block of 1, 2, 4 or 8 pages has 8 to 16 slots of one
# size, a multiple of 8 bytes.  There are sixteen sizes, each with a tree of its own.  An object takes a slot
# of the smallest size that is sufficient.  The header of a block is stored elsewhere and is not counted.

BEGIN {
	page = 4096
	if (pool == "zsmalloc")
		zsmalloc_classes()
	else if (pool == "ztree")
		ztree_classes()
	else if (pool != "zbud") {
		print "pools.awk: unknown pool '" pool "'; there are zbud, zsmalloc and ztree"
		failed = 1
		exit 1
	}
}

{
	if (pool == "zbud")
		zbud_store($1)
	else
		block_store($1 + overhead)
}

END {
	if (failed)
		exit 1
	for (class = 1; class <= classes; class++)
		pages += class_pages[class] * ceiling(class_objects[class], class_slots[class])
	printf "%d %d\n", objects, pages * page
}

function ceiling(number, unit)
{
	return int((number + unit - 1) / unit)
}

# Classes are added in ascending order of their sizes.
function class_add(size, slots, pages_of_block)
{
	classes++
	class_size[classes] = size
	class_slots[classes] = slots
	class_pages[classes] = pages_of_block
}

function block_store(size,  class)
{
	if (size - overhead > page)
		return
	# A page that did not get smaller is in the last class, whatever the overhead.
	for (class = 1; class < classes && size > class_size[class]; class++)
		;
	class_objects[class]++
	objects++
}

function ztree_classes(  count, all, i, block)
{
	count = split("1:16 1:11 1:8 2:11 2:8 4:14 4:12 4:10 4:9 4:8 8:14 8:13 8:12 8:11 8:10 8:8", all, " ")
	for (i = 1; i <= count; i++) {
		split(all[i], block, ":")
		class_add(int(block[1] * page / (8 * block[2])) * 8, block[2], block[1])
	}
}

function zsmalloc_classes(  size, pages_of_block, slots)
{
	overhead = 8
	for (size = 32; size <= page; size += 16) {
		pages_of_block = zsmalloc_pages(size)
		slots = int(pages_of_block * page / size)
		# The same block as that of the previous size: it has the larger slots.
		if (classes && class_pages[classes] == pages_of_block && class_slots[classes] == slots)
			class_size[classes] = size
		else
			class_add(size, slots, pages_of_block)
	}
}

function zsmalloc_pages(size,  i, bytes, used, best, found)
{
	for (i = 1; i <= 4; i++) {
		bytes = i * page
		used = int((bytes - bytes % size) * 100 / bytes)
		if (used > best) {
			best = used
			found = i
		}
	}
	return found
}

# zbud_free[N]: the number of pages that have one object and N free chunks
function zbud_store(size,  chunks, i)
{
	if (size > 62 * 64)
		return
	objects++
	chunks = ceiling(size, 64)
	for (i = chunks; i < 63; i++) {
		if (zbud_free[i] > 0) {
			zbud_free[i]--
			return
		}
	}
	pages++
	zbud_free[63 - chunks]++
}
