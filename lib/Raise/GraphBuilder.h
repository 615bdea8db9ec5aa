//===- GraphBuilder.h - reads a block into a scalar graph -------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RAISE_GRAPHBUILDER_H
#define MEMOPT_LIB_RAISE_GRAPHBUILDER_H

#include "IterationSpace.h"
#include "ScalarGraph.h"

#include <unordered_map>

namespace memopt::raising {

class GraphBuilder {
public:
  explicit GraphBuilder(ScalarGraph &graph) : graph(graph) {}
  void build();

  const Node &node(NodeId id) const { return graph.nodes[id]; }
  NodeId nodeOf(mlir::Value value);
  /// A node that stands for something we do not look into.
  /// `source` is the node it reads in another order, where it does.
  NodeId addLeaf(mlir::Type type, int64_t size, mlir::Operation *origin,
                 NodeId source = noNode);
  NodeId addConstant(Constant constant);
  /// The node of an op on operands, folded or found again where it was seen.
  Operand addElementwise(ScalarOp op, mlir::Type type, int64_t size,
                         llvm::ArrayRef<Operand> operands,
                         mlir::Operation *origin);
  NodeId addReduction(NodeKind kind, ScalarOp op, double init, Operand term,
                      int64_t reduced, mlir::Type type,
                      mlir::Operation *origin);
  /// `value` holds node `id` from now on.
  void define(mlir::Value value, NodeId id);

private:
  struct KeyHash {
    size_t operator()(const std::vector<int64_t> &key) const;
  };

  void visit(mlir::Operation &op);
  bool visitConstant(mlir::Operation &op);
  bool visitElementwise(mlir::Operation &op);
  bool visitLinalg(mlir::linalg::LinalgOp op);
  NodeId addNode();
  NodeId number(Node node);
  void connectUsers();

  ScalarGraph &graph;
  std::unordered_map<std::vector<int64_t>, NodeId, KeyHash> numbering;
};

/// Reads the body of one linalg op.
class BodyReader {
public:
  BodyReader(GraphBuilder &builder, mlir::linalg::LinalgOp op,
             IterationSpace space);
  /// Defines the op's results; false, with nothing defined, where it is neither
  /// elementwise nor a sum or maximum over rows or columns.
  bool read();

private:
  Operand get(mlir::Value value);
  Operand readArgument(unsigned index);
  Operand readCaptured(mlir::Value value);
  Operand readOp(mlir::Value value);
  void defineElementwise(mlir::Value result, mlir::Value yielded);
  bool readReduction();
  Operand opaque(mlir::Type type);

  GraphBuilder &builder;
  mlir::linalg::LinalgOp op;
  IterationSpace space;
  mlir::Block *body;
  llvm::DenseMap<mlir::Value, Operand> operands;
};

} // namespace memopt::raising

#endif // MEMOPT_LIB_RAISE_GRAPHBUILDER_H
