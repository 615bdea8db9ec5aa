//===- ScalarGraph.h - a step as a graph of scalar operations ---*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RAISE_SCALARGRAPH_H
#define MEMOPT_LIB_RAISE_SCALARGRAPH_H

#include "Constants.h"
#include "ScalarOps.h"
#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace memopt::raising {

/// Nodes are numbered so that operands come before their users.
using NodeId = int32_t;
constexpr NodeId noNode = -1;

/// How a node of `size` elements reads an operand, in row-major order.
enum class Access : uint8_t {
  Flat,            ///< element i
  RowBroadcast,    ///< element i / period: one value for each row
  ColumnBroadcast, ///< element i % period: one row for all rows
  Scalar,          ///< the only element
  Other            ///< anything else, a transpose for example
};

struct Operand {
  NodeId node = noNode;
  Access access = Access::Flat;
  int64_t period = 1;
};

enum class NodeKind : uint8_t {
  Leaf,           ///< an argument, or what we do not look into
  Constant,       ///< the same known number everywhere
  Elementwise,    ///< a scalar op on operands
  RowReduction,   ///< over `reduced` consecutive elements
  ColumnReduction ///< over the `reduced` rows of `size` elements
};

/// One scalar operation of a body, for all iterations: a tensor of `size`
/// elements in row-major order. Reshapes and copies are not nodes of their own.
struct Node {
  NodeKind kind = NodeKind::Leaf;
  ScalarOp op;
  Constant constant;
  /// -1 where the number of elements is not known.
  int64_t size = -1;
  /// Reductions: how many elements each result combines (op is Add or Max) and
  /// the number it starts from.
  int64_t reduced = 0;
  double init = 0;
  /// The element type; null where there is none.
  mlir::Type type;
  /// Depends on constants and on columns (see ColumnBroadcast) alone.
  bool isParameter = false;
  llvm::SmallVector<Operand, 2> operands;
  llvm::SmallVector<NodeId, 2> users;
  /// Leaf that is another node read in another order: that node.
  NodeId source = noNode;
  /// The op that computes it; null for arguments and constants.
  mlir::Operation *origin = nullptr;
  /// The tensors that hold it, reshapes of them left out, in program order.
  llvm::SmallVector<mlir::Value, 1> definitions;
};

/// The graph of one block, value-numbered: two computations that apply the same
/// scalar ops to the same operands are one node, whatever their tensor shapes.
class ScalarGraph {
public:
  explicit ScalarGraph(mlir::Block &block);

  size_t size() const { return nodes.size(); }
  const Node &operator[](NodeId id) const { return nodes[id]; }
  mlir::Block &getBlock() const { return block; }

  /// The node a tensor (or scalar) of the block holds; noNode for values of
  /// other blocks.
  NodeId lookup(mlir::Value value) const;

  /// True where a tensor of f64, f32, f16 or bf16 holds the node, so that an op
  /// of the dialect can read or replace it.
  bool isMaterialized(NodeId id) const;
  /// True for `id` = a cast of `of` to a narrower float type.
  bool isNarrowingCast(NodeId id, NodeId of) const;
  /// True for a cast between float types.
  bool isCast(NodeId id) const;

private:
  friend class GraphBuilder;
  mlir::Block &block;
  std::vector<Node> nodes;
  llvm::DenseMap<mlir::Value, NodeId> ids;
};

/// True for ops whose result is the operand's elements in the same order.
bool isReshape(mlir::Operation *op);

/// The number of elements of a tensor, or 1 for a scalar; none where the shape
/// is dynamic or the number passes 2^63 - 1.
std::optional<int64_t> countElements(mlir::Type type);

} // namespace memopt::raising

#endif // MEMOPT_LIB_RAISE_SCALARGRAPH_H
