"use strict";
// Whether a frame of a camera is good enough to be read: bright, sharp, the sheet's corners in view. A hint and never a
// gate. Light and sharpness are those of the server's first look (ocr/image/first_look.py), so both say the same.
// frameHints(image): image has width, height and data as ImageData has. Returns light 0..255, softest 0..1, depth 0..250,
// corners "all", "cut" or "none", share 0..1 of the frame that the sheet fills, and hints, worst first; empty if all is good.
(() => {
  const DIM = 80, SOFT = 0.13, FAINT = 20, PAPER = 250; // as in first_look.py, quality.py and illumination.py
  // By hand: the sheet is looked for at this size, and is brighter than what lies around it by this much.
  const SMALL = 200, EDGE = 40, LEAST_SHEET = 0.1, FAR = 0.3, FULL = 0.6, TOUCH = 0.03, CELL = 16;
  const percentile = (counts, total, share) => {
    let left = total * share, value = 0;
    while (value < counts.length - 1 && left >= counts[value]) { left -= counts[value]; value += 1; }
    return value;
  };
  const lightOf = ({ width, height, data }) => {
    const counts = new Uint32Array(256);
    let total = 0;
    for (let y = 0; y < height; y += 8) for (let x = 0; x < width; x += 8) {
      const at = 4 * (y * width + x);
      counts[Math.max(data[at], data[at + 1], data[at + 2])] += 1; total += 1;
    }
    return percentile(counts, total, 0.9);
  };
  const greyOf = ({ width, height, data }) => {
    const grey = new Float32Array(width * height);
    for (let i = 0, at = 0; i < grey.length; i += 1, at += 4) grey[i] = 0.299 * data[at] + 0.587 * data[at + 1] + 0.114 * data[at + 2];
    return grey;
  };
  const shrunk = (grey, width, height) => {
    const step = Math.max(1, Math.ceil(Math.max(width, height) / SMALL));
    const w = Math.floor(width / step), h = Math.floor(height / step), out = new Float32Array(w * h);
    for (let y = 0; y < h; y += 1) for (let x = 0; x < w; x += 1) {
      let sum = 0;
      for (let dy = 0; dy < step; dy += 1) for (let dx = 0; dx < step; dx += 1) sum += grey[(y * step + dy) * width + x * step + dx];
      out[y * w + x] = sum / (step * step);
    }
    return { out, w, h, step };
  };
  const otsu = (values) => {
    const counts = new Uint32Array(256);
    let all = 0;
    for (const value of values) { counts[value | 0] += 1; all += value | 0; }
    let best = -1, threshold = 128, apart = 0, below = 0, sum = 0;
    for (let t = 0; t < 255; t += 1) {
      below += counts[t]; sum += t * counts[t];
      const above = values.length - below;
      if (!below || !above) continue;
      const gap = (all - sum) / above - sum / below, spread = below * above * gap * gap;
      if (spread > best) { best = spread; threshold = t; apart = gap; }
    }
    return { threshold, apart };
  };
  // The largest bright piece of the frame: its cells, and how much of each side of the frame it touches.
  const sheetOf = ({ out, w, h }) => {
    const { threshold, apart } = otsu(out);
    if (apart < EDGE) return null;
    const piece = new Int32Array(w * h), stack = [];
    let best = null;
    for (let start = 0; start < out.length; start += 1) {
      if (piece[start] || out[start] <= threshold) continue;
      const cells = [];
      piece[start] = start + 1; stack.push(start);
      while (stack.length) {
        const at = stack.pop(), x = at % w;
        cells.push(at);
        for (const next of [x > 0 ? at - 1 : -1, x < w - 1 ? at + 1 : -1, at - w, at + w]) {
          if (next >= 0 && next < out.length && !piece[next] && out[next] > threshold) { piece[next] = start + 1; stack.push(next); }
        }
      }
      if (!best || cells.length > best.length) best = cells;
    }
    if (!best) return null;
    const sides = [0, 0, 0, 0], ends = [[Infinity], [-Infinity], [Infinity], [-Infinity]];
    const member = new Uint8Array(w * h);
    for (const at of best) {
      const x = at % w, y = (at - x) / w;
      member[at] = 1;
      if (x === 0) sides[0] += 1 / h; if (x === w - 1) sides[1] += 1 / h; if (y === 0) sides[2] += 1 / w; if (y === h - 1) sides[3] += 1 / w;
      if (x + y < ends[0][0]) ends[0] = [x + y, x, y]; if (x + y > ends[1][0]) ends[1] = [x + y, x, y];
      if (x - y < ends[2][0]) ends[2] = [x - y, x, y]; if (x - y > ends[3][0]) ends[3] = [x - y, x, y];
    }
    const quad = [ends[0], ends[3], ends[1], ends[2]];
    let area = 0;
    quad.forEach(([, x, y], i) => { const [, u, v] = quad[(i + 1) % 4]; area += x * v - u * y; });
    return { member, share: best.length / (w * h), filled: best.length / Math.max(1, Math.abs(area) / 2), cut: Math.max(...sides) > TOUCH };
  };
  // The share of the ink's depth that edges gain in one pixel, in the direction where it is least (quality.softest).
  const softness = (grey, width, height, inside) => {
    const cw = Math.ceil(width / CELL), ch = Math.ceil(height / CELL), top = new Float32Array(cw * ch);
    for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) {
      const cell = ((y / CELL) | 0) * cw + ((x / CELL) | 0), value = grey[y * width + x];
      if (value > top[cell]) top[cell] = value;
    }
    const paper = new Float32Array(cw * ch);
    for (let y = 0; y < ch; y += 1) for (let x = 0; x < cw; x += 1) {
      let most = 1;
      for (let dy = -1; dy <= 1; dy += 1) for (let dx = -1; dx <= 1; dx += 1) {
        const u = x + dx, v = y + dy;
        if (u >= 0 && v >= 0 && u < cw && v < ch) most = Math.max(most, top[v * cw + u]);
      }
      paper[y * cw + x] = most;
    }
    const even = new Float32Array(width * height), depths = new Uint32Array(256);
    let counted = 0;
    for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) {
      const i = y * width + x, value = Math.min(255, grey[i] / paper[((y / CELL) | 0) * cw + ((x / CELL) | 0)] * PAPER);
      even[i] = value;
      if (x % 2 === 0 && y % 2 === 0 && inside(x, y)) { depths[value | 0] += 1; counted += 1; }
    }
    if (!counted) return { depth: 0, softest: 0 };
    const depth = PAPER - percentile(depths, counted, 0.005), slopes = [0, 1, 2, 3].map(() => new Uint32Array(1024));
    let measured = 0;
    for (let y = 1; y < height - 1; y += 2) for (let x = 1; x < width - 1; x += 2) {
      if (!inside(x, y)) continue;
      const i = y * width + x, a = even[i - width - 1], b = even[i - width], c = even[i - width + 1], d = even[i - 1], e = even[i + 1];
      const f = even[i + width - 1], g = even[i + width], k = even[i + width + 1];
      const across = (c + 2 * e + k - a - 2 * d - f) / 8, down = (f + 2 * g + k - a - 2 * b - c) / 8;
      [across, down, (across + down) * 0.7071, (across - down) * 0.7071].forEach((slope, n) => { slopes[n][Math.min(1023, (Math.abs(slope) * 4) | 0)] += 1; });
      measured += 1;
    }
    const steep = slopes.map((counts) => percentile(counts, measured, 0.995) / 4);
    return { depth, softest: Math.min(...steep) / Math.max(depth, 1) };
  };
  self.frameHints = (image) => {
    const { width, height } = image, light = lightOf(image), grey = greyOf(image), small = shrunk(grey, width, height);
    const sheet = sheetOf(small), isSheet = sheet !== null && sheet.share >= LEAST_SHEET && (sheet.cut || sheet.filled >= FULL);
    // Edges of the sheet are no ink: a cell counts whose neighbours are all paper or ink on it.
    const margin = Math.round(Math.max(width, height) / 30), near = 3;
    const inner = (x, y) => {
      const u = (x / small.step) | 0, v = (y / small.step) | 0;
      return [[-near, 0], [near, 0], [0, -near], [0, near]].every(([du, dv]) => {
        const s = u + du, t = v + dv;
        return s >= 0 && t >= 0 && s < small.w && t < small.h && sheet.member[t * small.w + s];
      });
    };
    const whole = (x, y) => x >= margin && y >= margin && x < width - margin && y < height - margin;
    const { depth, softest } = softness(grey, width, height, isSheet ? inner : whole);
    const corners = !isSheet ? "none" : sheet.cut ? "cut" : "all", share = isSheet ? sheet.share : 0;
    const hints = [];
    if (light < DIM) hints.push("dark");
    else {
      if (corners === "none") hints.push("none");
      if (corners === "cut") hints.push("cut");
      if (corners === "all" && share < FAR) hints.push("far");
      if (depth > FAINT && softest < SOFT) hints.push("blurred");
    }
    return { light, softest, depth, corners, share, hints };
  };
})();
