// SPDX-License-Identifier: GPL-2.0-only
#include "lab/irqs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>

#include "base/file.h"
#include "base/text.h"

namespace xdpcost::lab {
namespace {

namespace fs = std::filesystem;

// A network device may be some levels below the device that has the interrupts: eth0 of virtio2 of
// 0000:00:03.0.
constexpr int kMaxLevels = 4;

CpuList cpus_in(const Facts& facts, unsigned number, const char* file) {
  const auto text = facts.line(fmt::format("/proc/irq/{}/{}", number, file));
  return text ? parse_cpu_list(*text).value_or(CpuList()) : CpuList();
}

CpuList cpus_of(const Facts& facts, unsigned number) {
  // The mask asked for may be wider than what the interrupt controller does. Where the two have no
  // CPU in common, the next interrupt is going to move (kernel/irq/migration.c).
  CpuList asked = cpus_in(facts, number, "smp_affinity_list");
  CpuList done = cpus_in(facts, number, "effective_affinity_list");
  if (done.empty()) return asked;
  const bool is_moving =
      !asked.empty() && std::none_of(done.begin(), done.end(), [&](unsigned cpu) {
        return std::binary_search(asked.begin(), asked.end(), cpu);
      });
  return is_moving ? asked : done;
}

// Numbers of MSI vectors and the network device that they belong to.
std::map<unsigned, std::string> msi_owners(const Facts& facts) {
  std::map<unsigned, std::string> owners;
  for (const std::string& device : facts.names("/sys/class/net")) {
    std::error_code error;
    fs::path folder = fs::canonical(facts.root() + "/sys/class/net/" + device + "/device", error);
    for (int level = 0; !error && level < kMaxLevels; ++level, folder = folder.parent_path()) {
      const auto vectors = list_folder(folder / "msi_irqs");
      if (!vectors) continue;
      for (const std::string& vector : *vectors) {
        if (const auto number = parse_unsigned<unsigned>(vector)) owners.emplace(*number, device);
      }
      break;
    }
  }
  return owners;
}

// "eth0", "eth0-rx-1" or "other, eth0:2" are handlers of eth0; "eth01" is not.
bool is_handler_of(std::string_view actions, std::string_view device) {
  for (std::string_view action : split(actions, ',')) {
    action = trim(action);
    if (!action.starts_with(device)) continue;
    action.remove_prefix(device.size());
    if (action.empty() ||
        std::string_view("-:@ .").find(action.front()) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<Irq> device_irqs(const Facts& facts) {
  std::vector<Irq> irqs;
  for (const std::string& name : facts.names("/sys/kernel/irq")) {
    const auto number = parse_unsigned<unsigned>(name);
    if (!number) continue;
    auto actions = facts.line(fmt::format("/sys/kernel/irq/{}/actions", name));
    if (!actions || actions->empty()) continue;
    irqs.push_back({*number, std::move(*actions), cpus_of(facts, *number)});
  }
  std::sort(irqs.begin(), irqs.end(),
            [](const Irq& a, const Irq& b) { return a.number < b.number; });
  return irqs;
}

std::vector<NicIrq> nic_irqs_of_cpu(const Facts& facts) {
  const std::map<unsigned, std::string> owners = msi_owners(facts);
  const std::vector<std::string> devices = facts.names("/sys/class/net");
  std::vector<NicIrq> found;
  for (const Irq& irq : device_irqs(facts)) {
    if (!std::binary_search(irq.cpus.begin(), irq.cpus.end(), facts.cpu())) continue;
    if (const auto owner = owners.find(irq.number); owner != owners.end()) {
      found.push_back({irq, owner->second});
      continue;
    }
    const auto named = std::find_if(devices.begin(), devices.end(), [&](const std::string& device) {
      return is_handler_of(irq.actions, device);
    });
    if (named != devices.end()) found.push_back({irq, *named});
  }
  return found;
}

}  // namespace xdpcost::lab
