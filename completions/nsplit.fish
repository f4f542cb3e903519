# SPDX-License-Identifier: GPL-2.0-or-later
#
# fish completion for nsplit, njoin, nsplit-bench, nsplit-mount and mkfakevmcore.  Like the one for
# bash (completions/nsplit), it reads the options from --help=all and their values from --help=values.

# __nsplit_options PROGRAM: declares the options that its --help=all lists
function __nsplit_options
	set -l program $argv[1]
	set -l known ($program --help=values 2>/dev/null)

	complete -c $program -e
	for line in ($program --help=all 2>/dev/null)
		string match -rq '^ +(?:-(?<letter>\w), )?--(?<name>[a-z][a-z0-9-]*)(?<optional>\[?)=?(?<what>[A-Za-z]*)' -- $line
		or continue
		set -l options -l $name
		test -z "$letter"; or set -a options -s $letter
		if test -n "$what"
			set -l values (string replace -f -- "--$name " '' $known | string split ' ')
			test "$what" != GROUP; or set values "(__fish_complete_groups)"
			test -n "$optional"; or set -a options -r
			if test (count $values) -gt 0
				test "$what" != LIST; or set values "(__fish_append , $values)"
				set -a options -f -a "$values"
			end
		end
		# The description is on the next line if there is no space for it.
		string match -rq '\S  +(?<description>.*)' -- (string sub -s 3 -- $line)
		and set -a options -d $description
		complete -c $program $options
		# Further options of the line: the --no- forms.
		for other in (string match -ra -- '--no-[a-z-]+' $line)
			complete -c $program -l (string sub -s 3 -- $other)
		end
	end
end

# fish loads this file under the name of each program.
for program in nsplit njoin nsplit-bench nsplit-mount mkfakevmcore
	if command -q $program
		__nsplit_options $program
	end
end
