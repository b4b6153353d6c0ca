// SPDX-License-Identifier: GPL-2.0-only
// What real frames say besides the cost of a call: packets per second, and whether the loop inside
// the kernel agrees.
#pragma once

#include <vector>

#include "report/report.h"

namespace xdpcost::report {

// Every cell of the workload literal beside every one of micro on the same machine, kernel and CPU
// that has the same columns as far as both have them, the form of the loop apart.
std::vector<Comparison> make_comparisons(const Report& report);

// Of every effect cell of the workload literal whose packets were timed by the wall: 1 / level,
// 1 / (level + delta), and the share of packets lost, delta / (level + delta), which rises with
// delta.
std::vector<PacketRate> make_rates(const Report& report);

// Of every effect cell of a segment that says it (net_rx_share_key()). `rows` are those of its
// cells in order, the first of which becomes row `first_row` of the report. Words that are no
// shares are left out.
std::vector<CpuShare> make_cpu_shares(const Segment& segment, const std::vector<Row>& rows,
                                      std::size_t first_row);

// Why the two may differ although both are right, in words.
const char* known_reasons();

}  // namespace xdpcost::report
