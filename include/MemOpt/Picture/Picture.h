//===- Picture.h - a step's memory as a picture -----------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_PICTURE_PICTURE_H
#define MEMOPT_PICTURE_PICTURE_H

#include "MemOpt/Picture/Timeline.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <optional>
#include <string>

namespace memopt {

/// A plan that nothing beats: the bytes that the budget bounds, what the plan
/// costs, and what any plan of as few bytes costs at least, in picoseconds.
struct FrontPoint {
  int64_t bytes = 0;
  int64_t cost = 0, bound = 0;
};

/// What is drawn: memory over the step, beside the step as it was before where
/// that is known, and, of a rematerialized step, the front of its plans.
struct Picture {
  std::string title;
  std::optional<Timeline> before;
  Timeline after;
  std::vector<FrontPoint> front; // rising bytes
  FrontPoint chosen;
  /// Whether the budget bounds saved bytes, and not the peak.
  bool boundsSaved = false;
  std::optional<int64_t> budget; // bytes
  int64_t stepTime = 0;          // picoseconds, of the step before

  /// Of the step of a function. `plan` is its attribute `memopt.plan`, null
  /// where it was not rematerialized.
  Picture(llvm::StringRef function, mlir::DictionaryAttr plan);

  /// A self-contained SVG document.
  std::string draw() const;
};

} // namespace memopt

#endif // MEMOPT_PICTURE_PICTURE_H
