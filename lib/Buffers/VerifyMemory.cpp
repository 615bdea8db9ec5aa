//===- VerifyMemory.cpp - memopt-verify-memory ---------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Analysis/Storage.h"
#include "MemOpt/Buffers/Bufferize.h"
#include "MemOpt/Buffers/Passes.h"
#include "MemOpt/Dialect/MemOpt.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include <map>

namespace memopt {
#define GEN_PASS_DEF_VERIFYMEMORY
#include "MemOpt/Buffers/Passes.h.inc"
} // namespace memopt

using namespace mlir;
using namespace memopt;

namespace {
/// Bytes [begin, end) of the arena.
struct Bytes {
  int64_t begin = 0, end = 0;
  bool overlaps(const Bytes &other) const {
    return begin < other.end && other.begin < end;
  }
};

/// Which buffer wrote each byte of the arena last.
class Owners {
public:
  struct Piece {
    int64_t end;
    Value buffer;
    Operation *writer;
  };

  void write(Bytes bytes, Value buffer, Operation *writer) {
    if (bytes.begin == bytes.end)
      return;
    split(bytes.begin);
    split(bytes.end);
    pieces.erase(pieces.lower_bound(bytes.begin),
                 pieces.lower_bound(bytes.end));
    pieces[bytes.begin] = {bytes.end, buffer, writer};
  }

  /// The first piece within `bytes` that is not `buffer`'s; one without a
  /// writer where nobody wrote, nothing where all is its own.
  std::optional<Piece> findOther(Bytes bytes, Value buffer) const {
    int64_t at = bytes.begin;
    auto it = pieces.upper_bound(at);
    if (it != pieces.begin())
      --it;
    for (; at < bytes.end; ++it) {
      while (it != pieces.end() && it->second.end <= at)
        ++it;
      if (it == pieces.end() || it->first > at)
        return Piece{0, Value(), nullptr};
      if (it->second.buffer != buffer)
        return it->second;
      at = it->second.end;
    }
    return std::nullopt;
  }

  /// The buffer that owns byte `at`, or null.
  Value lookup(int64_t at) const {
    auto it = pieces.upper_bound(at);
    if (it == pieces.begin() || (--it)->second.end <= at)
      return {};
    return it->second.buffer;
  }

private:
  /// Lets a piece begin at `at`.
  void split(int64_t at) {
    auto it = pieces.upper_bound(at);
    if (it == pieces.begin() || (--it)->second.end <= at || it->first == at)
      return;
    pieces[at] = it->second;
    it->second.end = at;
  }

  std::map<int64_t, Piece> pieces;
};

/// What an op does to buffers.
struct Accesses {
  SmallVector<OpOperand *> reads, writes;
};

class Verifier {
public:
  explicit Verifier(func::FuncOp step) : step(step) {}

  LogicalResult verify() {
    if (failed(readAttributes()))
      return failure();
    for (Operation &op : step.front().without_terminator())
      if (failed(verifyOp(&op)))
        return failure();
    return verifyResults();
  }

private:
  static InFlightDiagnostic fail(Operation *op) {
    return op->emitError("memopt-verify-memory: ");
  }

  LogicalResult readAttributes() {
    arenaBytes = step->getAttrOfType<IntegerAttr>(arenaBytesAttrName).getInt();
    auto align = step->getAttrOfType<IntegerAttr>(arenaAlignmentAttrName);
    results = step->getAttrOfType<ArrayAttr>(resultsAttrName);
    if (!align || align.getInt() < 1 || !results || step.getNumArguments() == 0)
      return fail(step) << "the step needs the attributes '"
                        << arenaAlignmentAttrName << "' and '"
                        << resultsAttrName << "', and an arena";
    alignment = align.getInt();
    arena = step.getArguments().back();
    if (arena.getType() !=
        MemRefType::get({arenaBytes}, IntegerType::get(step.getContext(), 8)))
      return fail(step) << "the last argument is a " << arena.getType()
                        << ", and the arena has " << arenaBytes << " bytes";
    if (auto list = step->getAttrOfType<ArrayAttr>(donatedAttrName))
      for (auto number : list.getAsRange<IntegerAttr>())
        donated.insert(number.getInt());
    return success();
  }

