// SPDX-License-Identifier: GPL-2.0-only
// Tables for people of what rows say about each other: shares of lookups, the loop beside real
// frames, packets per second.
#pragma once

#include <string>
#include <string_view>

#include "report/render.h"
#include "report/report.h"

namespace xdpcost::report {

// Empty where there is none. `bold` is put before each header and `plain` behind.
std::string render_relations(const Report& report, const TextOptions& options,
                             std::string_view bold, std::string_view plain);

}  // namespace xdpcost::report
