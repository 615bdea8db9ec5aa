//===- PlanMemory.cpp - memopt-plan-memory -------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LiveRanges.h"
#include "MemOpt/Analysis/PlanAttributes.h"
#include "MemOpt/Arena/Pack.h"
#include "MemOpt/Buffers/Bufferize.h"
#include "MemOpt/Buffers/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace memopt {
#define GEN_PASS_DEF_PLANMEMORY
#include "MemOpt/Buffers/Passes.h.inc"
} // namespace memopt

using namespace mlir;
using namespace memopt;

/// Steps of the search before what was found is judged: a fraction of a second.
static constexpr int64_t kFirstTry = 100'000'000;

namespace {
/// One step, whose buffers move into an arena.
class Planner {
public:
  Planner(func::FuncOp step, const arena::PackOptions &options)
      : step(step), options(options), builder(step.getContext()) {}

  LogicalResult plan() {
    FailureOr<SmallVector<LiveBuffer>> live = computeLiveRanges(step);
    if (failed(live) || failed(pack(*live)) || failed(checkBudget()))
      return failure();
    SmallVector<Attribute> places;
    for (auto [i, result] :
         llvm::enumerate(step.front().getTerminator()->getOperands())) {
      FailureOr<Attribute> place = getPlace(result, i);
      if (failed(place))
        return failure();
      places.push_back(*place);
    }
    rewrite(*live);
    annotate(places);
    return success();
  }

private:
  InFlightDiagnostic fail() {
    return emitError(step.getLoc()) << "memopt-plan-memory: ";
  }

  LogicalResult pack(ArrayRef<LiveBuffer> live) {
    std::vector<arena::Buffer> buffers;
    for (const LiveBuffer &buffer : live)
      if (buffer.first >= 0)
        buffers.push_back({buffer.bytes, buffer.first, buffer.last});
    if (std::string error = arena::check(buffers, options); !error.empty())
      return fail() << error;
    // Most steps are at the bound within a few thousand steps of the search;
    // one that is not gets all of them only where it matters.
    arena::PackOptions tries = options;
    tries.stepLimit = std::min(options.stepLimit, kFirstTry);
    packing = arena::pack(buffers, tries);
    if (!isGood() && tries.stepLimit < options.stepLimit)
      packing = arena::pack(buffers, options);
    std::string error = arena::verify(buffers, options, packing);
    if (!error.empty())
      return fail() << error;
    size_t next = 0;
    for (const LiveBuffer &buffer : live)
      if (buffer.first >= 0)
        offsets[buffer.alloc] = packing.offsets[next++];
    return success();
  }

  /// True where no better packing exists, or this one keeps the plan's promise
  /// and is within a percent of what any arena needs.
  bool isGood() const {
    return packing.optimal ||
           (packing.height <= getBudget() &&
            packing.height - packing.lowerBound <= packing.lowerBound / 100);
  }

  /// The plan's peak budget; the largest number where there is none.
  int64_t getBudget() const {
    auto plan = func::FuncOp(step)->getAttrOfType<DictionaryAttr>(planAttrName);
    auto budget =
        plan ? plan.getAs<IntegerAttr>("peak_budget_bytes") : IntegerAttr();
    return budget ? budget.getInt() : std::numeric_limits<int64_t>::max();
  }

  /// What rematerialization promised holds for the arena, too.
  LogicalResult checkBudget() {
    if (packing.height <= getBudget())
      return success();
    return fail() << "the arena takes " << packing.height
                  << " bytes, and the plan's peak_budget_bytes is "
                  << getBudget();
  }

