import {
  type Box,
  IDENTITY,
  type Matrix,
  multiply,
  parseTransform,
  transformBox,
  unite,
} from "./_geometry.ts";
import { ASCENT_EM, DESCENT_EM } from "./_fonts.ts";
import type { MeasureText } from "./_text.ts";

/** As much of an SVG element as its box needs. */
export interface SvgElement {
  /** The name of the tag. */
  readonly localName: string | null;
  /** 3 for text. */
  readonly nodeType: number;
  /** The text within. */
  readonly textContent: string | null;
  /** The element around it. */
  readonly parentElement: SvgElement | null;
  /** The elements within. */
  readonly children: Iterable<SvgElement>;
  /** The elements and the text within. */
  readonly childNodes: Iterable<SvgElement>;
  /** Its own style. */
  readonly style: { readonly fontSize: string; readonly fontWeight: string; readonly textAnchor: string };
  /** An attribute. */
  getAttribute(name: string): string | null;
}

const TEXT_NODE = 3;
const DEFAULT_FONT_SIZE = 12;

/** A length in user units, where `1.3em` refers to the size of the font. */
function length(attribute: string | null, fontSize: number): number {
  const value = parseFloat(attribute ?? "0") || 0;
  return attribute?.endsWith("em") ? value * fontSize : value;
}

// jsdom's getComputedStyle takes milliseconds a call, and plotly states these in the element's own style.
function fontSizeOf(element: SvgElement | null): number {
  if (!element) return DEFAULT_FONT_SIZE;
  const stated = element.style.fontSize || element.getAttribute("font-size");
  if (!stated) return fontSizeOf(element.parentElement);
  const value = parseFloat(stated);
  return stated.endsWith("%") ? value / 100 * fontSizeOf(element.parentElement) : value;
}

function inherited(element: SvgElement | null, property: "fontWeight" | "textAnchor"): string {
  if (!element) return "";
  const attribute = property === "fontWeight" ? "font-weight" : "text-anchor";
  return element.style[property] || element.getAttribute(attribute) ||
    inherited(element.parentElement, property);
}

function widthOf(node: SvgElement, parent: SvgElement, measure: MeasureText): number {
  if (node.nodeType !== TEXT_NODE) {
    return [...node.childNodes].reduce((width, child) => width + widthOf(child, node, measure), 0);
  }
  const weight = inherited(parent, "fontWeight");
  const bold = weight === "bold" || parseInt(weight) >= 600;
  return measure(node.textContent ?? "", { size: fontSizeOf(parent), bold });
}

/** The width of the text in an element, in user units. */
export function textWidth(element: SvgElement, measure: MeasureText): number {
  return widthOf(element, element.parentElement ?? element, measure);
}

function lineBox(line: SvgElement, text: SvgElement, measure: MeasureText): Box {
  const size = fontSizeOf(line);
  const width = textWidth(line, measure);
  const anchor = inherited(line, "textAnchor");
  const x = length(line.getAttribute("x") ?? text.getAttribute("x"), size);
  const left = anchor === "middle" ? x - width / 2 : anchor === "end" ? x - width : x;
  const baseline = length(line.getAttribute("y") ?? text.getAttribute("y"), size) +
    length(line.getAttribute("dy") ?? text.getAttribute("dy"), size);
  return {
    left,
    right: left + width,
    top: baseline - ASCENT_EM * size,
    bottom: baseline + DESCENT_EM * size,
  };
}

function textBox(text: SvgElement, measure: MeasureText): Box | null {
  const lines = [...text.children].filter((child) => child.getAttribute("class") === "line");
  return unite((lines.length > 0 ? lines : [text]).map((line) => lineBox(line, text, measure)));
}

function rectBox(rect: SvgElement): Box {
  const [left, top, width, height] = ["x", "y", "width", "height"].map((name) =>
    parseFloat(rect.getAttribute(name) ?? "0")
  ) as [number, number, number, number];
  return { left, top, right: left + width, bottom: top + height };
}

/**
 * The box of an element in its own coordinates, as `getBBox` gives it. Text, rectangles and groups of them
 * count: what plotly asks the box of. `null` where there is none of these.
 */
export function boxOf(element: SvgElement, measure: MeasureText): Box | null {
  if (element.localName === "text") return textBox(element, measure);
  if (element.localName === "rect") return rectBox(element);
  const inside: Box[] = [];
  for (const child of element.children) {
    const box = boxOf(child, measure);
    if (box) inside.push(transformBox(parseTransform(child.getAttribute("transform")), box));
  }
  return unite(inside);
}

/** The transform from an element's own coordinates to those of the outermost `<svg>`. */
export function matrixOf(element: SvgElement): Matrix {
  let matrix = IDENTITY;
  for (let at: SvgElement | null = element; at && at.localName !== "div"; at = at.parentElement) {
    matrix = multiply(parseTransform(at.getAttribute("transform")), matrix);
  }
  return matrix;
}
