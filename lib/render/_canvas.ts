import { encode } from "fast-png";

/** As much of an `ImageData` as plotly touches. */
export interface Pixels {
  /** Columns. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Red, green, blue and opacity of every pixel, row by row. */
  readonly data: Uint8ClampedArray;
}

function blank(width: number, height: number): Pixels {
  return { width, height, data: new Uint8ClampedArray(width * height * 4) };
}

function parseColor(style: string): [number, number, number, number] {
  const [red = 0, green = 0, blue = 0, opacity = 1] = (style.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue, Math.round(opacity * 255)];
}

/**
 * The two-dimensional canvas as far as plotly's heatmaps and contours use it: rectangles of one colour and
 * whole blocks of pixels, read back as a PNG.
 */
export class Canvas2D {
  /** The colour of {@linkcode fillRect}, as `rgb(…)` or `rgba(…)`. */
  fillStyle = "rgba(0,0,0,0)";
  readonly #pixels: Pixels;

  /**
   * @param width columns
   * @param height rows
   */
  constructor(width: number, height: number) {
    this.#pixels = blank(width, height);
  }

  /** Pixels to be filled and given to {@linkcode putImageData}. */
  createImageData(width: number, height: number): Pixels {
    return blank(width, height);
  }

  /** Puts pixels down with their upper left corner at a place. */
  putImageData(image: Pixels, left: number, top: number): void {
    const { width, data } = this.#pixels;
    for (let row = 0; row < image.height; row++) {
      const line = image.data.subarray(row * image.width * 4, (row + 1) * image.width * 4);
      data.set(line, ((top + row) * width + left) * 4);
    }
  }

  /** Fills a rectangle with {@linkcode fillStyle}. */
  fillRect(left: number, top: number, width: number, height: number): void {
    const color = parseColor(this.fillStyle);
    const { width: columns, height: rows, data } = this.#pixels;
    for (let row = Math.max(0, top); row < Math.min(rows, top + height); row++) {
      for (let column = Math.max(0, left); column < Math.min(columns, left + width); column++) {
        data.set(color, (row * columns + column) * 4);
      }
    }
  }

  /** The picture as a `data:` URL. */
  toDataUrl(): string {
    return `data:image/png;base64,${encode({ ...this.#pixels, channels: 4 }).toBase64()}`;
  }
}
