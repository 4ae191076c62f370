// Own files for a session: the first snapshot of a folder's state, then each session's, beside `cp -r` of the same files.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { pathToFileURL } from "node:url";

const run = promisify(execFile);
const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** @param {readonly string[]} flags */
export async function workspacesBench(flags = []) {
  const { SessionTrees } = await import("../dist/workspaces/index.js");
  const quick = flags.includes("--quick");
  const [files, rounds] = quick ? [200, 3] : [20_000, 15];
  const folder = await realpath(await mkdtemp(join(tmpdir(), "sallyport-bench-")));
  try {
    const source = join(folder, "source");
    await makeRepository(source, files);
    const home = join(folder, "home");
    await mkdir(home);
    const mounted = new SessionTrees({ home, now: Date.now, log: SILENT });
    const wanted = { mode: "snapshot", source, filters: ["standard"] };
    const first = await timed(() => mounted.make("ses_first", wanted));
    const { tree, release } = await mounted.use("ses_first");
    const overlay = tree.record.overlay;
    await release();
    const each = [];
    const ready = [];
    const statuses = [];
    const processor = [];
    for (let at = 0; at < rounds; at += 1) {
      const id = `ses_${at}`;
      statuses.push(await timed(() => run("git", ["-C", source, "status", "--porcelain"])));
      const before = process.cpuUsage();
      each.push(await timed(() => mounted.make(id, wanted)));
      const { user, system } = process.cpuUsage(before);
      processor.push(round((user + system) / 1_000));
      let used = { release: async () => undefined };
      ready.push(await timed(async () => (used = await mounted.use(id))));
      await used.release();
      await mounted.remove(id);
    }
    const copied = new SessionTrees({ home, now: Date.now, log: SILENT, overlay: false });
    const copy = await timed(() => copied.make("ses_copy", wanted));
    const worktree = await timed(() => copied.make("ses_worktree", { ...wanted, mode: "worktree", filters: [] }));
    await copied.remove("ses_worktree");
    const control = await timed(() => run("cp", ["-r", source, join(folder, "control")]));
    return {
      files,
      overlay: String(overlay),
      first_ms: first,
      each_session_ms: median(each),
      mount_ms: median(ready),
      copy_session_ms: copy,
      worktree_session_ms: worktree,
      control_cp_r_ms: control,
      control_git_status_ms: median(statuses),
      session_to_git_status: round(median(each) / median(statuses)),
      server_cpu_each_session_ms: median(processor),
      session_to_cp_r: round(median(each) / control),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function makeRepository(source, files) {
  for (let at = 0; at < files; at += 1) {
    const place = join(source, `part-${at % 100}`, `deep-${at % 7}`);
    if (at < 700) await mkdir(place, { recursive: true });
    await writeFile(join(place, `file-${at}.ts`), `export const value${at} = ${at};\n`.repeat(100));
  }
  const git = (...words) =>
    run("git", ["-C", source, "-c", "gc.auto=0", "-c", "user.name=b", "-c", "user.email=b@localhost", ...words]);
  await git("init", "--quiet");
  await git("add", "--all");
  await git("commit", "--quiet", "--message=all");
}

async function timed(work) {
  const began = performance.now();
  await work();
  return round(performance.now() - began);
}

function median(values) {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
}

function round(value) {
  return Math.round(value * 100) / 100;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  console.log(JSON.stringify(await workspacesBench(process.argv.slice(2)), null, 2));
