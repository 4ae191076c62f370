import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { Failure, LIMITS, type ProviderSettings } from "../../src/protocol/index.ts";
import type { ProviderBook } from "../../src/proxy/index.ts";
import { runCommand } from "../../src/proxy/providers/command.ts";
import { namesOf, World } from "./providers-world.ts";

const CANARY = "CANARY-0123456789abcdef";
const place = { base_url: "http://127.0.0.1:9", wire: "openai" } as const;

const fromFile = (path: string): ProviderSettings => ({ local: { ...place, credential_file: path } });
const fromCommand = (command: string | string[]): ProviderSettings => ({
  local: { ...place, credential_command: command },
});

async function keysOf(book: ProviderBook): Promise<readonly (string | undefined)[]> {
  const credentials = await book.get("local").credentials();
  return credentials.map((credential) => credential.headers("openai")["authorization"]?.replace("Bearer ", ""));
}

async function failureOf(book: ProviderBook): Promise<Failure> {
  const outcome = await book
    .get("local")
    .credentials()
    .catch((error: unknown) => error);
  if (!(outcome instanceof Failure)) throw new Error("it was not refused");
  return outcome;
}

describe("a file of keys", () => {
  test("one key a line; blank lines and comments are skipped; learnt before it is used", async () => {
    using world = new World();
    const book = world.open(fromFile(world.write("keys", `# ours\n${CANARY}-1\r\n\n  ${CANARY}-2  \n`)));
    expect(world.learnt).toEqual([`${CANARY}-1`, `${CANARY}-2`]);
    expect(await keysOf(book)).toEqual([`${CANARY}-1`, `${CANARY}-2`]);
    expect(await namesOf(book, "local")).toEqual(["keys#1", "keys#2"]);
  });

  test.each([
    [0o600, true],
    [0o400, true],
    [0o700, true],
    [0o640, false],
    [0o604, false],
    [0o620, false],
    [0o644, false],
    [0o666, false],
  ])("mode %o", async (mode, isTaken) => {
    using world = new World();
    const path = world.write("key", CANARY);
    chmodSync(path, mode);
    const book = world.open(fromFile(path));
    if (isTaken) {
      expect(await keysOf(book)).toEqual([CANARY]);
      return;
    }
    expect(await failureOf(book)).toMatchObject({
      code: "model_unauthenticated",
      message: expect.stringContaining("chmod 600 key"),
    });
    expect(world.learnt).toEqual([]);
  });

  test("a link to a private file is one", async () => {
    using world = new World();
    symlinkSync(world.write("real", CANARY), world.path("link"));
    expect(await keysOf(world.open(fromFile(world.path("link"))))).toEqual([CANARY]);
  });

  const bad: readonly [string, (world: World) => string, string][] = [
    ["is not there", (world) => world.path("key"), "the file key does not exist"],
    ["is empty", (world) => world.write("key", "\n# nothing\n"), "the file key holds no key"],
    ["holds words", (world) => world.write("key", `my ${CANARY}`), "key 1 of the file key holds blanks"],
    [
      "holds bytes",
      (world) => world.write("key", `${CANARY}\u0000`),
      "key 1 of the file key holds blanks or characters",
    ],
    ["is too long", (world) => world.write("key", CANARY.repeat(4_000)), "must be a regular file of at most"],
    ["holds a long key", (world) => world.write("key", CANARY.repeat(400)), "key 1 of the file key is longer than"],
    ["holds many keys", (world) => world.write("key", `${CANARY}\n`.repeat(33)), "holds more than 32 keys"],
    ["is a folder", (world) => folder(world.path("key")), "must be a regular file"],
    ["is a pipe", (world) => pipe(world.path("key")), "must be a regular file"],
  ];
  test.each(bad)("one that %s is refused, told once, and never repeated", async (_what, make, words) => {
    using world = new World();
    const book = world.open(fromFile(make(world)));
    const failure = await failureOf(book);
    expect(failure).toMatchObject({ code: "model_unauthenticated", message: expect.stringContaining(words) });
    await failureOf(book);
    expect(world.warnings).toHaveLength(1);
    expect(failure.message + world.told).not.toContain("CANARY");
  });

  test("a new file is seen after a moment, and at once when its key was refused", async () => {
    using world = new World();
    const path = world.write("key", `${CANARY}-1`);
    const book = world.open(fromFile(path));
    const [old] = await book.get("local").credentials();
    world.write("key", `${CANARY}-2`);
    expect(await keysOf(book)).toEqual([`${CANARY}-1`]);
    world.now += LIMITS.settingsCheckMs;
    expect(await keysOf(book)).toEqual([`${CANARY}-2`]);
    world.write("key", `${CANARY}-3`);
    const [current] = await book.get("local").credentials();
    if (old === undefined || current === undefined) throw new Error("no key");
    // What comes late about a key that is gone changes nothing.
    book.get("local").report(old, { status: 401 });
    expect(await keysOf(book)).toEqual([`${CANARY}-2`]);
    book.get("local").report(current, { status: 401 });
    expect(await keysOf(book)).toEqual([`${CANARY}-3`]);
    expect(world.learnt).toEqual([`${CANARY}-1`, `${CANARY}-2`, `${CANARY}-3`]);
  });

  test("one that becomes readable for others is not used any more, and again when it is private", async () => {
    using world = new World();
    const path = world.write("key", CANARY);
    const book = world.open(fromFile(path));
    expect(await keysOf(book)).toEqual([CANARY]);
    chmodSync(path, 0o644);
    world.now += LIMITS.settingsCheckMs;
    expect((await failureOf(book)).message).toContain("chmod 600");
    chmodSync(path, 0o600);
    world.now += LIMITS.settingsCheckMs;
    expect(await keysOf(book)).toEqual([CANARY]);
  });
});

