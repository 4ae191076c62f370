import { appendFile, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { LIMITS, type ShownText } from "../../protocol/index.ts";

const Line = z.object({ item: z.string(), from: z.number().int(), text: z.string() });

/** One session's texts that somebody was shown before they were whole. */
export interface ShownSession extends ShownText {
  /** Makes sure that this much of an open text will be remembered; answers how much of it may be shown. */
  reveal(item_id: string, text: string): Promise<number>;
  close(): void;
}

/**
 * Remembers what readers of an `output` were shown of a message that was not whole, so that everybody is shown the same for ever: a message that
 * dies with the server has no text in the journal. It is written down before it is shown, and forgotten when the whole message begins with it.
 */
export class ShownTexts {
  readonly #folder: string | undefined;
  readonly #open = new Map<string, { readonly shown: Promise<ShownOutput>; readers: number }>();

  /** `folder`: absent: it is remembered as long as this process lives. */
  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  async open(session_id: string): Promise<ShownSession> {
    const path = this.#folder === undefined ? undefined : join(this.#folder, `${session_id}.jsonl`);
    const entry = this.#open.get(session_id) ?? { shown: ShownOutput.load(path), readers: 0 };
    this.#open.set(session_id, entry);
    entry.readers += 1;
    let closed = false;
    const close = (): void => {
      if (closed) return;
      closed = true;
      entry.readers -= 1;
      void entry.shown
        .then((shown) => shown.idle())
        .catch(() => path !== undefined)
        .then((isKept) => {
          if (entry.readers === 0 && isKept) this.#open.delete(session_id);
        });
    };
    try {
      const shown = await entry.shown;
      return {
        settle: (item_id, text) => shown.settle(item_id, text),
        reveal: (item_id, text) => shown.reveal(item_id, text),
        close,
      };
    } catch (error) {
      close();
      throw error;
    }
  }
}

class ShownOutput {
  readonly #path: string | undefined;
  /** What may have been shown, by item; the file has all of it. */
  readonly #texts: Map<string, string>;
  /** Messages that have ended, the oldest first: a reader that is behind is shown no more of them before it has seen that. */
  readonly #ended = new Set<string>();
  #writing: Promise<void> = Promise.resolve();
  /** The file lacks something: the disk refused it. */
  #isBehind = false;

  private constructor(path: string | undefined, texts: Map<string, string>) {
    this.#path = path;
    this.#texts = texts;
  }

  static async load(path: string | undefined): Promise<ShownOutput> {
    const texts = new Map<string, string>();
    const file = path === undefined ? "" : await readFile(path, "utf8").catch(absent);
    for (const line of file.split("\n")) {
      const { item, from, text } = parsed(line) ?? {};
      if (item === undefined || text === undefined) continue;
      const before = texts.get(item) ?? "";
      if (from === before.length) texts.set(item, before + text);
    }
    const shown = new ShownOutput(path, texts);
    // A line that its writer did not finish was never shown; what comes next must not stand behind it.
    if (file !== "" && !file.endsWith("\n")) shown.#write(() => shown.#rewrite());
    return shown;
  }

  /** Resolves when everything is written. Whether nothing is lost when this object is. */
  async idle(): Promise<boolean> {
    await this.#writing;
    return this.#path !== undefined || this.#texts.size === 0;
  }

  async reveal(item: string, text: string): Promise<number> {
    const before = this.#texts.get(item) ?? "";
    if (this.#ended.has(item) || !text.startsWith(before)) return 0;
    if (text.length > before.length || this.#isBehind) {
      this.#texts.set(item, text);
      this.#write(() => this.#append({ item, from: before.length, text: text.slice(before.length) }));
    }
    await this.#writing;
    return text.length;
  }

  settle(item: string, text: string): string {
    this.#end(item);
    const before = this.#texts.get(item) ?? "";
    if (before === "") return text;
    if (!text.startsWith(before)) return text === "" ? before : `${before}\n${text}`;
    this.#texts.delete(item);
    this.#write(() => this.#rewrite());
    return text;
  }

  #end(item: string): void {
    this.#ended.add(item);
    const [oldest] = this.#ended;
    if (oldest !== undefined && this.#ended.size > LIMITS.mountEndedMessages) this.#ended.delete(oldest);
  }

  /** One write after the other. After one that failed, the next one writes everything. */
  #write(work: () => Promise<void>): void {
    this.#writing = this.#writing
      .catch(() => undefined)
      .then(async () => {
        try {
          await (this.#isBehind ? this.#rewrite() : work());
          this.#isBehind = false;
        } catch (error) {
          this.#isBehind = true;
          throw error;
        }
      });
    // Whoever waits for it is told; others need not know.
    this.#writing.catch(() => undefined);
  }

  async #append(line: z.infer<typeof Line>): Promise<void> {
    const path = this.#path;
    if (path === undefined) return;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await appendFile(path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  }

  /** Leaves in the file only what is still needed. */
  async #rewrite(): Promise<void> {
    const path = this.#path;
    if (path === undefined) return;
    if (this.#texts.size === 0) return rm(path, { force: true });
    const lines = [...this.#texts].map(([item, text]) => `${JSON.stringify({ item, from: 0, text })}\n`);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    try {
      await writeFile(`${path}.new`, lines.join(""), { mode: 0o600 });
      await rename(`${path}.new`, path);
    } catch (error) {
      await rm(`${path}.new`, { force: true });
      throw error;
    }
  }
}

function parsed(line: string): z.infer<typeof Line> | undefined {
  try {
    return Line.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

function absent(error: NodeJS.ErrnoException): string {
  if (error.code === "ENOENT") return "";
  throw error;
}
