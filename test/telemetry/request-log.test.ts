import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { LIMITS, makeRedactor, NO_TOKENS } from "../../src/protocol/index.ts";
import { openRequestLog, type ModelRequestLog } from "../../src/telemetry/index.ts";
import { CANARY, exchangeOf, operatorLog, START, type Told } from "./fixture.ts";

const places: string[] = [];

/** A folder of its own, and in it the one for the log, which is not there yet. */
function place(): { readonly folder: string; readonly file: string } {
  const root = mkdtempSync(join(tmpdir(), "sallyport-request-log-"));
  places.push(root);
  const folder = join(root, "home", "logs");
  return { folder, file: join(folder, "model-requests.jsonl") };
}

afterEach(async () => {
  for (const path of places.splice(0)) await rm(path, { recursive: true, force: true });
});

function open(
  folder: string,
  options: { readonly fileBytes?: number; readonly files?: number; readonly secrets?: readonly string[] } = {},
): { readonly requests: ModelRequestLog; readonly told: Told[] } {
  const log = operatorLog();
  const { secrets = [], ...rest } = options;
  const requests = openRequestLog({ folder, redact: makeRedactor(secrets), now: () => START, log, ...rest });
  return { requests, told: log.told };
}

function linesOf(text: string): readonly { readonly id: string; readonly dropped?: number }[] {
  expect(text === "" || text.endsWith("\n")).toBe(true);
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { readonly id: string });
}

const ids = (text: string): readonly string[] => linesOf(text).map(({ id }) => id);
const write = (requests: ModelRequestLog, from: number, to: number): void => {
  for (let n = from; n < to; n += 1) requests.exchange(exchangeOf({ id: `req_${n}` }));
};
const numbered = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, n) => `req_${from + n}`);

