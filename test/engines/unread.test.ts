import { PassThrough, Writable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { OutputAllowance, ProcessOutput } from "../../src/engines/vendor/output.ts";
import { LIMITS } from "../../src/protocol/index.ts";
import type { Piped } from "../../src/sandbox/sandbox.ts";

const MIB = 1_048_576;

test("a program that reads nothing of what it is told is not read either, until it does", async () => {
  let read: () => void = () => undefined;
  const stdin = new Writable({
    highWaterMark: 1,
    write: (_chunk, _encoding, done) => {
      read = () => {
        read = () => undefined;
        done();
      };
    },
  });
  const stdout = new PassThrough();
  const process: Piped = {
    pid: 0,
    stdin,
    stdout,
    stderr: new PassThrough(),
    exit: new Promise(() => undefined),
    signal: () => true,
    kill: () => Promise.resolve(),
  };
  let asked = 0;
  const output = new ProcessOutput(process, {
    allowance: new OutputAllowance(),
    onMessage: () => {
      asked += 1;
      stdin.write("x".repeat(MIB));
    },
    onNoise: () => undefined,
    drained: () => Promise.resolve(),
  });
  output.begin();
  const most = LIMITS.engineUnreadBytes / MIB + 1;
  for (let index = 0; index < 2 * most; index += 1) {
    stdout.write('{"type":"question"}\n');
    await nextTurn();
  }
  expect([asked, stdout.isPaused()]).toEqual([most, true]);
  const isAllRead = (): boolean => asked >= 2 * most;
  while (!isAllRead()) {
    read();
    await nextTurn();
  }
  expect(stdin.writableLength).toBeLessThanOrEqual(most * MIB);
});

test("what is thrown while a message is handled ends the program, and nobody else", async () => {
  const stdout = new PassThrough();
  let end: (how: { readonly code: null; readonly signal: string }) => void = () => undefined;
  const exit = new Promise<{ readonly code: null; readonly signal: string }>((resolve) => {
    end = resolve;
  });
  const process: Piped = {
    pid: 0,
    stdin: new PassThrough(),
    stdout,
    stderr: new PassThrough(),
    exit,
    signal: () => true,
    kill: async () => end({ code: null, signal: "SIGKILL" }),
  };
  const output = new ProcessOutput(process, {
    allowance: new OutputAllowance(),
    onMessage: () => {
      throw new TypeError("a bug");
    },
    onNoise: () => undefined,
    drained: () => Promise.resolve(),
  });
  stdout.end('{"type":"x"}\n');
  expect(await output.end).toEqual({
    code: null,
    signal: "SIGKILL",
    complaint: "",
    failure: "what it wrote could not be handled (a bug)",
  });
});
