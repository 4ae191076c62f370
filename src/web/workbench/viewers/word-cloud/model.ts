import { aggregate, type Aggregate } from "../../data/aggregate.ts";
import type { Bits } from "../../data/bits.ts";
import type { Table } from "../../data/table.ts";
import { codesOf, type Coded } from "../groups/codes.ts";
import { groupBy, rowsOf } from "../groups/groups.ts";
import { chosen, flagOf, numberOf, textOf } from "../look.ts";
import type { Look } from "../viewer.ts";

/** Words in one cloud; more could not be read. */
export const MOST_WORDS = 200;
/** Tries of one word on its way out from the middle. */
const MOST_STEPS = 1_500;
/** Share of the picture that words fill at most: between them there is always some paper. */
const MOST_FILLED = 0.6;
/** All words become smaller by this until they find room, at most so many times. */
const SHRINK = 0.84;
const MOST_SHRINKS = 5;
/** Below this a word is left out rather than shown, px. */
const LEAST_SIZE = 8;
/** Space around a word, px. */
const GAP = 2;

interface Word {
  readonly text: string;
  /** Of the column's codes. */
  readonly code: number;
  readonly count: number;
  /** What its size stands for: the count, or the aggregate of the size column. */
  readonly weight: number;
  /** Height of its letters, px, before room is sought. */
  readonly size: number;
  /** Degrees, clockwise. */
  readonly angle: number;
}

export interface WordCloudModel {
  readonly words: readonly Word[];
  /** Different values in the filtered rows. */
  readonly different: number;
  readonly font: { readonly family: string; readonly bold: boolean };
}

/** Words instead of a model where there is nothing to show. */
export function wordCloudOf(table: Table, look: Look): WordCloudModel | string {
  const column = chosen(table, look, "columnColumnName");
  if (column === undefined) return "Choose a column.";
  const coded = codesOf(column);
  if (coded === undefined) return `${column.name} has too many different values for a cloud. Choose a column of texts.`;
  const { counts, weights } = weigh(table, look, coded);
  const found = topCodes(weights, coded.labels);
  if (found.top.length === 0) return `No row that is shown has a word in ${column.name}.`;
  const most = weights[found.top[0] ?? 0] ?? 1;
  const least = weights[found.top.at(-1) ?? 0] ?? 1;
  const [small, large] = sizesOf(look);
  const angles = anglesOf(look);
  const words = found.top.map((code, at) => {
    const weight = weights[code] ?? 0;
    const share = most === least ? 1 : (weight - least) / (most - least);
    return {
      text: coded.labels[code] ?? "",
      code,
      count: counts[code] ?? 0,
      weight,
      size: Math.round(small + share * (large - small)),
      angle: angles[(at * 7) % angles.length] ?? 0,
    };
  });
  return {
    words,
    different: found.different,
    font: { family: textOf(look, "fontFamily") ?? "sans-serif", bold: flagOf(look, "bold") },
  };
}

/** Rows that have the value and are shown. */
export function rowsWith(table: Table, columnName: string, code: number): readonly number[] {
  const column = table.column(columnName);
  const coded = column === undefined ? undefined : codesOf(column);
  if (coded === undefined) return [];
  const rows: number[] = [];
  for (const row of table.filtered.toArray()) if (coded.codes[row] === code) rows.push(row);
  return rows;
}

export interface PlacedWord {
  readonly word: Word;
  /** Middle of the word, px. */
  readonly x: number;
  readonly y: number;
  readonly size: number;
  /** Of the text without its turn, px. */
  readonly width: number;
  readonly height: number;
}

export interface Cloud {
  readonly placed: readonly PlacedWord[];
  /** Words that found no room. */
  readonly left: number;
}

