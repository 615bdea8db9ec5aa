//===- WalkRowsColumns.cpp - sums of rows and of columns at once ----------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of rows and of columns over the same points, as a norm's gradients: a
// block walks several rows, and what a row has in registers goes into its part
// of the columns' sums. Who comes last adds the parts, in two steps.
//
//===----------------------------------------------------------------------===//

#include "GpuWalk.h"
#include "MemOpt/Codegen/Memory.h"
#include "PartialSums.h"
#include "RowCode.h"
#include "Traffic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memopt;

namespace {
class RowColumnWalk : public GpuWalk {
public:
  RowColumnWalk(const KernelProgram &program, const GpuChip &chip)
      : program(program) {
    if (program.reductions.empty())
      return;
    plan = planPasses(program);
    uint64_t all = (uint64_t(1) << program.sizes.size()) - 1;
    rows = getLoopList(all & ~plan.columns);
    if (!isOfBothKinds(all & ~plan.columns))
      return;
    rowCount = getCount(program, rows);
    vectors = RowVectors(program, plan.columns, /*mostWidth=*/8);
    partials = PartialSums(sums, vectors.count, vectors.width);
    chooseShape();
    if (shape.pieces)
      chooseBlocks(chip);
  }

  bool fits() const { return blocks > 0; }

  SmallVector<GpuStage> getStages() const override {
    GpuStage stage = makeWholeStage(program, getGeometry());
    int64_t parts = blocks + (teams > 1 ? teams : 0);
    partials.addTo(stage, parts, getCounters(), parts);
    return {stage};
  }

  void emit(unsigned, KernelCode &code, Value workspace) override {
    PointCode point(program, code.b, code.loc, code.sources);
    ThreadCode threads{code.b, code.loc};
    block = threads.getBlock();
    thread = threads.getThread();
    Value group = code.getInteger(shape.group);
    above = arith::DivUIOp::create(code.b, code.loc, thread, group);
    inRow = arith::RemUIOp::create(code.b, code.loc, thread, group);
    RowCode row(program, plan, vectors, shape, /*inOrder=*/false);
    row.begin(code, point, inRow);
    row.loadShared(code, point);
    storePart(code, row, workspace, walkRows(code, point, row));
    addTeam(code, point, workspace);
  }

private:
  //===--------------------------------------------------------------------===//
  // What fits
  //===--------------------------------------------------------------------===//

  /// Whether nodes read a sum of columns.
  std::vector<bool> findReaders() const {
    std::vector<bool> reads(program.nodes.size());
    for (auto [i, node] : llvm::enumerate(program.nodes)) {
      reads[i] = node.kind == NodeKind::Reduced &&
                 program.reductions[node.reduction].loops != plan.columns;
      for (int operand : node.operands)
        reads[i] = reads[i] || reads[operand];
    }
    return reads;
  }

  /// Sums of rows and of columns, all in any order, and none that needs a
  /// column's sum.
  bool isOfBothKinds(uint64_t rowLoops) {
    bool hasRows = false;
    std::vector<bool> reads = findReaders();
    for (const ProgramAssert &check : program.asserts)
      if (reads[check.condition])
        return false;
    for (const ProgramReduction &reduction : program.reductions) {
      bool isRow = reduction.loops == plan.columns;
      hasRows |= isRow;
      if (!isRow && reduction.loops != rowLoops)
        return false;
      for (unsigned i = 0; i < reduction.inits.size(); ++i) {
        auto step = program.getStep(reduction, i);
        if (!step || reads[step->value] || reads[reduction.inits[i]])
          return false;
        if (!isRow)
          sums.push_back({step->op, program.nodes[reduction.inits[i]].type});
      }
    }
    for (const ProgramStore *store : plan.otherStores)
      if (IndexMath::getLoops(store->index) & rowLoops)
        return false;
    return hasRows && !sums.empty();
  }

  /// 32-bit registers that a column takes: what stays for all rows, and what a
  /// row reads.
  int64_t getWordsPerColumn() const {
    int64_t words = 0;
    for (const ProgramNode &node : program.nodes)
      if (node.kind == NodeKind::Load && (node.loops & plan.columns))
        words += llvm::divideCeil(getElementBytes(node.type), 4);
    for (const PartialSum &sum : sums)
      words += llvm::divideCeil(getElementBytes(sum.type), 4);
    return words;
  }

  /// As many threads a row as leave few of them idle, the fewest that have all
  /// in registers: within a warp sums need no barrier, and blocks of several
  /// rows have fewer parts.
  void chooseShape() {
    constexpr int64_t threads = 256;
    int64_t words = getWordsPerColumn() * vectors.width;
    double leastIdle = 1e9;
    for (int64_t group = 4; group <= 512;) {
      int64_t pieces = llvm::divideCeil(vectors.count, group);
      // About half of the registers that a thread of such a block can have.
      int64_t most = group <= threads ? 120 : 64;
      double idle = double(pieces * group) / double(vectors.count);
      if (pieces * words <= most && idle < leastIdle) {
        leastIdle = idle;
        shape = {group, std::max<int64_t>(1, threads / group), pieces};
      }
      if (leastIdle < 1.1)
        break;
      group += group < 32 ? group : group < 256 ? 32 : 64;
    }
    // Rows above each other are added in halves.
    shape.rows = int64_t(llvm::bit_floor(uint64_t(shape.rows)));
  }

