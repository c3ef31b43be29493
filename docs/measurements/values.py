"""What an assembler may change in a value, pattern by pattern: all pairs of 32 numbers of each type, NaNs, zeros, subnormals and limits among them.
On a card: `python3 docs/measurements/values.py > card.txt`; here: `sim --card h200 python3 docs/measurements/values.py card.txt`. A line is a pattern and a hash of its 1,024 results;
with a file, the patterns whose line differs are printed, and the exit code is their number. A line that ends in * is of operations that are no exact ones, and
one that ends in ? of what an assembler takes out before it computes: both are counted apart."""
import ctypes as C, hashlib, random, struct, sys

from opened import cu, ok

random.seed(46)
WORDS = {
    # Zeros, ones, halves, subnormals, limits, infinities, quiet and signalling NaNs, ties of conversions, borders of integers, three drawn ones.
    "f32": [0, 1 << 31, 0x3F800000, 0xBF800000, 0x40000000, 0x3F000000, 0xBF000000, 1, 0x80000001, 0x007FFFFF, 0x00800000, 0x80800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000,
            0xFF800000, 0x7FC00000, 0x7F800001, 0xFFC12345, 0x4F000000, 0xCF000000, 0x4EFFFFFF, 0x4F800000, 0x5F000000, 0x40200000, 0x40600000, 0xBFC00000, 0x477FF000, 0x43E80000]
           + [random.getrandbits(32) & 0xBFFFFFFF for _ in range(3)],
    "f64": [struct.unpack("<Q", struct.pack("<d", x))[0] for x in (0.0, -0.0, 1.0, -1.0, 2.0, 0.5, -0.5, 5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308,
            float("inf"), -float("inf"), 2.5, 3.5, -1.5, 2147483648.0, -2147483649.0, 4294967296.0, 9.3e18, -9.3e18, 1.9e19, 1e-40, 1e-46, 3.4028235677973366e38, 65520.0, 1 / 3, -1e300)]
           + [0x7FF8000000000000, 0x7FF0000000000001, 0xFFF4560012345678, 0x7FFABCDEF0123456],
    "f16": [0, 0x8000, 0x3C00, 0xBC00, 0x4000, 0x3800, 1, 0x8001, 0x03FF, 0x0400, 0x8400, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00, 0x7C01, 0xFE12, 0x4100, 0x4300, 0xBE00, 0x5F00, 0x5F40]
           + [random.getrandbits(15) & 0xBFFF for _ in range(9)],
    "bf16": [0, 0x8000, 0x3F80, 0xBF80, 0x4000, 0x3F00, 1, 0x8001, 0x007F, 0x0080, 0x8080, 0x7F7F, 0xFF7F, 0x7F80, 0xFF80, 0x7FC0, 0x7F81, 0xFFC1, 0x4020, 0x4060, 0xBFC0, 0x4F00, 0x43E8]
            + [random.getrandbits(15) & 0xBFFF for _ in range(9)],
}
P = {}


def patterns(kind, lines):
    for line in lines.strip().split("\n"):
        name = line.strip()
        P[f"{kind}  {name}"] = (kind, name.rstrip("*?"))


