// SPDX-License-Identifier: GPL-2.0-only
// The descriptor behind an evsel: libperf has no public way to it, and without it neither a group
// can be read in one read(2) nor a BPF map be given the event. Compiled with libperf's own headers.
#include <internal/evsel.h>
#include <internal/xyarray.h>

int xdpcost_evsel_fd(struct perf_evsel *evsel, int cpu_index, int thread_index);

int xdpcost_evsel_fd(struct perf_evsel *evsel, int cpu_index, int thread_index)
{
  const int *fd;

  if (!evsel->fd || cpu_index < 0 || thread_index < 0 ||
      cpu_index >= xyarray__max_x(evsel->fd) || thread_index >= xyarray__max_y(evsel->fd))
    return -1;
  fd = xyarray__entry(evsel->fd, cpu_index, thread_index);
  return fd ? *fd : -1;
}
