// The engine's answers as JSON. Pure.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include <engine/engine.h>

namespace reelmesh {

using OrderedJson = nlohmann::ordered_json;

/// indent -1: one line. Bytes that are no UTF-8, as paths may have, become U+FFFD.
std::string json_text(const OrderedJson& object, int indent = -1);

OrderedJson error_json(const Error& error);
OrderedJson errors_json(const std::vector<Error>& errors);
/// One entry of the jobs that generate prints; end: the job's last state.
OrderedJson job_json(const JobStateChanged& end);
OrderedJson plan_json(const PlanSet& plans);
OrderedJson inspect_json(const InspectReport& report);
OrderedJson info_json(const EngineInfo& info);
OrderedJson tokens_json(const TokenizedPrompt& prompt);
/// Job text as an object, null if it is none.
OrderedJson job_object(const std::string& job_json);

} // namespace reelmesh
