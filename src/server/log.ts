import type { Log, Redactor } from "../protocol/index.ts";

export const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A program's own log, behind the same redactor as the journal. */
export function redactedLog(log: Log, redact: Redactor): Log {
  const write =
    (level: keyof Log) =>
    (fields: object, message: string): void =>
      log[level](JSON.parse(redact(JSON.stringify(fields, asData))) as object, redact(message));
  return { info: write("info"), warn: write("warn"), error: write("error") };
}

/** An error has no fields of its own that JSON would show. */
function asData(_name: string, value: unknown): unknown {
  return value instanceof Error ? { name: value.name, message: value.message, stack: value.stack } : value;
}
