import { t } from "../language.ts";

type ElementChild = Node | string | undefined;

interface ElementProperties {
  readonly class?: string;
  /** Text that nothing in it can turn into an element. */
  readonly text?: string;
  readonly attributes?: Readonly<Record<string, string | boolean | undefined>>;
  readonly on?: { readonly [Name in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[Name]) => void };
}

/** An element with its parts. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  { class: classes, text, attributes, on }: ElementProperties = {},
  ...children: readonly ElementChild[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  if (classes !== undefined) element.className = classes;
  if (text !== undefined) element.textContent = text;
  for (const [key, value] of Object.entries(attributes ?? {})) setAttribute(element, key, value);
  for (const [type, listener] of Object.entries(on ?? {})) element.addEventListener(type, listener as EventListener);
  for (const child of children) if (child !== undefined) element.append(child);
  return element;
}

/** `true`: there without a value; `false`, undefined: not there. */
export function setAttribute(element: Element, name: string, value: string | boolean | undefined): void {
  const next = value === true ? "" : value === false ? undefined : value;
  if (next === undefined) element.removeAttribute(name);
  else if (element.getAttribute(name) !== next) element.setAttribute(name, next);
}

export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Lines of a 24 × 24 drawing. */
const ICONS = {
  plus: ["M12 5v14", "M5 12h14"],
  copy: ["M9 9h10v11H9z", "M15 9V4H5v11h4"],
  check: ["M5 12.5l4.5 4.5L19 7.5"],
  history: ["M4 12a8 8 0 1 0 2.6-5.9L4 8.5", "M4 4v4.5h4.5", "M12 8v4.2l2.8 1.8"],
  close: ["M6 6l12 12", "M18 6L6 18"],
  send: ["M12 19V6", "M6 11.5L12 5.5l6 6"],
  stop: ["M7.5 7.5h9v9h-9z"],
  retry: ["M20 12a8 8 0 1 1-2.6-5.9L20 8.5", "M20 4v4.5h-4.5"],
  clip: [
    "M19 11.5l-7.2 7.2a4.6 4.6 0 0 1-6.5-6.5l7.6-7.6a3.1 3.1 0 0 1 4.4 4.4l-7.6 7.5a1.5 1.5 0 0 1-2.2-2.1l6.6-6.6",
  ],
  mic: [
    "M12 4a2.5 2.5 0 0 1 2.5 2.5v5a2.5 2.5 0 0 1-5 0v-5A2.5 2.5 0 0 1 12 4z",
    "M6 11.5a6 6 0 0 0 12 0",
    "M12 17.5V20",
  ],
  up: [
    "M8 11l3.2-6.6c1.4 0 2.3 1 2.1 2.3L12.9 10h4.6a1.8 1.8 0 0 1 1.8 2.1l-1 5.6A1.8 1.8 0 0 1 16.5 19.2H8z",
    "M8 11H5v8.2h3",
  ],
  down: [
    "M16 13l-3.2 6.6c-1.4 0-2.3-1-2.1-2.3l.4-3.3H6.5a1.8 1.8 0 0 1-1.8-2.1l1-5.6A1.8 1.8 0 0 1 7.5 4.8H16z",
    "M16 13h3V4.8h-3",
  ],
  chevron: ["M9 6l6 6-6 6"],
  bottom: ["M12 5v13", "M6 12.5l6 6 6-6"],
  chat: ["M4.5 5.5h15v11h-8l-4.5 3.5v-3.5h-2.5z"],
  dot: ["M12 11.9v.2"],
  alert: ["M12 7.5v5.5", "M12 16.3v.2", "M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17z"],
  question: [
    "M9.3 9.3a2.8 2.8 0 1 1 4 2.9c-.9.4-1.3.900-1.3 1.8",
    "M12 16.8v.2",
    "M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17z",
  ],
  file: ["M7 3.5h6.5l4 4v13H7z", "M13.5 3.5v4h4"],
} as const;
export type Icon = keyof typeof ICONS;

const SVG = "http://www.w3.org/2000/svg";

/** Decorative only. */
export function icon(name: Icon): SVGSVGElement {
  const drawing = document.createElementNS(SVG, "svg");
  for (const [key, value] of Object.entries({
    viewBox: "0 0 24 24",
    "aria-hidden": "true",
    class: `icon icon-${name}`,
  }))
    drawing.setAttribute(key, value);
  for (const line of ICONS[name]) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", line);
    drawing.append(path);
  }
  return drawing;
}

/** A button that shows only a drawing. */
export function iconButton(name: Icon, label: string, press: () => void, classes = ""): HTMLButtonElement {
  return make(
    "button",
    {
      class: `icon-button ${classes}`.trim(),
      attributes: { type: "button", title: label, "aria-label": label },
      on: { click: press },
    },
    icon(name),
  );
}

export function button(label: string, press: () => void, classes = ""): HTMLButtonElement {
  return make("button", {
    class: `button ${classes}`.trim(),
    text: label,
    attributes: { type: "button" },
    on: { click: press },
  });
}

export function replaceIcon(element: Element, name: Icon): void {
  if (element.querySelector(`svg.icon-${name}`) === null) element.querySelector("svg")?.replaceWith(icon(name));
}

/** An inline image: pages that load no images from elsewhere can show it. */
export function picture(
  image: { readonly media_type: string; readonly data: string },
  label: string,
  most: number,
): HTMLCanvasElement {
  const canvas = make("canvas", {
    class: "picture",
    attributes: { role: "img", "aria-label": label, width: "1", height: "1" },
  });
  void draw(canvas, image, most);
  return canvas;
}

async function draw(
  canvas: HTMLCanvasElement,
  image: { readonly media_type: string; readonly data: string },
  most: number,
): Promise<void> {
  try {
    const bytes = Uint8Array.from(atob(image.data), (character) => character.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: image.media_type }));
    const scale = Math.min(1, most / Math.max(bitmap.width, bitmap.height));
    canvas.width = Math.max(1, Math.round(bitmap.width * scale));
    canvas.height = Math.max(1, Math.round(bitmap.height * scale));
    canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    bitmap.close();
  } catch {
    canvas.replaceWith(
      make("span", {
        text: t("[{name}: it cannot be shown]", { name: canvas.getAttribute("aria-label") ?? t("image") }),
      }),
    );
  }
}

/** Copies to the clipboard, and returns whether that worked. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
