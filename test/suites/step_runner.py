#!/usr/bin/env python3
"""What runs a step for all numeric tests: types, shapes, globals, failures, bits."""
import numpy as np

from _suite import BUILD, Suite
import compare_results
import run_step

ELEMENTWISE = """
func.func @main(%x: tensor<{shape}{type}>) -> tensor<{shape}{type}> {{
  %y = arith.addf %x, %x : tensor<{shape}{type}>
  return %y : tensor<{shape}{type}>
}}
"""
# Both results are made from one init; %x is read after it could have been overwritten.
SHARED_INIT = """
#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%x : tensor<4xf32>) {
  ^bb0(%o: f32):
    %s = arith.addf %o, %o : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %b = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%x : tensor<4xf32>) {
  ^bb0(%o: f32):
    %s = arith.mulf %o, %o : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %a, %b, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
"""
COUNTER = """
ml_program.global private mutable @count(dense<0> : tensor<i64>) : tensor<i64>
func.func @main(%x: tensor<i64>) -> tensor<i64> {
  %n = ml_program.global_load @count : tensor<i64>
  %m = arith.addi %n, %x : tensor<i64>
  ml_program.global_store @count = %m : tensor<i64>
  return %m : tensor<i64>
}
"""
ASSERTION = """
func.func @main(%x: tensor<i1>) -> tensor<i1> {
  %b = tensor.extract %x[] : tensor<i1>
  cf.assert %b, "x is false"
  return %x : tensor<i1>
}
"""


def run(text, *arrays):
    return run_step.run(run_step.compile_step(text, build=BUILD), list(arrays))


def check_types(suite):
    for name, dtype in (("f64", np.float64), ("f32", np.float32), ("f16", np.float16), ("bf16", np.float32)):
        x = np.array([0.5, -3.0, np.inf, 1.0], dtype)
        suite.check(name, np.array_equal(run(ELEMENTWISE.format(shape="4x", type=name), x)[0], x + x))
    scalar = np.float32(1.25)
    suite.check("rank 0", run(ELEMENTWISE.format(shape="", type="f32"), scalar)[0] == 2.5)
    suite.check("empty", run(ELEMENTWISE.format(shape="0x3x", type="f32"), np.ones((0, 3), "f"))[0].shape == (0, 3))
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    suite.check("dynamic sizes, a transposed array",
                np.array_equal(run(ELEMENTWISE.format(shape="?x?x", type="f32"), x.T)[0], 2 * x.T))
    rounded = run_step.from_bf16(run_step.to_bf16(np.array([1 + 2**-8, 1 + 3 * 2**-8, np.nan], "f")))
    suite.check("bf16 rounds to nearest even", rounded[0] == 1 and rounded[1] == 1 + 2**-6 and np.isnan(rounded[2]))


def check_memory(suite):
    x = np.array([1, 2, 3, 4], np.float32)
    a, b, same = run(SHARED_INIT, x)
    suite.check("a shared init is copied", np.array_equal(a, 2 * x) and np.array_equal(b, x * x))
    suite.check("arguments keep their values", np.array_equal(same, x) and np.array_equal(x, [1, 2, 3, 4]))
    counts = [int(run(COUNTER, np.int64(3))[0]) for _ in range(2)]
    suite.check("globals start afresh", counts == [3, 3], str(counts))


def check_failures(suite):
    def message(text, *arrays):
        try:
            run(text, *arrays)
        except run_step.StepError as error:
            return str(error)
        return "no error"
    failed = message(ASSERTION, np.bool_(False))
    suite.check("a failed assertion", "signal 6" in failed, failed)
    suite.check("a held assertion", bool(run(ASSERTION, np.bool_(True))[0]))
    wrong = message(ELEMENTWISE.format(shape="4x", type="f32"), np.ones(3, "f"))
    suite.check("a wrong shape", wrong == "argument 0 is float32[3], the step takes float32[4]", wrong)
    wrong = message("func.func @main(%x: memref<4xf32>) { return }\n")
    suite.check("a buffer", "not on 'memref<4xf32>'" in wrong, wrong)
    wrong = message("func.func @a() { return }\nfunc.func @b() { return }\n")
    suite.check("two functions", wrong == "no function main among: a, b", wrong)


def check_comparison(suite):
    exact = np.array([3.0, 4.0])
    arrays = {"res64_0": exact, "res0": exact.astype(np.float32)}
    tolerated = [compare_results.compare([exact + d], arrays)[0].ok for d in (2e-5, 5e-5)]
    suite.check("1e-5 of the norm", tolerated == [True, False])
    arrays = {"res64_0": np.zeros(2), "res0": np.array([1e-8, 0], np.float32)}
    tolerated = [compare_results.compare([np.array([d, 0])], arrays)[0].ok for d in (3.9e-8, 4.1e-8)]
    suite.check("four times the framework's own error", tolerated == [True, False])
    arrays = {"res0": np.array([100.0]), "res1": np.array([0.0])}
    tolerated = [compare_results.compare([np.array([100.0]), np.array([d])], arrays)[1].ok for d in (9e-6, 1.1e-5)]
    suite.check("a floor where there is no float64", tolerated == [True, False])
    suite.check("NaN is wrong", not compare_results.compare([np.array([np.nan, 0])], arrays)[0].ok)
    suite.check("-0 has other bits than 0", not compare_results.same_bits(np.array(0.0), np.array(-0.0)))


def main():
    suite = Suite()
    check_types(suite)
    check_memory(suite)
    check_failures(suite)
    check_comparison(suite)
    suite.close()


if __name__ == "__main__":
    main()