  /// Bytes that the rows' points move.
  int64_t getMovedByRows() const {
    int64_t bytes = 0;
    uint64_t all = (uint64_t(1) << program.sizes.size()) - 1;
    for (const ProgramNode &node : program.nodes)
      if (node.kind == NodeKind::Load && node.loops == all)
        bytes += program.getPoints() * getElementBytes(node.type);
    for (const ProgramStore &store : program.stores)
      if (IndexMath::getLoops(store.index) == all)
        bytes += program.getPoints() *
                 getElementBytes(program.nodes[store.node].type);
    return bytes;
  }

  /// One or two blocks a multiprocessor, as far as their parts, written and
  /// read, weigh no more than a fourteenth of what the rows move. Where that
  /// leaves half of the multiprocessors idle, and not just since there are few
  /// rows, two kernels are faster.
  void chooseBlocks(const GpuChip &chip) {
    constexpr int64_t fewRounds = 4;
    int64_t size = chip.multiprocessors;
    int64_t most =
        std::min(getMovedByRows() / (14 * 2 * partials.getMovedPerPart()),
                 chip.workspaceBytes / (2 * partials.getBytesPerPart()));
    if (most < 1)
      return;
    int64_t wanted = most < size ? most : most < 2 * size ? size : 2 * size;
    rowsPerThread = llvm::divideCeil(rowCount, wanted * shape.rows);
    if (wanted < size / 2 && rowsPerThread > fewRounds)
      return;
    blocks = llvm::divideCeil(rowCount, rowsPerThread * shape.rows);
    teamSize = blocks;
    if (blocks > 16)
      while (teamSize * teamSize > blocks)
        --teamSize;
    teams = llvm::divideCeil(blocks, teamSize);
  }

  GpuGeometry getGeometry() const {
    GpuGeometry geometry;
    geometry.grid[0] = blocks;
    geometry.block[0] = shape.group * shape.rows;
    return geometry;
  }

  /// One a team, and one for the teams.
  int64_t getCounters() const { return teams > 1 ? teams + 1 : 1; }

  //===--------------------------------------------------------------------===//
  // Rows
  //===--------------------------------------------------------------------===//

  /// The thread's part of the columns' sums: of each piece all sums.
  SmallVector<Value> walkRows(KernelCode &code, PointCode &point,
                              RowCode &row) {
    SmallVector<Value> start;
    for (int64_t piece = 0; piece < shape.pieces; ++piece)
      llvm::append_range(start, partials.getNeutrals(code));
    return code.loop(
        code.getInteger(0), code.getInteger(rowsPerThread), 1, start,
        [&](Value round, ValueRange now) {
          point.pushScope();
          Value number = code.add(code.multiply(round, blocks), block);
          number = code.add(code.multiply(number, shape.rows), above);
          Value exists;
          if (rowsPerThread * blocks * shape.rows != rowCount) {
            exists = arith::CmpIOp::create(code.b, code.loc,
                                           arith::CmpIPredicate::slt, number,
                                           code.getInteger(rowCount));
            number = arith::MinSIOp::create(code.b, code.loc, number,
                                            code.getInteger(rowCount - 1));
          }
          code.place(point, rows, number);
          row.emit(code, point, exists);
          SmallVector<Value> next = update(code, point, row, exists, now);
          point.popScope();
          // The next row's sums take the place of this one's.
          if (shape.group > warpSize)
            ThreadCode{code.b, code.loc}.synchronize();
          return next;
        });
  }

  SmallVector<Value> update(KernelCode &code, PointCode &point, RowCode &row,
                            Value exists, ValueRange now) {
    SmallVector<Value> next;
    row.forEachPiece(code, point, [&](int64_t, Value) {
      for (const ProgramReduction &reduction : program.reductions) {
        if (reduction.loops == plan.columns)
          continue;
        for (unsigned i = 0; i < reduction.updates.size(); ++i) {
          auto step = *program.getStep(reduction, i);
          Value before = now[next.size()];
          Value after =
              point.apply(step.op, {before, point.getWide(step.value)});
          if (exists)
            after = arith::SelectOp::create(code.b, code.loc, exists, after,
                                            before);
          next.push_back(after);
        }
      }
    });
    return next;
  }

  //===--------------------------------------------------------------------===//
  // Columns
  //===--------------------------------------------------------------------===//

