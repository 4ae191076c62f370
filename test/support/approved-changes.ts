import { createHash } from "node:crypto";
import { chmod, lstat, mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { Failure, isTerminal, type Approval } from "../../src/protocol/index.ts";
import { script, type TestApp } from "./app.ts";

/** What two sessions want to change. Each call writes a word that nobody else writes. */
const CALLS = ["write link", "write dl/f", "write new", "write d1/f", "edit one", "edit link"] as const;
/** What becomes of the files meanwhile. */
const CHANGES = ["link", "dl", "one", "two", "d1/f", "new", "mode", "remove one", "remove new"] as const;
const TARGETS = { link: ["one", "two", "new"], dl: ["d1", "d2", ".git/hooks"] } as const;

type Change = readonly [(typeof CHANGES)[number], number];
type Step =
  | { readonly do: "ask"; readonly by: 0 | 1; readonly call: (typeof CALLS)[number] }
  | { readonly do: "change"; readonly change: Change }
  | { readonly do: "approve" | "reject"; readonly by: 0 | 1 }
  /** The change comes while the answer is taken. */
  | { readonly do: "race"; readonly by: 0 | 1; readonly change: Change };

const session = fc.constantFrom(0 as const, 1 as const);
const change: fc.Arbitrary<Change> = fc.tuple(fc.constantFrom(...CHANGES), fc.nat(5));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("change" as const), change }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("approve" as const), by: session }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("race" as const), by: session, change }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("reject" as const), by: session }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("ask" as const), by: session, call: fc.constantFrom(...CALLS) }),
  },
);
const call = fc.constantFrom(...CALLS);

/** Several sequences that go on side by side, so that one restart of the server hits all of them. */
const sideBySide = (width: number): fc.Arbitrary<Together> =>
  fc.record({
    sequences: fc.array(
      fc.record({ first: fc.tuple(call, call), steps: fc.array(step, { minLength: 5, maxLength: 5 }) }),
      {
        minLength: width,
        maxLength: width,
      },
    ),
    /** Before which step the server is started again; 5 and more: never. */
    restartBefore: fc.nat(9),
  });

interface Together {
  readonly sequences: readonly Sequence[];
  readonly restartBefore: number;
}

interface Sequence {
  readonly first: readonly [(typeof CALLS)[number], (typeof CALLS)[number]];
  readonly steps: readonly Step[];
}

/** What happened, and what should not have. */
interface Counts {
  batches: number;
  ran: number;
  askedAgain: number;
  restarts: number;
  readonly faults: string[];
}

async function runTogether(app: TestApp, together: Together, counts: Counts): Promise<void> {
  counts.batches += 1;
  const plays = await Promise.all(
    together.sequences.map((sequence, index) =>
      Play.open({ app, counts, sequence, name: `${counts.batches}-${index}` }),
    ),
  );
  for (let at = 0; at < 5; at += 1) {
    if (at === together.restartBefore) {
      await app.restart();
      counts.restarts += 1;
    }
    await Promise.all(plays.map((play) => play.step(at)));
  }
  await Promise.all(plays.map((play) => play.close()));
}

type Snapshot = ReadonlyMap<string, string>;

/** One session's call: what it writes, and the question about it. */
interface Slot {
  readonly id: string;
  readonly word: string;
  after: number;
  question: Approval | undefined;
  /** The files when the question was asked. */
  shown: Snapshot;
  completed: boolean;
  /** Places that somebody approved for this word. */
  readonly approved: Set<string>;
}

interface PlayOptions {
  readonly app: TestApp;
  readonly counts: Counts;
  readonly sequence: Sequence;
  readonly name: string;
}

class Play {
  readonly #options: PlayOptions;
  readonly #folder: string;
  readonly #slots: (Slot | undefined)[] = [undefined, undefined];
  readonly #all: Slot[] = [];

  constructor(options: PlayOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
  }

