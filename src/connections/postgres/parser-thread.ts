import { parentPort } from "node:worker_threads";
import { hasSqlDetails, loadModule, parseSync } from "libpg-query";
import { judge } from "./judge.ts";
import type { ParserVerdict } from "./parser.ts";

// PostgreSQL's parser in its own thread: a statement nested too deeply corrupts the parser's memory, and then the thread is replaced.

await loadModule();

function verdictOf(sql: string): ParserVerdict {
  // The parser stops reading at a NUL; PostgreSQL would refuse it.
  if (sql.includes("\0")) return { kind: "class", verdict: { does: "writes", reason: "it holds a NUL character" } };
  try {
    const verdict = judge(parseSync(sql));
    return verdict === undefined ? { kind: "empty" } : { kind: "class", verdict };
  } catch (error) {
    if (!hasSqlDetails(error) || error.sqlDetails === undefined) return { kind: "broken" };
    const { message, cursorPosition } = error.sqlDetails;
    return { kind: "syntax", message, position: cursorPosition };
  }
}

const port = parentPort;
port?.on("message", (sql: string) => port.postMessage(verdictOf(sql)));
