// Appends to four sessions at once until it is killed, and prints each event that the store said is on the disk.
//   node append-child.mjs <database> <bytes per event>
import { writeSync } from "node:fs";
import { openSqliteStore } from "../../dist/store/index.js";

const [path, bytes] = process.argv.slice(2);
const AT = "2026-01-01T00:00:00.000Z";
const pause = new Int32Array(new SharedArrayBuffer(4));

/** At once and whole. A reader who is busy leaves the pipe full for a while: then it is waited for. */
function say(message) {
  const line = Buffer.from(`${JSON.stringify(message)}\n`);
  for (let said = 0; said < line.length;) {
    try {
      said += writeSync(1, line, said);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(pause, 0, 0, 1);
    }
  }
}

let fatal = 0;
const store = await openSqliteStore({
  path,
  onFatal: () => {
    fatal += 1;
  },
  tuning: { closeMs: 50 },
});
say({ kind: "open", pid: process.pid });

async function append(id) {
  let seq = (await store.read.session(id))?.seq ?? 0;
  for (;;) {
    seq += 1;
    const session = {
      id,
      status: "working",
      seq,
      created_at: AT,
      updated_at: AT,
      created_by: "tok_1",
      unsettled: true,
      engine: "loop",
      search: id,
      token_parents: "",
    };
    await store.commit({
      sessions: [{ ...session, state: JSON.stringify({ seq }) }],
      events: [{ session_id: id, seq, at: AT, type: "error", body: JSON.stringify("x".repeat(Number(bytes))) }],
      receipts: [{ principal_id: "tok_1", key: `${id}/${seq}`, request_hash: "", answer: "{}", expires_at: 1 }],
    });
    say({ kind: "stored", id, seq });
  }
}

const ended = await Promise.allSettled(["ses_0", "ses_1", "ses_2", "ses_3"].map(append));
// Only reached when the store cannot write.
const later = await store.commit({ documents: [] }).catch((error) => error.code);
const readable = (await store.read.session("ses_0"))?.id;
const codes = ended.map(({ reason }) => reason.code);
const cause = store.health().stall?.cause;
await store.close();
say({ kind: "ended", codes, later, readable, cause, fatal });
