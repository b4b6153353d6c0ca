// SPDX-License-Identifier: GPL-2.0-only
// The words that describe a run event: the keys schema.* of meta.h.
#pragma once

#include "base/result.h"
#include "model/stream.h"

namespace xdpcost::perfdata {

// Appends schema.* for a schema that plan_run_event() accepts.
void describe_schema(const RunSchema& schema, MetaList& pairs);

// The schema that the pairs describe; keys that it does not know are passed over. It is one that
// plan_run_event() accepts. Error: bad_data.
Result<RunSchema> parse_schema(const MetaList& pairs);

}  // namespace xdpcost::perfdata
