// SPDX-License-Identifier: GPL-2.0-only
// Which CPUs serve which device interrupts.
#pragma once

#include <string>
#include <vector>

#include "base/cpus.h"
#include "lab/facts.h"

namespace xdpcost::lab {

// A device interrupt that has a handler.
struct Irq {
  unsigned number = 0;
  std::string actions;  // names of its handlers, separated by commas: "eth0-TxRx-3"
  CpuList cpus;         // that it is sent to now
};

// All of them, by rising number, from /sys/kernel/irq and /proc/irq. Those of a CPU itself, such as
// its timer, are not among them.
std::vector<Irq> device_irqs(const Facts& facts);

// An interrupt of a network device.
struct NicIrq {
  Irq irq;
  std::string device;  // "eth0"
};

// The interrupts of network devices that the measured CPU serves. They are told by the MSI vectors
// of the device (or of the bus device that it sits on, as with virtio), else by the handler's name
// that starts with the device's.
std::vector<NicIrq> nic_irqs_of_cpu(const Facts& facts);

}  // namespace xdpcost::lab
