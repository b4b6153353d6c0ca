// SPDX-License-Identifier: GPL-2.0-only
#include "report/csv.h"

namespace xdpcost::report {
namespace {

void append_quoted(std::string_view field, std::string& line) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos) {
    line += field;
    return;
  }
  line += '"';
  for (char c : field) {
    if (c == '"') line += '"';
    line += c;
  }
  line += '"';
}

}  // namespace

std::string separated_line(const std::vector<std::string>& fields, char separator) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) line += separator;
    if (separator == ',') {
      append_quoted(fields[i], line);
    } else {
      line += fields[i];
    }
  }
  line += '\n';
  return line;
}

}  // namespace xdpcost::report