describe("the request log", () => {
  it("has a line for each request, in a file that only its owner can read", async () => {
    const { folder, file } = place();
    const { requests, told } = open(folder);
    const shortage = {
      kind: "day",
      limit_microusd: 5,
      spent_microusd: 4,
      reserved_microusd: 0,
      asked_microusd: 9,
    } as const;
    requests.exchange(exchangeOf());
    requests.exchange(
      exchangeOf({
        id: "req_2",
        turn_id: undefined,
        outcome: "refused",
        code: "budget_exceeded",
        shortage,
        status: 402,
        tokens: NO_TOKENS,
        first_byte_ms: undefined,
        cost_microusd: 0,
      }),
    );
    await requests.close();
    const common = {
      at: "2026-11-15T10:00:00.000Z",
      session: "ses_1",
      agent: "tok_1",
      engine: "loop",
      provider: "cloud",
      wire: "anthropic",
      route: "/v1/messages",
      model: "claude-sonnet-5",
      stream: true,
      request_bytes: 1_000,
      response_bytes: 2_000,
      reserved_microusd: 900,
      bound_microusd: 0,
      attempts: 1,
      duration_ms: 1_500,
    };
    expect(linesOf(await readFile(file, "utf8"))).toEqual([
      {
        ...common,
        id: "req_1",
        turn: "turn_1",
        status: 200,
        outcome: "completed",
        tokens: { ...NO_TOKENS, input: 10, output: 20 },
        cost_microusd: 300,
        first_byte_ms: 200,
      },
      {
        ...common,
        id: "req_2",
        status: 402,
        outcome: "refused",
        code: "budget_exceeded",
        shortage,
        tokens: NO_TOKENS,
        cost_microusd: 0,
      },
    ]);
    expect([(await stat(folder)).mode & 0o777, (await stat(file)).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(told).toEqual([]);
  });

  it("writes in order, also while it writes", async () => {
    const { folder, file } = place();
    const { requests } = open(folder);
    const flushes: Promise<void>[] = [];
    for (let n = 0; n < 1_000; n += 1) {
      write(requests, n, n + 1);
      if (n % 7 === 0) flushes.push(requests.flush());
      if (n % 100 === 0) await new Promise((done) => setImmediate(done));
    }
    await Promise.all(flushes);
    await requests.close();
    expect(ids(await readFile(file, "utf8"))).toEqual(numbered(0, 1_000));
  });

  it("writes by itself, without being asked", async () => {
    const { folder, file } = place();
    const { requests } = open(folder);
    write(requests, 0, 3);
    await expect.poll(() => readFile(file, "utf8").then(ids, () => [])).toEqual(numbered(0, 3));
    await requests.close();
  });

  it("starts a new file when one is full, and keeps the newest few", async () => {
    const { folder, file } = place();
    const fileBytes = 4_000;
    const { requests } = open(folder, { fileBytes, files: 3 });
    for (let n = 0; n < 60; n += 1) {
      write(requests, n, n + 1);
      await requests.flush();
    }
    await requests.close();
    const names = [
      "model-requests.jsonl.3",
      "model-requests.jsonl.2",
      "model-requests.jsonl.1",
      "model-requests.jsonl",
    ];
    expect((await readdir(folder)).toSorted()).toEqual(names.toSorted());
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
    expect(Math.max(...texts.map((text) => text.length))).toBeLessThanOrEqual(fileBytes);
    const kept = texts.flatMap(ids);
    expect(kept.length).toBeGreaterThan(15);
    expect(kept).toEqual(numbered(60 - kept.length, 60));
    expect((await stat(`${file}.1`)).mode & 0o777).toBe(0o600);
  });

  it("goes on with the file of the last run", async () => {
    const { folder, file } = place();
    for (const first of [0, 10]) {
      const { requests } = open(folder);
      write(requests, first, first + 10);
      await requests.close();
    }
    expect(ids(await readFile(file, "utf8"))).toEqual(numbered(0, 20));
  });

  it("holds no secret", async () => {
    const { folder, file } = place();
    const { requests } = open(folder, { secrets: ['pass"word-of-ours'] });
    requests.exchange(exchangeOf({ model: CANARY, agent: 'x-pass"word-of-ours' }));
    await requests.close();
    const text = await readFile(file, "utf8");
    expect([text.includes(CANARY), text.includes("word-of-ours"), linesOf(text)]).toMatchObject([
      false,
      false,
      [{ model: "[redacted]", agent: "x-[redacted]" }],
    ]);
  });

  it("writes nothing into a home that stands in its place, and makes none anew", async () => {
    const { folder } = place();
    const home = dirname(folder);
    await mkdir(home, { recursive: true });
    const { requests, told } = open(folder);
    write(requests, 0, 1);
    await rename(home, `${home}-moved`);
    await requests.flush();
    await expect(stat(home)).rejects.toMatchObject({ code: "ENOENT" });
    await mkdir(home);
    write(requests, 1, 2);
    await requests.flush();
    expect([await readdir(home), told.length]).toEqual([[], 1]);
    await rmdir(home);
    await rename(`${home}-moved`, home);
    await requests.close();
    expect(ids(await readFile(join(folder, "model-requests.jsonl"), "utf8"))).toEqual(numbered(0, 2));
  });

  it("cuts a model's name", async () => {
    const { folder, file } = place();
    const { requests } = open(folder);
    requests.exchange(exchangeOf({ model: "m".repeat(1_000_000) }));
    await requests.close();
    expect(linesOf(await readFile(file, "utf8"))).toMatchObject([{ model: "m".repeat(LIMITS.metricLabelChars) }]);
  });

  it("takes nothing after its end", async () => {
    const { folder, file } = place();
    const { requests, told } = open(folder);
    write(requests, 0, 1);
    await requests.close();
    write(requests, 1, 3);
    await requests.close();
    expect([ids(await readFile(file, "utf8")), requests.dropped, told]).toEqual([numbered(0, 1), 2, []]);
  });
});

describe("what others do to the file", () => {
  const cases: readonly (readonly [
    string,
    (at: { folder: string; file: string }) => Promise<void>,
    readonly string[],
  ])[] = [
    ["take the folder away", ({ folder }) => rm(folder, { recursive: true }), numbered(3, 6)],
    ["move the file away", ({ file }) => rename(file, `${file}-20261115`), numbered(3, 6)],
    ["empty the file", ({ file }) => truncate(file), numbered(3, 6)],
    ["open it for everybody", ({ file }) => chmod(file, 0o666), numbered(0, 6)],
  ];
  it.each(cases)("%s: the log goes on", async (_, does, expected) => {
    const at = place();
    const { requests, told } = open(at.folder);
    write(requests, 0, 3);
    await requests.flush();
    await does(at);
    write(requests, 3, 6);
    await requests.close();
    expect([ids(await readFile(at.file, "utf8")), told, requests.dropped]).toEqual([expected, [], 0]);
    expect((await stat(at.file)).mode & 0o777).toBe(0o600);
  });

  it("never writes through a link, nor waits for a pipe", async () => {
    for (const trap of ["link", "pipe"]) {
      const { folder, file } = place();
      const victim = join(folder, "victim");
      await mkdir(folder, { recursive: true });
      await writeFile(victim, "mine");
      if (trap === "link") await symlink(victim, file);
      else expect(spawnSync("mkfifo", [file]).status).toBe(0);
      const { requests, told } = open(folder);
      write(requests, 0, 2);
      await requests.close();
      expect([readFileSync(victim, "utf8"), requests.dropped, told.length]).toEqual(["mine", 2, 2]);
      expect((await lstat(file)).isFile()).toBe(false);
    }
  });
});

describe("a disk that does not take it", () => {
  it("costs lines, which are counted, told once, and noted where they are missing", async () => {
    const { folder, file } = place();
    await mkdir(file, { recursive: true });
    const { requests, told } = open(folder);
    write(requests, 0, 10);
    await requests.flush();
    await requests.flush();
    write(requests, 10, 20_000);
    await requests.flush();
    const { dropped } = requests;
    expect(dropped).toBeGreaterThan(5_000);
    expect(told).toMatchObject([
      { level: "warn", message: "the log of model requests cannot be written" },
      { level: "warn", message: "the disk does not keep up: lines of the log of model requests are dropped" },
    ]);

    await rm(file, { recursive: true });
    await requests.flush();
    write(requests, 20_000, 20_001);
    await requests.close();
    const lines = linesOf(await readFile(file, "utf8"));
    const kept = 20_000 - dropped;
    expect(lines.slice(0, kept).map(({ id }) => id)).toEqual(numbered(0, kept));
    expect(lines.slice(kept)).toMatchObject([{ at: "2026-11-15T10:00:00.000Z", dropped }, { id: "req_20000" }]);
    expect(told.slice(2)).toEqual([
      { level: "info", fields: { file, dropped }, message: "the log of model requests is written again" },
    ]);
    expect(requests.dropped).toBe(dropped);
  });

  it("leaves no half of a line when it is full", async () => {
    const { folder, file } = place();
    // Files of this process and its children end at 4 KiB; the write that passes it is cut in the middle.
    const child = resolve(import.meta.dirname, "full-disk-child.mjs");
    const limited = `trap '' XFSZ; ulimit -f 4; exec "$0" "$@"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", limited, process.execPath, child, folder], {
      encoding: "utf8",
      timeout: 20_000,
    });
    expect(stderr).toBe("");
    const { told, dropped } = JSON.parse(stdout) as { readonly told: unknown; readonly dropped: number };
    const lines = linesOf(await readFile(file, "utf8"));
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.length + dropped).toBe(60);
    expect(told).toEqual([
      ["warn", "the log of model requests cannot be written", expect.stringContaining("EFBIG")],
      ["warn", "the disk does not keep up: lines of the log of model requests are dropped", null],
    ]);
  });
});
