# SPDX-License-Identifier: GPL-2.0-or-later
# What drgn finds in a dump, for check-readers.sh: the release, all tasks with their stacks, modules,
# slab caches, the objects of one of them, and the log.  Runs in drgn, which defines prog.
from drgn.helpers.linux.module import for_each_module
from drgn.helpers.linux.pid import for_each_task
from drgn.helpers.linux.printk import get_dmesg
from drgn.helpers.linux.slab import (
    find_slab_cache,
    for_each_slab_cache,
    slab_cache_for_each_allocated_object,
    slab_cache_usage,
)


def name(chars):
    return chars.string_().decode(errors="replace")


def tasks():
    for task in for_each_task(prog):
        print("task", task.pid.value_(), name(task.comm))
        try:
            print(prog.stack_trace(task))
        except ValueError as reason:
            print("no stack:", reason)


def modules():
    for module in for_each_module(prog):
        print("module", name(module.name), hex(module.value_()))


def slabs():
    for cache in for_each_slab_cache(prog):
        print("slab", name(cache.name), cache.object_size.value_(), slab_cache_usage(cache))
    cache = find_slab_cache(prog, "task_struct")
    for task in slab_cache_for_each_allocated_object(cache, "struct task_struct"):
        print("task_struct", hex(task.value_()), task.pid.value_())


print(name(prog["init_uts_ns"].name.release))
tasks()
modules()
slabs()
print(get_dmesg(prog).decode(errors="replace"))
