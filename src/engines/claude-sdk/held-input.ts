import { Writable } from "node:stream";
import type { Held } from "../../sandbox/sandbox.ts";
import { record, text, type VendorFields } from "../vendor/fields.ts";

const NEWLINE = "\n";

/**
 * What the SDK writes to a process that outlives the server, line by line: the next server must know which of the process's requests
 * were answered. `turnOf`: the turn that a message begins; undefined: none.
 */
export function heldInput(held: Held, turnOf: (uuid: string) => string | undefined): Writable {
  let rest = "";
  return new Writable({
    decodeStrings: false,
    defaultEncoding: "utf8",
    write: (chunk: Buffer | string, _encoding, done) => {
      const lines = (rest + chunk.toString()).split(NEWLINE);
      // The SDK writes whole lines: what is left is short.
      rest = lines.pop() ?? "";
      for (const line of lines) held.write(line + NEWLINE, markOf(line, turnOf));
      done();
    },
  });
}

function markOf(line: string, turnOf: (uuid: string) => string | undefined): Parameters<Held["write"]>[1] {
  const message = parse(line);
  if (message["type"] === "control_response") return { key: text(record(message["response"])["request_id"]) };
  const uuid = text(message["uuid"]);
  return message["type"] !== "user" || uuid === undefined ? {} : { key: uuid, begin: turnOf(uuid) };
}

function parse(line: string): VendorFields {
  try {
    return record(JSON.parse(line));
  } catch {
    return {};
  }
}
