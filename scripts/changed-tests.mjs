// The tests that depend on what has changed, for `npm test -- --changed [ref]`. Tests run what is built, so vitest cannot see the way from
// a test to the sources: here imports are followed through the sources instead. When it is not sure, a test is run.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, posix, sep } from "node:path";

/** Whoever changes one of these changes how everything is built or run. */
const EVERYTHING =
  /^(?:package(?:-lock)?\.json|\.npmrc|scripts\/|vitest\.[\w.]*ts$|(?:.*\/)?tsconfig[\w.]*json$|src\/web\/(?:package\.json|vite\.config\.ts|public\/))/;

/** Tests that read the tree itself. */
const ALWAYS = /^test\/(?:docs|package)\//;

/** What tests depend on that they do not import: pages that a browser loads, programs that are run. What tests share says nothing of it. */
const DRIVEN = [
  { tests: /^test\/e2e\/console\//, folder: "src/web/console/" },
  { tests: /^test\/e2e\/workbench\//, folder: "src/web/workbench/" },
  { tests: /^test\/e2e\/workbench\//, folder: "docs/user/" },
  { tests: /^test\/e2e\/panel\//, folder: "src/web/panel/" },
  { tests: /^test\/bench\//, folder: "bench/" },
  { tests: /^test\/integrations\//, folder: "integrations/" },
];
/** A test that names what is built drives the server's program, and the page that it names. */
const BUILT = /["'`/]dist["'`/]/;
const PROGRAM = "src/cli/main.ts";
const PAGES = [
  { named: /["'`/]panel["'`/]/, folder: "src/web/panel/" },
  { named: /["'`/]web["'`/]/, folder: "src/web/" },
];
/** Imports, dynamic imports, worker threads: whatever names a file beside it. */
const NEIGHBOUR = /["'`](\.{1,2}\/[^"'`\s?]+)/g;
const CODE = /\.(?:tsx?|mjs|js)$/;

/** What has changed since a commit, the work tree and new files included. @param {string} root @param {string} [ref] */
export function changedSince(root, ref) {
  /** @param {readonly string[]} words */
  const git = (...words) => execFileSync("git", words, { cwd: root, encoding: "utf8" }).split("\n").filter(Boolean);
  const since = ref ?? startOfBranch(git);
  return [...git("diff", "--name-only", "--no-renames", since), ...git("ls-files", "--others", "--exclude-standard")];
}

/** Where this branch left main; on main itself, and where there is no main, the last commit. */
function startOfBranch(git) {
  try {
    return git("merge-base", "main", "HEAD")[0] ?? "HEAD";
  } catch {
    return "HEAD";
  }
}

/** Every file below the folders, with its text. @param {string} root */
function readTree(root) {
  /** @type {Map<string, string>} */
  const texts = new Map();
  for (const folder of ["src", "test", "bench", "integrations", "docs/user"])
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      const path = posix.join(
        folder,
        join(entry.parentPath, entry.name)
          .slice(join(root, folder).length + 1)
          .split(sep)
          .join("/"),
      );
      if (entry.isFile() && !path.includes("node_modules/"))
        texts.set(path, CODE.test(path) ? readFileSync(join(root, path), "utf8") : "");
    }
  return texts;
}

/** @param {string} from @param {string} specifier @param {Map<string, string>} texts */
function resolveNeighbour(from, specifier, texts) {
  const path = posix.join(posix.dirname(from), specifier);
  return [path, path.replace(/\.js$/, ".ts"), path.replace(/\.js$/, ".tsx")].find((one) => texts.has(one));
}

/** What a file names directly. @param {string} path @param {Map<string, string>} texts */
function namedBy(path, texts) {
  const text = texts.get(path) ?? "";
  const found = [...text.matchAll(NEIGHBOUR)].flatMap(([, name = ""]) => resolveNeighbour(path, name, texts) ?? []);
  if (!path.startsWith("test/")) return found;
  const folders = DRIVEN.filter(({ tests }) => path.endsWith(".test.ts") && tests.test(path)).map(
    ({ folder }) => folder,
  );
  if (BUILT.test(text)) {
    found.push(PROGRAM);
    folders.push(...PAGES.filter(({ named }) => named.test(text)).map(({ folder }) => folder));
  }
  return [...found, ...[...texts.keys()].filter((one) => folders.some((folder) => one.startsWith(folder)))];
}

/** Everything that a test depends on, itself included. @param {string} test @param {(path: string) => readonly string[]} next */
function closureOf(test, next) {
  const seen = new Set([test]);
  for (const path of seen) for (const one of next(path)) seen.add(one);
  return seen;
}

/** Every test with all that it depends on, from one reading of the tree. @param {string} root */
export function testGraph(root) {
  const texts = readTree(root);
  /** @type {Map<string, readonly string[]>} */
  const edges = new Map();
  /** @param {string} path */
  const next = (path) => {
    const known = edges.get(path) ?? namedBy(path, texts);
    edges.set(path, known);
    return known;
  };
  const tests = [...texts.keys()].filter((path) => /^test\/.*\.test\.ts$/.test(path));
  const closures = new Map(tests.map((test) => [test, closureOf(test, next)]));
  const reached = new Set([...closures.values()].flatMap((closure) => Array.from(closure)));
  return { texts, closures, reached };
}

/**
 * The test files to run. `undefined`: all.
 * @param {string} root @param {readonly string[]} changed paths from the root, with slashes
 * @param {ReturnType<typeof testGraph>} [graph] of this root, where it is known
 * @returns {readonly string[] | undefined}
 */
export function testsFor(root, changed, graph) {
  if (changed.some((path) => EVERYTHING.test(path))) return undefined;
  if (changed.length === 0) return [];
  const { texts, closures, reached } = graph ?? testGraph(root);
  return [...closures]
    .filter(
      ([test, closure]) =>
        ALWAYS.test(test) ||
        changed.some((path) => (reached.has(path) ? closure.has(path) : readsIt(test, path, { closure, texts }))),
    )
    .map(([test]) => test);
}

/** What nobody imports is read by its name, or by the tests of its folder. */
function readsIt(test, path, { closure, texts }) {
  const [top, room] = path.split("/");
  if (top === "test") return test.startsWith(`test/${room}/`);
  const name = posix.basename(path);
  return [...closure].some((one) => one.startsWith("test/") && (texts.get(one) ?? "").includes(name));
}
