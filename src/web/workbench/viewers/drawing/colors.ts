import { interpolateLab, piecewise } from "d3-interpolate";

/** A share from 0 to 1 as a colour. */
export type Ramp = (share: number) => string;

/** Every colour that a picture is drawn in; those of the page are the page's tokens. */
export interface Palette {
  readonly paper: string;
  readonly panel: string;
  readonly ink: string;
  readonly soft: string;
  readonly faint: string;
  readonly line: string;
  readonly lineStrong: string;
  /** A mark that stands for nothing but itself. */
  readonly mark: string;
  /** Rows that are selected, in every viewer. */
  readonly selected: string;
  readonly current: string;
  readonly hover: string;
  /** Rows that the filter took out, where they are shown. */
  readonly out: string;
  readonly missing: string;
  readonly categories: readonly string[];
  /** From little to much; much stands out from the paper. */
  readonly linear: Ramp;
  /** 0 for the least, 0.5 for the middle, 1 for the most. */
  readonly diverging: Ramp;
}

/** Told apart by people with protanopia, deuteranopia and tritanopia too, and from the colour of what is selected. */
const LIGHT = ["#2f6aae", "#149668", "#d66ba2", "#7d5c07", "#329ee1", "#7a1f3d", "#2c2a78", "#4b3000"] as const;
const DARK = ["#5791ce", "#10b999", "#d89dda", "#e4d66c", "#a5def7", "#b23a58", "#6a57d2", "#ac8360"] as const;

const ramp = (colors: readonly string[]): Ramp => piecewise(interpolateLab, [...colors]);

/** `token` reads a colour of the page (`--ink`); where it has none, the own one stands in. */
export function paletteOf(dark: boolean, token: (name: string) => string): Palette {
  const of = (name: string, light: string, night: string): string => token(name) || (dark ? night : light);
  return {
    paper: of("--paper", "#ffffff", "#17161a"),
    panel: of("--panel", "#f7f6f3", "#1d1c21"),
    ink: of("--ink", "#1d1b17", "#ecebf0"),
    soft: of("--soft", "#5d584e", "#b4b1bb"),
    faint: of("--faint", "#6b665c", "#9c99a4"),
    line: of("--line", "#dedbd3", "#36343c"),
    lineStrong: of("--line-strong", "#8d877b", "#7d7a86"),
    mark: dark ? "#6d9fd0" : "#4b83b8",
    selected: dark ? "#ff9d3b" : "#e8590c",
    current: dark ? "#7fe0a0" : "#157a3c",
    hover: dark ? "#ecebf0" : "#1d1b17",
    out: dark ? "#4a4852" : "#cfcbc1",
    missing: dark ? "#77747f" : "#a39d90",
    categories: dark ? DARK : LIGHT,
    linear: dark
      ? ramp(["#39407a", "#2f6f96", "#2fa08f", "#8fce6a", "#f6ee8a"])
      : ramp(["#d3e08a", "#6dbb8c", "#2f8f97", "#2c5f93", "#33286e"]),
    diverging: dark
      ? ramp(["#6fb1ff", "#3a6da8", "#2b2a31", "#a8503f", "#ff9a80"])
      : ramp(["#1f5fa8", "#8fb8de", "#f3f1ec", "#e3a08d", "#b03a22"]),
  };
}

/** The colour of a category; after the last they come again, lighter and darker. */
export function categoryColor(palette: Palette, index: number): string {
  const { categories } = palette;
  const base = categories[((index % categories.length) + categories.length) % categories.length] ?? palette.mark;
  const round = Math.floor(index / categories.length);
  if (round <= 0) return index < 0 ? palette.missing : base;
  return interpolateLab(base, round % 2 === 1 ? palette.paper : palette.ink)(Math.min(0.3 + 0.1 * round, 0.6));
}

/** Red, green, blue, 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** Of `#rrggbb` and `rgb(r, g, b)`, which is all that a palette holds. */
export function rgbOf(text: string): Rgb {
  const parts = text.startsWith("#")
    ? [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16))
    : (text.match(/[\d.]+/g) ?? []).map(Number);
  return [Math.round(parts[0] ?? 0), Math.round(parts[1] ?? 0), Math.round(parts[2] ?? 0)];
}

/** Black or white ink, whichever reads better on a colour. */
export function inkOn(background: string): string {
  const [red, green, blue] = rgbOf(background).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
}
