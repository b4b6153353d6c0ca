// SPDX-License-Identifier: GPL-2.0-only
// libperf for C++: its headers have no extern "C" of their own. Only the .cc files of this folder
// include this one.
#pragma once

#include <linux/perf_event.h>
#include <linux/types.h>

extern "C" {
#include <perf/core.h>
#include <perf/cpumap.h>
#include <perf/event.h>
#include <perf/evlist.h>
#include <perf/evsel.h>
#include <perf/mmap.h>
#include <perf/threadmap.h>

// The descriptor of an evsel for the given places in its CPU and thread maps; -1 where it has none
// (libperf/evsel.c).
int xdpcost_evsel_fd(struct perf_evsel* evsel, int cpu_index, int thread_index);

// Gives back the ids and maps that a list with a buffer or with maps has put into its evsel. Behind
// perf_evlist__close(), before perf_evlist__delete().
void xdpcost_evsel_release(struct perf_evsel* evsel);
}

#include "base/handle.h"

namespace xdpcost::counter {

using CpuMap = Handle<perf_cpu_map, perf_cpu_map__put>;
using ThreadMap = Handle<perf_thread_map, perf_thread_map__put>;
// Closes and frees its events too.
using EventList = Handle<perf_evlist, perf_evlist__delete>;

}  // namespace xdpcost::counter
