import { chmodSync, lstatSync, mkdtempSync, readdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { Failure } from "../../protocol/index.ts";

const NAME = "model.sock";
const FOLDER_PREFIX = "sallyport-model-";
/** The temporary folder in which the socket is made. */
const HOME_PREFIX = ".model-";
/** The path length that every system's socket addresses allow, in bytes. */
const LONGEST_PATH = 103;
const PROBE_MS = 1_000;

export interface SocketPlace {
  readonly path: string;
  /** Removes the socket, unless it belongs to somebody else by now. */
  remove(): void;
}

/**
 * Listens on a socket that only its owner can ever open: it is made in a private folder, then moved to its place. A dead
 * process's socket is replaced. If the path is too long for a socket address, the socket lies in a private temporary
 * folder, and a link in the home points to it.
 */
export async function claimSocket(home: string, listen: (path: string) => Promise<void>): Promise<SocketPlace> {
  const wanted = join(home, NAME);
  await clear(wanted);
  for (const name of readdirSync(home)) {
    if (name.startsWith(HOME_PREFIX)) rmSync(join(home, name), { recursive: true, force: true });
  }
  const isShort =
    Buffer.byteLength(join(home, `${HOME_PREFIX}XXXXXX`, "s")) <= LONGEST_PATH &&
    Buffer.byteLength(wanted) <= LONGEST_PATH;
  const folder = mkdtempSync(isShort ? join(home, HOME_PREFIX) : join(tmpdir(), FOLDER_PREFIX));
  const made = join(folder, isShort ? "s" : NAME);
  try {
    await listen(made);
    chmodSync(made, 0o600);
    if (isShort) renameSync(made, wanted);
    else symlinkSync(made, wanted);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  if (isShort) rmSync(folder, { recursive: true, force: true });
  const identity = identityOf(wanted);
  return {
    path: isShort ? wanted : made,
    remove: () => {
      if (!isShort) rmSync(folder, { recursive: true, force: true });
      if (identityOf(wanted) === identity) rmSync(wanted, { force: true });
    },
  };
}

/** Inode numbers are reused; combined with the time they are unique. */
function identityOf(path: string): string | undefined {
  const there = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return there === undefined ? undefined : `${there.ino} ${there.ctimeNs}`;
}

/** Removes what a dead process left there. */
async function clear(wanted: string): Promise<void> {
  const there = lstatSync(wanted, { throwIfNoEntry: false });
  if (there === undefined) return;
  refuseForeign(wanted);
  const target = there.isSymbolicLink() ? resolve(dirname(wanted), readlinkSync(wanted)) : wanted;
  if (await answers(target)) {
    throw new Failure("conflict", `another process answers at ${wanted}: stop it, or give this one another home`);
  }
  if (target !== wanted) rmSync(dirname(target), { recursive: true, force: true });
  rmSync(wanted, { force: true });
}

/** Refuses anything there that no server of this home made. */
export function refuseForeignSocket(home: string): void {
  refuseForeign(join(home, NAME));
}

function refuseForeign(wanted: string): void {
  const there = lstatSync(wanted, { throwIfNoEntry: false });
  if (there === undefined) return;
  const isKnown = there.isSymbolicLink() ? isOurs(resolve(dirname(wanted), readlinkSync(wanted))) : there.isSocket();
  if (isKnown) return;
  throw new Failure("conflict", `${wanted} is in the way: the model proxy's socket belongs there; move it away`);
}

/** A folder that `claimSocket` made. */
function isOurs(target: string): boolean {
  const folder = dirname(target);
  return (
    basename(target) === NAME && basename(folder).startsWith(FOLDER_PREFIX) && dirname(folder) === resolve(tmpdir())
  );
}

function answers(path: string): Promise<boolean> {
  return new Promise((done) => {
    const probe = connect(path);
    const end = (isThere: boolean): void => {
      probe.destroy();
      done(isThere);
    };
    probe.setTimeout(PROBE_MS, () => end(true));
    probe.once("connect", () => end(true));
    probe.once("error", () => end(false));
  });
}
