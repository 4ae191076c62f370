import { openRequestLog } from "../../dist/telemetry/index.js";

// Writes lines in small groups into a folder whose files cannot grow past a limit, and tells what it was told.
const [folder = ""] = process.argv.slice(2);
const told = [];
const note = (level) => (fields, message) => told.push([level, message, fields.error]);
const log = { info: note("info"), warn: note("warn") };
const requests = openRequestLog({ folder, redact: (text) => text, now: () => Date.now(), log });
for (let group = 0; group < 20; group += 1) {
  for (let line = 0; line < 3; line += 1) {
    requests.exchange({ id: `req_${group}_${line}`, started_at: 0, model: "sim", tokens: {} });
  }
  await requests.flush();
}
await requests.close();
console.log(JSON.stringify({ told, dropped: requests.dropped }));
