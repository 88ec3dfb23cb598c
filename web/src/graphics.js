// Without a graphics card everything is drawn by the processor: then smooth edges and frosted panels cost too much.

export function isSoftwareDrawn() {
  const gl = document.createElement('canvas').getContext('webgl2');
  if (!gl) return false;
  const names = gl.getExtension('WEBGL_debug_renderer_info');
  const name = String(gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}
