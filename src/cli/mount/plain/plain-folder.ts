import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { MountTrouble } from "../../../fuse/index.ts";
import { LIMITS } from "../../../protocol/index.ts";
import type { MountServer } from "../remote-files.ts";
import { patiently } from "../troubles.ts";
import { Mirror, type MirrorOptions } from "./mirror.ts";
import { SessionMirror } from "./session-mirror.ts";

export interface PlainFolderOptions {
  readonly server: MountServer;
  readonly text: string;
  readonly cwd: string;
  /** Where programs are searched. */
  readonly path: string;
  /** Called when everything is there for the first time. */
  readonly onReady: (folder: string) => void;
  readonly onTrouble: (error: Error) => void;
  readonly signal: AbortSignal;
}

const SESSIONS = "/claude/sessions";
/** Marks the files beside it as ours to remove. */
const MARKER = ".sallyport-plain";
/** Everything outside sessions is checked once in this many rounds, and after each message. */
const ROUNDS_BETWEEN = 10;

/** The server's tree as ordinary files and pipes, kept up to date until the signal; then they are removed. */
export async function plainFolder(options: PlainFolderOptions): Promise<void> {
  const folder = resolve(options.cwd, options.text);
  await claim(folder);
  const keeper = new PlainKeeper(options, folder);
  try {
    await keeper.round();
    options.onReady(folder);
    await keeper.run();
  } finally {
    await keeper.close();
    await empty(folder);
  }
}

/** An empty folder, or one that a killed process left. */
async function claim(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const names = await readdir(folder);
  if (names.includes(MARKER)) await empty(folder);
  else if (names.length > 0) throw new MountTrouble(`${folder} is not empty; choose a folder of its own`);
  await writeFile(join(folder, MARKER), "Made by sallyport mount --plain, which removes all of this when it ends.\n");
}

async function empty(folder: string): Promise<void> {
  const names = await readdir(folder);
  for (const name of names.filter((name) => name !== MARKER))
    await rm(join(folder, name), { recursive: true, force: true });
  await rm(join(folder, MARKER), { force: true });
}

class PlainKeeper {
  readonly #options: PlainFolderOptions;
  readonly #folder: string;
  readonly #root: Mirror;
  readonly #sessions = new Map<string, SessionMirror>();
  #rounds = 0;
  #written = false;
  /** One round at a time. */
  #turn: Promise<void> = Promise.resolve();

  constructor(options: PlainFolderOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
    const skip = (remote: string): boolean => remote === SESSIONS;
    this.#root = new Mirror({ ...this.#common(), remote: "/claude", folder, skip });
  }

  async run(): Promise<void> {
    const { signal, onTrouble } = this.#options;
    while (!signal.aborted) {
      await pause(LIMITS.mountPlainMs, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) await this.round().catch(onTrouble);
    }
  }

  /** Checks everything that may have changed. */
  round(): Promise<void> {
    const round = this.#turn.then(() => this.#round());
    this.#turn = round.catch(() => undefined);
    return round;
  }

  async close(): Promise<void> {
    await this.#root.close();
    await Promise.all([...this.#sessions.values()].map((session) => session.close()));
    await this.#turn;
  }

  async #round(): Promise<void> {
    const whole = this.#rounds % ROUNDS_BETWEEN === 0 || this.#written;
    this.#rounds += 1;
    this.#written = false;
    if (whole) await this.#root.update();
    await this.#followSessions();
    for (const session of this.#sessions.values()) {
      if (this.#options.signal.aborted) return;
      await session.round();
    }
  }

  /** The newest ones; older ones are removed. */
  async #followSessions(): Promise<void> {
    const listed = await patiently(() => this.#options.server.list(SESSIONS), { again: true });
    const newest = listed.filter(({ is_dir }) => is_dir).slice(0, LIMITS.mountPlainSessions);
    const wanted = new Set(newest.map(({ name }) => name));
    const local = join(this.#folder, "sessions");
    await mkdir(local, { recursive: true, mode: 0o700 });
    for (const [name, session] of this.#sessions) {
      if (wanted.has(name)) continue;
      this.#sessions.delete(name);
      await session.close();
      await rm(join(local, name), { recursive: true, force: true });
    }
    for (const name of wanted) {
      if (this.#sessions.has(name)) continue;
      const place = { remote: `${SESSIONS}/${name}`, folder: join(local, name), skip: () => false };
      this.#sessions.set(name, new SessionMirror({ ...this.#common(), ...place }));
    }
  }

  #common(): Pick<MirrorOptions, "server" | "programs" | "onTrouble" | "onWritten"> {
    const { server, path, onTrouble } = this.#options;
    const onWritten = (): Promise<void> => {
      this.#written = true;
      for (const session of this.#sessions.values()) session.touch();
      return this.round();
    };
    return { server, programs: path, onTrouble, onWritten };
  }
}