/** The same words in the same space always lie the same. `measure`: width of a text at a size, px. */
export function layWords(
  model: WordCloudModel,
  space: { readonly width: number; readonly height: number },
  measure: (text: string, size: number) => number,
): Cloud {
  const filled = model.words.reduce((sum, { text, size }) => sum + measure(text, size) * size, 0);
  let scale = Math.min(1, Math.sqrt((MOST_FILLED * space.width * space.height) / Math.max(1, filled)));
  for (let attempt = 0; attempt < MOST_SHRINKS; attempt += 1) {
    const cloud = layAt(model.words, { ...space, scale, measure }, 0);
    if (cloud !== undefined) return cloud;
    scale *= SHRINK;
  }
  return (
    layAt(model.words, { ...space, scale, measure }, model.words.length) ?? { placed: [], left: model.words.length }
  );
}

interface Room {
  readonly width: number;
  readonly height: number;
  readonly scale: number;
  readonly measure: (text: string, size: number) => number;
}

/** Absent: more than `most` words find no room. */
function layAt(words: readonly Word[], room: Room, most: number): Cloud | undefined {
  const placed: PlacedWord[] = [];
  const boxes: WordBox[] = [];
  let left = 0;
  for (const word of words) {
    const size = Math.max(LEAST_SIZE, word.size * room.scale);
    const width = room.measure(word.text, size) + GAP * 2;
    const height = size * 1.15 + GAP;
    const spot = spotFor({ width, height, angle: word.angle }, room, boxes);
    if (spot === undefined) {
      left += 1;
      if (left > most) return undefined;
      continue;
    }
    boxes.push(spot);
    placed.push({ word, x: spot.x, y: spot.y, size, width, height });
  }
  return { placed, left };
}

interface WordBox {
  readonly x: number;
  readonly y: number;
  readonly halfWidth: number;
  readonly halfHeight: number;
  readonly cos: number;
  readonly sin: number;
  /** Half of what it takes along the axes of the page. */
  readonly spanX: number;
  readonly spanY: number;
}

/** Out from the middle on a spiral as wide as the space, to the first spot where the word touches no other and no edge. */
function spotFor(
  word: { readonly width: number; readonly height: number; readonly angle: number },
  room: Room,
  taken: readonly WordBox[],
): WordBox | undefined {
  const turn = (word.angle * Math.PI) / 180;
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  const [halfWidth, halfHeight] = [word.width / 2, word.height / 2];
  const spanX = Math.abs(halfWidth * cos) + Math.abs(halfHeight * sin);
  const spanY = Math.abs(halfWidth * sin) + Math.abs(halfHeight * cos);
  if (spanX * 2 > room.width || spanY * 2 > room.height) return undefined;
  const [middleX, middleY] = [room.width / 2, room.height / 2];
  for (let step = 0; step < MOST_STEPS; step += 1) {
    // The root keeps the steps along the spiral about equally long.
    const out = Math.sqrt(step / MOST_STEPS);
    const around = Math.sqrt(step) * 2.4;
    const x = middleX + Math.cos(around) * out * middleX;
    const y = middleY + Math.sin(around) * out * middleY;
    if (x - spanX < 0 || x + spanX > room.width || y - spanY < 0 || y + spanY > room.height) continue;
    const box: WordBox = { x, y, halfWidth, halfHeight, cos, sin, spanX, spanY };
    if (!taken.some((other) => touches(box, other))) return box;
  }
  return undefined;
}

function touches(one: WordBox, other: WordBox): boolean {
  const [dx, dy] = [other.x - one.x, other.y - one.y];
  if (Math.abs(dx) >= one.spanX + other.spanX || Math.abs(dy) >= one.spanY + other.spanY) return false;
  return overlapsAlong(one, other, dx, dy) && overlapsAlong(other, one, dx, dy);
}

/** Whether two turned boxes overlap along both sides of the first. */
function overlapsAlong(one: WordBox, other: WordBox, dx: number, dy: number): boolean {
  const cos = Math.abs(one.cos * other.cos + one.sin * other.sin);
  const sin = Math.abs(one.cos * other.sin - one.sin * other.cos);
  const along = Math.abs(dx * one.cos + dy * one.sin);
  const across = Math.abs(dy * one.cos - dx * one.sin);
  return (
    along < one.halfWidth + other.halfWidth * cos + other.halfHeight * sin &&
    across < one.halfHeight + other.halfWidth * sin + other.halfHeight * cos
  );
}

