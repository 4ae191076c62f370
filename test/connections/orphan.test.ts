import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { makeSqlite } from "./place.ts";

/** A server that asks a file for something that never ends, and tells the process that reads it. */
const SERVER = `
  import { SqliteFile } from ${JSON.stringify(pathToFileURL(resolve("dist/connections/sqlite/database.js")).href)};
  import { execFileSync } from "node:child_process";
  const after = (ms, callback) => { const timer = setTimeout(callback, ms); return () => clearTimeout(timer); };
  const file = new SqliteFile({ path: process.argv[1], statementMs: 60_000, hidden: [], after });
  const asking = { principal: "x", signal: new AbortController().signal };
  const sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
  await file.query(asking, { sql: "SELECT 1", maxRows: 1 });
  void file.query(asking, { sql, maxRows: 1 });
  const pids = execFileSync("ps", ["-o", "pid=,args=", "--ppid", String(process.pid)], { encoding: "utf8" });
  console.log(pids.split("\\n").find((line) => line.includes("child.js")).trim().split(" ")[0]);
`;

it("a reader ends by itself when its server was killed, also in the middle of a statement", async () => {
  const place = makeSqlite();
  const server = spawn(process.execPath, ["--input-type=module", "-e", SERVER, place.path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(server.stdout, "data")) as [Buffer];
  const reader = `/proc/${line.toString().trim()}`;
  expect(existsSync(reader)).toBe(true);
  server.kill("SIGKILL");
  for (let tries = 0; existsSync(reader); tries += 1) {
    if (tries > 200) throw new Error("it is still there");
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  place.remove();
});
