import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { searchTerms, type Item } from "../../src/protocol/index.ts";
import { openSqliteStore, openTextSearch, type EventRow, type Store, type TextSearch } from "../../src/store/index.ts";
import { loadSqlite } from "../../src/store/sqlite/binding.ts";
import { backUp, restore } from "../../src/store/sqlite/backup.ts";
import { snippetOf } from "../../src/store/sqlite/search/snippet.ts";
import { TextIndex } from "../../src/store/sqlite/search/text-index.ts";
import { searchableText, wordParts } from "../../src/store/sqlite/search/texts.ts";
import { at, eventRow, sessionRow } from "../conformance/store-rows.ts";
import { cpuTime } from "../support/cpu-time.ts";

const WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "handleClick", "src/store/open.ts", "größe"];

/** An event with these words. */
function message(session_id: string, seq: number, text: string): EventRow {
  const item: Item = { id: `item_${seq}`, type: "agent_message", status: "completed", text };
  const body = JSON.stringify({ type: "item.completed", item });
  return eventRow(session_id, seq, { type: "item.completed", at: at(seq), body });
}

/** The same pseudo-random numbers each time. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state;
  };
}

describe("the search in journals", () => {
  let folder: string;
  let path: string;
  let store: Store;
  const searches: TextSearch[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "sallyport-search-"));
    path = join(folder, "sallyport.db");
    store = await open();
  });
  afterEach(async () => {
    await Promise.all(searches.splice(0).map((search) => search.close()));
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });

  const open = (): Promise<Store> =>
    openSqliteStore({
      path,
      tuning: { reserveBytes: 0 },
      onFatal: (error) => {
        throw error;
      },
    });

  function begin(): TextSearch {
    const search = openTextSearch({ path });
    searches.push(search);
    return search;
  }

  /** Everything that is found, page after page. */
  async function all(
    search: TextSearch,
    q: string,
    query: Partial<Parameters<TextSearch["search"]>[0]> = {},
  ): Promise<readonly string[]> {
    const found: string[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await search.search({ terms: searchTerms(q), limit: 150, ...query, cursor }, ["ses_1", "ses_2"]);
      found.push(...page.found.map(({ session_id, seq }) => `${session_id} ${seq}`));
      cursor = page.next;
      if (cursor === undefined) return found;
    }
  }

  it("finds in 10,000 items exactly what a plain scan finds, newest first, each once", async () => {
    const next = numbers(7);
    const texts = Array.from({ length: 10_000 }, () =>
      Array.from({ length: 4 }, () => WORDS[next() % WORDS.length] ?? "").join(" "),
    );
    const rows = texts.map((text, index) => message(index % 2 === 0 ? "ses_1" : "ses_2", index + 1, text));
    await store.commit({
      sessions: ["ses_1", "ses_2"].map((id) => sessionRow({ id, seq: rows.length })),
      events: rows,
    });
    const search = begin();
    while (!(await search.follow([])));
    const scan = (isHit: (text: string) => boolean): readonly string[] =>
      rows
        .filter((_, index) => isHit(texts[index] ?? ""))
        .map(({ session_id, seq }) => `${session_id} ${seq}`)
        .toReversed();
    expect(await all(search, "alpha beta")).toEqual(scan((text) => text.includes("alpha") && text.includes("beta")));
    expect(await all(search, '"gamma delta"')).toEqual(scan((text) => text.includes("gamma delta")));
    expect(await all(search, "store/open zet")).toEqual(
      scan((text) => text.includes("store/") && text.includes("zeta")),
    );
    expect(await all(search, "click grosse")).toEqual([]);
    // Found without regard to accents, and by a part of a word that begins with a capital.
    expect(await all(search, "click große")).toEqual(scan((text) => text.includes("Click") && text.includes("größe")));
    const within = [{ session_id: "ses_2", after: 100, upto: 9_000 }];
    expect(await all(search, "epsilon", { within })).toEqual(
      scan((text) => text.includes("epsilon")).filter((place) => {
        const [session, seq] = place.split(" ");
        return session === "ses_2" && Number(seq) > 100 && Number(seq) <= 9_000;
      }),
    );
  });

  it("a search finds what was stored just before, and nobody's sessions but the caller's", async () => {
    const search = begin();
    await store.commit({
      sessions: [sessionRow({ id: "ses_1", seq: 1 }), sessionRow({ id: "ses_2", seq: 1, created_by: "tok_bob" })],
      events: [message("ses_1", 1, "the first word"), message("ses_2", 1, "the second word")],
    });
    expect(await all(search, "word")).toEqual(["ses_2 1", "ses_1 1"]);
    expect(await all(search, "word", { created_by: "tok_bob" })).toEqual(["ses_2 1"]);
    await store.commit({
      sessions: [sessionRow({ id: "ses_1", seq: 2 })],
      events: [message("ses_1", 2, "another word")],
    });
    expect(await all(search, "word", { created_by: "tok_alice" })).toEqual(["ses_1 2", "ses_1 1"]);
    const page = await search.search({ terms: searchTerms("another"), limit: 1 }, []);
    expect(page).toEqual({
      found: [{ session_id: "ses_1", seq: 2, at: at(2), kind: "message", snippet: "another word", marks: [[0, 7]] }],
      complete: true,
    });
    await expect(search.search({ terms: searchTerms("a"), limit: 1, cursor: "x" }, [])).rejects.toMatchObject({
      code: "cursor_invalid",
    });
  });

  it("forgets a deleted session at once, its words soon, and keeps what a fork begins with", async () => {
    await store.commit({
      sessions: [sessionRow({ id: "ses_1", seq: 2 }), sessionRow({ id: "ses_2", seq: 2 })],
      events: [
        message("ses_1", 1, "secretword kept"),
        message("ses_1", 2, "secretword gone"),
        message("ses_2", 1, "rest"),
      ],
    });
    const lineage = [{ session_id: "ses_1", after: 0, upto: 1 }];
    const state = JSON.stringify({ lineage });
    await store.commit({
      sessions: [sessionRow({ id: "ses_3", seq: 1, parent_id: "ses_1", parent_seq: 1, state })],
    });
    const search = begin();
    expect(await all(search, "secretword")).toEqual(["ses_1 2", "ses_1 1"]);
    await store.commit({ deletedSessions: ["ses_1"] });
    expect(await all(search, "secretword")).toEqual([]);
    await store.sweep(0);
    while (!(await search.follow(["ses_1"])));
    expect(await all(search, "secretword", { within: lineage })).toEqual(["ses_1 1"]);
    await store.commit({ deletedSessions: ["ses_3"] });
    await store.sweep(0);
    while (!(await search.follow(["ses_1", "ses_3"])));
    await search.close();
    // Not even in a page of the file that nobody uses.
    for (const end of ["", "-wal"])
      expect((await readFile(join(folder, `search.db${end}`)).catch(() => "")).includes("secretword")).toBe(false);
    // Nor as a word of the index.
    const database = (await loadSqlite())(join(folder, "search.db"));
    database.exec("CREATE VIRTUAL TABLE temp.words USING fts5vocab (main, texts, row)");
    const words = database.prepare("SELECT term FROM words").all() as { readonly term: string }[];
    database.close();
    expect(words.map(({ term }) => term)).toEqual(["2", "rest", "ses"]);
  });

  it("reads the other sessions when one cannot be stored", async () => {
    await store.commit({
      sessions: [sessionRow({ id: "ses_1", seq: 1 }), sessionRow({ id: "ses_2", seq: 1 })],
      events: [message("ses_1", 1, "readable"), message("ses_2", 1, "refused")],
    });
    const sqlite = await loadSqlite();
    const file = join(folder, "search.db");
    const index = new TextIndex({ open: sqlite, journal: path, index: file, now: () => 0 });
    const other = sqlite(file);
    other.exec(
      "CREATE TRIGGER refuse BEFORE INSERT ON entries WHEN NEW.session_id = 'ses_2' BEGIN SELECT RAISE(ABORT, 'refused'); END",
    );
    other.close();
    index.note(["ses_1", "ses_2"]);
    // The first pass is undone as a whole, the second keeps what it has read before the error.
    expect(() => index.follow(1)).toThrow("refused");
    expect(() => index.follow(1)).toThrow("refused");
    const stored = sqlite(file, { readOnly: true });
    expect(stored.prepare("SELECT session_id, seq FROM positions").all()).toEqual([{ session_id: "ses_1", seq: 1 }]);
    stored.close();
    const within = [{ session_id: "ses_1", after: 0, upto: 1 }];
    const { found } = index.search({ terms: searchTerms("readable"), limit: 10, within });
    index.close();
    expect(found.map(({ session_id, seq }) => [session_id, seq])).toEqual([["ses_1", 1]]);
  });

  it("continues where a killed process was, makes a broken file anew, and follows a restored journal", async () => {
    const events = Array.from({ length: 700 }, (_, index) => message("ses_1", index + 1, `word number ${index + 1}`));
    await store.commit({ sessions: [sessionRow({ id: "ses_1", seq: 700 })], events });
    const sqlite = await loadSqlite();
    const index = join(folder, "search.db");
    const indexed: unknown[] = [];
    for (let times = 0; times < 4; times += 1) {
      const texts = new TextIndex({ open: sqlite, journal: path, index, now: () => 0 });
      texts.note(["ses_1"]);
      // Without time it reads one batch.
      texts.follow(0);
      texts.close();
      const database = sqlite(index, { readOnly: true });
      indexed.push(database.prepare("SELECT count(*) AS texts, max(seq) AS seq FROM entries").get());
      database.close();
    }
    expect(indexed).toEqual([200, 400, 600, 700].map((seq) => ({ texts: seq, seq })));
    expect((await stat(index)).mode & 0o777).toBe(0o600);
    const backup = join(folder, "backup.db");
    await backUp({ path, target: backup, files: [], now: 0 });
    await store.commit({ sessions: [sessionRow({ id: "ses_1", seq: 701 })], events: [message("ses_1", 701, "later")] });
    let search = begin();
    expect(await all(search, "number 700")).toEqual(["ses_1 700"]);
    expect(await all(search, "later")).toEqual(["ses_1 701"]);
    await search.close();
    await writeFile(index, "this is no database, and never was one");
    search = begin();
    expect(await all(search, "later")).toEqual(["ses_1 701"]);
    await search.close();
    await store.close();
    await restore({ path, source: backup, now: 0 });
    store = await open();
    await store.commit({ sessions: [sessionRow({ id: "ses_1", seq: 701 })], events: [message("ses_1", 701, "other")] });
    search = begin();
    expect(await all(search, "later")).toEqual([]);
    expect(await all(search, "other")).toEqual(["ses_1 701"]);
  });
});

