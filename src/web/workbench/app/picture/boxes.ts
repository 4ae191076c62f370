/** A part of a viewer as it is seen, in CSS pixels from the picture's upper left corner. */
export type PictureBox = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** What of it is seen, where a parent hides the rest. Absent: all. */
  readonly clip?: PictureClip | undefined;
} & (
  | { readonly kind: "text"; readonly text: string; readonly fill: string; readonly font: PictureFont }
  | { readonly kind: "fill"; readonly fill: string; readonly radius: number }
  /** As the `linear-gradient(…)` of a style. */
  | { readonly kind: "gradient"; readonly gradient: string; readonly radius: number }
  /** A raster: the data: address of a PNG. */
  | { readonly kind: "image"; readonly address: string }
  /** Marks of an SVG picture, with their styles written out. */
  | { readonly kind: "svg"; readonly markup: string; readonly viewBox: string }
);

interface PictureClip {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface PictureFont {
  readonly family: string;
  /** CSS pixels. */
  readonly size: number;
  readonly weight: string;
}

interface SavedPicture {
  readonly width: number;
  readonly height: number;
  readonly background: string;
  readonly title: string;
  readonly boxes: readonly PictureBox[];
}

/** A picture of its own: nothing in it is loaded from elsewhere, and nothing in it runs. */
export function svgOf({ width, height, background, title, boxes }: SavedPicture): string {
  const definitions: string[] = [];
  const parts = boxes.map((box, index) => {
    const drawn = partOf(box, index, definitions);
    if (box.clip === undefined) return drawn;
    definitions.push(`<clipPath id="clip${index}"><rect ${place(box.clip)}/></clipPath>`);
    return `<g clip-path="url(#clip${index})">${drawn}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size(width)}" height="${size(height)}" viewBox="0 0 ${size(width)} ${size(height)}">`,
    `<title>${escaped(title)}</title>`,
    ...(definitions.length === 0 ? [] : [`<defs>${definitions.join("")}</defs>`]),
    `<rect width="100%" height="100%" fill="${escaped(background)}"/>`,
    ...parts,
    "</svg>\n",
  ].join("\n");
}

function partOf(box: PictureBox, index: number, definitions: string[]): string {
  switch (box.kind) {
    case "text":
      return textPart(box);
    case "fill":
      return `<rect ${place(box)} rx="${size(box.radius)}" fill="${escaped(box.fill)}"/>`;
    case "gradient": {
      const made = gradientOf(box.gradient, `gradient${index}`);
      if (made === undefined) return "";
      definitions.push(made);
      return `<rect ${place(box)} rx="${size(box.radius)}" fill="url(#gradient${index})"/>`;
    }
    case "image":
      return `<image ${place(box)} preserveAspectRatio="none" href="${escaped(box.address)}"/>`;
    case "svg":
      return `<svg ${place(box)}${box.viewBox === "" ? "" : ` viewBox="${escaped(box.viewBox)}"`} overflow="hidden">${box.markup}</svg>`;
  }
}

/** Where the letters of a line stand, as a share of its height. */
const BASELINE = 0.76;

function textPart({ x, y, height, text, fill, font }: Extract<PictureBox, { kind: "text" }>): string {
  const base = y + (height - font.size) / 2 + font.size * (BASELINE + 0.1);
  return `<text x="${size(x)}" y="${size(base)}" fill="${escaped(fill)}" font-family="${escaped(font.family)}" font-size="${size(font.size)}" font-weight="${escaped(font.weight)}" xml:space="preserve">${escaped(text)}</text>`;
}

const ENDS: Readonly<Record<string, string>> = {
  "to top": 'x1="0" y1="1" x2="0" y2="0"',
  "to bottom": 'x1="0" y1="0" x2="0" y2="1"',
  "to left": 'x1="1" y1="0" x2="0" y2="0"',
  "to right": 'x1="0" y1="0" x2="1" y2="0"',
};

function gradientOf(gradient: string, id: string): string | undefined {
  const ends = Object.entries(ENDS).find(([direction]) => gradient.includes(direction))?.[1] ?? ENDS["to bottom"];
  const colours = gradient.match(/rgba?\([^)]*\)|#[0-9a-f]{3,8}\b/gi) ?? [];
  if (ends === undefined || colours.length < 2) return undefined;
  const stops = colours.map(
    (colour, at) => `<stop offset="${size(at / (colours.length - 1))}" stop-color="${escaped(colour)}"/>`,
  );
  return `<linearGradient id="${id}" ${ends}>${stops.join("")}</linearGradient>`;
}

function place({ x, y, width, height }: PictureClip): string {
  return `x="${size(x)}" y="${size(y)}" width="${size(width)}" height="${size(height)}"`;
}

/** Two digits are finer than any screen. */
const size = (value: number): string => String(Math.round(value * 100) / 100);

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text: string): string {
  // Letters that XML does not know, and halves of letters, would make the file unreadable.
  return text.replaceAll(UNKNOWN, "").replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);
}

const UNKNOWN = /(?![\t\n\r])\p{Cc}|\p{Cs}|[\uFFFE\uFFFF]/gu;