function folder(path: string): string {
  mkdirSync(path, { mode: 0o700 });
  return path;
}

function pipe(path: string): string {
  if (spawnSync("mkfifo", ["-m", "600", path]).status !== 0) throw new Error("no mkfifo here");
  return path;
}

describe("a command that prints a key", () => {
  /** Counts its runs in a file and prints another key each time. */
  const counting = (world: World): string =>
    `echo x >> ${world.path("runs")}; echo ${CANARY}-$(wc -l < ${world.path("runs")})`;
  const runsOf = (world: World): number =>
    existsSync(world.path("runs")) ? readFileSync(world.path("runs"), "utf8").trim().split("\n").length : 0;

  test("runs once for all who wait, only when it is needed, and is learnt first", async () => {
    using world = new World();
    const book = world.open(fromCommand(counting(world)));
    expect(runsOf(world)).toBe(0);
    const keys = await Promise.all(Array.from({ length: 50 }, () => keysOf(book)));
    expect([new Set(keys.flat()), runsOf(world), world.learnt]).toEqual([new Set([`${CANARY}-1`]), 1, [`${CANARY}-1`]]);
    expect(await namesOf(book, "local")).toEqual(["credential_command"]);
  });

  test("its key is kept for five minutes", async () => {
    using world = new World();
    const book = world.open(fromCommand(counting(world)));
    await keysOf(book);
    world.now += LIMITS.credentialCacheMs - 1;
    expect(await keysOf(book)).toEqual([`${CANARY}-1`]);
    world.now += 1;
    expect(await keysOf(book)).toEqual([`${CANARY}-2`]);
  });

  test.each([401, 403])("%i makes it run again, but not more often than every ten seconds", async (status) => {
    using world = new World();
    const book = world.open(fromCommand(counting(world)));
    const provider = book.get("local");
    const refuse = async (): Promise<void> => {
      for (const credential of await provider.credentials()) provider.report(credential, { status });
    };
    await refuse();
    expect(await keysOf(book)).toEqual([`${CANARY}-1`]);
    world.now += LIMITS.credentialAgainMs;
    expect(await keysOf(book)).toEqual([`${CANARY}-2`]);
    world.now += 1;
    await refuse();
    expect([await keysOf(book), runsOf(world)]).toEqual([[`${CANARY}-2`], 2]);
  });

  test("words are run as they are, text by a shell", async () => {
    using world = new World();
    expect(await keysOf(world.open(fromCommand(["/bin/echo", `${CANARY}$HOME`])))).toEqual([`${CANARY}$HOME`]);
    expect(await keysOf(world.open(fromCommand(`printf '%s' ${CANARY}; exit 0`)))).toEqual([CANARY]);
  });

  test("sees PATH and HOME, and nothing else of the server's", async () => {
    using world = new World();
    const book = world.open(
      fromCommand("env | grep -v '^PWD=\\|^SHLVL=\\|^_=\\|^OLDPWD=' | cut -d= -f1 | sort | tr '\\n' ','"),
      {
        ANTHROPIC_API_KEY: CANARY,
        OTHER: "x",
      },
    );
    expect(await keysOf(book)).toEqual(["HOME,PATH,"]);
  });

  const bad: readonly [string, string | string[], string][] = [
    ["fails", `echo ${CANARY} >&2; echo ${CANARY}; exit 3`, "ended with code 3"],
    ["prints nothing", `echo ${CANARY} >&2`, "printed nothing"],
    ["prints two lines", `echo ${CANARY}; echo ${CANARY}`, "printed more than one line"],
    ["prints words", `echo my ${CANARY}`, "printed a key that holds blanks"],
    ["prints too much", "yes CANARY", "printed more than 65536 bytes"],
    ["prints a long key", `printf '%09000d' 7; : ${CANARY}`, "printed a key that is longer than"],
    ["is not there", ["/nowhere/to/be/found", CANARY], "cannot be started (ENOENT)"],
    ["has no name", ["", CANARY], "cannot be started"],
    ["ends itself", "kill -9 $$", "was ended by SIGKILL"],
  ];
  test.each(bad)("one that %s is refused without a word of what it said", async (_what, command, words) => {
    using world = new World();
    const book = world.open(fromCommand(command));
    const failure = await failureOf(book);
    expect(failure).toMatchObject({ code: "model_unauthenticated", message: expect.stringContaining(words) });
    expect(failure.message + world.told).not.toContain("CANARY");
    expect(world.learnt).toEqual([]);
  });

  test("a failure is kept for ten seconds too", async () => {
    using world = new World();
    const book = world.open(fromCommand(`echo x >> ${world.path("runs")}; exit 1`));
    await Promise.all([failureOf(book), failureOf(book)]);
    await failureOf(book);
    expect(runsOf(world)).toBe(1);
    world.now += LIMITS.credentialAgainMs;
    await failureOf(book);
    expect(runsOf(world)).toBe(2);
  });

  test("what it leaves behind with our pipe in its hand does not hold it up", async () => {
    using world = new World();
    const book = world.open(fromCommand(`sleep 60 & echo $! > ${world.path("pid")}; echo ${CANARY}`));
    expect(await keysOf(book)).toEqual([CANARY]);
    // Still there: it was not waited for.
    process.kill(Number(readFileSync(world.path("pid"), "utf8")), "SIGKILL");
  });

  test("one that takes too long ends with everything that it started", async () => {
    using world = new World();
    const outcome = await runCommand({
      command: `sleep 60 & echo $! > ${world.path("pid")}; echo ${CANARY}; wait`,
      environment: process.env,
      signal: new AbortController().signal,
      limitMs: 1_500,
    });
    expect(outcome).toEqual({ ok: false, why: "took longer than 1.5 s" });
    await gone(await pidIn(world.path("pid")));
  });

  test("one that runs ends when the server stops", async () => {
    using world = new World();
    const book = world.open(fromCommand(`sleep 60 & echo $! > ${world.path("pid")}; wait`));
    const waiting = failureOf(book);
    const pid = await pidIn(world.path("pid"));
    book.close();
    expect((await waiting).message).toContain("was ended because the server stops");
    await gone(pid);
  });

  test("with a key in hand nobody waits for a command, which is there for the next request", async () => {
    using world = new World();
    const gate = world.path("gate");
    spawnSync("mkfifo", [gate]);
    const book = world.open(
      {
        local: {
          ...place,
          credentials: [{ credential_env: "FIRST" }, { credential_command: `read line < ${gate}; echo ${CANARY}` }],
        },
      },
      { FIRST: "first-key-0123" },
    );
    expect(await namesOf(book, "local")).toEqual(["FIRST"]);
    writeFileSync(gate, "go\n");
    let names: readonly string[] = [];
    while (names.length < 2) {
      names = await namesOf(book, "local");
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(names).toEqual(["FIRST", "credential_command"]);
  });
});

async function pidIn(path: string): Promise<number> {
  for (;;) {
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    if (text.endsWith("\n")) return Number(text);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function gone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    // A dead process of nobody's stays a zombie until its new parent looks.
    if (/^\d+ \(.*\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("keys that rest", () => {
  const settings: ProviderSettings = {
    local: { ...place, credentials: [{ credential_env: "A" }, { credential_env: "B" }, { credential_env: "C" }] },
  };
  const environment = { A: "key-a-0123456789", B: "key-b-0123456789", C: "key-c-0123456789" };
  type Told = readonly [name: string, status: number, retryAfterMs?: number];
  const cases: readonly [string, readonly Told[], number, readonly string[]][] = [
    ["nothing happened", [], 0, ["A", "B", "C"]],
    ["the first is exhausted", [["A", 429]], 0, ["B", "C", "A"]],
    ["the first is overloaded", [["A", 529]], 0, ["B", "C", "A"]],
    ["for as long as it was told", [["A", 429, 5_000]], 4_999, ["B", "C", "A"]],
    ["and not longer", [["A", 429, 5_000]], 5_000, ["A", "B", "C"]],
    ["half a minute when nothing was said", [["A", 429]], LIMITS.credentialRestMs, ["A", "B", "C"]],
    ["never longer than an hour", [["A", 429, 9e15]], LIMITS.credentialRestMaxMs, ["A", "B", "C"]],
    ["a time in the past", [["A", 429, -5]], 0, ["A", "B", "C"]],
    [
      "a refused key rests longer",
      [
        ["A", 401],
        ["B", 429],
      ],
      LIMITS.credentialRestMs,
      ["B", "C", "A"],
    ],
    ["a forbidden one too", [["B", 403]], LIMITS.credentialRefusedMs - 1, ["A", "C", "B"]],
    ["until its time is over", [["B", 403]], LIMITS.credentialRefusedMs, ["A", "B", "C"]],
    [
      "all of them: the soonest first",
      [
        ["A", 429, 9_000],
        ["B", 429, 1_000],
        ["C", 401],
      ],
      0,
      ["B", "A", "C"],
    ],
    [
      "one that works again",
      [
        ["A", 429],
        ["A", 200],
      ],
      0,
      ["A", "B", "C"],
    ],
    [
      "other statuses say nothing of a key",
      [
        ["A", 500],
        ["B", 404],
        ["C", 400],
      ],
      0,
      ["A", "B", "C"],
    ],
    [
      "nor do they wake one",
      [
        ["A", 429],
        ["A", 500],
      ],
      0,
      ["B", "C", "A"],
    ],
  ];
  test.each(cases)("%s", async (_what, told, later, order) => {
    using world = new World();
    const book = world.open(settings, environment);
    const provider = book.get("local");
    const all = await provider.credentials();
    for (const [name, status, retryAfterMs] of told) {
      const credential = all.find((one) => one.name === name);
      if (credential !== undefined) provider.report(credential, { status, retryAfterMs });
    }
    world.now += later;
    expect(await namesOf(book, "local")).toEqual(order);
  });

  test("the same key twice is one key", async () => {
    using world = new World();
    expect(
      await namesOf(world.open(settings, { A: "same-key-0123", B: "same-key-0123", C: "c-key-0123" }), "local"),
    ).toEqual(["A", "C"]);
  });

  test("one source that fails does not take the others with it", async () => {
    using world = new World();
    const book = world.open(
      { local: { ...place, credentials: [{ credential_file: world.path("none") }, { credential_env: "B" }] } },
      environment,
    );
    expect(await namesOf(book, "local")).toEqual(["B"]);
    expect(world.warnings).toEqual([
      {
        fields: {
          provider: "local",
          source: "none",
          problem: "the credential of the provider local cannot be used: the file none does not exist",
        },
        message: "no credential",
      },
    ]);
  });
});
