import { endToolItem, type ToolItem } from "../../protocol/index.ts";
import type { EngineEvent } from "../engine.ts";
import type { AskedCall } from "./translate.ts";
import type { Fields } from "./wire.ts";

const NOT_CALLED = "It was approved, but not called again after the restart of the server; not run.";

/** A call that was approved before the server was restarted, and never run. */
export interface Promised {
  readonly item: ToolItem;
  readonly input: Fields;
}

/** Calls that may be made once more without a question, each with exactly the input that was approved. */
export class Promises {
  #open: readonly Promised[] = [];

  give(promised: readonly Promised[]): void {
    this.#open = promised;
  }

  /** The one that a call stands for; it counts once. */
  keep(call: AskedCall): Promised | undefined {
    const wanted = canonical(call.input);
    const found = this.#open.find(({ item, input }) => item.tool === call.tool && canonical(input) === wanted);
    this.#open = this.#open.filter((promised) => promised !== found);
    return found;
  }

  /** The ends of those that nobody came back to. */
  close(): readonly EngineEvent[] {
    const left = this.#open;
    this.#open = [];
    return left.map(({ item }) => {
      const output = [{ type: "text" as const, text: NOT_CALLED }];
      return { type: "item.completed", item: endToolItem(item, { status: "interrupted", output, is_error: true }) };
    });
  }
}

/** Keys sorted, so that the order in which a model writes them does not matter. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : part,
  );
}
