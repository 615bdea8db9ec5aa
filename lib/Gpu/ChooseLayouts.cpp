//===- ChooseLayouts.cpp - products that write what products read ---------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChooseLayouts.h"
#include "MemOpt/Codegen/ProductOutputs.h"
#include "ProductPlan.h"
#include "Workspace.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace memopt;

namespace {
/// A buffer of `type` stored in another order: its dimensions are split into
/// `sizes`, `groups` of them each, and `order[i]` of those is stored i-th.
struct Layout {
  RankedTensorType type;
  SmallVector<int64_t> sizes;
  SmallVector<ReassociationIndices> groups;
  SmallVector<int64_t> order;

  RankedTensorType getSplit() const {
    return RankedTensorType::get(sizes, type.getElementType());
  }
  RankedTensorType getStored() const {
    SmallVector<int64_t> stored;
    for (int64_t at : order)
      stored.push_back(sizes[at]);
    return RankedTensorType::get(stored, type.getElementType());
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Which layouts
//===----------------------------------------------------------------------===//

/// The order in which `operand`, a view of all of `base`, has its elements;
/// nothing where it repeats or lacks some.
static std::optional<Layout> getLayout(Value operand, BlockArgument base) {
  std::optional<StridedView> view =
      getStridedView(operand, /*throughExtensions=*/true);
  auto type = dyn_cast<RankedTensorType>(base.getType());
  if (!view || !type || view->base != base || view->offset != 0)
    return std::nullopt;
  SmallVector<Factor> stored;
  for (const Factors &dim : view->dims)
    llvm::append_range(stored, dim);
  llvm::erase_if(stored, [](const Factor &f) { return f.size == 1; });
  SmallVector<Factor> split = stored;
  llvm::stable_sort(split, [](const Factor &x, const Factor &y) {
    return x.stride > y.stride;
  });
  int64_t stride = type.getNumElements();
  for (const Factor &factor : split) {
    if (factor.stride * factor.size != stride)
      return std::nullopt;
    stride = factor.stride;
  }
  if (stride != 1)
    return std::nullopt;
  Layout layout{type, {}, {}, {}};
  for (const Factor &factor : stored)
    layout.order.push_back(llvm::find_if(split,
                                         [&](const Factor &other) {
                                           return other.stride == factor.stride;
                                         }) -
                           split.begin());
  unsigned next = 0;
  for (int64_t size : type.getShape()) {
    ReassociationIndices &group = layout.groups.emplace_back();
    for (int64_t points = 1; points != size || group.empty(); ++next) {
      if (next == split.size() || size % (points * split[next].size))
        return std::nullopt;
      group.push_back(next);
      layout.sizes.push_back(split[next].size);
      points *= split[next].size;
    }
  }
  return layout;
}

/// How many operands a product gathers; nothing where it is no product that can
/// be told in advance.
static std::optional<unsigned> countGathers(KernelOp kernel) {
  linalg::LinalgOp op = findContraction(kernel);
  std::string why;
  std::optional<ProductShape> shape;
  if (op)
    shape = getProductShape(op, why);
  if (!shape || !isa<BlockArgument>(shape->a.base) ||
      !isa<BlockArgument>(shape->b.base) || shape->aType != shape->bType)
    return std::nullopt;
  std::optional<ProductPlan> plan =
      planProduct(*shape, {shape->aType, shape->bType, shape->aType},
                  /*packs=*/false, /*hasBias=*/false, why);
  if (!plan)
    return std::nullopt;
  return plan->gathers[0] + plan->gathers[1];
}

//===----------------------------------------------------------------------===//
// Kernels with a buffer in another order
//===----------------------------------------------------------------------===//

/// The reader takes the stored order and puts it back in front of its ops.
static void rewriteReader(KernelOp kernel, Value buffer, const Layout &layout) {
  Block &body = kernel.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  SmallVector<int64_t> back(layout.order.size());
  for (auto [i, at] : llvm::enumerate(layout.order))
    back[at] = i;
  for (auto [argument, input] :
       llvm::zip_equal(body.getArguments(), kernel.getInputs())) {
    if (input != buffer)
      continue;
    argument.setType(layout.getStored());
    Value empty = tensor::EmptyOp::create(b, kernel.getLoc(), layout.sizes,
                                          layout.type.getElementType());
    Value split =
        linalg::TransposeOp::create(b, kernel.getLoc(), argument, empty, back)
            ->getResult(0);
    Value whole = split;
    if (layout.getSplit() != layout.type)
      whole = tensor::CollapseShapeOp::create(b, kernel.getLoc(), layout.type,
                                              split, layout.groups);
    argument.replaceAllUsesExcept(whole, split.getDefiningOp());
  }
}

namespace {
/// A contraction whose result comes in another order: the same sums, each in
/// the same order.
class Reordered {
public:
  Reordered(linalg::LinalgOp op, const Layout &layout)
      : op(op), layout(layout), b(op), loc(op.getLoc()) {}

  /// Fails, with nothing written, where a dimension of the result is no loop.
  LogicalResult create(Value &result) {
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    if (!maps[2].isProjectedPermutation() ||
        maps[2].getNumResults() != layout.groups.size())
      return failure();
    placeLoops(maps[2]);
    SmallVector<Value> operands;
    SmallVector<AffineMap> made;
    for (int x = 0; x < 2; ++x) {
      if (!maps[x].isProjectedPermutation())
        return failure();
      operands.push_back(expand(op->getOperand(x), maps[x]));
      made.push_back(getMap(maps[x]));
    }
    SmallVector<AffineExpr> stored;
    SmallVector<AffineExpr> split(getMap(maps[2]).getResults());
    for (int64_t at : layout.order)
      stored.push_back(split[at]);
    made.push_back(AffineMap::get(loops, 0, stored, b.getContext()));
    Value zero =
        cast<linalg::FillOp>(op.getDpsInits()[0].getDefiningOp()).value();
    Value empty = tensor::EmptyOp::create(b, loc, layout.getStored().getShape(),
                                          layout.type.getElementType());
    Value init = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
    auto generic = linalg::GenericOp::create(b, loc, layout.getStored(),
                                             operands, init, made, iterators);
    IRMapping mapping;
    op->getRegion(0).cloneInto(&generic.getRegion(), mapping);
    result = generic.getResult(0);
    return success();
  }

private:
  /// The loops of a dimension of the result are as many as it is split into.
  void placeLoops(AffineMap out) {
    SmallVector<utils::IteratorType> old = op.getIteratorTypesArray();
    first.resize(old.size());
    parts.assign(old.size(), {});
    for (auto [dim, expr] : llvm::enumerate(out.getResults()))
      for (int64_t at : layout.groups[dim])
        parts[cast<AffineDimExpr>(expr).getPosition()].push_back(
            layout.sizes[at]);
    for (auto [i, type] : llvm::enumerate(old)) {
      first[i] = loops;
      unsigned count = std::max<size_t>(parts[i].size(), 1);
      iterators.append(count, type);
      loops += count;
    }
  }

  AffineMap getMap(AffineMap map) {
    SmallVector<AffineExpr> exprs;
    for (AffineExpr expr : map.getResults()) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      for (unsigned i = 0; i < std::max<size_t>(parts[loop].size(), 1); ++i)
        exprs.push_back(b.getAffineDimExpr(first[loop] + i));
    }
    return AffineMap::get(loops, 0, exprs, b.getContext());
  }

  Value expand(Value operand, AffineMap map) {
    auto type = cast<RankedTensorType>(operand.getType());
    SmallVector<int64_t> sizes;
    SmallVector<ReassociationIndices> groups;
    for (auto [size, expr] :
         llvm::zip_equal(type.getShape(), map.getResults())) {
      SmallVector<int64_t> own = parts[cast<AffineDimExpr>(expr).getPosition()];
      if (own.empty())
        own.push_back(size);
      ReassociationIndices &group = groups.emplace_back();
      for (int64_t part : own) {
        group.push_back(sizes.size());
        sizes.push_back(part);
      }
    }
    if (sizes.size() == size_t(type.getRank()))
      return operand;
    return tensor::ExpandShapeOp::create(
        b, loc, RankedTensorType::get(sizes, type.getElementType()), operand,
        groups);
  }

  linalg::LinalgOp op;
  const Layout &layout;
  OpBuilder b;
  Location loc;
  unsigned loops = 0;
  SmallVector<unsigned> first;
  SmallVector<SmallVector<int64_t>> parts;
  SmallVector<utils::IteratorType> iterators;
};
} // namespace

/// The contraction whose result is all that the kernel writes, as it is.
static linalg::LinalgOp getWriter(KernelOp kernel) {
  linalg::LinalgOp op = findContraction(kernel);
  if (!op || kernel.getOutputs().size() != 1 || kernel.getInPlace() ||
      op.getNumDpsInputs() != 2 || !startsFromZero(op) ||
      !op.getDpsInits()[0].getDefiningOp<linalg::FillOp>())
    return {};
  Value result = op->getResult(0);
  return kernel.getYielded()[0] == result && result.hasOneUse()
             ? op
             : linalg::LinalgOp();
}

static LogicalResult rewriteWriter(KernelOp kernel, const Layout &layout) {
  linalg::LinalgOp op = getWriter(kernel);
  Value result;
  if (failed(Reordered(op, layout).create(result)))
    return failure();
  kernel.getBody().front().getTerminator()->setOperand(0, result);
  op->erase();
  return success();
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

namespace {
/// A buffer, the product that writes it and the kernels that read it.
struct Stored {
  memref::ViewOp view;
  KernelOp writer;
  SmallVector<KernelOp> readers;
  unsigned gathers = 0;
};
} // namespace

static std::optional<Stored> getStored(memref::ViewOp view) {
  Stored stored{view, {}, {}};
  bool isKnown = true;
  for (OpOperand &use : view->getUses()) {
    auto kernel = dyn_cast<KernelOp>(use.getOwner());
    bool isOutput =
        kernel && llvm::is_contained(kernel.getOutputs(), view.getResult());
    bool isInput =
        kernel && llvm::is_contained(kernel.getInputs(), view.getResult());
    isKnown &= kernel && isOutput != isInput && !(isOutput && stored.writer);
    if (isKnown && isOutput)
      stored.writer = kernel;
    else if (isKnown && !llvm::is_contained(stored.readers, kernel))
      stored.readers.push_back(kernel);
  }
  if (!isKnown || !stored.writer || !getWriter(stored.writer) ||
      countGathers(stored.writer) != 0u)
    return std::nullopt;
  // The first reader's layout is tried first.
  llvm::sort(stored.readers,
             [](KernelOp a, KernelOp b) { return a->isBeforeInBlock(b); });
  for (KernelOp reader : stored.readers)
    stored.gathers += countGathers(reader).value_or(0);
  return stored;
}

/// The layouts in which products read the buffer.
static SmallVector<Layout> getCandidates(Stored &stored) {
  SmallVector<Layout> layouts;
  for (KernelOp reader : stored.readers) {
    linalg::LinalgOp op = findContraction(reader);
    for (auto [argument, input] :
         llvm::zip_equal(reader.getBody().getArguments(), reader.getInputs()))
      for (unsigned x = 0; op && x < 2 && x < op.getNumDpsInputs(); ++x)
        if (input == stored.view.getResult())
          if (auto layout = getLayout(op->getOperand(x), argument))
            layouts.push_back(*layout);
  }
  return layouts;
}

/// Changes copies of the kernels, and puts them in place if they gather less.
static bool tryLayout(Stored &stored, const Layout &layout) {
  OpBuilder b(stored.view);
  RankedTensorType type = layout.getStored();
  auto view = memref::ViewOp::create(
      b, stored.view.getLoc(),
      MemRefType::get(type.getShape(), type.getElementType()),
      stored.view.getSource(), stored.view.getByteShift(), ValueRange());
  SmallVector<KernelOp> old{stored.writer}, made;
  llvm::append_range(old, stored.readers);
  auto clone = [&](KernelOp kernel) {
    b.setInsertionPoint(kernel);
    auto copy = cast<KernelOp>(b.clone(*kernel.getOperation()));
    made.push_back(copy);
    return copy;
  };
  bool isBetter = succeeded(rewriteWriter(clone(stored.writer), layout)) &&
                  countGathers(made[0]) == 0u;
  unsigned gathers = 0;
  for (KernelOp reader : stored.readers)
    if (isBetter) {
      rewriteReader(clone(reader), stored.view, layout);
      gathers += countGathers(made.back()).value_or(0);
    }
  isBetter &= gathers < stored.gathers;
  for (KernelOp kernel : isBetter ? old : made)
    kernel.erase();
  if (!isBetter) {
    view.erase();
    return false;
  }
  stored.view.getResult().replaceAllUsesWith(view.getResult());
  stored.view.erase();
  return true;
}

void memopt::chooseLayouts(func::FuncOp step) {
  if (!step.getBody().hasOneBlock())
    return;
  SmallVector<memref::ViewOp> views(step.getOps<memref::ViewOp>());
  SmallVector<int64_t> results;
  if (auto list = step->getAttrOfType<ArrayAttr>("memopt.results"))
    for (auto result : list.getAsRange<DictionaryAttr>())
      if (auto offset = result.getAs<IntegerAttr>("offset"))
        results.push_back(offset.getInt());
  for (memref::ViewOp view : views) {
    std::optional<int64_t> offset = getArenaOffset(view);
    // What lies at a result's place may be that result.
    if (!offset || llvm::is_contained(results, *offset))
      continue;
    std::optional<Stored> stored = getStored(view);
    if (!stored || !stored->gathers)
      continue;
    for (const Layout &layout : getCandidates(*stored))
      if (tryLayout(*stored, layout))
        break;
  }
}
