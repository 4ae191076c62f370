import type { ColouredLine, Colourist } from "../../code/highlighter.ts";
import type { Patch } from "./patch.ts";

/** Lines that are coloured at once. */
const BLOCK = 150;
/** Lines before a block that are read with it, so that a comment which began there is known. */
const WARM_UP = 100;
const BLOCKS_KEPT = 200;

/** The colours of one patch, computed block by block on request. */
export class Painter {
  readonly #patch: Patch;
  readonly #blocks = new Map<string, ReadonlyMap<number, ColouredLine>>();
  readonly #colour: Colourist;

  constructor(patch: Patch, colour: Colourist) {
    this.#patch = patch;
    this.#colour = colour;
  }

  known(line: number, side: "old" | "new"): ColouredLine | undefined {
    return this.#blocks.get(keyOf(line, side))?.get(line);
  }

  /** ColouredLine one block that one of the lines is in and that has none yet. False: all of them have theirs. */
  paintNext(lines: readonly number[]): boolean {
    for (const line of lines) {
      const { kind } = this.#patch.lines[line] ?? { kind: "note" };
      for (const side of ["old", "new"] as const) {
        if (kind === "hunk" || kind === "note" || (kind === "added" && side === "old")) continue;
        if (kind === "removed" && side === "new") continue;
        if (this.#blocks.has(keyOf(line, side))) continue;
        this.#paint(Math.floor(line / BLOCK) * BLOCK, side);
        return true;
      }
    }
    return false;
  }

  #paint(start: number, side: "old" | "new"): void {
    const hidden = side === "old" ? "added" : "removed";
    const places: number[] = [];
    for (let place = Math.max(0, start - WARM_UP); place < start + BLOCK; place += 1) {
      const line = this.#patch.lines[place];
      if (line === undefined) break;
      // Another hunk is another part of the file: earlier lines do not count.
      if (line.kind === "hunk" && place < start) places.length = 0;
      if (line.kind !== "hunk" && line.kind !== "note" && line.kind !== hidden) places.push(place);
    }
    const painted = new Map<number, ColouredLine>();
    for (const [index, colours] of this.#tokens(places).entries()) {
      const place = places[index];
      if (place !== undefined && place >= start) painted.set(place, colours);
    }
    this.#blocks.set(keyOf(start, side), painted);
    const oldest = this.#blocks.keys().next().value;
    if (this.#blocks.size > BLOCKS_KEPT && oldest !== undefined) this.#blocks.delete(oldest);
  }

  #tokens(places: readonly number[]): readonly ColouredLine[] {
    return this.#colour(places.map((place) => (this.#patch.lines[place]?.text ?? "").replace(/\r$/, "")).join("\n"));
  }
}

function keyOf(line: number, side: "old" | "new"): string {
  return `${side}${Math.floor(line / BLOCK)}`;
}
