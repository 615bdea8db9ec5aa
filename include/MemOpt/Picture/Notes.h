//===- Notes.h - what a later report needs of an earlier step ---*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A report can only see the step as it is. What it tells of the step before is
// noted on the function, in the dictionary `memopt.report`, until it is
// written.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_PICTURE_NOTES_H
#define MEMOPT_PICTURE_NOTES_H

#include "MemOpt/Picture/Picture.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace memopt {

/// Adds an entry to the function's notes, or replaces it.
void setNote(mlir::func::FuncOp function, llvm::StringRef name,
             mlir::Attribute note);
/// Null where there is no such entry.
mlir::Attribute getNote(mlir::func::FuncOp function, llvm::StringRef name);
void removeNotes(mlir::func::FuncOp function);

/// Memory over the step as it is now, for the panel `before`.
void noteTimeline(mlir::func::FuncOp function, const Timeline &timeline);
/// The plans that a budget selects from.
void noteFront(mlir::func::FuncOp function,
               const std::vector<FrontPoint> &front);

/// Takes what is noted into the picture. Fails with a diagnostic where a note
/// is there and is none that these functions write.
llvm::LogicalResult readNotes(mlir::func::FuncOp function, Picture &picture);

} // namespace memopt

#endif // MEMOPT_PICTURE_NOTES_H