# Operands a, b, c and the result r are of the pattern's type; t, u help; R is a word of 64 bits for results of another type.
for ftz in ("", ".ftz"):
    patterns("f32", "\n".join(line.replace("~", ftz) for line in """
add~.f32 r,a,b;
sub~.f32 r,a,b;
mul~.f32 r,a,b;
mul.rn~.f32 r,a,0f3F800000;
mul.rn~.f32 r,a,0fBF800000;
mul.rn~.f32 r,a,0f40000000;
mul~.f32 r,a,0f3F000000;
mul~.f32 r,a,0f00000000;
add.rn~.f32 r,a,0f00000000;
add.rn~.f32 r,a,0f80000000;
sub~.f32 r,a,0f00000000;
sub~.f32 r,0f80000000,a;
sub~.f32 r,a,a;
fma.rn~.f32 r,a,b,0f80000000;
fma.rn~.f32 r,a,b,0f00000000;
fma.rn~.f32 r,a,0f3F800000,c;
fma.rn~.f32 r,a,b,c;
fma.rn~.sat.f32 r,a,b,c;
add.sat~.f32 r,a,b;
min~.f32 r,a,b;
max~.f32 r,a,b;
max~.f32 r,a,a;?
min~.NaN.f32 r,a,b;
max~.NaN.xorsign.abs.f32 r,a,b;
min~.xorsign.abs.f32 r,a,b;
max~.f32 t,a,b; min~.f32 r,t,c;
neg~.f32 r,a;
abs~.f32 r,a;
neg~.f32 t,a; neg~.f32 r,t;?
abs~.f32 t,a; neg~.f32 r,t;
div.rn~.f32 r,a,b;
div.rn~.f32 r,a,0f40000000;
div.rn~.f32 r,a,0f3F800000;
div.rn~.f32 r,0f3F800000,a;
div.rn~.f32 r,a,a;
rcp.rn~.f32 r,a;
rcp.rz~.f32 r,a;
sqrt.rn~.f32 r,a;
sqrt.rp~.f32 r,a;
sqrt.rn~.f32 t,a; mul~.f32 r,t,t;
cvt.sat~.f32.f32 r,a;
cvt.rni~.f32.f32 r,a;
cvt.rmi~.f32.f32 r,a;
cvt.rzi~.s32.f32 w,a; cvt.u64.u32 R,w;
cvt.rni~.u32.f32 w,a; cvt.u64.u32 R,w;
cvt.rpi~.s16.f32 h,a; cvt.u64.u16 R,h;
cvt.rzi.sat~.u8.f32 w,a; cvt.u64.u32 R,w;
cvt.rzi~.s64.f32 R,a;
cvt.rmi~.u64.f32 R,a;
cvt.rn~.f16.f32 h,a; cvt.u64.u16 R,h;
cvt.rz~.f16.f32 h,a; cvt.u64.u16 R,h;
setp.lt~.f32 z,a,b; selp.u64 R,1,0,z;
setp.gtu~.f32 z,a,b; selp.u64 R,1,0,z;
set.ge~.f32.f32 r,a,b;
div.full~.f32 r,a,b;*
div.approx~.f32 r,a,b;*
rcp.approx~.f32 r,a;*
sqrt.approx~.f32 r,a;*
rsqrt.approx~.f32 r,a;*
ex2.approx~.f32 r,a;*
lg2.approx~.f32 r,a;*
mul~.f32 t,a,0f3FB8AA3B; ex2.approx~.f32 r,t;*
lg2.approx~.f32 t,a; mul~.f32 r,t,0f3F317218;*
sin.approx~.f32 r,a;*
cos.approx~.f32 r,a;*
""".strip().split("\n")))
patterns("f32", """
cvt.rn.bf16.f32 h,a; cvt.u64.u16 R,h;
cvt.rz.bf16.f32 h,a; cvt.u64.u16 R,h;
cvt.rn.relu.bf16.f32 h,a; cvt.u64.u16 R,h;
cvt.rn.relu.f16.f32 h,a; cvt.u64.u16 R,h;
cvt.rna.tf32.f32 v,a; cvt.u64.u32 R,v;
cvt.rn.f16x2.f32 v,a,b; cvt.u64.u32 R,v;
cvt.rn.bf16x2.f32 v,a,b; cvt.u64.u32 R,v;
cvt.rn.satfinite.e4m3x2.f32 h,a,b; cvt.u64.u16 R,h;
cvt.rn.satfinite.e5m2x2.f32 h,a,b; cvt.u64.u16 R,h;
cvt.rn.satfinite.relu.e4m3x2.f32 h,a,b; cvt.u64.u16 R,h;
cvt.f64.f32 R,a;
copysign.f32 r,a,b;
testp.subnormal.f32 z,a; selp.u64 R,1,0,z;
testp.number.f32 z,a; selp.u64 R,1,0,z;
tanh.approx.f32 r,a;*
""")
patterns("f64", """
add.f64 r,a,b;
mul.f64 r,a,b;
mul.rn.f64 r,a,0d3FF0000000000000;
mul.rn.f64 r,a,0d4000000000000000;
add.rn.f64 r,a,0d0000000000000000;
add.rn.f64 r,a,0d8000000000000000;
sub.f64 r,a,b;
sub.f64 r,a,a;
neg.f64 t,a; add.f64 r,t,b;
neg.f64 t,a; fma.rn.f64 r,t,b,c;
neg.f64 t,c; fma.rn.f64 r,a,b,t;
abs.f64 t,b; mul.f64 r,a,t;?
neg.f64 r,a;
abs.f64 r,a;
fma.rn.f64 r,a,b,c;
fma.rn.f64 r,a,b,0d8000000000000000;
min.f64 r,a,b;
max.f64 r,a,b;
max.f64 r,a,a;?
neg.f64 t,a; abs.f64 r,t;
div.rn.f64 r,a,b;
div.rn.f64 r,a,0d4000000000000000;
div.rn.f64 r,a,a;
div.rz.f64 r,a,b;
rcp.rn.f64 r,a;
rcp.rm.f64 r,a;
sqrt.rn.f64 r,a;
cvt.rn.f32.f64 x,a; mov.b32 w,x; cvt.u64.u32 R,w;
cvt.rz.ftz.f32.f64 x,a; mov.b32 w,x; cvt.u64.u32 R,w;
cvt.rn.sat.f32.f64 x,a; mov.b32 w,x; cvt.u64.u32 R,w;
cvt.rn.f16.f64 h,a; cvt.u64.u16 R,h;
cvt.rn.bf16.f64 h,a; cvt.u64.u16 R,h;
div.rn.f64 r,b,a;
rcp.rn.f64 t,a; mul.f64 r,b,t;
sqrt.rp.f64 r,a;
cvt.rzi.s32.f64 w,a; cvt.u64.u32 R,w;
cvt.rni.u32.f64 w,a; cvt.u64.u32 R,w;
cvt.rzi.s64.f64 R,a;
cvt.rzi.u64.f64 R,a;
cvt.rzi.s8.f64 w,a; cvt.u64.u32 R,w;
cvt.rmi.f64.f64 r,a;
setp.le.f64 z,a,b; selp.u64 R,1,0,z;
setp.neu.f64 z,a,b; selp.u64 R,1,0,z;
copysign.f64 r,a,b;
testp.notanumber.f64 z,a; selp.u64 R,1,0,z;
atom.global.add.f64 r,[e],a; ld.volatile.global.f64 r,[e];
setp.gt.f64 z,a,b; selp.f64 r,a,b,z;
rcp.approx.ftz.f64 r,a;*
rsqrt.approx.f64 r,a;*
rsqrt.approx.ftz.f64 r,a;*
""")
HALVES = """
add.T r,a,b;
sub.T r,a,b;
mul.T r,a,b;
fma.rn.T r,a,b,c;
fma.rn.relu.T r,a,b,c;
min.T r,a,b;
max.T r,a,b;
max.NaN.T r,a,b;
min.xorsign.abs.T r,a,b;
neg.T r,a;
abs.T r,a;
setp.lt.T z,a,b; selp.u64 R,1,0,z;
cvt.f32.T x,a; mov.b32 w,x; cvt.u64.u32 R,w;
cvt.rzi.s32.T w,a; cvt.u64.u32 R,w;
tanh.approx.T r,a;*
"""
patterns("f16", HALVES.replace(".T", ".f16") + """mov.b32 v,{a,b}; neg.f16x2 v,v; cvt.u64.u32 R,v;
neg.ftz.f16 r,a;
abs.ftz.f16 r,a;
add.sat.f16 r,a,b;
fma.rn.sat.f16 r,a,b,c;
fma.rn.ftz.f16 r,a,b,c;
mul.ftz.f16 r,a,b;
cvt.rmi.f16.f16 r,a;
cvt.f64.f16 R,a;
ex2.approx.f16 r,a;*""")
patterns("bf16", HALVES.replace(".T", ".bf16") + "ex2.approx.ftz.bf16 r,a;*")
BYTES = {"f32": 4, "f64": 8, "f16": 2, "bf16": 2}


