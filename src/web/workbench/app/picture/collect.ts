import type { PictureBox } from "./boxes.ts";

/** Styles of SVG marks that a style sheet may have given. */
const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "dominant-baseline",
  "display",
  "visibility",
] as const;

const NOTHING = "rgba(0, 0, 0, 0)";

/** What is seen of an element, part by part, in the order in which it is painted. */
export function collectBoxes(root: Element): readonly PictureBox[] {
  const origin = root.getBoundingClientRect();
  const boxes: PictureBox[] = [];
  visit(root, { origin, clip: undefined, boxes });
  return boxes;
}

interface Visit {
  readonly origin: DOMRect;
  readonly clip: DOMRect | undefined;
  readonly boxes: PictureBox[];
}

function visit(element: Element, at: Visit): void {
  const style = getComputedStyle(element);
  const rect = element.getBoundingClientRect();
  if (style.display === "none" || style.visibility === "hidden" || isOnlyRead(element)) return;
  if (element instanceof HTMLCanvasElement) {
    if (rect.width > 0 && rect.height > 0) add(at, rect, { kind: "image", address: element.toDataURL("image/png") });
    return;
  }
  if (element instanceof SVGSVGElement) {
    const viewBox = element.getAttribute("viewBox") ?? "";
    return add(at, rect, { kind: "svg", markup: svgMarkup(element), viewBox });
  }
  addBackground(at, rect, style);
  const hides = style.overflowX !== "visible" || style.overflowY !== "visible";
  const inner = hides ? { ...at, clip: crossed(at.clip, rect) } : at;
  for (const child of element.childNodes) {
    if (child instanceof Text) addText(inner, child, style);
    else if (child instanceof Element) visit(child, inner);
  }
}

/** Said to screen readers, not seen. */
function isOnlyRead(element: Element): boolean {
  return element.classList.contains("sr-only") || element.tagName === "SELECT" || element.tagName === "OPTION";
}

function crossed(clip: DOMRect | undefined, rect: DOMRect): DOMRect {
  if (clip === undefined) return rect;
  const [left, top] = [Math.max(clip.left, rect.left), Math.max(clip.top, rect.top)];
  const [right, bottom] = [Math.min(clip.right, rect.right), Math.min(clip.bottom, rect.bottom)];
  return new DOMRect(left, top, Math.max(0, right - left), Math.max(0, bottom - top));
}

type BoxBody = PictureBox extends infer Box
  ? Box extends unknown
    ? Omit<Box, "x" | "y" | "width" | "height" | "clip">
    : never
  : never;

function add({ origin, clip, boxes }: Visit, rect: DOMRect, body: BoxBody): void {
  const moved = (one: DOMRect) => ({
    x: one.x - origin.x,
    y: one.y - origin.y,
    width: one.width,
    height: one.height,
  });
  const isInside =
    clip === undefined ||
    (rect.left >= clip.left && rect.right <= clip.right && rect.top >= clip.top && rect.bottom <= clip.bottom);
  boxes.push({ ...moved(rect), ...(isInside ? {} : { clip: moved(clip) }), ...body });
}

function addBackground(at: Visit, rect: DOMRect, style: CSSStyleDeclaration): void {
  const radius = Number.parseFloat(style.borderTopLeftRadius) || 0;
  if (style.backgroundColor !== NOTHING) add(at, rect, { kind: "fill", fill: style.backgroundColor, radius });
  if (style.backgroundImage.startsWith("linear-gradient"))
    add(at, rect, { kind: "gradient", gradient: style.backgroundImage, radius });
}

function addText(at: Visit, node: Text, style: CSSStyleDeclaration): void {
  const text = node.data.replaceAll(/\s+/g, " ");
  if (text.trim() === "") return;
  const range = document.createRange();
  range.selectNodeContents(node);
  const [rect, ...others] = range.getClientRects();
  if (rect === undefined || rect.width === 0) return;
  const font = {
    family: style.fontFamily,
    size: Number.parseFloat(style.fontSize),
    weight: style.fontWeight,
  };
  if (others.length === 0) return add(at, rect, { kind: "text", text: text.trim(), fill: style.color, font });
  for (const line of linesOf(node, range))
    add(at, line.rect, { kind: "text", text: line.text, fill: style.color, font });
}

/** Letters that are looked at one by one; a longer text is a document and no label. */
const MOST_LETTERS = 5_000;

/** A text that is broken into lines, line by line. */
function linesOf(node: Text, range: Range): readonly { readonly text: string; readonly rect: DOMRect }[] {
  const lines: { text: string; rect: DOMRect }[] = [];
  for (let at = 0; at < Math.min(node.length, MOST_LETTERS); at += 1) {
    range.setStart(node, at);
    range.setEnd(node, at + 1);
    const rect = range.getBoundingClientRect();
    if (rect.width === 0) continue;
    const last = lines.at(-1);
    if (last !== undefined && Math.abs(last.rect.top - rect.top) < rect.height / 2) last.text += node.data.charAt(at);
    else lines.push({ text: node.data.charAt(at), rect });
  }
  return lines;
}

/** The marks inside, with the styles that the page's sheets give them. */
function svgMarkup(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const originals = [...svg.querySelectorAll("*")];
  [...copy.querySelectorAll("*")].forEach((mark, index) => {
    const original = originals[index];
    if (original === undefined) return;
    const style = getComputedStyle(original);
    for (const name of STYLES) {
      const value = style.getPropertyValue(name);
      if (value !== "") mark.setAttribute(name, value);
    }
    for (const name of ["class", "style", "tabindex", "role", ...mark.getAttributeNames().filter(isAbout)])
      mark.removeAttribute(name);
  });
  for (const hidden of copy.querySelectorAll("script, foreignObject")) hidden.remove();
  const serializer = new XMLSerializer();
  return [...copy.childNodes].map((node) => serializer.serializeToString(node)).join("");
}

/** For screen readers, tests or scripts: of no use in a file. */
function isAbout(name: string): boolean {
  return name.startsWith("aria-") || name.startsWith("data-") || name.startsWith("on");
}