  LogicalResult verifyOp(Operation *op) {
    if (auto view = dyn_cast<memref::ViewOp>(op))
      return placeView(view);
    if (auto view = dyn_cast<ViewLikeOpInterface>(op)) {
      auto found = places.find(view.getViewSource());
      if (found == places.end())
        return success();
      // A part of a buffer counts as the whole of it.
      places[op->getResult(0)] = found->second;
      return success();
    }
    FailureOr<Accesses> accesses = getAccesses(op);
    if (failed(accesses) || failed(verifyReads(op, accesses->reads)) ||
        failed(verifyWrites(op, *accesses)))
      return failure();
    for (OpOperand *write : accesses->writes)
      if (auto place = places.find(write->get()); place != places.end())
        owners.write(place->second.second, place->second.first, op);
    return success();
  }

  LogicalResult placeView(memref::ViewOp view) {
    if (view.getSource() != arena)
      return fail(view) << "this is no view of the arena";
    IntegerAttr offset;
    auto type = view.getType();
    std::optional<int64_t> bytes = getByteSize(
        RankedTensorType::get(type.getShape(), type.getElementType()));
    if (!matchPattern(view.getByteShift(), m_Constant(&offset)) || !bytes)
      return fail(view) << "the buffer's offset and size must be constants";
    int64_t begin = offset.getInt();
    if (begin < 0 || begin % alignment)
      return fail(view) << "the offset " << begin << " is no multiple of "
                        << alignment;
    if (begin > arenaBytes - *bytes)
      return fail(view) << "the buffer takes bytes " << begin << " to "
                        << begin + *bytes << ", and the arena has "
                        << arenaBytes;
    places[view] = {view, Bytes{begin, begin + *bytes}};
    return success();
  }

  FailureOr<Accesses> getAccesses(Operation *op) {
    Accesses accesses;
    bool onBuffers =
        llvm::any_of(op->getOperandTypes(), llvm::IsaPred<BaseMemRefType>);
    SmallVector<MemoryEffects::EffectInstance> effects;
    auto interface = dyn_cast<MemoryEffectOpInterface>(op);
    if (interface)
      interface.getEffects(effects);
    if ((onBuffers && !interface) ||
        (op->getNumRegions() && !isa<KernelOp>(op)))
      return fail(op) << "'" << op->getName()
                      << "' does not say what it reads and writes";
    for (const MemoryEffects::EffectInstance &effect : effects) {
      if (isa<MemoryEffects::Allocate>(effect.getEffect()))
        return fail(op) << "'" << op->getName()
                        << "' allocates beside the arena";
      auto *operand = effect.getEffectValue<OpOperand *>();
      if (!operand)
        continue;
      if (isa<MemoryEffects::Read>(effect.getEffect()))
        accesses.reads.push_back(operand);
      if (isa<MemoryEffects::Write>(effect.getEffect()))
        accesses.writes.push_back(operand);
    }
    return accesses;
  }

  LogicalResult verifyReads(Operation *op, ArrayRef<OpOperand *> reads) {
    for (OpOperand *read : reads) {
      auto place = places.find(read->get());
      if (place == places.end())
        continue;
      auto [buffer, bytes] = place->second;
      std::optional<Owners::Piece> other = owners.findOther(bytes, buffer);
      if (!other)
        continue;
      InFlightDiagnostic diag =
          fail(op) << "operand " << read->getOperandNumber() << " reads bytes "
                   << bytes.begin << " to " << bytes.end << " of the arena, ";
      if (!other->writer)
        return diag << "which nothing has written";
      diag << "which another buffer has overwritten";
      diag.attachNote(other->writer->getLoc()) << "it is written here";
      return diag;
    }
    return success();
  }

  LogicalResult verifyWrites(Operation *op, const Accesses &accesses) {
    for (size_t i = 0; i < accesses.writes.size(); ++i) {
      OpOperand *write = accesses.writes[i];
      auto argument = dyn_cast<BlockArgument>(write->get());
      if (argument && !donated.contains(argument.getArgNumber()))
        return fail(op) << "writes argument " << argument.getArgNumber()
                        << ", which is not donated";
      SmallVector<OpOperand *> others(accesses.reads);
      llvm::append_range(others, ArrayRef(accesses.writes).take_front(i));
      for (OpOperand *other : others)
        if (shareBytes(write->get(), other->get()) &&
            !isInPlace(op, other, write))
          return fail(op) << "operand " << write->getOperandNumber()
                          << " is written and shares bytes with operand "
                          << other->getOperandNumber();
    }
    return success();
  }

