//===- ChooseLayouts.h - products that write what products read -*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product of heads leaves [image, head, position, feature], and the products
// that read it take [image, position, head, feature]: each would gather it
// anew. cuBLASLt writes the one as well as the other, so the buffer between
// them is stored in an order that its readers take as it is, where there is
// one.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_GPU_CHOOSELAYOUTS_H
#define MEMOPT_LIB_GPU_CHOOSELAYOUTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace memopt {

/// Changes the order of elements of buffers of a planned step that one product
/// writes and kernels read, where fewer operands of products are gathered then.
void chooseLayouts(mlir::func::FuncOp step);

} // namespace memopt

#endif // MEMOPT_LIB_GPU_CHOOSELAYOUTS_H