  static async open(options: PlayOptions): Promise<Play> {
    const folder = join(options.app.place.workspace, `play-${options.name}`);
    await mkdir(join(folder, "d1"), { recursive: true });
    await mkdir(join(folder, "d2"));
    await mkdir(join(folder, ".git/hooks"), { recursive: true });
    for (const name of ["one", "two", "d1/f", "d2/f"]) await writeFile(join(folder, name), `${name} word\n`);
    await symlink("one", join(folder, "link"));
    await symlink("d1", join(folder, "dl"));
    const play = new Play(options, folder);
    const [left, right] = options.sequence.first;
    await play.#ask(0, left);
    await play.#ask(1, right);
    return play;
  }

  async step(at: number): Promise<void> {
    const step = this.#options.sequence.steps[at];
    switch (step?.do) {
      case undefined:
        return;
      case "ask":
        return this.#ask(step.by, step.call);
      case "change":
        return this.#change(step.change);
      case "approve":
        return this.#approve(step.by);
      case "reject":
        return this.#reject(step.by);
      case "race":
        return this.#race(step.by, step.change);
    }
  }

  async close(): Promise<void> {
    for (const { id } of this.#all) await this.#options.app.client.control(id, "close");
    await rm(this.#folder, { recursive: true });
  }

  async #ask(by: 0 | 1, wanted: (typeof CALLS)[number]): Promise<void> {
    if (this.#slots[by]?.question !== undefined) return;
    const [verb = "", name = ""] = wanted.split(" ");
    const word = `word-${this.#options.name}-${this.#all.length}`;
    const tool =
      verb === "write"
        ? { tool: "Write", input: { file_path: name, content: `${word}\n` } }
        : { tool: "Edit", input: { file_path: name, old_string: "word", new_string: word, replace_all: true } };
    const created = await this.#options.app.client.createSession({
      workspace: this.#folder,
      prompt: { text: script(tool, { say: "Done." }) },
    });
    const slot: Slot = {
      id: created.id,
      word,
      after: 0,
      question: undefined,
      shown: new Map(),
      completed: false,
      approved: new Set(),
    };
    this.#slots[by] = slot;
    this.#all.push(slot);
    await this.#follow(slot);
  }

