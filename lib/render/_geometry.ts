/** A rectangle in user units, as the DOM gives it. */
export interface Box {
  /** Left edge. */
  readonly left: number;
  /** Upper edge. */
  readonly top: number;
  /** Right edge. */
  readonly right: number;
  /** Lower edge. */
  readonly bottom: number;
}

/** An affine transform: x' = a·x + c·y + e, y' = b·x + d·y + f. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

/** The transform that changes nothing. */
export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** The transform that does `inner` first, then `outer`. */
export function multiply(outer: Matrix, inner: Matrix): Matrix {
  const [a, b, c, d, e, f] = outer;
  const [g, h, i, j, k, l] = inner;
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

/** The box around a box that was transformed. */
export function transformBox([a, b, c, d, e, f]: Matrix, { left, top, right, bottom }: Box): Box {
  const xs = [a * left + c * top, a * right + c * top, a * left + c * bottom, a * right + c * bottom];
  const ys = [b * left + d * top, b * right + d * top, b * left + d * bottom, b * right + d * bottom];
  return {
    left: Math.min(...xs) + e,
    top: Math.min(...ys) + f,
    right: Math.max(...xs) + e,
    bottom: Math.max(...ys) + f,
  };
}

/** The box around boxes; `null` around none. */
export function unite(boxes: readonly Box[]): Box | null {
  if (boxes.length === 0) return null;
  return {
    left: Math.min(...boxes.map((box) => box.left)),
    top: Math.min(...boxes.map((box) => box.top)),
    right: Math.max(...boxes.map((box) => box.right)),
    bottom: Math.max(...boxes.map((box) => box.bottom)),
  };
}

function rotation(degrees: number): Matrix {
  const sin = Math.sin(degrees * Math.PI / 180);
  const cos = Math.cos(degrees * Math.PI / 180);
  return [cos, sin, -sin, cos, 0, 0];
}

/**
 * The matrix of an SVG `transform` attribute.
 *
 * Source: CSS Transforms Module Level 1, section 8 (the functions that plotly writes: `translate`,
 * `rotate`, `scale`, `matrix`).
 */
export function parseTransform(attribute: string | null): Matrix {
  let matrix = IDENTITY;
  for (const [, name, list] of (attribute ?? "").matchAll(/(\w+)\s*\(([^)]*)\)/g)) {
    const [p = 0, q, r, s = 0, t = 0, u = 0] = list!.trim().split(/[\s,]+/).map(Number);
    if (name === "translate") matrix = multiply(matrix, [1, 0, 0, 1, p, q ?? 0]);
    else if (name === "scale") matrix = multiply(matrix, [p, 0, 0, q ?? p, 0, 0]);
    else if (name === "matrix") matrix = multiply(matrix, [p, q ?? 0, r ?? 0, s, t, u]);
    else if (name === "rotate") {
      const [x, y] = [q ?? 0, r ?? 0];
      const turned = multiply(multiply([1, 0, 0, 1, x, y], rotation(p)), [1, 0, 0, 1, -x, -y]);
      matrix = multiply(matrix, turned);
    }
  }
  return matrix;
}
