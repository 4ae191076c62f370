import { download } from "../../../ui/download.ts";
import { WORKBENCH_LIMITS } from "../../limits.ts";
import { fileName } from "../file-name.ts";
import { svgOf } from "./boxes.ts";
import { collectBoxes } from "./collect.ts";

/** Saves what a viewer shows as a file. Throws words where the browser cannot. */
export async function savePicture(options: {
  /** The place that the viewer is drawn in. */
  readonly place: Element;
  readonly title: string;
  readonly kind: "png" | "svg";
}): Promise<void> {
  const { place, title, kind } = options;
  const { width, height } = place.getBoundingClientRect();
  if (width === 0 || height === 0) throw new Error("This viewer is not shown now: bring it to the front first.");
  const { backgroundColor } = getComputedStyle(place.closest("section") ?? place);
  const svg = svgOf({ width, height, background: backgroundColor, title, boxes: collectBoxes(place) });
  const name = fileName(title);
  if (kind === "svg") return download(`${name}.svg`, svg, "image/svg+xml");
  download(`${name}.png`, await pngOf(svg, { width, height }), "image/png");
}

/** Twice as fine as the screen's pixels, so that it can be printed; less where the canvas would be too large. */
export function pictureScale({ width, height }: { readonly width: number; readonly height: number }): number {
  return Math.min(2, WORKBENCH_LIMITS.pictureEdge / Math.max(width, height, 1));
}

async function pngOf(svg: string, size: { readonly width: number; readonly height: number }): Promise<Blob> {
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
