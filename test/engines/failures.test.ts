import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LIMITS } from "../../src/protocol/index.ts";
import type { EngineEvent } from "../../src/engines/index.ts";
import { startSim } from "../../src/sim/index.ts";
import { never, outline, readTurn, script, Signal, World } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await World.start();
});
beforeEach(() => {
  world.take();
});
afterAll(() => world.sim.close());

const COMPLETED = { type: "turn.completed", stop_reason: "end_turn" };

/** Notices, items by text and status, and ends: what a person would see. */
function seen(arrays: readonly (readonly EngineEvent[])[]): readonly unknown[] {
  return arrays.flat().flatMap((event): unknown[] => {
    if (event.type === "notice") return [event.message];
    if (event.type === "item.completed" && "text" in event.item) return [[event.item.text, event.item.status]];
    return event.type === "turn.completed" || event.type === "turn.failed" ? [event] : [];
  });
}

describe("a model that fails for a while", () => {
  const CASES = [
    {
      name: "529 twice",
      steps: [{ error: { status: 529, times: 2 } }, { say: "hello" }],
      notices: [
        "the model answered 529 (overloaded_error: scripted error 529); trying again in 0.3 s (1 of 4)",
        "the model answered 529 (overloaded_error: scripted error 529); trying again in 0.5 s (2 of 4)",
      ],
      sleeps: [250, 500],
    },
    {
      name: "429 with retry-after",
      steps: [{ error: { status: 429, retry_after: 7 } }, { say: "hello" }],
      notices: ["the model answered 429 (rate_limit_error: scripted error 429); trying again in 7.3 s (1 of 4)"],
      sleeps: [7_250],
    },
    {
      name: "500, 503 and 408 in a row",
      steps: [{ error: { status: 500 } }, { error: { status: 503 } }, { error: { status: 408 } }, { say: "hello" }],
      notices: [
        "the model answered 500 (api_error: scripted error 500); trying again in 0.3 s (1 of 4)",
        "the model answered 503 (api_error: scripted error 503); trying again in 0.5 s (2 of 4)",
        "the model answered 408 (invalid_request_error: scripted error 408); trying again in 1.0 s (3 of 4)",
      ],
      sleeps: [250, 500, 1_000],
    },
  ];
  test.each(CASES)("$name", async ({ steps, notices, sleeps }) => {
    const host = world.host();
    const conversation = await world.open(host);
    const told = await readTurn(conversation.turn(script(steps), never()));
    expect(seen(told.arrays)).toEqual([...notices, ["hello", "completed"], COMPLETED]);
    expect(host.sleeps).toEqual(sleeps);
  });

  const HALF = [
    {
      name: "cut",
      step: { cut: true },
      notice: "the model's answer broke off (aborted); trying again in 0.3 s (1 of 4)",
    },
    {
      name: "malformed",
      step: { malformed: true },
      notice: "the model's answer broke off (an event is not valid JSON); trying again in 0.3 s (1 of 4)",
    },
    {
      name: "an error in the stream",
      step: { error: { status: 529 } },
      notice: "the model answered 529 (overloaded_error: scripted error 529); trying again in 0.3 s (1 of 4)",
    },
  ];
  test.each(HALF)("$name: the half message is superseded and no tool has run", async ({ step, notice }) => {
    const host = world.host();
    const conversation = await world.open(host);
    const told = await readTurn(
      conversation.turn(
        script([{ think: "hm" }, { say: "half" }, step, { say: "rest" }, { tool: "Bash" }, { say: "end" }]),
        never(),
      ),
    );
    expect(seen(told.arrays)).toEqual([
      ["hm", "superseded"],
      ["half", "superseded"],
      notice,
      ["hm", "completed"],
      ["half", "completed"],
      ["rest", "completed"],
      ["end", "completed"],
      COMPLETED,
    ]);
    expect(host.toolbox.log).toEqual(["start Bash", "end Bash"]);
    const requests = world.take();
    expect(requests.map((exchange) => exchange.status)).toEqual([200, 200, 200]);
    expect(requests[1]?.body).toEqual(requests[0]?.body);
  });

  test("a model that falls silent is asked once more: each time may have to be paid for", async () => {
    const host = world.host();
    host.fallSilent = new Signal();
    const conversation = await world.open(host);
    const told = await readTurn(
      conversation.turn(
        script([{ say: "wait" }, { error: { status: 529, times: 0 } }, { delay_ms: 600_000 }, { say: "late" }]),
        never(),
      ),
      (events) => {
        // The clock jumps once the first words are there; after that the model is heard no more, so the turn fails in the end.
        if (events.some((event) => event.type === "item.delta")) host.fallSilent?.fire();
      },
    );
    const notice = (number: number, seconds: string): string =>
      `the model's answer broke off (nothing came for 90 s); trying again in ${seconds} s (${number} of 4)`;
    expect(seen(told.arrays).filter((line) => typeof line === "string")).toEqual([notice(1, "0.3")]);
    expect(told.arrays.at(-1)?.at(-1)).toEqual({
      type: "turn.failed",
      error: {
        code: "model_stream_cut",
        message: "the model's answer broke off (nothing came for 90 s) after 2 attempts; send the prompt again",
      },
    });
  });
});