  /** Reads on until the session asks or its turn has ended. */
  async #follow(slot: Slot): Promise<void> {
    slot.question = undefined;
    for await (const frame of this.#options.app.client.watch(slot.id, { after: slot.after })) {
      if (!("seq" in frame)) continue;
      slot.after = frame.seq;
      if (frame.type === "item.completed" && "tool_use_id" in frame.item)
        slot.completed = frame.item.status === "completed";
      if (frame.type === "approval.requested") {
        slot.question = frame.approval;
        if (frame.approval.replaces !== undefined) this.#options.counts.askedAgain += 1;
      }
      if (frame.type === "approval.requested" || isTerminal(frame)) break;
    }
    slot.shown = await this.#look();
  }

  async #decide(slot: Slot, decision: "approve" | "reject"): Promise<"taken" | "changed"> {
    const { id = "", input_hash = "" } = slot.question ?? {};
    try {
      await this.#options.app.client.decide(id, { decision, input_hash });
      return "taken";
    } catch (error) {
      if (error instanceof Failure && error.code === "input_changed") return "changed";
      throw error;
    }
  }

  async #approve(by: 0 | 1): Promise<void> {
    const slot = this.#slots[by];
    if (slot?.question === undefined) return;
    const { planned } = slot.question;
    const before = await this.#look();
    const isAsShown = isSame(before, slot.shown);
    await this.#decide(slot, "approve");
    if (planned !== undefined) slot.approved.add(planned.real_path);
    await this.#follow(slot);
    const changed = difference(before, await this.#look());
    if (slot.completed) this.#options.counts.ran += 1;
    if (!slot.completed) {
      if (changed.length > 0) this.#fault(slot, `nothing ran, but ${changed.join(", ")} changed`);
      if (isAsShown && planned !== undefined) this.#fault(slot, "nothing had changed, but it did not run");
      return;
    }
    const place = planned?.real_path.slice(this.#folder.length + 1) ?? "(none)";
    const was = before.get(place);
    const is = (await this.#look()).get(place) ?? "";
    if (changed.length !== 1 || changed[0] !== place)
      this.#fault(slot, `shown ${place}, changed ${changed.join(", ")}`);
    if ((was === undefined ? "absent" : sha256(contentOf(was))) !== planned?.before)
      this.#fault(slot, "another file before");
    if (sha256(contentOf(is)) !== planned?.after) this.#fault(slot, "another content after");
  }

  async #reject(by: 0 | 1): Promise<void> {
    const slot = this.#slots[by];
    if (slot?.question === undefined) return;
    const before = await this.#look();
    await this.#decide(slot, "reject");
    await this.#follow(slot);
    if (!isSame(before, await this.#look())) this.#fault(slot, "rejected, but something changed");
  }

  /** Whatever came first: the word stands only where somebody approved it. */
  async #race(by: 0 | 1, wanted: Change): Promise<void> {
    const slot = this.#slots[by];
    if (slot?.question === undefined) return;
    const { planned } = slot.question;
    await Promise.all([this.#decide(slot, "approve"), this.#change(wanted)]);
    if (planned !== undefined) slot.approved.add(planned.real_path);
    await this.#follow(slot);
    if (slot.completed) this.#options.counts.ran += 1;
    for (const [name, text] of await this.#look())
      if (text.includes(slot.word) && !slot.approved.has(join(this.#folder, name)))
        this.#fault(slot, `${name} was written, approved was ${[...slot.approved].join(", ")}`);
  }

  async #change([what, variant]: Change): Promise<void> {
    const at = (name: string): string => join(this.#folder, name);
    switch (what) {
      case "link":
      case "dl":
        await rm(at(what), { force: true });
        await symlink(TARGETS[what][variant % 3] ?? "one", at(what));
        return;
      case "mode":
        await chmod(at("two"), variant % 2 === 0 ? 0o644 : 0o755);
        await chmod(at("one"), variant % 2 === 0 ? 0o755 : 0o644).catch(() => undefined);
        return;
      case "remove one":
      case "remove new":
        await rm(at(what.slice("remove ".length)), { force: true });
        return;
      default:
        await writeFile(at(what), `${what} word ${variant}\n`);
    }
  }

  /** Every file and link below the folder, with its mode and content. */
  async #look(): Promise<Snapshot> {
    const found = new Map<string, string>();
    for (const entry of await readdir(this.#folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isDirectory()) continue;
      const { mode } = await lstat(path);
      const content = entry.isSymbolicLink() ? await readlink(path) : await readFile(path, "utf8");
      found.set(path.slice(this.#folder.length + 1), `${mode.toString(8)} ${content}`);
    }
    return found;
  }

  #fault({ word }: Slot, what: string): void {
    this.#options.counts.faults.push(`${word}: ${what}`);
  }
}

function isSame(left: Snapshot, right: Snapshot): boolean {
  return difference(left, right).length === 0;
}

function difference(before: Snapshot, after: Snapshot): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name));
}

function contentOf(seen: string): string {
  return seen.slice(seen.indexOf(" ") + 1);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Runs so many sequences, the same ones for a seed, with a home of its own for every 500. */
export async function approvedChanges(
  openApp: () => Promise<TestApp>,
  { count, width, seed }: { readonly count: number; readonly width: number; readonly seed: number },
): Promise<Counts & { readonly sequences: number }> {
  const counts: Counts = { batches: 0, ran: 0, askedAgain: 0, restarts: 0, faults: [] };
  const all = fc.sample(sideBySide(width), { seed, numRuns: Math.ceil(count / width) });
  let app: TestApp | undefined;
  for (const [index, together] of all.entries()) {
    if (index % Math.ceil(500 / width) === 0) {
      await app?.[Symbol.asyncDispose]();
      app = await openApp();
    }
    if (app !== undefined) await runTogether(app, together, counts);
    if (counts.faults.length > 0) break;
  }
  await app?.[Symbol.asyncDispose]();
  return { ...counts, sequences: all.length * width };
}