  bool shareBytes(Value a, Value b) const {
    auto placeA = places.find(a), placeB = places.find(b);
    if (placeA == places.end() || placeB == places.end())
      return a == b;
    return placeA->second.second.overlaps(placeB->second.second);
  }

  /// True for the pairs that the kernel's `in_place` lists, of one buffer.
  static bool isInPlace(Operation *op, OpOperand *read, OpOperand *write) {
    auto kernel = dyn_cast<KernelOp>(op);
    if (!kernel || !kernel.getInPlace() || read->get() != write->get())
      return false;
    ArrayRef<int64_t> pairs = *kernel.getInPlace();
    int64_t output =
        int64_t(write->getOperandNumber()) - int64_t(kernel.getInputs().size());
    for (size_t i = 0; i + 1 < pairs.size(); i += 2)
      if (pairs[i] == output &&
          pairs[i + 1] == int64_t(read->getOperandNumber()))
        return true;
    return false;
  }

  LogicalResult verifyResults() {
    for (auto [i, attribute] : llvm::enumerate(results)) {
      auto place = dyn_cast<DictionaryAttr>(attribute);
      auto type = place ? place.getAs<TypeAttr>("type") : TypeAttr();
      std::optional<int64_t> bytes =
          type ? getByteSize(type.getValue()) : std::nullopt;
      auto offset = place ? place.getAs<IntegerAttr>("offset") : IntegerAttr();
      auto argument =
          place ? place.getAs<IntegerAttr>("argument") : IntegerAttr();
      if (!bytes || !offset == !argument)
        return fail(step) << "result " << i
                          << " must have a type and an offset or an argument";
      if (argument && uint64_t(argument.getInt()) + 1 >= step.getNumArguments())
        return fail(step) << "result " << i << " lies in argument "
                          << argument.getInt() << ", which does not exist";
      if (offset &&
          failed(verifyResult(i, {offset.getInt(), offset.getInt() + *bytes})))
        return failure();
    }
    return success();
  }

  LogicalResult verifyResult(size_t number, Bytes bytes) {
    if (bytes.begin == bytes.end)
      return success();
    Value owner = owners.lookup(bytes.begin);
    auto place = places.find(owner);
    if (place == places.end() || place->second.second.begin != bytes.begin ||
        place->second.second.end != bytes.end)
      return fail(step) << "result " << number << " at bytes " << bytes.begin
                        << " to " << bytes.end
                        << " is no buffer that was written last";
    std::optional<Owners::Piece> other = owners.findOther(bytes, owner);
    if (!other)
      return success();
    InFlightDiagnostic diag = fail(step) << "result " << number << " at bytes "
                                         << bytes.begin << " to " << bytes.end
                                         << " is overwritten";
    if (other->writer)
      diag.attachNote(other->writer->getLoc()) << "it is written here";
    return diag;
  }

  func::FuncOp step;
  int64_t arenaBytes = 0, alignment = 1;
  Value arena;
  ArrayAttr results;
  llvm::DenseSet<int64_t> donated;
  /// The buffer behind a view, and where it lies.
  llvm::DenseMap<Value, std::pair<Value, Bytes>> places;
  Owners owners;
};

struct VerifyMemory : memopt::impl::VerifyMemoryBase<VerifyMemory> {
  using VerifyMemoryBase::VerifyMemoryBase;

  void runOnOperation() override {
    bool found = false;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->getAttrOfType<IntegerAttr>(arenaBytesAttrName)) {
        found = true;
        if (failed(Verifier(function).verify()))
          return signalPassFailure();
      }
    if (!found) {
      emitError(getOperation().getLoc())
          << "memopt-verify-memory: no function has the attribute '"
          << arenaBytesAttrName << "': put memopt-plan-memory before";
      return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace
