import { svgPathProperties } from "svg-path-properties";
import { boxOf, matrixOf, type SvgElement, textWidth } from "./_boxes.ts";
import { Canvas2D } from "./_canvas.ts";
import { type Box, transformBox } from "./_geometry.ts";
import { createMeasureText } from "./_text.ts";

/** The element that a figure is drawn into, as plotly leaves it. */
export interface DrawnElement {
  /** The traces with every default filled in; a trace that cannot be drawn is not visible. */
  readonly _fullData: readonly { readonly type: string; readonly visible: boolean | "legendonly" }[];
}

/** As much of plotly.js as the static picture needs. */
export interface Plotly {
  /** Draws a figure. */
  newPlot(element: unknown, data: unknown, layout: unknown, config: unknown): Promise<DrawnElement>;
  /** Forgets a drawing. */
  purge(element: unknown): void;
  /** What becomes of a drawing. */
  readonly Snapshot: { toSVG(element: DrawnElement, format: "svg", scale: number): string };
  /** Every trace and its attributes. */
  readonly PlotSchema: { get(): { readonly traces: Readonly<Record<string, unknown>> } };
}

/** A window without a screen in which plotly.js has been loaded. */
export interface PlotlyWindow {
  /** plotly.js. */
  readonly Plotly: Plotly;
  /** The window's own `Math`: plotly draws the ids of clip paths from it. */
  readonly Math: { random(): number };
  /** Its document. */
  readonly document: { createElement(tag: "div"): unknown };
}

type Prototype<This> = Record<string, (this: This, ...given: never[]) => unknown>;

interface CanvasElement {
  readonly width: number;
  readonly height: number;
}

/** As much of jsdom's window as the shims touch. */
interface JsdomWindow extends PlotlyWindow {
  eval(source: string): unknown;
  TextDecoder?: typeof TextDecoder;
  readonly URL: { createObjectURL?: () => string };
  readonly SVGElement: { readonly prototype: Prototype<SvgElement> };
  readonly HTMLCanvasElement: { readonly prototype: Prototype<CanvasElement> };
}

interface Jsdom {
  readonly JSDOM: new (
    html: string,
    options: { runScripts: "outside-only"; virtualConsole: unknown },
  ) => { readonly window: JsdomWindow };
  readonly VirtualConsole: new () => unknown;
}

const NOWHERE: Box = { left: 0, top: 0, right: 0, bottom: 0 };

function rectangle({ left, top, right, bottom }: Box): Record<string, number> {
  return { x: left, y: top, left, top, right, bottom, width: right - left, height: bottom - top };
}

/** Adds what jsdom lacks because it lays nothing out: the boxes of text, the lengths of paths, canvas. */
async function addShims(window: JsdomWindow): Promise<void> {
  const measure = await createMeasureText();
  window.TextDecoder ??= TextDecoder;
  window.URL.createObjectURL = () => "";

  const svg = window.SVGElement.prototype;
  const path = (element: SvgElement) => new svgPathProperties(element.getAttribute("d") ?? "");
  svg.getBBox = function () {
    return rectangle(boxOf(this, measure) ?? NOWHERE);
  };
  svg.getBoundingClientRect = function () {
    return rectangle(transformBox(matrixOf(this), boxOf(this, measure) ?? NOWHERE));
  };
  svg.getComputedTextLength = function () {
    return textWidth(this, measure);
  };
  svg.getTotalLength = function () {
    return path(this).getTotalLength();
  };
  svg.getPointAtLength = function (length: number) {
    return path(this).getPointAtLength(length);
  };

  const canvases = new WeakMap<CanvasElement, Canvas2D>();
  const canvas = window.HTMLCanvasElement.prototype;
  canvas.getContext = function (kind: string) {
    if (kind !== "2d") return null;
    const context = canvases.get(this) ?? new Canvas2D(this.width, this.height);
    canvases.set(this, context);
    return context;
  };
  canvas.toDataURL = function () {
    return (canvases.get(this) ?? new Canvas2D(this.width, this.height)).toDataUrl();
  };
}

/**
 * Opens a window without a screen and loads plotly.js into it.
 *
 * @param source the source of plotly.js
 */
export async function openWindow(source: string): Promise<PlotlyWindow> {
  const { JSDOM, VirtualConsole }: Jsdom = await import("jsdom");
  const { window } = new JSDOM("<!DOCTYPE html><body></body>", {
    runScripts: "outside-only",
    virtualConsole: new VirtualConsole(),
  });
  await addShims(window);
  window.eval(source);
  return window;
}