/** Rows by code, and what sizes stand for by code; 0 where it is nothing that can be shown. */
function weigh(
  table: Table,
  look: Look,
  coded: Coded,
): { readonly counts: Int32Array; readonly weights: Int32Array | Float64Array } {
  const counts = new Int32Array(coded.labels.length);
  const rows = table.filtered.toArray();
  for (const row of rows) {
    const code = coded.codes[row] ?? -1;
    if (code >= 0) counts[code] = (counts[code] ?? 0) + 1;
  }
  const column = chosen(table, look, "sizeColumnName");
  if (column === undefined) return { counts, weights: counts };
  const kind = (textOf(look, "sizeAggrType") ?? "sum") as Aggregate;
  const weights = new Float64Array(coded.labels.length);
  const groups = groupBy([coded], rows, coded.labels.length + 1);
  for (const [group, [code = -1]] of groups?.keys.entries() ?? []) {
    const value = groups === undefined ? 0 : aggregate(kind, column, rowsOf(groups, group));
    if (code >= 0 && value > 0) weights[code] = value;
  }
  return { counts, weights };
}

/** The heaviest first; of those with the same weight by the alphabet. */
function topCodes(
  counts: Int32Array | Float64Array,
  labels: readonly string[],
): { readonly top: readonly number[]; readonly different: number } {
  const codes: number[] = [];
  for (let code = 0; code < counts.length; code += 1)
    if ((counts[code] ?? 0) > 0 && (labels[code] ?? "").trim() !== "") codes.push(code);
  const different = codes.length;
  codes.sort((left, right) => {
    const byCount = (counts[right] ?? 0) - (counts[left] ?? 0);
    if (byCount !== 0) return byCount;
    return (labels[left] ?? "") < (labels[right] ?? "") ? -1 : 1;
  });
  return { top: codes.slice(0, MOST_WORDS), different };
}

function sizesOf(look: Look): readonly [number, number] {
  const small = numberOf(look, "minTextSize") ?? 14;
  const large = numberOf(look, "maxTextSize") ?? 64;
  return small <= large ? [small, large] : [large, small];
}

/** Every step between the least and the most turn; words take them in a fixed order. */
function anglesOf(look: Look): readonly number[] {
  const least = numberOf(look, "minRotationDegree") ?? 0;
  const most = numberOf(look, "maxRotationDegree") ?? 0;
  const step = Math.max(1, numberOf(look, "rotationStep") ?? 5);
  const angles: number[] = [];
  for (let angle = Math.min(least, most); angle <= Math.max(least, most); angle += step) angles.push(angle);
  return angles;
}

/** The word under a point; -1: none. Small words lie over large ones' corners, so the smallest wins. */
export function wordAt(cloud: Cloud, x: number, y: number): number {
  return cloud.placed.findLastIndex((placed) => {
    const turn = (placed.word.angle * Math.PI) / 180;
    const [dx, dy] = [x - placed.x, y - placed.y];
    const along = dx * Math.cos(turn) + dy * Math.sin(turn);
    const across = dy * Math.cos(turn) - dx * Math.sin(turn);
    return Math.abs(along) <= placed.width / 2 && Math.abs(across) <= placed.height / 2;
  });
}

/** What a turned word takes along the sides of the page. */
export function boxAround(placed: PlacedWord): {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
} {
  const turn = (placed.word.angle * Math.PI) / 180;
  const [cos, sin] = [Math.abs(Math.cos(turn)), Math.abs(Math.sin(turn))];
  const width = placed.width * cos + placed.height * sin;
  const height = placed.width * sin + placed.height * cos;
  return { x: placed.x - width / 2, y: placed.y - height / 2, width, height };
}

/** Values that selected rows have. */
export function selectedCodes(table: Table, columnName: string, selected: Bits): ReadonlySet<number> {
  const column = table.column(columnName);
  const coded = column === undefined ? undefined : codesOf(column);
  const found = new Set<number>();
  if (coded === undefined) return found;
  for (const row of selected.toArray()) found.add(coded.codes[row] ?? -1);
  return found;
}
