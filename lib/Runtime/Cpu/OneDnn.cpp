//===- OneDnn.cpp - bf16 products by oneDNN -------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OneDnn.h"
#include "LibraryCall.h"
#include "Workspace.h"

#include "MemOpt/Runtime/Cpu.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <oneapi/dnnl/dnnl.hpp>
#include <shared_mutex>
#include <vector>

using namespace dnnl;
using namespace memopt::cpu;

namespace {
/// The kernel of one shape, for one thread. Numbered, so that threads find
/// their own objects for it.
struct Kernel {
  size_t number;
  memory::desc a, b, c, scratch;
  matmul run;
};

/// A thread's arguments of one kernel: handles to which addresses are given.
struct Arguments {
  memory a, b, c, scratch;
};

/// The kernels made so far, for all threads.
class Kernels {
public:
  const Kernel &get(const OneDnnShape &shape) {
    auto key = shape.getKey();
    {
      std::shared_lock<std::shared_mutex> lock(mutex);
      auto known = kernels.find(key);
      if (known != kernels.end())
        return *known->second;
    }
    std::unique_lock<std::shared_mutex> lock(mutex);
    std::unique_ptr<Kernel> &kernel = kernels[key];
    if (!kernel)
      kernel = make(shape);
    return *kernel;
  }

  template <typename Call> void forEach(const Call &call) {
    std::shared_lock<std::shared_mutex> lock(mutex);
    for (const auto &[key, kernel] : kernels)
      call(*kernel);
  }

  engine cpu{engine::kind::cpu, 0};

private:
  std::unique_ptr<Kernel> make(const OneDnnShape &shape) {
    auto describe = [](int64_t rows, int64_t columns, memory::data_type type,
                       int64_t row, int64_t column) {
      return memory::desc({rows, columns}, type, memory::dims{row, column});
    };
    auto bf16 = memory::data_type::bf16;
    memory::desc a =
        describe(shape.m, shape.k, bf16, shape.aRow, shape.aColumn);
    memory::desc b =
        describe(shape.k, shape.n, bf16, shape.bRow, shape.bColumn);
    memory::desc c =
        describe(shape.m, shape.n,
                 shape.cIsBF16 ? bf16 : memory::data_type::f32, shape.cRow, 1);
    primitive_attr attributes;
    attributes.set_scratchpad_mode(scratchpad_mode::user);
    if (shape.accumulate) {
      post_ops sum;
      sum.append_sum(1.0f);
      attributes.set_post_ops(sum);
    }
    matmul::primitive_desc description({a, b, c}, attributes, cpu);
    return std::unique_ptr<Kernel>(new Kernel{kernels.size() - 1, a, b, c,
                                              description.scratchpad_desc(),
                                              matmul(description)});
  }

  std::shared_mutex mutex;
  std::map<std::array<int64_t, 10>, std::unique_ptr<Kernel>> kernels;
};
} // namespace

[[noreturn]] static void fail(const error &e) {
  std::fprintf(stderr, "memopt_cpu_gemm: oneDNN: %s (%d)\n", e.what(),
               static_cast<int>(e.status));
  std::abort();
}

static Kernels &getKernels() {
  static Kernels kernels;
  return kernels;
}

static Arguments &getArguments(const Kernel &kernel) {
  static thread_local std::vector<std::unique_ptr<Arguments>> arguments;
  if (arguments.size() <= kernel.number)
    arguments.resize(kernel.number + 1);
  std::unique_ptr<Arguments> &own = arguments[kernel.number];
  if (!own) {
    engine &cpu = getKernels().cpu;
    own.reset(new Arguments{
        memory(kernel.a, cpu, nullptr), memory(kernel.b, cpu, nullptr),
        memory(kernel.c, cpu, nullptr), memory(kernel.scratch, cpu, nullptr)});
  }
  return *own;
}

bool memopt::cpu::hasNativeBF16() {
  // Later sets contain the bits of earlier ones.
  static const bool native =
      (dnnl_get_effective_cpu_isa() & dnnl_cpu_isa_avx512_core_bf16) ==
      dnnl_cpu_isa_avx512_core_bf16;
  return native;
}

void memopt::cpu::multiply(const OneDnnShape &shape, const void *a,
                           const void *b, void *c) {
  LibraryCall call;
  try {
    const Kernel &kernel = getKernels().get(shape);
    Arguments &own = getArguments(kernel);
    static thread_local stream queue(getKernels().cpu);
    own.a.set_data_handle(const_cast<void *>(a));
    own.b.set_data_handle(const_cast<void *>(b));
    own.c.set_data_handle(c);
    own.scratch.set_data_handle(
        getWorkspace().scratch.get(kernel.scratch.get_size()));
    dnnl_exec_arg_t list[] = {{DNNL_ARG_SRC, own.a.get()},
                              {DNNL_ARG_WEIGHTS, own.b.get()},
                              {DNNL_ARG_DST, own.c.get()},
                              {DNNL_ARG_SCRATCHPAD, own.scratch.get()}};
    error::wrap_c_api(
        dnnl_primitive_execute(kernel.run.get(), queue.get(), 4, list),
        "a product failed");
  } catch (const error &e) {
    fail(e);
  }
}

void memopt::cpu::prepare(const OneDnnShape &shape) {
  LibraryCall call;
  try {
    getKernels().get(shape);
  } catch (const error &e) {
    fail(e);
  }
}

void memopt::cpu::makeOneDnnObjects() {
  if (!hasNativeBF16())
    return;
  LibraryCall call;
  try {
    getKernels().forEach([](const Kernel &kernel) {
      getArguments(kernel);
      getWorkspace().scratch.get(kernel.scratch.get_size());
    });
  } catch (const error &e) {
    fail(e);
  }
}
