// What each command of reelmesh-cli does. All return the program's exit code.
#pragma once

#include <engine/engine.h>

#include "console.h"
#include "options.h"

namespace reelmesh {

/// Queues a job for each job file, or one; prints where the clips are once all have ended.
int run_generate(Engine& engine, const CommandLine& line, Console& console);
/// Every mesh of a job with its cost. Exit as generate's would be where no mesh is legal.
int run_plan(Engine& engine, const CommandLine& line, Console& console);
/// Runs a job on two meshes; 1 where they differ by more than the bounds.
int run_parity(Engine& engine, const CommandLine& line, Console& console);
int run_bench(Engine& engine, const CommandLine& line, Console& console);
int run_info(Engine& engine, const CommandLine& line, Console& console);
int run_inspect(Engine& engine, const CommandLine& line, Console& console);
/// Of a *.reeltrace: events, what was dropped, totals of the range.
int run_inspect_trace(const CommandLine& line, Console& console);
/// Needs no engine.
int run_export(const CommandLine& line, Console& console);
int run_tokenize(Engine& engine, const CommandLine& line, Console& console);

/// Reports refusals; with JSON they are the result too: {"errors": [...]}.
int refuse(const std::vector<Error>& errors, Console& console);

} // namespace reelmesh
