import { Worker } from "node:worker_threads";
import { describe } from "./describe.ts";
import { openFile } from "./file.ts";
import type { Answers, SqliteAnswer, SqliteQuestion } from "./messages.ts";
import { classify, query, sqlFailure } from "./read.ts";

// Each lane of an SQLite connection has its own process: a statement that takes too long can only be ended with its process. While a
// statement runs, this thread receives nothing. A second thread ends the process if the server is gone, or it uses too much memory.
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
    // Each question opens the file as it is now, even if it was replaced.
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
