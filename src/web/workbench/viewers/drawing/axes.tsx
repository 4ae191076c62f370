import type { Palette } from "./colors.ts";
import type { Scale, Tick } from "./scale.ts";
import { elide, textWidth } from "./words.ts";

const SIZE = 11;
/** The longest that a turned or left label may be, pixels. */
const LONGEST = 110;
/** Beside the labels of a vertical axis: the tick, and air to the edge. */
const BESIDE = 15;

export interface AxisProps {
  readonly scale: Scale;
  readonly palette: Palette;
  /** Where the axis lies: the y of a horizontal one, the x of a vertical one. */
  readonly at: number;
  /** Lines over the picture, this far. Absent: none. */
  readonly grid?: number | undefined;
  /** Labels of categories: Auto turns them where they do not fit. */
  readonly orientation?: string | undefined;
}

function turned(scale: Scale, orientation = "Auto"): boolean {
  if (orientation !== "Auto") return orientation === "Vert";
  return scale.kind === "category" && scale.ticks.some((tick) => textWidth(tick.text, SIZE) > scale.band - 4);
}

/** How high a horizontal axis with its labels is. */
export function xAxisHeight(scale: Scale, orientation?: string): number {
  if (!turned(scale, orientation)) return 20;
  return Math.min(LONGEST, Math.max(...scale.ticks.map((tick) => textWidth(tick.text, SIZE)), 0)) * 0.75 + 16;
}

/** How far the first label of a turned axis reaches to the left of where the axis begins. */
export function xAxisLead(scale: Scale, orientation?: string): number {
  const [first] = scale.ticks;
  if (first === undefined || !turned(scale, orientation)) return 0;
  return Math.min(LONGEST, textWidth(first.text, SIZE)) * Math.SQRT1_2 + 8 - (scale.of(first.value) - scale.range[0]);
}

/** How broad a vertical axis with its labels is. */
export function yAxisWidth(scale: Scale): number {
  const longest = Math.max(...scale.ticks.map((tick) => textWidth(tick.text, SIZE)), 8);
  return Math.min(LONGEST, longest) + BESIDE;
}

/** Of many categories only as many labels as there is room for. */
function shown(scale: Scale, room: number): readonly Tick[] {
  if (scale.kind !== "category" || scale.band >= room) return scale.ticks;
  const every = Math.ceil(room / Math.max(scale.band, 0.01));
  return scale.ticks.filter((_, index) => index % every === 0);
}

export function XAxis({ scale, palette, at, grid, orientation }: AxisProps) {
  const turn = turned(scale, orientation);
  const room = turn ? LONGEST : scale.band - 2;
  return (
    <g aria-hidden="true" fontSize={SIZE} fill={palette.soft}>
      <line x1={scale.range[0]} x2={scale.range[1]} y1={at} y2={at} stroke={palette.lineStrong} />
      {shown(scale, turn ? 13 : 0).map(({ value, text }) => {
        const x = scale.of(value);
        const label = scale.kind === "category" ? elide(text, room, SIZE) : text;
        return (
          <g key={value} transform={`translate(${x},${at})`}>
            {grid !== undefined && <line y1={0} y2={-grid} stroke={palette.line} strokeOpacity={0.7} />}
            <line y2={4} stroke={palette.lineStrong} />
            {turn ? (
              <text transform="rotate(-45)" x={-6} y={8} textAnchor="end">
                {label}
              </text>
            ) : (
              <text y={16} textAnchor="middle">
                {label}
              </text>
            )}
          </g>
        );
      })}
    </g>
  );
}

export function YAxis({ scale, palette, at, grid }: AxisProps) {
  return (
    <g aria-hidden="true" fontSize={SIZE} fill={palette.soft}>
      <line x1={at} x2={at} y1={scale.range[0]} y2={scale.range[1]} stroke={palette.lineStrong} />
      {shown(scale, 13).map(({ value, text }) => (
        <g key={value} transform={`translate(${at},${scale.of(value)})`}>
          {grid !== undefined && <line x1={0} x2={grid} stroke={palette.line} strokeOpacity={0.7} />}
          <line x2={-4} stroke={palette.lineStrong} />
          <text x={-7} dy="0.32em" textAnchor="end">
            {elide(text, LONGEST, SIZE)}
          </text>
        </g>
      ))}
    </g>
  );
}
