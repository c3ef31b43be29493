"""What an assembler makes of products and sums that name no rounding: `python3 contraction.py PTXAS [PTXAS ...]`, with nvdisasm on the path.

A line a pattern: the float arithmetic of its machine code for sm_90 by the first assembler, and each target or level that has another."""
import re, subprocess, sys, tempfile

MUL, TWO = "mul.f32 t,b,c; ", "mul.f32 t,b,c; mul.f32 u,b,e; "
TURN = "sub.u32 i,i,1; setp.ne.u32 z,i,0; @z bra L;"
BETWEEN = """bar.sync 0|membar.gl|fence.proxy.async|st.volatile.global.f32 [d+60],b|@q st.global.f32 [d+60],b|@q ld.global.f32 x,[d+60]|@q mov.f32 x,b
@q add.rn.f32 x,b,e|@q bar.sync 0|@q exit|@q bra M; st.global.f32 [d+60],b; M: mov.f32 x,b|bra M; M: mov.f32 x,b|div.rn.f32 x,b,e|div.approx.f32 x,b,e|sqrt.rn.f32 x,b
rem.u32 i,n,i|rem.u64 pr,pa,d|shfl.sync.down.b32 x,b,1,31,-1|@q shfl.sync.down.b32 x,b,1,31,-1|atom.global.add.u32 i,[d+60],n|@q vote.sync.any.pred z,q,-1"""
PATTERNS = [MUL + line for line in """add.f32 r,t,a;|add.f32 r,a,t;|sub.f32 r,t,a;|sub.f32 r,a,t;|neg.f32 u,t; add.f32 r,u,a;|mov.b32 wa,t; mov.b32 u,wa; add.f32 r,u,a;
abs.f32 t,t; add.f32 r,t,a;|add.sat.f32 r,t,a;|add.rn.f32 r,t,a;|add.rz.f32 r,t,a;|add.ftz.f32 r,t,a;|fma.rn.f32 r,e,a,t;|add.f32 r,t,a; add.f32 s,t,e;
add.f32 r,t,a; mov.f32 s,t;|add.f32 r,t,a; abs.f32 x,t;|add.f32 r,t,t;|@q add.f32 r,t,a;|@q add.f32 t,t,a; mov.f32 r,t;|mov.f32 b,e; add.f32 r,t,b;
mul.f32 u,b,c; add.f32 r,t,u;|mul.f32 u,b,c; add.f32 r,t,a; mov.f32 s,u;|xor.b32 wa,wa,1; add.f32 r,t,a;""".replace("\n", "|").split("|")]
PATTERNS += ["mul.rn.f32 t,b,c; add.f32 r,t,a;", "mul.sat.f32 t,b,c; add.f32 r,t,a;", "mul.ftz.f32 t,b,c; add.ftz.f32 r,t,a;", "@q mul.f32 t,b,c; add.f32 r,t,a;"]
PATTERNS += [TWO + line for line in """add.f32 r,t,u;|sub.f32 r,t,u;|add.f32 r,t,u; mov.f32 s,t;|add.f32 r,t,u; add.f32 s,t,a;|add.f32 s,t,a; add.f32 r,t,u;|add.f32 r,t,u; sub.f32 s,t,u;
add.f32 r,u,t; sub.f32 s,t,u;|add.f32 x,t,u; add.f32 r,x,a;|mul.f32 v,c,e; add.f32 x,t,u; add.f32 r,v,x;""".replace("\n", "|").split("|")]
PATTERNS += [MUL + f"mov.u32 i,4; L: add.f32 r,t,r; {TURN}", MUL + f'mov.u32 i,4; L: .pragma "nounroll"; add.f32 r,t,r; {TURN}', MUL + f"mov.u32 i,n; L: add.f32 r,t,r; {TURN}",
    f"mov.u32 i,n; L: add.f32 r,t,r; mul.f32 t,b,r; {TURN}", f"mov.u32 i,3; mov.f32 t,b; L: mul.f32 t,t,c; {TURN} add.f32 r,t,a;"]
