# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What a machine gets whose kernel is installed here: programs and modules of this system, and
# modules built with its headers and compiler.

# image_programs PROGRAM...: adds each with its shared libraries
image_programs() {
	image_programs_here "$@"
}

# image_modules NAME...: adds each after the modules that it requires
image_modules() {
	for image_module; do
		modprobe -S "$kernel_version" --show-depends "$image_module" || exit 1
	done > modules.list
	# shellcheck disable=SC2046
	image_module_files $(sed -n 's/^insmod \([^ ]*\).*/\1/p' modules.list | awk '!seen[$0]++')
}

# module_make DIRECTORY: builds the module in it, and prints what make says
module_make() {
	make -C "/lib/modules/$kernel_version/build" M="$1" 2>&1
}