def text(kind, body):
    bits, size = 8 * BYTES[kind], BYTES[kind]
    load = "".join(f"mad.wide.u32 q,{index},{size},d; ld.global.b{bits} {name},[q];" for name, index in (("a", "i"), ("b", "j"), ("c", "k")))
    register = f".reg .b{bits} a,b,c,r,t;"
    out = f"st.global.b{bits} [e],r;" if ",R" not in body and " R," not in body else "st.global.u64 [e],R;"
    return f""".version 8.0
.target sm_90
.address_size 64
.visible .entry k0(.param .u64 p){{ .reg .b64 d,e,q,R; .reg .u32 n,m,i,j,k,w; .reg .b16 h; .reg .f32 x; .reg .b32 v; .reg .pred z; {register}
ld.param.u64 d,[p]; mov.u32 n,%tid.x; mov.u32 m,%ctaid.x; mad.lo.u32 n,m,256,n; shr.u32 i,n,5; and.b32 j,n,31; mul.lo.u32 k,n,7; and.b32 k,k,31;
{load} mov.b64 R,0; add.u64 e,d,4096; mad.wide.u32 e,n,8,e;
{body} {out} ret; }}
"""


def run(kind, body):
    module, function, memory = C.c_void_p(), C.c_void_p(), C.c_uint64()
    result = cu.cuModuleLoadData(C.byref(module), text(kind, body).encode() + b"\0")
    if result:
        return f"refused ({result})"
    ok(cu.cuModuleGetFunction(C.byref(function), module, b"k0"))
    ok(cu.cuMemAlloc_v2(C.byref(memory), C.c_size_t(4096 + 8192)))
    data = b"".join(word.to_bytes(BYTES[kind], "little") for word in WORDS[kind]).ljust(4096, b"\0") + bytes(8192)
    ok(cu.cuMemcpyHtoD_v2(memory, data, C.c_size_t(len(data))))
    parameters = (C.c_void_p * 1)(C.cast(C.byref(memory), C.c_void_p))
    ok(cu.cuLaunchKernel(function, 4, 1, 1, 256, 1, 1, 0, None, parameters, None))
    ok(cu.cuCtxSynchronize())
    out = C.create_string_buffer(8192)
    ok(cu.cuMemcpyDtoH_v2(out, C.c_uint64(memory.value + 4096), C.c_size_t(8192)))
    ok(cu.cuMemFree_v2(memory))
    ok(cu.cuModuleUnload(module))
    if "--words" in sys.argv:
        print(name, " ".join(f"{word:x}" for word in struct.unpack("<1024Q", out.raw)))
    return hashlib.sha256(out.raw).hexdigest()[:12]


answers = {}
for name, (kind, body) in P.items():
    answers[name] = run(kind, body)
if len(sys.argv) < 2 or "--words" in sys.argv:
    print("\n".join(f"{answer}  {name}" for name, answer in answers.items()))
    sys.exit()
card = {line[14:].rstrip("\n"): line[:12] for line in open(sys.argv[1])}
different = [name for name, answer in answers.items() if card.get(name) != answer]
exact = [name for name in different if name[-1] not in "*?"]
for name in different:
    print("differs:", name)
apart = " and ".join(f"{sum(name.endswith(mark) for name in different)} of {sum(name.endswith(mark) for name in answers)} {what}" for mark, what in (("*", "approximations"), ("?", "that are taken out")))
print(f"{len(answers)} patterns: {len(exact)} exact ones differ; apart from them {apart}")
sys.exit(len(exact))