describe("what is searched", () => {
  const call = {
    id: "item_1",
    type: "command_execution",
    status: "completed",
    tool: "Bash",
    tool_use_id: "toolu_1",
    input: { command: "rm -rf build", nested: [{ path: "a/b.ts" }, 7, true] },
    command: "rm -rf build",
    aggregated_output: `${"x".repeat(8_192)}too late`,
  } as const;

  it("takes a call's name, what went into it as it ran, and the beginning of its result", () => {
    const found = searchableText({ type: "item.completed", item: call });
    expect([found?.kind, found?.tool]).toEqual(["call", "Bash"]);
    expect(found?.text.startsWith("Bash\nrm -rf build\na/b.ts\n7\nxxx")).toBe(true);
    expect(found?.text).not.toContain("too late");
    const edited = { ...call, approved_input: { command: "rm -rf dist" }, aggregated_output: "" };
    expect(searchableText({ type: "item.completed", item: edited })?.text).toBe("Bash\nrm -rf dist\n");
  });

  it("leaves out what was never said", () => {
    const cut = { id: "item_2", type: "agent_message", status: "superseded", text: "half" } as const;
    expect(searchableText({ type: "item.completed", item: cut })).toBeUndefined();
    expect(searchableText({ type: "item.started", item: { ...cut, status: "in_progress" } })).toBeUndefined();
    expect(
      searchableText({ type: "item.completed", item: { ...cut, status: "completed", text: " " } }),
    ).toBeUndefined();
  });

  it.each([
    ["handleClick of myHTMLParser", "Click HTMLParser"],
    ["plain words, HTML and a1B2", ""],
  ])("finds the parts of words: %j", (text, parts) => {
    expect(wordParts(text)).toBe(parts);
  });

  it.each(["a", "漢", "aB"])("a long word of %j takes no time", (letter) => {
    const begin = cpuTime();
    wordParts(letter.repeat(200_000));
    expect(cpuTime() - begin).toBeLessThan(3_000);
  });

  it("shows the sentence around the first hit, with all hits marked, on one line", () => {
    const text = `${"before ".repeat(100)}\n\nthe Needle in handleNeedle, needles\n${"after ".repeat(100)}`;
    const { snippet, marks } = snippetOf(text, searchTerms("needle"));
    expect(snippet.startsWith("… before ")).toBe(true);
    expect(snippet.endsWith(" after …")).toBe(true);
    expect(marks.map(([start, end]) => snippet.slice(start, end))).toEqual(["Needle", "needles"]);
    expect(snippet.length).toBeLessThan(260);
    expect(snippetOf("handleClick", searchTerms("click")).marks).toEqual([[6, 11]]);
    expect(snippetOf("größe", searchTerms("große"))).toEqual({ snippet: "größe", marks: [] });
    expect(snippetOf(`${"😀".repeat(400)} end`, searchTerms("end")).snippet).not.toMatch(
      /[\uD800-\uDBFF](?![\uDC00-\uDFFF])/,
    );
  });
});
