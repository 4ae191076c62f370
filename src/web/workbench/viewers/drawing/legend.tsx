import type { Ramp } from "./colors.ts";
import { textOf } from "../look.ts";
import type { Look } from "../viewer.ts";
import { textWidth } from "./words.ts";
import type { ModifierKeys } from "./rows.ts";

/** Categories with their colours, or a scale of numbers. */
export type LegendContent =
  | {
      readonly kind: "categories";
      readonly title: string;
      readonly entries: readonly { readonly name: string; readonly color: string }[];
      /** A person chose an entry. */
      readonly onPick?: ((index: number, keys: ModifierKeys) => void) | undefined;
    }
  | { readonly kind: "scale"; readonly title: string; readonly ramp: Ramp; readonly from: string; readonly to: string };

/** Where a legend lies, and how much of the side it takes. */
export interface LegendPlace {
  readonly side: "left" | "right" | "top" | "bottom";
  readonly end: "start" | "center" | "end";
  readonly size: number;
}

/** Smaller pictures have no legend of their own accord, pixels. */
const LEAST = { width: 300, height: 160 } as const;
/** The broadest legend, pixels, and as a share of the picture. */
const BROADEST = { pixels: 260, share: 0.3, least: 60 } as const;
/** Of a scroll bar, and of an entry's height, pixels. */
const SCROLL_BAR = 16;
const ENTRY = 24;
const LETTERS = 12;

/** Undefined: no legend. */
export function legendPlace(
  look: Look,
  size: { readonly width: number; readonly height: number },
  content: LegendContent | undefined,
): LegendPlace | undefined {
  const visibility = textOf(look, "legendVisibility") ?? "Auto";
  if (content === undefined || visibility === "Never") return undefined;
  if (content.kind === "categories" && content.entries.length === 0) return undefined;
  const small = size.width < LEAST.width || size.height < LEAST.height;
  if (visibility === "Auto" && small) return undefined;
  const position = textOf(look, "legendPosition") ?? "Auto";
  const most = Math.max(BROADEST.least, Math.min(BROADEST.pixels, size.width * BROADEST.share));
  const broad = Math.min(most, breadth(content, size.height));
  const auto = size.width >= 380 ? "RightTop" : "Top";
  const [side, end] = PLACES[position === "Auto" ? auto : position] ?? PLACES.RightTop;
  return { side, end, size: side === "top" || side === "bottom" ? 26 : broad };
}

const PLACES: Readonly<Record<string, readonly [LegendPlace["side"], LegendPlace["end"]]>> & {
  readonly RightTop: readonly ["right", "start"];
} = {
  Left: ["left", "center"],
  LeftTop: ["left", "start"],
  LeftBottom: ["left", "end"],
  Top: ["top", "start"],
  Bottom: ["bottom", "start"],
  Right: ["right", "center"],
  RightTop: ["right", "start"],
  RightBottom: ["right", "end"],
};

function breadth(content: LegendContent, height: number): number {
  const title = textWidth(content.title, LETTERS) + 18;
  if (content.kind === "scale") {
    const ends = Math.max(textWidth(content.from, LETTERS), textWidth(content.to, LETTERS)) + 38;
    return Math.max(70, title, ends);
  }
  const names = content.entries.map((entry) => textWidth(entry.name, LETTERS));
  const scrolls = (content.entries.length + 1) * ENTRY > height;
  return Math.max(Math.max(...names, 20) + 42, title) + (scrolls ? SCROLL_BAR : 0);
}

const ALIGN = { start: "justify-start", center: "justify-center", end: "justify-end" } as const;

export function Legend({ content, place }: { readonly content: LegendContent; readonly place: LegendPlace }) {
  const upright = place.side === "left" || place.side === "right";
  const size = upright ? { width: place.size } : { height: place.size };
  return (
    <div
      data-legend={place.side}
      style={size}
      className={`flex shrink-0 overflow-auto px-1 text-xs text-soft ${upright ? `flex-col ${ALIGN[place.end]}` : "items-center gap-2"}`}
    >
      <span className="shrink-0 truncate px-1 font-medium" title={content.title}>
        {content.title}
      </span>
      {content.kind === "scale" ? (
        <ScaleBar content={content} upright={upright} />
      ) : (
        <ul className={upright ? "flex flex-col" : "flex gap-1"}>
          {content.entries.map(({ name, color }, index) => (
            <Entry
              key={name}
              name={name}
              color={color}
              pick={content.onPick && ((keys) => content.onPick?.(index, keys))}
            />
          ))}
        </ul>
      )}
    </div>
  );
}

interface EntryProps {
  readonly name: string;
  readonly color: string;
  readonly pick: ((keys: ModifierKeys) => void) | undefined;
}

function Entry({ name, color, pick }: EntryProps) {
  const inner = (
    <>
      <span aria-hidden="true" className="inline-block size-2.5 shrink-0 rounded-[2px]" style={{ background: color }} />
      <span className="truncate" title={name}>
        {name}
      </span>
    </>
  );
  return (
    <li className="min-w-0">
      {pick === undefined ? (
        <span className="flex h-5 items-center gap-1.5 px-1">{inner}</span>
      ) : (
        <button
          type="button"
          className="flex h-6 w-full min-w-6 items-center gap-1.5 rounded px-1 text-left hover:bg-sunken hover:text-ink"
          onClick={pick}
        >
          {inner}
        </button>
      )}
    </li>
  );
}

const STOPS = [0, 0.25, 0.5, 0.75, 1] as const;

function ScaleBar({
  content,
  upright,
}: {
  readonly content: LegendContent & { kind: "scale" };
  readonly upright: boolean;
}) {
  const background = `linear-gradient(${upright ? "to top" : "to right"}, ${STOPS.map((stop) => content.ramp(stop)).join(", ")})`;
  return upright ? (
    <div className="flex gap-1.5 px-1 pt-1">
      <div aria-hidden="true" className="h-24 w-3 rounded-sm" style={{ background }} />
      <div className="flex flex-col justify-between tabular-nums">
        <span>{content.to}</span>
        <span>{content.from}</span>
      </div>
    </div>
  ) : (
    <div className="flex items-center gap-1.5 tabular-nums">
      <span>{content.from}</span>
      <div aria-hidden="true" className="h-3 w-24 rounded-sm" style={{ background }} />
      <span>{content.to}</span>
    </div>
  );
}