  /// The block's part: rows above each other are added through shared memory.
  void storePart(KernelCode &code, RowCode &row, Value workspace,
                 ArrayRef<Value> parts) {
    SmallVector<Value> places;
    if (shape.rows > 1)
      for (auto [i, sum] : llvm::enumerate(sums))
        places.push_back(makeShared(code.b, code.loc,
                                    "above" + std::to_string(i), sum.type,
                                    shape.group * shape.rows * vectors.width));
    for (int64_t piece = 0; piece < shape.pieces; ++piece) {
      SmallVector<Value> totals(parts.slice(piece * sums.size(), sums.size()));
      if (shape.rows > 1) {
        SmallVector<GroupSum> own;
        for (auto [sum, part] : llvm::zip_equal(sums, totals))
          own.push_back({sum.op, part});
        if (piece)
          ThreadCode{code.b, code.loc}.synchronize();
        totals = addAbove(code, own, places,
                          {above, inRow, shape.group, shape.rows});
      }
      Value number = code.add(inRow, code.getInteger(piece * shape.group));
      Value stores =
          arith::CmpIOp::create(code.b, code.loc, arith::CmpIPredicate::slt,
                                number, code.getInteger(vectors.count));
      if (shape.rows > 1)
        stores = arith::AndIOp::create(
            code.b, code.loc, stores,
            arith::CmpIOp::create(code.b, code.loc, arith::CmpIPredicate::eq,
                                  above, code.getInteger(0)));
      code.when(stores, [&] {
        partials.store(code, workspace, block, row.getVector(piece), totals);
      });
    }
  }

  /// Each vector of columns is one thread's.
  void forEachVector(KernelCode &code, function_ref<void(Value)> body) {
    code.loop(thread, code.getInteger(vectors.count), shape.group * shape.rows,
              body);
  }

  /// The last block of a team adds the parts of its blocks; the last team those
  /// of all teams, which lie behind the blocks'.
  void addTeam(KernelCode &code, PointCode &point, Value workspace) {
    Value team = code.getInteger(0), first = team;
    Value size = code.getInteger(teamSize);
    if (teams > 1) {
      team = arith::DivUIOp::create(code.b, code.loc, block, size);
      first = code.multiply(team, teamSize);
      Value rest = arith::SubIOp::create(code.b, code.loc,
                                         code.getInteger(blocks), first);
      size = arith::MinSIOp::create(code.b, code.loc, size, rest);
    }
    Value isLast = isLastBlock(code, "arrived", teams, team, size);
    code.when(isLast, [&] {
      if (teams == 1)
        return addAll(code, point, workspace, code.getInteger(0), blocks);
      forEachVector(code, [&](Value vector) {
        auto parts = partials.add(code, workspace, first, code.add(first, size),
                                  1, vector);
        partials.store(code, workspace, code.add(code.getInteger(blocks), team),
                       vector, parts);
      });
      Value isLastTeam = isLastBlock(code, "teams", 1, code.getInteger(0),
                                     code.getInteger(teams));
      code.when(isLastTeam, [&] {
        addAll(code, point, workspace, code.getInteger(blocks), teams);
      });
    });
  }

  void addAll(KernelCode &code, PointCode &point, Value workspace, Value first,
              int64_t count) {
    // Columns are no pieces of a row here.
    point.columns = Columns();
    forEachVector(code, [&](Value vector) {
      SmallVector<Value> totals =
          partials.add(code, workspace, first,
                       code.add(first, code.getInteger(count)), 1, vector);
      point.pushScope();
      vectors.enter(code, point, vector);
      point.lanes = {int(vectors.lane), vectors.width, vectors.width,
                     /*aligned=*/true};
      storeColumns(code, point, totals);
      point.lanes = {};
      point.popScope();
    });
  }

  void storeColumns(KernelCode &code, PointCode &point,
                    ArrayRef<Value> totals) {
    unsigned next = 0;
    for (auto [number, reduction] : llvm::enumerate(program.reductions)) {
      if (reduction.loops == plan.columns)
        continue;
      for (unsigned i = 0; i < reduction.inits.size(); ++i) {
        Value result =
            point.apply(program.getStep(reduction, i)->op,
                        {point.getWide(reduction.inits[i]), totals[next++]});
        for (auto [k, node] : llvm::enumerate(program.nodes))
          if (node.kind == NodeKind::Reduced && node.reduction == int(number) &&
              node.result == i)
            point.bind(k, result);
      }
    }
    for (const ProgramStore *store : plan.otherStores)
      point.store(*store, code.outputs[store->output], point.get(store->node));
  }

  const KernelProgram &program;
  RowPlan plan;
  SmallVector<unsigned> rows;
  int64_t rowCount = 0;
  RowVectors vectors;
  SmallVector<PartialSum> sums;
  PartialSums partials;
  RowShape shape;
  int64_t blocks = 0, rowsPerThread = 1, teamSize = 1, teams = 1;
  Value block, thread, above, inRow;
};
} // namespace

std::unique_ptr<GpuWalk>
memopt::walkGpuRowsAndColumns(const KernelProgram &program,
                              const GpuChip &chip) {
  auto walk = std::make_unique<RowColumnWalk>(program, chip);
  if (!walk->fits())
    return nullptr;
  return walk;
}