describe("a model that fails for good", () => {
  const CASES = [
    {
      name: "too many 529",
      steps: [{ error: { status: 529, times: 9 } }],
      error: {
        code: "model_unavailable",
        message: "the model answered 529 (overloaded_error: scripted error 529) after 5 attempts; try again later",
      },
      calls: 1 + LIMITS.modelRetries,
    },
    {
      name: "a wait that is too long",
      steps: [{ error: { status: 429, retry_after: 3_600 } }],
      error: {
        code: "model_unavailable",
        message: "the model answered 429 (rate_limit_error: scripted error 429); try again in 3600 s",
      },
      calls: 1,
    },
    {
      name: "no key",
      steps: [{ error: { status: 401, message: "invalid x-api-key" } }],
      error: {
        code: "model_unauthenticated",
        message:
          "the provider wants a key (401, authentication_error: invalid x-api-key): set one with credential_env, credential_file or credential_command",
      },
      calls: 1,
    },
    {
      name: "a bad request",
      steps: [{ error: { status: 400, message: "tools: too odd" } }],
      error: { code: "model_error", message: "the model answered 400 (invalid_request_error: tools: too odd)" },
      calls: 1,
    },
    {
      name: "a prompt that is too long and nothing to summarise",
      steps: [{ error: { status: 400, message: "prompt is too long: 300000 tokens > 200000 maximum" } }],
      error: {
        code: "context_exceeded",
        message:
          "the conversation is too long for the model (invalid_request_error: prompt is too long: 300000 tokens > 200000 maximum); start a new session",
      },
      calls: 1,
    },
    {
      name: "a stream that is always cut",
      steps: [{ cut: true, times: 9 }],
      error: {
        code: "model_stream_cut",
        message: "the model's answer broke off (aborted) after 5 attempts; send the prompt again",
      },
      calls: 1 + LIMITS.modelRetries,
    },
  ];
  test.each(CASES)("$name", async ({ steps, error, calls }) => {
    const conversation = await world.open(world.host());
    const told = await readTurn(conversation.turn(script(steps, "First."), never()));
    expect(told.arrays.at(-1)?.at(-1)).toEqual({ type: "turn.failed", error });
    expect(world.take().filter((exchange) => JSON.stringify(exchange.body).includes("First."))).toHaveLength(calls);
    const next = await readTurn(conversation.turn({ text: "What can you do?" }, never()));
    expect(next.arrays.at(-1)?.at(-1)).toEqual(COMPLETED);
    expect(world.sent().flatMap(outline)).toEqual([
      ["user", "First.", `[No answer: ${error.message}]`, "What can you do?"],
    ]);
  });

  test("nobody listens there", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const host = world.host();
    host.model = { ...host.model, baseUrl: `http://127.0.0.1:${port}` };
    const conversation = await world.open(host);
    const told = await readTurn(conversation.turn({ text: "hello" }, never()));
    expect(told.arrays.at(-1)).toEqual([
      {
        type: "turn.failed",
        error: {
          code: "model_unavailable",
          message: `the model could not be reached (connect ECONNREFUSED 127.0.0.1:${port}) after 5 attempts; check the network and the provider's address`,
        },
      },
    ]);
    expect(host.sleeps).toEqual([250, 500, 1_000, 2_000]);
  });

  test("a connection that the server closed in between is no failure", async () => {
    const host = world.host();
    const conversation = await world.open(host);
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(
        'data: {"type":"message_start","message":{"usage":{"input_tokens":1}}}\n\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}\n\ndata: {"type":"message_stop"}\n\n',
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    host.model = { ...host.model, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    for (let turn = 0; turn < 3; turn += 1) {
      const told = await readTurn(conversation.turn({ text: "hello" }, never()));
      expect(told.arrays.flat().map((event) => event.type)).toEqual(["usage", "turn.completed"]);
      server.closeAllConnections();
    }
    expect(host.sleeps).toEqual([]);
    await new Promise((resolve) => server.close(resolve));
  });

  test("an endless line is read up to its bound, and asked for once more only", async () => {
    const host = world.host();
    const conversation = await world.open(host);
    const piece = Buffer.alloc(65_536, "x");
    const taken: number[] = [];
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { "content-type": "text/event-stream" });
      const number = taken.push(0) - 1;
      response.write("data: ");
      const more = (): void => {
        if (response.destroyed) return;
        taken[number] = (taken[number] ?? 0) + piece.length;
        if (response.write(piece)) setImmediate(more);
        else response.once("drain", more);
      };
      more();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    host.model = { ...host.model, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    const told = await readTurn(conversation.turn({ text: "hello" }, never()));
    expect(told.arrays.at(-1)).toEqual([
      {
        type: "turn.failed",
        error: {
          code: "model_stream_cut",
          message: `the model's answer broke off (an event is longer than ${LIMITS.modelEventChars} characters) after 2 attempts; send the prompt again`,
        },
      },
    ]);
    expect(taken.length).toBe(2);
    // What is above the bound is in the buffers of the two sockets.
    for (const bytes of taken) expect(bytes).toBeLessThan(LIMITS.modelEventChars + 16 * 1_048_576);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  test("a unix socket is an address too", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sim-"));
    const sim = await startSim({ path: join(folder, "model.sock") });
    const host = world.host();
    host.model = { ...host.model, baseUrl: sim.url };
    const conversation = await world.open(host);
    const told = await readTurn(conversation.turn(script([{ say: "through the socket" }]), never()));
    expect(seen(told.arrays)).toEqual([["through the socket", "completed"], COMPLETED]);
    await sim.close();
    await rm(folder, { recursive: true });
  });
});
