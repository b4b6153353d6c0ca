// SPDX-License-Identifier: GPL-2.0-only
// What libperf has no public way to, compiled with its own headers. Without the descriptor behind an
// evsel neither a group can be read in one read(2) nor a BPF map be given the event.
#include <internal/evsel.h>
#include <internal/xyarray.h>
#include <perf/cpumap.h>
#include <perf/threadmap.h>

int xdpcost_evsel_fd(struct perf_evsel *evsel, int cpu_index, int thread_index);
void xdpcost_evsel_release(struct perf_evsel *evsel);

int xdpcost_evsel_fd(struct perf_evsel *evsel, int cpu_index, int thread_index)
{
  const int *fd;

  if (!evsel->fd || cpu_index < 0 || thread_index < 0 ||
      cpu_index >= xyarray__max_x(evsel->fd) || thread_index >= xyarray__max_y(evsel->fd))
    return -1;
  fd = xyarray__entry(evsel->fd, cpu_index, thread_index);
  return fd ? *fd : -1;
}

// perf_evsel__delete() of Linux 6.1 frees the evsel only (tools/lib/perf/evsel.c).
void xdpcost_evsel_release(struct perf_evsel *evsel)
{
  perf_evsel__free_id(evsel);
  perf_cpu_map__put(evsel->cpus);
  perf_thread_map__put(evsel->threads);
  evsel->cpus = NULL;
  evsel->threads = NULL;
}
