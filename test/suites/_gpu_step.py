"""A compiled step for GPUs, written by hand: host code in the LLVM dialect around
kernels in LLVM IR. On vectors w and x of N numbers (N a multiple of 32, at most 1024):

    loss = sum of w x,  gradient of w = x,  count = how often it ran (a global)
"""
import subprocess

from _suite import LLVM_BIN

KERNELS = r"""
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
@slots = internal addrspace(3) global [32 x float] undef, align 4
define ptx_kernel void @dot(ptr addrspace(1) %%w, ptr addrspace(1) %%x, ptr addrspace(1) %%loss, ptr addrspace(1) %%g, ptr addrspace(1) %%state) {
  %%tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %%i = zext i32 %%tid to i64
  %%pw = getelementptr float, ptr addrspace(1) %%w, i64 %%i
  %%px = getelementptr float, ptr addrspace(1) %%x, i64 %%i
  %%pg = getelementptr float, ptr addrspace(1) %%g, i64 %%i
  %%a = load float, ptr addrspace(1) %%pw
  %%b = load float, ptr addrspace(1) %%px
  store float %%b, ptr addrspace(1) %%pg
  %%s0 = fmul float %%a, %%b
%(shuffles)s
  %%warp = lshr i64 %%i, 5
  %%slot = getelementptr float, ptr addrspace(3) @slots, i64 %%warp
  store float %%s5, ptr addrspace(3) %%slot
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %%isFirst = icmp eq i32 %%tid, 0
  br i1 %%isFirst, label %%sum, label %%end
sum:
  %%k = phi i64 [0, %%0], [%%next, %%sum]
  %%total = phi float [0.0, %%0], [%%more, %%sum]
  %%p = getelementptr float, ptr addrspace(3) @slots, i64 %%k
  %%v = load float, ptr addrspace(3) %%p
  %%more = fadd float %%total, %%v
  %%next = add i64 %%k, 1
  %%isDone = icmp eq i64 %%next, %(warps)d
  br i1 %%isDone, label %%store, label %%sum
store:
  store float %%more, ptr addrspace(1) %%loss
  %%old = load i64, ptr addrspace(1) %%state
  %%new = add i64 %%old, 1
  store i64 %%new, ptr addrspace(1) %%state
  br label %%end
end:
  ret void
}
"""

HOST = r"""
llvm.mlir.global external constant @memopt_step_description("%(description)s\00")
llvm.mlir.global external constant @memopt_gpu_image("%(image)s")
llvm.mlir.global internal constant @kernel("%(kernel)s\00")
llvm.mlir.global internal constant @geometry(dense<[1, 1, 1, %(n)d, 1, 1, 0]> : tensor<7xi64>) : !llvm.array<7 x i64>
llvm.mlir.global internal constant @bytes(dense<[%(bytes)d, %(bytes)d, -4, -%(bytes)d, 4611686018427387912]> : tensor<5xi64>) : !llvm.array<5 x i64>
llvm.mlir.global external @memopt_step_globals(5 : i64) : i64
llvm.func @memopt_gpu_launch(!llvm.ptr, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64)
llvm.func @memopt_gpu_allocate(i64, !llvm.ptr) -> !llvm.ptr
llvm.func @memopt_step(%%arguments: !llvm.ptr, %%arena: !llvm.ptr) {
  %%one = llvm.mlir.constant(1 : i64) : i64
  %%count = llvm.mlir.constant(5 : i64) : i64
  %%image_bytes = llvm.mlir.constant(%(image_bytes)d : i64) : i64
  %%image = llvm.mlir.addressof @memopt_gpu_image : !llvm.ptr
  %%kernel = llvm.mlir.addressof @kernel : !llvm.ptr
  %%geometry = llvm.mlir.addressof @geometry : !llvm.ptr
  %%bytes = llvm.mlir.addressof @bytes : !llvm.ptr
  %%second = llvm.getelementptr %%arguments[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %%gradient = llvm.getelementptr %%arena[64] : (!llvm.ptr) -> !llvm.ptr, i8
  %%state = llvm.getelementptr %%arena[%(state)d] : (!llvm.ptr) -> !llvm.ptr, i8
  %%values = llvm.alloca %%count x !llvm.ptr : (i64) -> !llvm.ptr
  %%list = llvm.alloca %%count x !llvm.ptr : (i64) -> !llvm.ptr
  %(extra)s
  llvm.store %%arena, %%values : !llvm.ptr, !llvm.ptr
  %%value1 = llvm.getelementptr %%values[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  llvm.store %%gradient, %%value1 : !llvm.ptr, !llvm.ptr
  %%value2 = llvm.getelementptr %%values[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  llvm.store %%state, %%value2 : !llvm.ptr, !llvm.ptr
  llvm.store %%arguments, %%list : !llvm.ptr, !llvm.ptr
  %%list1 = llvm.getelementptr %%list[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  llvm.store %%second, %%list1 : !llvm.ptr, !llvm.ptr
  %%list2 = llvm.getelementptr %%list[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  llvm.store %%values, %%list2 : !llvm.ptr, !llvm.ptr
  %%list3 = llvm.getelementptr %%list[3] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  llvm.store %%value1, %%list3 : !llvm.ptr, !llvm.ptr
  %%list4 = llvm.getelementptr %%list[4] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  llvm.store %%value2, %%list4 : !llvm.ptr, !llvm.ptr
  llvm.call @memopt_gpu_launch(%%image, %%image_bytes, %%kernel, %%geometry, %%list, %%bytes, %%count) : (!llvm.ptr, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.return
}
"""

# A step that asks for memory, which none should.
ALLOCATES = """%call = llvm.call @memopt_gpu_allocate(%one, %values) : (i64, !llvm.ptr) -> !llvm.ptr"""


def kernels(n):
    """The kernels' LLVM IR."""
    shuffles = "\n".join(
        f"  %o{i} = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %s{i}, i32 {16 >> i}, i32 31)\n"
        f"  %s{i + 1} = fadd float %s{i}, %o{i}" for i in range(5))
    return KERNELS % {"shuffles": shuffles, "warps": n // 32}


def escape(data):
    return "".join(f"\\{byte:02X}" for byte in data)


def gpu_step(n, image=None, kernel="dot", graph=False, bytes_=None, extra=""):
    """The text of the step; `image` is bitcode by default. A wrong `kernel` or number of
    `bytes_` makes a step that fails."""
    if image is None:
        image = subprocess.run([LLVM_BIN / "llvm-as", "-o", "-"], input=kernels(n).encode(),
                               capture_output=True, check=True).stdout
    state = 64 + (4 * n + 63) // 64 * 64
    vector = f'{{"type":"f32","shape":[{n}]}}'
    description = (
        f'{{"target":"nvvm","cuda_graph":{"true" if graph else "false"},"arena_bytes":{state + 8},'
        f'"globals_bytes":8,"globals_offset":{state},"arguments":[{vector},{vector}],'
        f'"results":[{{"type":"f32","shape":[],"offset":0}},'
        f'{{"type":"f32","shape":[{n}],"offset":64}},{{"type":"i64","shape":[],"offset":{state}}}]}}')
    # The state's parameter: MEMOPT_GPU_PARTIAL and eight bytes.
    return HOST % {"description": escape(description.encode()), "image": escape(image),
                   "image_bytes": len(image), "n": n, "bytes": bytes_ or 4 * n, "state": state,
                   "extra": extra, "kernel": kernel}
