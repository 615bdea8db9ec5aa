//===- StaticShapes.cpp - from known arguments to known results ---------------
//===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Each argument is cast to its old type, and the casts are moved behind the ops
// that read them, until they stand in front of the return.
//
//===----------------------------------------------------------------------===//

#include "StaticShapes.h"
#include "MemOpt/Dialect/MemOpt.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace memopt;

/// What is known of a tensor's shape: its type's, or that in front of a cast.
static RankedTensorType getKnownType(Value value) {
  if (auto cast = value.getDefiningOp<tensor::CastOp>())
    if (auto source = dyn_cast<RankedTensorType>(cast.getSource().getType()))
      return source;
  return dyn_cast<RankedTensorType>(value.getType());
}

namespace {
/// f(cast x) = cast f(x), for elementwise ops and the x of a fence.
struct CastBehindElementwise : RewritePattern {
  explicit CastBehindElementwise(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    auto type = op->getNumResults() == 1
                    ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                    : RankedTensorType();
    if (!type || !(isa<FenceOp>(op) || op->hasTrait<OpTrait::Elementwise>()))
      return rewriter.notifyMatchFailure(op, "not elementwise on a tensor");
    SmallVector<int64_t> shape(type.getShape());
    for (Value operand : getShaped(op))
      for (auto [size, known] :
           llvm::zip_equal(shape, getKnownType(operand).getShape()))
        size = ShapedType::isDynamic(size) ? known : size;
    if (ArrayRef<int64_t>(shape) == type.getShape())
      return rewriter.notifyMatchFailure(op, "no operand's shape says more");
    Operation *known = rewriter.clone(*op);
    for (auto [i, operand] : llvm::enumerate(getShaped(op)))
      castOperand(rewriter, known, operand, shape);
    known->getResult(0).setType(type.clone(shape));
    rewriter.replaceOpWithNewOp<tensor::CastOp>(op, type, known->getResult(0));
    return success();
  }

private:
  /// The operands whose shape is the result's.
  static SmallVector<Value> getShaped(Operation *op) {
    if (auto fence = dyn_cast<FenceOp>(op))
      return {fence.getX()};
    return llvm::filter_to_vector(op->getOperands(), [](Value operand) {
      return isa<RankedTensorType>(operand.getType());
    });
  }

  static void castOperand(PatternRewriter &rewriter, Operation *op,
                          Value operand, ArrayRef<int64_t> shape) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    auto type = cast<RankedTensorType>(operand.getType()).clone(shape);
    if (type == operand.getType())
      return;
    Value known = tensor::CastOp::create(rewriter, op->getLoc(), type, operand);
    for (OpOperand &use : op->getOpOperands())
      if (use.get() == operand)
        use.set(known);
  }
};

/// A fence waits for the value in front of a cast.
struct FenceAfterCast : OpRewritePattern<FenceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(FenceOp fence,
                                PatternRewriter &rewriter) const override {
    auto cast = fence.getAfter().getDefiningOp<tensor::CastOp>();
    if (!cast || getKnownType(cast) == cast.getType())
      return rewriter.notifyMatchFailure(fence, "waits for no cast");
    rewriter.modifyOpInPlace(
        fence, [&] { fence.getAfterMutable().assign(cast.getSource()); });
    return success();
  }
};

/// concat(cast x, cast y) = cast concat(x, y)
struct CastBehindConcat : OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ConcatOp concat,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> inputs(concat.getInputs());
    for (Value &input : inputs)
      if (getKnownType(input) != input.getType())
        input = cast<tensor::CastOp>(input.getDefiningOp()).getSource();
    if (inputs == SmallVector<Value>(concat.getInputs()))
      return rewriter.notifyMatchFailure(concat, "joins no casts");
    Value known = tensor::ConcatOp::create(rewriter, concat.getLoc(),
                                           concat.getDim(), inputs);
    rewriter.replaceOpWithNewOp<tensor::CastOp>(concat, concat.getResultType(),
                                                known);
    return success();
  }
};
} // namespace

/// The rules of tensor and linalg, which know what a cast says about a shape,
/// and ours.
static LogicalResult moveCasts(func::FuncOp function) {
  MLIRContext *context = function.getContext();
  RewritePatternSet patterns(context);
  for (StringRef name : {"tensor", "linalg"})
    if (Dialect *dialect = context->getLoadedDialect(name))
      dialect->getCanonicalizationPatterns(patterns);
  for (RegisteredOperationName op : context->getRegisteredOperations())
    // The rules of tensor.concat add casts without end.
    if ((op.getDialectNamespace() == "tensor" ||
         op.getDialectNamespace() == "linalg") &&
        op.getStringRef() != tensor::ConcatOp::getOperationName())
      op.getCanonicalizationPatterns(patterns, context);
  patterns.add<CastBehindConcat, CastBehindElementwise, FenceAfterCast>(
      context);
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  // Each op is rewritten a few times; rules that undo one another must end.
  int64_t ops = 0;
  function.walk([&](Operation *) { ++ops; });
  config.setMaxNumRewrites(64 * ops);
  return applyPatternsGreedily(function, std::move(patterns), config);
}

/// The results of a step are what stands in front of the casts, which nobody
/// reads then.
static void returnKnown(func::FuncOp function) {
  Block &body = function.getBody().front();
  Operation *terminator = body.getTerminator();
  for (OpOperand &operand : terminator->getOpOperands())
    if (auto cast = operand.get().getDefiningOp<tensor::CastOp>())
      if (getKnownType(cast.getResult()).hasStaticShape())
        operand.set(cast.getSource());
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isa<tensor::CastOp>(op) && op.use_empty())
      op.erase();
}

static LogicalResult checkStatic(func::FuncOp function) {
  auto isDynamic = [](Type type) {
    auto tensor = dyn_cast<TensorType>(type);
    return tensor && !tensor.hasStaticShape();
  };
  auto walked = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    // Where a cast is left, what reads it is named.
    if (isa<func::FuncOp, tensor::CastOp>(op))
      return WalkResult::advance();
    for (Type type : op->getResultTypes())
      if (isDynamic(type)) {
        op->emitError("memopt-specialize-shapes: '")
            << op->getName() << "' makes a " << type
            << ", whose sizes do not follow from those of the arguments";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

LogicalResult memopt::makeShapesStatic(func::FuncOp function,
                                       ArrayRef<Type> types) {
  Block &body = function.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  for (auto [argument, type] : llvm::zip_equal(body.getArguments(), types)) {
    Type old = argument.getType();
    if (old == type)
      continue;
    argument.setType(type);
    auto cast = tensor::CastOp::create(b, argument.getLoc(), old, argument);
    argument.replaceAllUsesExcept(cast, cast);
  }
  if (failed(moveCasts(function)))
    return emitError(function.getLoc())
           << "memopt-specialize-shapes: the shapes did not settle";
  returnKnown(function);
  function.setType(FunctionType::get(function.getContext(), types,
                                     body.getTerminator()->getOperandTypes()));
  return checkStatic(function);
}
