import pino from "pino";
import type { Log } from "../sessions/index.ts";

const SECRETS = /\b(sk-[A-Za-z0-9_-]{8,}|sp_[A-Za-z0-9_-]{20,}|Bearer\s+\S+)|([?&]token=)[^&\s"]+/gi;

/** The server's log: JSON lines on standard error, with whatever looks like a key or token taken out. */
export function openLog(level: string, secrets: readonly string[]): Log {
  const exact = secrets.filter((secret) => secret.length >= 8);
  const redact = (text: string): string => {
    let clean = text.replace(SECRETS, (_match, _secret, query: string | undefined) => `${query ?? ""}[redacted]`);
    for (const secret of exact) clean = clean.replaceAll(secret, "[redacted]");
    return clean;
  };
  const stream = { write: (line: string) => void process.stderr.write(redact(line)) };
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream);
}
