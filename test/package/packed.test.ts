import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize, resolve } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly repository?: unknown;
  readonly homepage?: unknown;
  readonly bugs?: unknown;
}
const manifest = JSON.parse(read("package.json")) as Manifest;

/** What npm would publish. */
let files: ReadonlySet<string>;
beforeAll(() => {
  const told = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 50_000_000,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [packed] = JSON.parse(told) as readonly [{ readonly files: readonly { readonly path: string }[] }];
  files = new Set(packed.files.map(({ path }) => path));
});

const holds = (path: string): boolean => files.has(path) || [...files].some((file) => file.startsWith(`${path}/`));

/** Stands for many files, which are no modules. */
const isPattern = (entry: string): boolean => entry.includes("*");

describe("the package as npm would publish it", () => {
  it("has every file that its papers link to", () => {
    const papers = [...files].filter((path) => path.endsWith(".md"));
    expect(papers).toEqual(expect.arrayContaining(["README.md", "docs/user/first-steps.md", "SECURITY.md"]));
    const dead = papers.flatMap((paper) =>
      [...read(paper).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
        .map(([, target = ""]) => target)
        .filter((target) => !/^[a-z]+:/.test(target))
        .filter((target) => !holds(normalize(join(dirname(paper), target)).replace(/\/$/, "")))
        .map((target) => `${paper}: ${target}`),
    );
    expect(dead).toEqual([]);
  });

  it("has no map without the sources that it maps to", () => {
    const maps = [...files].filter((path) => path.endsWith(".map"));
    const useless = maps.filter((path) => {
      const { sources, sourcesContent = [] } = JSON.parse(read(path)) as {
        readonly sources: readonly string[];
        readonly sourcesContent?: readonly (string | null)[];
      };
      return sources.some((source, index) => sourcesContent[index] == null && !files.has(join(dirname(path), source)));
    });
    expect(useless).toEqual([]);
    // And no program names a map that is not there.
    const scripts = [...files].filter((path) => /^dist\/(?!web\/|panel\/).*\.js$/.test(path));
    const naming = scripts.filter((path) => /\n\/\/# sourceMappingURL=\S+\s*$/.test(read(path)));
    expect(naming.length).toBeGreaterThan(100);
    expect(naming.filter((path) => !files.has(`${path}.map`))).toEqual([]);
  });

  it("has the licences of the packages whose code it contains", () => {
    const some = {
      "dist/bundle": ["hono", "undici", "yaml", "zod"],
      "dist/web": ["marked", "react-dom", "@shikijs/primitive", "@duckdb/duckdb-wasm"],
      "dist/panel": ["marked"],
    };
    for (const [folder, names] of Object.entries(some)) {
      const text = read(`${folder}/THIRD-PARTY.txt`);
      for (const name of names) expect(text).toMatch(new RegExp(`^${name} [\\d.]+ \\(`, "m"));
    }
  });

  it("has what its exports and its commands name, with types", () => {
    const patterns = Object.keys(manifest.exports).filter(isPattern);
    expect(patterns).toEqual(["./schemas/*.json"]);
    expect([...files].filter((path) => /^schemas\/[a-z-]+\.json$/.test(path)).length).toBeGreaterThan(3);
    const named = Object.entries(manifest.exports).flatMap(([name, entry]) =>
      isPattern(name)
        ? []
        : typeof entry === "string"
          ? [entry, entry.replace(/\.js$/, ".d.ts")]
          : [entry.types, entry.default],
    );
    const missing = [...named, ...Object.values(manifest.bin)]
      .map((path) => path.replace(/^\.\//, ""))
      .filter((path) => !files.has(path));
    expect(missing).toEqual([]);
  });

  it("names no place that does not exist, and leaves sources, tests and secrets at home", () => {
    const { repository, homepage, bugs } = manifest;
    expect([repository, homepage, bugs]).toEqual([undefined, undefined, undefined]);
    expect(
      [...files].filter((path) => /^(src|test|scripts|node_modules)\/|\.env|\.tsbuildinfo|\.db$/.test(path)),
    ).toEqual([]);
  });

  it.each<[string, (entry: string) => boolean, readonly string[]]>([
    // React's own types are its users': the panel for React is nothing without it.
    ["a page", (entry) => !FOR_NODE.has(entry) && entry !== "./panel/react", []],
    ["a program", (entry) => FOR_NODE.has(entry), ["node"]],
  ])("compiles strictly in %s that has none of the optional peers", (_, isMeant, types) => {
    const place = mkdtempSync(join(tmpdir(), "sallyport-package-"));
    try {
      install(place);
      const lines = Object.keys(manifest.exports)
        .filter((entry) => isMeant(entry) && !isPattern(entry))
        .map((entry, index) => `export * as e${index} from "sallyport${entry.slice(1)}";`);
      expect(lines).not.toEqual([]);
      writeFileSync(join(place, "all.ts"), lines.join("\n"));
      const compilerOptions = {
        strict: true,
        skipLibCheck: false,
        noEmit: true,
        module: "nodenext",
        target: "es2023",
        lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"],
        types,
        preserveSymlinks: true,
      };
      writeFileSync(join(place, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["all.ts"] }));
      const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
      expect(run(tsc, place)).toBe("");
    } finally {
      rmSync(place, { recursive: true });
    }
  });
});

/** Entries for programs on Node.js, which have its types. */
const FOR_NODE = new Set(["./hooks", "./server", "./tools"]);

/** The package with its dependencies, and Node's types; no optional peer. */
function install(place: string): void {
  const modules = join(place, "node_modules");
  const own = join(modules, "sallyport");
  mkdirSync(own, { recursive: true });
  cpSync(join(root, "package.json"), join(own, "package.json"));
  symlinkSync(join(root, "dist"), join(own, "dist"));
  for (const name of [...Object.keys(manifest.dependencies), "@types/node", "undici-types"]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  writeFileSync(join(place, "package.json"), '{"type":"module"}');
}

/** What the compiler has to say. */
function run(tsc: string, project: string): string {
  try {
    return execFileSync(process.execPath, [tsc, "-p", project], { encoding: "utf8" });
  } catch (error) {
    return (error as { readonly stdout: string }).stdout;
  }
}
