import { FuseError, FuseLoop, mountFuse, serveMount } from "../../src/fuse/index.ts";
import type {
  FuseCaller,
  Attributes,
  FuseFiles,
  FuseLimits,
  Listed,
  OpenFile,
  OpenMode,
} from "../../src/fuse/index.ts";

const LIMITS: FuseLimits = { readers: 2, requests: 1_000, handles: 64, nodes: 1_000, writeBytes: 131_072 };

/** Files in memory: `text` says something, `sink` takes messages, `slow` never says a word, `folder` has many names. */
export class MemoryFiles implements FuseFiles {
  readonly messages: string[] = [];
  readonly released: string[] = [];
  interrupted = 0;
  text = "hello\n";
  readonly names = Array.from({ length: 500 }, (_, index) => `name-${String(index).padStart(4, "0")}`);

  async attributes(path: string): Promise<Attributes> {
    const attributes = await this.lookUp(path);
    return path === "/text" ? { ...attributes, size: this.text.length } : attributes;
  }

  async lookUp(path: string): Promise<Attributes> {
    if (path === "/" || path === "/folder") return { folder: true, permissions: 0o500, size: 0, modified: 1_000 };
    const permissions = { "/text": 0o400, "/sink": 0o200, "/slow": 0o400, "/broken": 0o400 }[path];
    const named = this.names.some((name) => path === `/folder/${name}`);
    if (permissions === undefined && !named) throw new FuseError("ENOENT");
    return { folder: false, permissions: permissions ?? 0o400, size: 0, modified: 1_700_000_000_123 };
  }

  async list(path: string): Promise<readonly Listed[]> {
    if (path === "/folder") return this.names.map((name) => ({ name, folder: false }));
    return [
      { name: "folder", folder: true },
      ...["text", "sink", "slow", "broken"].map((name) => ({ name, folder: false })),
    ];
  }

  async open(path: string, mode: OpenMode): Promise<OpenFile> {
    if (mode.write && path !== "/sink") throw new FuseError("EACCES");
    if (path === "/broken") throw new Error("a bug");
    let written = "";
    return {
      stream: false,
      size: async () => this.text.length,
      read: async ({ offset, size }, asking) =>
        path === "/slow" ? this.#never(asking) : Buffer.from(this.text).subarray(offset, offset + size),
      write: async ({ data }) => {
        written += Buffer.from(data).toString();
      },
      flush: async () => {
        if (written === "") return;
        const message = written;
        written = "";
        if (message.startsWith("bad")) throw new FuseError("EDQUOT");
        this.messages.push(message);
      },
      release: () => this.released.push(path),
    };
  }

  #never({ signal }: FuseCaller): Promise<Uint8Array> {
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        this.interrupted += 1;
        reject(new FuseError("EINTR"));
      });
    });
  }
}

export interface Mounting {
  readonly loop: FuseLoop;
  readonly troubles: readonly string[];
  /** Ends when nothing is mounted any more. */
  readonly ended: Promise<void>;
  unmount(): Promise<void>;
}

/** Mounts for real, served by this process. */
export async function mountMemory(
  folder: string,
  files: FuseFiles,
  { uid = 0, path = process.env["PATH"] ?? "", nodes = LIMITS.nodes } = {},
): Promise<Mounting> {
  const limits = { ...LIMITS, nodes };
  const mounted = await mountFuse({
    folder,
    name: "sallyport",
    allowOther: false,
    uid,
    gid: 0,
    path,
    programMs: 10_000,
  });
  const troubles: string[] = [];
  const loop = new FuseLoop({
    fd: mounted.fd,
    files,
    owner: { uid: 0, gid: 0 },
    limits,
    onTrouble: (error) => troubles.push(error.message),
  });
  const stop = new AbortController();
  const ended = serveMount({ loop, mounted, folder, readers: limits.readers, signal: stop.signal });
  return {
    loop,
    troubles,
    ended,
    unmount: () => {
      stop.abort();
      return ended;
    },
  };
}
