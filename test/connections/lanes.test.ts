import { describe, expect, it } from "vitest";
import { Lanes, type Lane } from "../../src/connections/lanes.ts";
import { PostgresParser } from "../../src/connections/postgres/parser.ts";
import { LIMITS } from "../../src/protocol/index.ts";
import { after } from "./place.ts";

const { connectionConcurrent, connectionPrincipalConcurrent, connectionPrincipalQueue, connectionQueue } = LIMITS;
const never = new AbortController().signal;

/** Lanes of nothing; who runs is written down, and goes when he is let go. */
function makeLanes() {
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  const lanes = new Lanes<Lane>({
    open: () => Promise.resolve({ isDead: false, close: () => Promise.resolve() }),
    after: () => () => undefined,
  });
  const ask = (name: string, signal = never): Promise<string> =>
    lanes
      .use({ principal: name.slice(0, 1), signal }, async () => {
        running.push(name);
        await new Promise<void>((resolve) => ends.set(name, resolve));
        running.splice(running.indexOf(name), 1);
        return "done";
      })
      .catch((error: unknown) => `${(error as { code: string }).code}: ${(error as Error).message}`);
  /** Lets one go; answers who runs then. */
  const end = async (name: string): Promise<readonly string[]> => {
    ends.get(name)?.();
    return now();
  };
  const now = async (): Promise<readonly string[]> => {
    await new Promise((resolve) => setImmediate(resolve));
    return [...running];
  };
  return { ask, end, now };
}

const times = (count: number, letter: string): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);

describe("the lanes of a connection", () => {
  it("are never all one principal's; each goes in the order in which it came", async () => {
    const { ask, end, now } = makeLanes();
    for (const name of times(6, "a")) void ask(name);
    expect(await now()).toEqual(times(connectionPrincipalConcurrent, "a"));
    expect(connectionPrincipalConcurrent).toBeLessThan(connectionConcurrent);
    void ask("b1");
    expect(await now()).toEqual(["a1", "a2", "a3", "b1"]);
    void ask("b2");
    expect(await end("a2")).toEqual(["a1", "a3", "b1", "a4"]);
    expect(await end("b1")).toEqual(["a1", "a3", "a4", "b2"]);
    expect(await end("b2")).toEqual(["a1", "a3", "a4"]);
    expect(await end("a1")).toEqual(["a3", "a4", "a5"]);
  });

  it("refuse callers that wait too often, and nobody else", async () => {
    const { ask, now } = makeLanes();
    const waiting = connectionPrincipalConcurrent + connectionPrincipalQueue;
    for (const name of times(waiting, "a")) void ask(name);
    expect(await ask("a")).toBe(
      "queue_full: 50 of your statements wait for this connection; wait for their answers or cancel some, then ask again",
    );
    void ask("b1");
    expect(await now()).toEqual(["a1", "a2", "a3", "b1"]);
    for (const name of times(connectionQueue - connectionPrincipalQueue, "b")) void ask(name);
    expect(await ask("c1")).toBe("queue_full: 100 statements wait for this connection; try again later");
  });

  it("forget who went away while he waited", async () => {
    const { ask, end, now } = makeLanes();
    const gone = new AbortController();
    for (const name of times(3, "a")) void ask(name);
    const left = times(connectionPrincipalQueue, "a").map((name) => ask(name, gone.signal));
    gone.abort();
    expect(new Set(await Promise.all(left))).toEqual(new Set(["aborted: the statement was cancelled"]));
    void ask("a9");
    expect(await now()).toEqual(["a1", "a2", "a3"]);
    expect(await end("a1")).toEqual(["a2", "a3", "a9"]);
  });
});

describe("the turns of PostgreSQL's parser", () => {
  it("are not all one principal's", async () => {
    const parser = new PostgresParser({ after });
    const all = Array.from({ length: connectionPrincipalQueue }, () => parser.classify("SELECT 1", "a"));
    await expect(parser.classify("SELECT 1", "a")).rejects.toMatchObject({
      code: "queue_full",
      message: "50 of your statements wait to be parsed; wait for their answers, then ask again",
    });
    expect(await parser.classify("SELECT 1", "b")).toEqual({ does: "reads" });
    await Promise.all(all);
    expect(await parser.classify("SELECT 1", "a")).toEqual({ does: "reads" });
    await parser.close();
  });
});