PATTERNS += [f"mul.{ty} {x}t,{x}a,{x}b; {op}.{ty} {x}r,{x}c,{x}t;" for ty, x in (("f64", "D"), ("f16", "h"), ("f16x2", "w"), ("bf16", "h"), ("bf16x2", "w"), ("f32x2", "p")) for op in ("add", "sub")]
PATTERNS += ["mul.rn.f32x2 pt,pa,pb; add.rn.f32x2 pr,pt,pc;", "mul.f16 ht,ha,hb; add.f16 ht,ht,hc; cvt.f32.f16 r,ht;"]
PATTERNS += [f"mul.f16 ht,ha,hb; {between}; add.f16 hr,ht,hc;" for between in BETWEEN.replace("\n", "|").split("|")]
LOADS = "".join(f"ld.global.{ty} {name},[d+{8 * at}];" for at, (ty, name) in enumerate(
    [("f32", x) for x in "abcetusvx"] + [("u32", x) for x in "in"] + [(ty, x + y) for ty, x in (("f64", "D"), ("b16", "h"), ("b32", "w"), ("b64", "p")) for y in "abct"]))
STORES = "st.global.f32 [d],r; st.global.f32 [d+8],s; st.global.f32 [d+16],x; st.global.u32 [d+24],i;" + "".join(f"st.global.{ty} [d+{at}],{x}r;" for at, (ty, x) in zip((32, 40, 48, 56), (("f64", "D"), ("b16", "h"), ("b32", "w"), ("b64", "p"))))

def codes(ptxas, target, flags):
    can = [at for at, code in enumerate(PATTERNS) if not (target < 100 and "f32x2" in code or target < 90 and ("bf16" in code or "proxy" in code))]
    kernels = "".join(f".visible .entry k{at}(.param .u64 P){{.reg .pred q,z; .reg .u32 i,n; .reg .f32 a,b,c,e,r,s,t,u,v,x; .reg .f64 Da,Db,Dc,Dt,Dr; .reg .b16 ha,hb,hc,ht,hr; "
                      f".reg .b32 wa,wb,wc,wt,wr; .reg .b64 d,pa,pb,pc,pt,pr; ld.param.u64 d,[P];{LOADS} setp.ne.u32 q,n,0; {{mov.f32 r,a; mov.f64 Dr,Da; mov.b16 hr,ha; mov.b32 wr,wa; mov.b64 pr,pa;}}\n"
                      f"{PATTERNS[at]}\n{STORES} ret;}}\n" for at in can)
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/k.ptx", "w") as file:
            file.write(f".version 8.8\n.target sm_{target}\n.address_size 64\n{kernels}")
        subprocess.run([ptxas, f"-arch=sm_{target}", *flags, f"{folder}/k.ptx", "-o", f"{folder}/k.cubin"], check=True)
        text = subprocess.run(["nvdisasm", "-c", f"{folder}/k.cubin"], capture_output=True, text=True, check=True).stdout
    found = {}
    for part in re.split(r"\.section\s+\.text\.k", text)[1:]:
        words = re.findall(r"\*/\s+(?:@!?U?P\d )?\s*([FDH](?:FMA|MUL|ADD)2?)(?:\.MMA)?([.\w]*)\s+(?!\S+ -RZ, RZ)", part)
        found[int(re.match(r"\d+", part)[0])] = " ".join("".join(word) for word in words)
    return found

runs = {}
for ptxas in sys.argv[1:]:
    version = re.search(r"release ([\d.]+)", subprocess.run([ptxas, "--version"], capture_output=True, text=True, check=True).stdout)[1]
    for target in (75, 80, 90, 100, 120):
        for flags in ([], ["-O0"], ["-O1"], ["-O2"], ["--fmad=false"]) if target == 90 else ([],):
            runs[" ".join([version, f"sm_{target}", *flags])] = codes(ptxas, target, flags)
first = next(found for name, found in runs.items() if name.endswith("sm_90"))
for at, code in enumerate(PATTERNS):
    mine = first.get(at) or next(found[at] for found in runs.values() if at in found)
    other = [f"{name}: {found[at]}" for name, found in runs.items() if at in found and found[at] != mine]
    print(f"{code}\n    {mine[:120]}" + "".join(f"\n        {line[:150]}" for line in other))
