// SPDX-License-Identifier: GPL-2.0-only
// Lines of separated fields.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xdpcost::report {

// The fields as one line that ends with \n. Separated by commas they are quoted as RFC 4180 says
// where they hold a comma, a quote or a line break; separated by tabs they must hold none.
std::string separated_line(const std::vector<std::string>& fields, char separator);

}  // namespace xdpcost::report
