import { isText, type CellValue, type Column } from "../../data/column.ts";
import type { Table } from "../../data/table.ts";

/** Bounds of a script. */
const SCRIPT = {
  milliseconds: 10_000,
  frameMs: 10_000,
  chars: 100_000,
  printChars: 20_000,
  resultChars: 20_000,
} as const;
const FRAME = "/workbench/script-frame";

/** What a script left, by columns. */
export interface MadeColumn {
  readonly name: string;
  readonly values: readonly CellValue[];
}

export interface ScriptDone {
  readonly lines: readonly string[];
  /** More was printed than is kept. */
  readonly cut: boolean;
  /** What it returned, as JSON unless it was a text. Absent: nothing. */
  readonly result?: string | undefined;
  readonly resultCut: boolean;
  readonly columns: readonly MadeColumn[];
  readonly tables: readonly { readonly name: string; readonly columns: readonly MadeColumn[] }[];
}

type Answer =
  | { readonly type: "ready" }
  | ({ readonly type: "done"; readonly id: string } & Omit<ScriptDone, "columns" | "tables"> & {
        readonly made: Pick<ScriptDone, "columns" | "tables">;
      })
  | { readonly type: "failed"; readonly id: string; readonly lines: readonly string[]; readonly message: string };

/** A script that ended with an error; `lines` is what it had printed. */
export class ScriptError extends Error {
  readonly lines: readonly string[];

  constructor(message: string, lines: readonly string[] = []) {
    super(message);
    this.name = "ScriptError";
    this.lines = lines;
  }
}

/**
 * Runs JavaScript in a worker of a frame that is an origin of its own: it has what it is given here and nothing else, neither the
 * network nor what the page keeps. The frame is taken away when the script has ended, was stopped or took too long.
 */
export async function runScript(script: string, table: Table | undefined, signal?: AbortSignal): Promise<ScriptDone> {
  if (script.trim() === "") throw new ScriptError("the script is empty");
  if (script.length > SCRIPT.chars) throw new ScriptError(`a script may have ${SCRIPT.chars} characters`);
  signal?.throwIfAborted();
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.setAttribute("aria-hidden", "true");
  frame.tabIndex = -1;
  frame.style.display = "none";
  frame.title = "Scripts run here";
  frame.src = FRAME;
  try {
    return await talk(frame, script, table, signal);
  } finally {
    frame.remove();
  }
}

function talk(
  frame: HTMLIFrameElement,
  script: string,
  table: Table | undefined,
  signal: AbortSignal | undefined,
): Promise<ScriptDone> {
  const id = crypto.randomUUID();
  return new Promise((resolve, reject) => {
    let timer = setTimeout(() => finish(new ScriptError("the place for scripts could not be opened")), SCRIPT.frameMs);
    const stopped = (): void => finish(new ScriptError("the script was stopped"));
    const take = (event: MessageEvent<Answer>): void => {
      if (event.source !== frame.contentWindow) return;
      const answer = event.data;
      if (answer.type === "ready") {
        clearTimeout(timer);
        timer = setTimeout(
          () => finish(new ScriptError(`the script did not end within ${SCRIPT.milliseconds / 1_000} s`)),
          SCRIPT.milliseconds,
        );
        const { printChars, resultChars } = SCRIPT;
        // Its origin is opaque, so no other target can be named; the frame's document is ours.
        frame.contentWindow?.postMessage(
          { type: "run", id, script, table: given(table), limits: { printChars, resultChars } },
          "*",
        );
      } else if (answer.id === id) {
        finish(answer.type === "done" ? { ...answer, ...answer.made } : new ScriptError(answer.message, answer.lines));
      }
    };
    const finish = (outcome: ScriptDone | ScriptError): void => {
      clearTimeout(timer);
      globalThis.removeEventListener("message", take);
      signal?.removeEventListener("abort", stopped);
      if (outcome instanceof ScriptError) reject(outcome);
      else resolve(outcome);
    };
    globalThis.addEventListener("message", take);
    signal?.addEventListener("abort", stopped);
    document.body.append(frame);
  });
}

/** The table as it is sent: a copy, which the script may do with what it likes. */
function given(table: Table | undefined): object | undefined {
  if (table === undefined) return undefined;
  return {
    name: table.name,
    rowCount: table.rowCount,
    filtered: table.filtered.toArray(),
    selected: table.selected.toArray(),
    currentRow: table.currentRow,
    columns: table.columns.map((column: Column) =>
      isText(column)
        ? { name: column.name, type: column.type, codes: column.codes, categories: column.categories }
        : { name: column.name, type: column.type, numbers: column.numbers },
    ),
  };
}
