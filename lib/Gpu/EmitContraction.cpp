//===- EmitContraction.cpp - matrix products on the GPU -------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "ProductEmitter.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace memopt;

/// Products of a matrix and a vector read each element once: as rows or columns
/// that are summed they need no copies, and what follows is in the same pass.
static bool isVectorProduct(const ProductShape &shape) {
  auto isOne = [&](int kind) {
    return llvm::all_of(shape.loops[kind],
                        [](const auto &loop) { return loop.size == 1; });
  };
  return isOne(MEMOPT_GPU_M) || isOne(MEMOPT_GPU_N);
}

/// Which operands lie in no buffer of the kernel by strides.
static SmallVector<bool, 2> getComputed(linalg::LinalgOp op) {
  SmallVector<bool, 2> computed(2);
  for (int x = 0; x < 2 && x < op.getNumDpsInputs(); ++x) {
    std::optional<StridedView> view =
        getStridedView(op->getOperand(x), /*throughExtensions=*/true);
    computed[x] = !view || !isa<BlockArgument>(view->base) ||
                  !isa<RankedTensorType>(view->base.getType());
  }
  return computed;
}

namespace {
/// The host code and the launches before an attempt, to come back to.
class HostMark {
public:
  explicit HostMark(GpuKernelBuilder &builder)
      : builder(builder), block(builder.getHost().getInsertionBlock()),
        last(block->empty() ? nullptr : &block->back()),
        launches(builder.getModule().launches.size()),
        products(builder.getModule().products.size()),
        request(builder.getRequest()) {}

  void restore() {
    while (!block->empty() && &block->back() != last)
      block->back().erase();
    builder.getModule().launches.resize(launches);
    builder.getModule().products.resize(products);
    builder.getRequest() = request;
  }

private:
  GpuKernelBuilder &builder;
  Block *block;
  Operation *last;
  size_t launches, products;
  WorkspaceRequest request;
};
} // namespace

LogicalResult memopt::emitGpuContraction(GpuKernelBuilder &builder) {
  KernelOp kernel = builder.getKernel();
  linalg::LinalgOp op = findContraction(kernel);
  std::string why = "it is not one contraction";
  std::optional<ProductShape> shape;
  if (op)
    shape = getProductShape(op, why, getComputed(op));
  SmallVector<unsigned> all =
      llvm::to_vector(llvm::seq<unsigned>(kernel.getOutputs().size()));
  if (shape && isVectorProduct(*shape) &&
      succeeded(emitGpuProgram(builder, all, {})))
    return success();
  if (shape) {
    HostMark mark(builder);
    ProductEmitter product(builder, op, *shape);
    if (succeeded(product.emit(why)))
      return success();
    mark.restore();
  }
  remark::missed(kernel.getLoc(),
                 remark::RemarkOpts::name("product").category("memopt-to-nvvm"))
      << "a contraction in loops of its own, without cuBLASLt: " + why;
  return emitGpuMovement(builder);
}
