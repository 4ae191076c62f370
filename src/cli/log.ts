import pino from "pino";
import type { Redactor, Log } from "../protocol/index.ts";

const IN_URL = /([?&]token=)[^&\s"]+/g;

/** The server's log: JSON lines on standard error, through the same redactor as the journal. */
export function openLog(level: string, redact: Redactor): Log {
  const stream = { write: (line: string) => void process.stderr.write(redact(line).replace(IN_URL, "$1[redacted]")) };
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream);
}
