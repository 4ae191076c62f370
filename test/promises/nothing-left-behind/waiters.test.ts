import { queryObjects } from "node:v8";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { pause } from "../../../src/client/pause.ts";
import { Lanes, type Lane } from "../../../src/connections/lanes.ts";
import { firstAbort } from "../../../src/protocol/index.ts";
import { openSallyport, type Sallyport } from "../../../src/server/index.ts";
import { Pauses } from "../../../src/sessions/core/pauses.ts";
import { toolsOfModule } from "../../../src/tools/module-tools.ts";
import { makePlace, TEST_SANDBOX, type Place } from "../../support/server.ts";
import { waitersAt } from "../../support/waiters.ts";
import { bench } from "../../tools/fixture.ts";

const TIMES = 100;
/** Of what else the process makes meanwhile. */
const FEW = 50;

async function times(work: () => Promise<unknown>): Promise<void> {
  for (let count = 0; count < TIMES; count += 1) await work();
}

describe("a signal that outlives a hundred waits is as it was before them", () => {
  let signal: AbortSignal;
  beforeEach(() => {
    ({ signal } = new AbortController());
  });
  const outlived = (): number => waitersAt(signal);

  it("a wait for the first of two signals", async () => {
    const short = new AbortController();
    await times(async () => {
      const either = firstAbort(signal, short.signal);
      expect(either.signal.aborted).toBe(false);
      either.release();
    });
    expect([outlived(), waitersAt(short.signal)]).toEqual([0, 0]);
    const late = firstAbort(signal, short.signal);
    short.abort("why");
    expect([late.signal.aborted, late.signal.reason]).toEqual([true, "why"]);
    late.release();
    const over = firstAbort(signal, short.signal);
    expect([over.signal.aborted, over.signal.reason]).toEqual([true, "why"]);
    over.release();
    expect(outlived()).toBe(0);
  });

  it("a statement to a database", async () => {
    const lanes = new Lanes<Lane>({
      open: () => Promise.resolve({ isDead: false, close: () => Promise.resolve() }),
      after: () => () => undefined,
    });
    await times(() => lanes.use({ principal: "a", signal }, () => Promise.resolve("done")));
    expect(outlived()).toBe(0);
    await lanes.close();
  });

  it("a pause of the client between two tries", async () => {
    await times(() => pause(0, signal));
    expect(outlived()).toBe(0);
  });

  it("a call that waits while its session is paused", async () => {
    const pauses = new Pauses();
    await times(async () => {
      let isOver = false;
      const waiting = pauses.over(() => isOver, signal);
      isOver = true;
      pauses.end();
      await waiting;
    });
    expect(outlived()).toBe(0);
  });

  it("a tool of a module", async () => {
    const tools = toolsOfModule(
      {
        name: "own",
        tools: [
          { name: "say", description: "Says it.", input_schema: { type: "object" }, tier: "read", execute: () => "it" },
        ],
      },
      "own.mjs",
    );
    const { toolbox } = await bench({ extra: tools });
    await times(() => toolbox.run("mcp__own__say", {}, { signal, onOutput: () => undefined }));
    expect(outlived()).toBe(0);
  });
});

describe("a command in the background", () => {
  it("keeps nothing about those who waited for its output", async () => {
    const { toolbox } = await bench();
    const { signal } = new AbortController();
    const options = { signal, onOutput: () => undefined };
    const begun = await toolbox.run(
      "Bash",
      { command: "sleep 600", description: "x", run_in_background: true },
      options,
    );
    const [block] = begun.content;
    const bash_id = /bash_id: (\S+)/.exec(block?.type === "text" ? block.text : "")?.[1];
    const read = () => toolbox.run("TaskOutput", { task_id: bash_id, block: true, timeout: 1 }, options);
    expect((await read()).is_error).toBe(false);
    const before = queryObjects(Promise, { format: "count" });
    await times(read);
    expect(queryObjects(Promise, { format: "count" }) - before).toBeLessThan(FEW);
    expect(waitersAt(signal)).toBe(0);
    await toolbox.run("KillShell", { shell_id: bash_id }, options);
  });
});

describe("a gateway in another program", () => {
  let place: Place;
  let gateway: Sallyport;
  beforeAll(async () => {
    place = await makePlace();
    gateway = await openSallyport({
      home: place.home,
      workspace: place.workspace,
      settings: { sandbox: TEST_SANDBOX, start_ahead: false },
      environment: { PATH: process.env["PATH"] },
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    });
  });
  afterAll(async () => {
    await gateway.close();
    await place.remove();
  });

  it("keeps nothing about those who watched a session", async () => {
    const { signal } = new AbortController();
    const { id } = await gateway.admin.sessions.start({});
    await times(async () => {
      for await (const frame of gateway.admin.watch(id, { signal })) {
        expect(frame).toBeDefined();
        break;
      }
    });
    expect(waitersAt(signal)).toBe(0);
  });
});
