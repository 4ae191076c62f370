import { download } from "../../../ui/download.ts";
import { WORKBENCH_LIMITS } from "../../limits.ts";
import { fileName } from "../file-name.ts";
import { svgOf } from "./boxes.ts";
import { collectBoxes } from "./collect.ts";

interface ViewerPicture {
  /** The place that the viewer is drawn in. */
  readonly place: Element;
  readonly title: string;
}

/** Saves what a viewer shows as a file. Throws words where the browser cannot. */
export async function savePicture({
  place,
  title,
  kind,
}: ViewerPicture & { readonly kind: "png" | "svg" }): Promise<void> {
  const drawn = drawnAs(place, title);
  const name = fileName(title);
  if (kind === "svg") return download(`${name}.svg`, drawn.svg, "image/svg+xml");
  download(`${name}.png`, await pngOf(drawn), "image/png");
}

/** Copies what a viewer shows as PNG. Throws words where the browser cannot, or forbids it. */
export async function copyPicture({ place, title }: ViewerPicture): Promise<void> {
  const { clipboard, ClipboardItem: Item } = clipboardOf();
  // Asked at once: some browsers take only what is copied while a press is being worked on.
  const png = pngOf(drawnAs(place, title));
  const refusal = clipboard.write([new Item({ "image/png": png })]).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  await png;
  const refused = await refusal;
  if (refused === undefined) return;
  throw new Error(
    "The browser did not let this page copy the picture: allow it to use the clipboard, or save the picture as PNG.",
    { cause: refused.error },
  );
}

/** Neither is there on a page without https, nor in some browsers. */
function clipboardOf(): { readonly clipboard: Clipboard; readonly ClipboardItem: typeof ClipboardItem } {
  const { navigator, ClipboardItem: Item } = globalThis as Partial<typeof globalThis>;
  const clipboard = navigator?.clipboard;
  if (clipboard === undefined || Item === undefined)
    throw new Error(
      "This browser copies pictures only from addresses with https, or of this computer: save the picture as PNG.",
    );
  return { clipboard, ClipboardItem: Item };
}

interface DrawnPicture {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
}

function drawnAs(place: Element, title: string): DrawnPicture {
  const { width, height } = place.getBoundingClientRect();
  if (width === 0 || height === 0) throw new Error("This viewer is not shown now: bring it to the front first.");
  const { backgroundColor } = getComputedStyle(place.closest("section") ?? place);
  return {
    svg: svgOf({ width, height, background: backgroundColor, title, boxes: collectBoxes(place) }),
    width,
    height,
  };
}

/** Twice as fine as the screen's pixels, so that it can be printed; less where the canvas would be too large. */
export function pictureScale({ width, height }: { readonly width: number; readonly height: number }): number {
  return Math.min(2, WORKBENCH_LIMITS.pictureEdge / Math.max(width, height, 1));
}

async function pngOf({ svg, ...size }: DrawnPicture): Promise<Blob> {
  const scale = pictureScale(size);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(size.width * scale));
  canvas.height = Math.max(1, Math.round(size.height * scale));
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error("The browser could not make a PNG file: try SVG."));
      else resolve(blob);
    }, "image/png");
  });
}
