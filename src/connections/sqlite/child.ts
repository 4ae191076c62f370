import { Worker } from "node:worker_threads";
import { describe } from "./describe.ts";
import { openFile } from "./file.ts";
import type { Answers, SqliteAnswer, SqliteQuestion } from "./messages.ts";
import { classify, query, sqlFailure } from "./read.ts";

// A process of its own for each lane of an SQLite connection: a statement that takes too long can only be ended with its process.

// While a statement runs this thread hears nothing. A second one ends the process should the server be gone, or too much memory taken.
const watchdog = new Worker(new URL("./watchdog.js", import.meta.url), { workerData: process.ppid });
watchdog.unref();

function answerTo(question: SqliteQuestion): Answers[keyof Answers] {
  const database = openFile(question.path);
  try {
    switch (question.kind) {
      case "test":
        return String(
          Object.values(database.prepare("SELECT sqlite_version(), count(*) FROM sqlite_schema").get() as object)[0],
        );
      case "describe":
        return describe(database);
      case "classify":
        return classify(database, question.sql);
      case "query":
        return query(database, question);
    }
  } finally {
    // Each question finds the file as it is then, also when another was put in its place.
    database.setAuthorizer(null);
    database.close();
  }
}

function outcomeOf(question: SqliteQuestion): SqliteAnswer {
  try {
    return { ok: true, answer: answerTo(question) };
  } catch (error) {
    const { code, message, details } = sqlFailure(error, "sql" in question ? question.sql : "");
    return { ok: false, code: question.kind === "test" ? "connection_failed" : code, message, details };
  }
}

process.on("message", (question: SqliteQuestion) => process.send?.(outcomeOf(question)));
process.on("disconnect", () => process.exit());
process.send?.("ready");
