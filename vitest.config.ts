import { existsSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { LeftOut } from "./test/support/left-out.ts";
import { Slowest } from "./test/support/slowest.ts";

const root = dirname(fileURLToPath(import.meta.url));
const source = resolve(root, "src") + sep;
const built = resolve(root, "dist") + sep;

/** Tests name `src/x.ts` and get `dist/x.js`: what runs under test is what users get, worker threads included. */
const testWhatIsBuilt = {
  name: "test-what-is-built",
  enforce: "pre" as const,
  resolveId(id: string, importer: string | undefined) {
    if (importer === undefined || !id.startsWith(".")) return undefined;
    const path = resolve(dirname(importer), id);
    // The pages are bundled, not built file by file.
    if (!path.startsWith(source) || path.startsWith(source + "web" + sep)) return undefined;
    const target = built + path.slice(source.length).replace(/\.ts$/, ".js");
    if (!existsSync(target)) throw new Error(`${target} is missing: run \`npm run build\` first`);
    return { id: target, external: true };
  },
};

/** The longest files, most of them with vendors' programs. They begin first, so that none of them runs alone at the end. */
const SLOW =
  /\/(conformance\/engines\.[a-z-]+|claude\/resume|bridge-agents|official|crash-points(-vendor)?|vendor-kills|held-programs|drain|terminal|red-team\/[a-z]+|bench\/quick|inspect-[a-z]+|viewers-inspect|workbench\/agent|changes|true-states|states|day)\.test\.ts$/;

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification): boolean => SLOW.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

export default defineConfig({
  plugins: [testWhatIsBuilt],
  test: {
    include: ["test/**/*.test.ts"],
    // A busy machine is slow, not wrong: these end what hangs, and measure nothing.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: SlowFirst },
    reporters: ["default", new Slowest(), new LeftOut()],
    // What is built is loaded by Node itself. Vite would transform each of its thousand files first.
    server: { deps: { external: [/\/dist\//] } },
    pool: "forks",
    // What is built is loaded once by each process, not once for each file: it is what most short files would spend their time on.
    isolate: false,
    // Tests wait more than they compute: three keep two cores busy, and more of them only get in each other's way.
    maxWorkers: 3,
  },
});
