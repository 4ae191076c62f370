import { readdir, readFile } from "node:fs/promises";
import { filesBelow } from "../files-below.ts";

/** What looks like a session's key to the model proxy. */
const SESSION_KEY = /sp_model_[A-Za-z0-9_-]{20,}/;

/** Everything that was written or said, by where it was found, to be searched for what must not be there. */
export class Haystack {
  readonly #stalks = new Map<string, string>();

  add(where: string, text: string): void {
    this.#stalks.set(where, (this.#stalks.get(where) ?? "") + text);
  }

  get places(): readonly string[] {
    return [...this.#stalks.keys()];
  }

  /** The places where something was taken out. */
  get redacted(): readonly string[] {
    return [...this.#stalks].flatMap(([where, text]) => (text.includes("[redacted]") ? [where] : []));
  }

  /** `where: what` for each needle that is in it, as it is or in base64. Never repeats a needle. */
  find(needles: Readonly<Record<string, string>>): readonly string[] {
    const found: string[] = [];
    for (const [where, text] of this.#stalks) {
      for (const [name, needle] of Object.entries(needles)) {
        const forms = [needle, ...encoded(needle)];
        if (forms.some((form) => text.includes(form))) found.push(`${where}: ${name}`);
      }
      if (SESSION_KEY.test(text)) found.push(`${where}: a session's key`);
    }
    return found;
  }

  /** Each file below a folder, byte by byte. */
  async addFiles(name: string, folder: string): Promise<void> {
    for (const path of await filesBelow(folder)) {
      this.add(`${name} ${path.slice(folder.length)}`, await readFile(path, "latin1").catch(() => ""));
    }
  }

  /** Words and environment of every process below `pid`; of `pid` itself only the words. Answers how many there are below. */
  async addProcesses(name: string, pid: number): Promise<number> {
    const below = await descendants(pid);
    this.add(`${name}: words of the server`, await readFile(`/proc/${pid}/cmdline`, "latin1"));
    for (const child of below) {
      const words = await readFile(`/proc/${child}/cmdline`, "latin1").catch(() => "");
      this.add(`${name}: words of ${words.split("\0")[0]}`, words);
      this.add(
        `${name}: environment of ${words.split("\0")[0]}`,
        await readFile(`/proc/${child}/environ`, "latin1").catch(() => ""),
      );
    }
    return below.length;
  }
}

/** The middle of a base64 text does not depend on what stands around it, at three offsets. */
function encoded(needle: string): readonly string[] {
  return [0, 1, 2].map((shift) =>
    Buffer.from("x".repeat(shift) + needle)
      .toString("base64")
      .slice(4, -4),
  );
}

async function descendants(pid: number): Promise<readonly number[]> {
  const children = new Map<number, number[]>();
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found: number[] = [];
  const open = [pid];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const own = children.get(next) ?? [];
    found.push(...own);
    open.push(...own);
  }
  return found;
}
