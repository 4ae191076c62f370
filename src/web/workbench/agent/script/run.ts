import { isText, type Column } from "../../data/column.ts";
import type { Table } from "../../data/table.ts";
import { ANSWER, readAnswer, ScriptError, type ScriptDone } from "./answer.ts";

/** Bounds of a script. */
const SCRIPT = {
  milliseconds: 10_000,
  frameMs: 10_000,
  chars: 100_000,
} as const;
const FRAME = "/workbench/script-frame";

/** What the frame says: that it is there, and once what a script's worker said, as that said it. */
interface FrameMessage {
  readonly type?: unknown;
  readonly id?: unknown;
  readonly answer?: unknown;
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
  const id = crypto.getRandomValues(new Uint32Array(4)).join("-");
  return new Promise((resolve, reject) => {
    let isReady = false;
    let timer = setTimeout(() => fail("the place for scripts could not be opened"), SCRIPT.frameMs);
    const stopped = (): void => fail("the script was stopped");
    const take = ({ source, data }: MessageEvent<FrameMessage>): void => {
      if (source !== frame.contentWindow) return;
      if (data.type === "answer" && data.id === id) {
        finish(() => readAnswer(data.answer));
        return;
      }
      // Once: the time of a script does not begin anew.
      if (data.type !== "ready" || isReady) return;
      isReady = true;
      clearTimeout(timer);
      timer = setTimeout(
        () => fail(`the script did not end within ${SCRIPT.milliseconds / 1_000} s`),
        SCRIPT.milliseconds,
      );
      const { printChars, resultChars } = ANSWER;
      // Its origin is opaque, so no other target can be named; the frame's document is ours.
      frame.contentWindow?.postMessage(
        { type: "run", id, script, table: given(table), limits: { printChars, resultChars } },
        "*",
      );
    };
    const fail = (words: string): void =>
      finish(() => {
        throw new ScriptError(words);
      });
    const finish = (outcome: () => ScriptDone): void => {
      clearTimeout(timer);
      globalThis.removeEventListener("message", take);
      signal?.removeEventListener("abort", stopped);
      try {
        resolve(outcome());
      } catch (error) {
        reject(error instanceof Error ? error : new ScriptError(String(error)));
      }
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
