// SPDX-License-Identifier: GPL-2.0-only
// Lists of events as a user may type them: the first byte chooses the machine, the second the CPU.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "counter/event_spec.h"

namespace {

constexpr const char* kMachines[] = {"zen", "intel-hybrid", "armv8", "no-pmu"};

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace xdpcost::counter;
  if (size < 2) return 0;
  EventContext context;
  context.root = std::string(XDPCOST_TEST_DATA "/sysfs/") + kMachines[data[0] % 4];
  context.cpu = data[1] % 16;
  // It looks at the running machine, not at the tree.
  context.libpfm = false;
  const std::string_view list(reinterpret_cast<const char*>(data) + 2, size - 2);

  const auto events = parse_event_list(list, context);
  if (!events) {
    require(!events.error().what.empty());
    return 0;
  }
  require(!events->empty() && events->size() <= kMaxEvents);
  for (const EventSpec& event : *events) {
    require(!event.name.empty());
    require(event.attr.size == sizeof(event.attr));
    require(event.attr.sample_period == 0 && event.attr.sample_type == 0);
  }
  std::set<std::string> different;
  for (const std::string& name : field_names(*events)) {
    require(name.starts_with("hw"));
    require(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos);
    require(different.insert(name).second);
  }
  return 0;
}
