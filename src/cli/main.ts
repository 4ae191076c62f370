#!/usr/bin/env node
import { readFileSync } from "node:fs";
import type { Writable } from "node:stream";
import { runCommandLine } from "./program.ts";
import type { Surroundings } from "./surroundings.ts";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

/** Under npm a Ctrl-C comes twice: from the terminal, and passed on by npm. */
const NPM_ECHO_MS = 300;
const underNpm = process.env["npm_lifecycle_event"] !== undefined;

const surroundings: Surroundings = {
  environment: process.env,
  cwd: process.cwd(),
  input: process.stdin,
  output: process.stdout,
  errors: process.stderr,
  version,
  name: underNpm ? "npm run -s sallyport --" : "sallyport",
  now: () => Date.now(),
  onSignal: (signal, listener) => {
    let heard = 0;
    const listen = (): void => {
      const echo = underNpm && Date.now() - heard < NPM_ECHO_MS;
      heard = Date.now();
      if (!echo) listener();
    };
    process.on(signal, listen);
    return () => process.off(signal, listen);
  },
  exit: (code) => process.exit(code),
};

// Whoever reads our output may stop at any line: `sallyport sessions | head`.
process.stdout.on("error", () => process.exit(1));
process.stderr.on("error", () => process.exit(1));

const code = await runCommandLine(process.argv.slice(2), surroundings);
await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
process.exit(code);

function flushed(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    stream.write("", () => resolve());
  });
}