  /// Where result `number` lies: `{offset, type}` or `{argument, type}`.
  FailureOr<Attribute> getPlace(Value result, int64_t number) {
    Value buffer = getViewedBuffer(result);
    auto type = cast<MemRefType>(result.getType());
    if (!type.getLayout().isIdentity() ||
        type.getNumElements() !=
            cast<MemRefType>(buffer.getType()).getNumElements())
      return fail() << "result " << number
                    << " is a part of a buffer, and only a whole one can be "
                       "returned";
    NamedAttribute shape = builder.getNamedAttr(
        "type", TypeAttr::get(RankedTensorType::get(type.getShape(),
                                                    type.getElementType())));
    NamedAttribute place = shape;
    if (auto argument = dyn_cast<BlockArgument>(buffer))
      place = builder.getNamedAttr(
          "argument", builder.getI64IntegerAttr(argument.getArgNumber()));
    else if (auto offset = offsets.find(buffer); offset != offsets.end())
      place = builder.getNamedAttr("offset",
                                   builder.getI64IntegerAttr(offset->second));
    else
      return fail() << "result " << number
                    << " lies neither in the arena nor in an argument";
    return Attribute(builder.getDictionaryAttr({place, shape}));
  }

  void rewrite(ArrayRef<LiveBuffer> live) {
    Block &body = step.front();
    body.getTerminator()->setOperands({});
    (void)step.eraseResults(BitVector(step.getNumResults(), true));
    // Views that only showed a result.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isa<ViewLikeOpInterface>(op) && isOpTriviallyDead(&op))
        op.erase();
    auto type = MemRefType::get({packing.height}, builder.getI8Type());
    unsigned last = step.getNumArguments();
    (void)step.insertArgument(last, type, DictionaryAttr(), step.getLoc());
    for (const LiveBuffer &buffer : live)
      place(buffer, step.getArgument(last));
  }

  void place(const LiveBuffer &buffer, Value whole) {
    auto alloc = buffer.alloc.getDefiningOp<memref::AllocOp>();
    if (buffer.first >= 0) {
      builder.setInsertionPoint(alloc);
      Value offset = arith::ConstantIndexOp::create(builder, alloc.getLoc(),
                                                    offsets.lookup(alloc));
      Value view =
          memref::ViewOp::create(builder, alloc.getLoc(), alloc.getType(),
                                 whole, offset, ValueRange());
      alloc.replaceAllUsesWith(view);
    }
    alloc.erase();
  }

  void annotate(ArrayRef<Attribute> places) {
    step->setAttr(arenaBytesAttrName,
                  builder.getI64IntegerAttr(packing.height));
    step->setAttr(arenaLowerBoundAttrName,
                  builder.getI64IntegerAttr(packing.lowerBound));
    step->setAttr(arenaAlignmentAttrName,
                  builder.getI64IntegerAttr(options.alignment));
    step->setAttr(resultsAttrName, builder.getArrayAttr(places));
    if (!step->hasAttr(donatedAttrName))
      step->setAttr(donatedAttrName, builder.getI64ArrayAttr({}));
  }

  func::FuncOp step;
  arena::PackOptions options;
  OpBuilder builder;
  arena::Packing packing;
  llvm::DenseMap<Value, int64_t> offsets;
};

struct PlanMemory : memopt::impl::PlanMemoryBase<PlanMemory> {
  using PlanMemoryBase::PlanMemoryBase;

  void runOnOperation() override {
    if (failed(plan()))
      signalPassFailure();
  }

  LogicalResult plan() {
    if (alignment < 1 || (alignment & (alignment - 1)))
      return emitError(getOperation().getLoc())
             << "memopt-plan-memory: alignment=" << alignment.getValue()
             << " is no power of two";
    if (stepLimit < 0)
      return emitError(getOperation().getLoc())
             << "memopt-plan-memory: step-limit=" << stepLimit.getValue()
             << " is negative";
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function->hasAttr(kernelsAttrName))
        continue;
      if (function->hasAttr(arenaBytesAttrName))
        return emitError(function.getLoc())
               << "memopt-plan-memory: the step has its arena already";
      if (!llvm::all_of(function.getResultTypes(), llvm::IsaPred<MemRefType>))
        return emitError(function.getLoc())
               << "memopt-plan-memory: the step is on tensors: put "
                  "memopt-bufferize before";
      return Planner(function, {alignment, stepLimit}).plan();
    }
    return emitError(getOperation().getLoc())
           << "memopt-plan-memory: no function has the attribute '"
           << kernelsAttrName
           << "': put memopt-form-kernels and memopt-bufferize before";
  }
};
} // namespace
