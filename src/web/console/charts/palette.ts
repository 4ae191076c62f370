/** The colours of the current theme that a chart needs. */
export interface ChartColours {
  readonly ink: string;
  readonly soft: string;
  readonly line: string;
  readonly series: readonly string[];
  /** For the combined rest. */
  readonly rest: string;
}

/** How many series have their own colour; smaller ones are combined. */
export const SERIES = 6;

const NAMES = ["--info", "--accent", "--ok", "--bad"] as const;
const LIGHTER = 0.48;

/** Reads the colours through `valueOf`, a custom property's value by its name. */
export function chartColours(valueOf: (name: string) => string): ChartColours {
  const read = (name: string): string => valueOf(name).trim();
  const paper = read("--raised");
  const full = NAMES.map(read);
  const lighter = full.map((colour) => mix(colour, paper, LIGHTER));
  return {
    ink: read("--ink"),
    soft: read("--soft"),
    line: read("--line"),
    series: [...full, ...lighter].slice(0, SERIES),
    rest: read("--line-strong"),
  };
}

/** `share` of the second colour in the first; both `#rrggbb` or `#rgb`. Anything else is returned unchanged. */
export function mix(first: string, second: string, share: number): string {
  const left = channels(first);
  const right = channels(second);
  if (left === undefined || right === undefined) return first;
  const mixed = left.map((value, index) => Math.round(value * (1 - share) + (right[index] ?? 0) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

function channels(colour: string): readonly number[] | undefined {
  // A build may have made `#fff` of `#ffffff`.
  const whole = colour.replace(/^#([0-9a-f])([0-9a-f])([0-9a-f])$/i, "#$1$1$2$2$3$3");
  const found = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(whole);
  return found === null ? undefined : found.slice(1).map((pair) => Number.parseInt(pair, 16));
}
