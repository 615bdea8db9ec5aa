//===- Registration.h - everything mem-opt brings ---------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_PIPELINES_REGISTRATION_H
#define MEMOPT_PIPELINES_REGISTRATION_H

namespace mlir {
class DialectRegistry;
}

namespace memopt {

/// Adds the memopt dialect to `registry`. The upstream dialects that the passes
/// create are their dependent dialects and need no registration.
void registerDialects(mlir::DialectRegistry &registry);

/// Registers every pass by its flag (`memopt-...`) and the pipelines with
/// MLIR's global pass registry. Calling it again changes nothing.
void registerPasses();

} // namespace memopt

#endif // MEMOPT_PIPELINES_REGISTRATION_H
