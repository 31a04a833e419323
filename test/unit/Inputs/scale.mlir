// y[i] = alpha * x[i], one element a thread, at the level of instructions.
ptx.module version "8.0" target "sm_90a" {
  ptx.entry @scale parameters [#ptx.parameter<"scale_param_0", u64>, #ptx.parameter<"scale_param_1", u64>, #ptx.parameter<"scale_param_2", u32>, #ptx.parameter<"scale_param_3", f32>] reqntid (128, 1, 1) attributes {
    croq.launch = {
      args = [
        {kind = "tile", name = "x", dtype = "f32", shape = ["N"], written = false},
        {kind = "scalar", name = "alpha", dtype = "f32"},
        {kind = "tile", name = "y", dtype = "f32", shape = ["N"], output = true}
      ],
      dims = ["N"],
      params = [
        {kind = "pointer", arg = "x"}, {kind = "pointer", arg = "y"},
        {kind = "dim", dim = "N"}, {kind = "scalar", arg = "alpha"}
      ],
      grid = affine_map<(d0) -> (d0 ceildiv 128, 1, 1)>,
      block = 128, shared_bytes = 0, target = "sm_90a",
      reference = "y[i] = alpha * x[i]"
    }
  } {
    %x = ptx.ld_param u64 "scale_param_0" : !ptx.reg<b64, "%rd1">
    %y = ptx.ld_param u64 "scale_param_1" : !ptx.reg<b64, "%rd2">
    %n = ptx.ld_param u32 "scale_param_2" : !ptx.reg<b32, "%r1">
    %alpha = ptx.ld_param f32 "scale_param_3" : !ptx.reg<f32, "%f1">
    %block = ptx.sreg "ctaid.x" : !ptx.reg<b32, "%r2">
    %thread = ptx.sreg "tid.x" : !ptx.reg<b32, "%r3">
    %i = ptx.mad lo.u32 %block, 128, %thread : !ptx.reg<b32, "%r4">
    %out = ptx.setp ge.u32 %i, %n : !ptx.pred<"%p1">
    ptx.bra_if %out, ^exit, ^inside
  ^inside:
    %from = ptx.mad wide.u32 %i, 4, %x : !ptx.reg<b64, "%rd3">
    %to = ptx.mad wide.u32 %i, 4, %y : !ptx.reg<b64, "%rd4">
    %value = ptx.ld global f32 [%from] : !ptx.reg<f32, "%f2">
    %scaled = ptx.mul rn.f32 %value, %alpha : !ptx.reg<f32, "%f3">
    ptx.st global f32 [%to], %scaled
    ptx.fallthrough ^exit
  ^exit:
    ptx.label "exit"
    ptx.ret
  }
}
