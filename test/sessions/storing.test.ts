import { expect, test } from "vitest";
import { createLoopEngine } from "../../src/engines/loop/engine.ts";
import { reservesSoon } from "../../src/sessions/core/storing.ts";

const loop = createLoopEngine();
const starts = { ...loop, id: "starts", capabilities: { ...loop.capabilities, warm: true } };
const dependencies = { engines: new Map([loop, starts].map((engine) => [engine.id, engine])) };

test.for([
  ["a turn of an engine in this process", "loop", false, true],
  ["a queued prompt, which has no turn yet", "loop", true, false],
  ["an engine that starts a program first", "starts", false, false],
  ["an engine that is not there", "gone", false, false],
] as const)("a prompt waits for its first reservation: %s", ([, engine, queued, waits]) => {
  const settings = { engine } as Parameters<typeof reservesSoon>[0]["state"]["settings"];
  expect(reservesSoon({ dependencies, state: { settings } }, { queued })).toBe(waits);
});
