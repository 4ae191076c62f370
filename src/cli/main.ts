#!/usr/bin/env node
import { readFileSync, statSync } from "node:fs";
import type { Writable } from "node:stream";
import { isatty } from "node:tty";
import { OWN_OPEN_FILES, tooFewOpenFiles } from "./open-files.ts";
import type { runCommandLine as RunCommandLine } from "./program.ts";
import type { ProcessContext } from "./surroundings.ts";

const shortage = tooFewOpenFiles(OWN_OPEN_FILES);
if (shortage !== undefined) {
  process.stderr.write(`error: ${shortage}\n`);
  process.exit(1);
}

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

/** Under npm a Ctrl-C arrives twice: from the terminal, and forwarded by npm. */
const NPM_ECHO_MS = 300;
const underNpm = process.env["npm_lifecycle_event"] !== undefined;

const output = { isNeeded: true, isLost: false };

const surroundings: ProcessContext = {
  environment: process.env,
  cwd: currentFolder(),
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
  goOnWithoutOutput: () => {
    output.isNeeded = false;
  },
  exit: leave,
  endBySignal,
};

// The reader of our output may stop at any line: `sallyport sessions | head`. A command that must clean up first gets to
// do so.
for (const stream of [process.stdout, process.stderr]) stream.on("error", loseOutput);

// Only now: loading everything opens many files at once.
const { runCommandLine } = (await import(programFile())) as { readonly runCommandLine: typeof RunCommandLine };
const code = await runCommandLine(process.argv.slice(2), surroundings);
await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
leave(code);

function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    process.stderr.write("error: the folder that this terminal is in was deleted: go to another one with cd\n");
    return process.exit(1);
  }
}

/** The bundle, which loads in half the time; if something was compiled after it, the single files. */
function programFile(): string {
  const changedAt = (file: string): number =>
    statSync(new URL(file, import.meta.url), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const isNew = changedAt("../bundle/program.js") > changedAt("../.tsbuildinfo");
  return isNew ? "../bundle/program.js" : "./program.js";
}

/**
 * Ends the process. If its terminal is gone, Node's last step (restoring the terminal) would crash; the signal that reported
 * it ends the process without that step.
 */
function leave(code: number): void {
  const isGone = [process.stdin, process.stdout, process.stderr].some(({ isTTY }, fd) => isTTY && !isatty(fd));
  if (!isGone) process.exit(code);
  endBySignal("SIGHUP");
}

function endBySignal(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // The parent may have made it ignore the signal.
  process.kill(process.pid, "SIGKILL");
}

/** After the first failed write all others fail too. */
function loseOutput(): void {
  if (!output.isNeeded || output.isLost) return;
  output.isLost = true;
  if (process.listenerCount("SIGHUP") > 0) process.emit("SIGHUP", "SIGHUP");
  else leave(1);
}

function flushed(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    stream.write("", () => resolve());
  });
}
