import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { dockerStages } from "../support/dockerfile.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (name: string): string => readFileSync(join(root, name), "utf8");

const stages = () => dockerStages("Dockerfile");
const [build = [], runtime = []] = stages();
const only = (word: string): readonly string[] => runtime.flatMap((one) => (one.word === word ? [one.rest] : []));

describe("the container image", () => {
  it("is built in two stages on a slim glibc base, and every line is an instruction", () => {
    expect(stages().map(([from]) => from?.rest)).toEqual(["${NODE_IMAGE} AS build", "${NODE_IMAGE} AS runtime"]);
    const [, major, variant] = /^ARG NODE_IMAGE=node:(\d+)-(\w+)-slim$/m.exec(read("Dockerfile")) ?? [];
    expect([Number(major) >= 20, variant]).toEqual([true, "bookworm"]);
    const words = new Set([...build, ...runtime].map(({ word }) => word));
    const known = [
      "FROM",
      "WORKDIR",
      "COPY",
      "RUN",
      "ENV",
      "USER",
      "VOLUME",
      "EXPOSE",
      "HEALTHCHECK",
      "ENTRYPOINT",
      "CMD",
    ];
    expect([...words].toSorted()).toEqual(known.toSorted());
  });

  it("runs as 1001:2001, on port 5353, with its data in volumes", () => {
    expect([only("USER"), only("EXPOSE"), only("VOLUME")]).toEqual([
      ["1001:2001"],
      ["5353"],
      ['["/data", "/workspace"]'],
    ]);
    const users = only("RUN").find((line) => line.includes("useradd")) ?? "";
    expect(users).toMatch(/groupadd --gid 2001 grok .*useradd --uid 1001 --gid 2001 .*grok/);
    for (const folder of ["/data", "/workspace"])
      expect(users).toMatch(new RegExp(`install -d -o 1001 -g 2001 -m \\d+ ${folder}`));
    // After this line nothing runs as root any more.
    const order = runtime.map(({ word }) => word);
    expect(order.lastIndexOf("RUN")).toBeLessThan(order.indexOf("USER"));
  });

  it("listens to others, who need a token, and holds no secret", () => {
    expect(only("ENV")).toEqual([
      "NODE_ENV=production SALLYPORT_HOST=0.0.0.0 SALLYPORT_PORT=5353 SALLYPORT_HOME=/data SALLYPORT_WORKSPACE=/workspace SALLYPORT_PROVIDER=cloud SALLYPORT_RUNTIME_ENGINE=claude-sdk",
    ]);
    expect(read("Dockerfile")).not.toMatch(/(KEY|TOKEN)=/);
  });

  it("is looked at as the document says, with a program that is there", () => {
    expect(only("HEALTHCHECK")).toEqual([
      "--interval=5s --timeout=3s --start-period=10s --retries=3 CMD wget --spider http://127.0.0.1:5353/health || exit 1",
    ]);
    const installs = only("RUN").find((line) => line.includes("apt-get install")) ?? "";
    for (const program of ["wget", "tini", "git", "ca-certificates"]) expect(installs.split(" ")).toContain(program);
  });

  it("starts the server that the build makes", () => {
    expect([only("ENTRYPOINT"), only("CMD")]).toEqual([['["tini", "--", "node", "dist/cli/main.js"]'], ['["serve"]']]);
    const { bin, scripts } = JSON.parse(read("package.json")) as Record<"bin" | "scripts", Record<string, string>>;
    expect(bin["sallyport"]).toBe("dist/cli/main.js");
    expect(scripts["build"]).toBe("node scripts/setup.mjs --rebuild");
    expect(build.some(({ word, rest }) => word === "RUN" && rest === "npm run build")).toBe(true);
  });

  it("copies what is there and reaches the builder, and all that the build needs", () => {
    const copied = build.flatMap(({ word, rest }) => (word === "COPY" ? rest.split(" ").slice(0, -1) : []));
    expect(copied.filter((name) => !existsSync(join(root, name)))).toEqual([]);
    const [first, ...let_in] = read(".dockerignore")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    expect([first, let_in.toSorted()]).toEqual(["*", copied.map((name) => `!${name}`).toSorted()]);
    expect(copied).toEqual(
      expect.arrayContaining(["src", "scripts", "docs/user", "tsconfig.json", "package-lock.json"]),
    );
    expect(statSync(join(root, "scripts/setup.mjs")).isFile()).toBe(true);
    const taken = runtime.flatMap(({ word, rest }) => (word === "COPY" ? [rest] : []));
    expect(taken).toEqual(
      ["package.json", "node_modules", "dist"].map((name) => `--from=build /app/${name} ./${name}`),
    );
  });

  it("brings Claude's program in the version that was tested", () => {
    const { devDependencies } = JSON.parse(read("package.json")) as { devDependencies: Record<string, string> };
    const sdk = "@anthropic-ai/claude-agent-sdk";
    const all = JSON.parse(read("package.json")) as Record<string, Record<string, string> | undefined>;
    const version = all["dependencies"]?.[sdk] ?? all["optionalDependencies"]?.[sdk] ?? devDependencies[sdk];
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(build.some(({ rest }) => rest.includes(`SDK=${sdk}`) && rest.includes("npm install --omit=dev"))).toBe(true);
  });

  it("asks the platform for what the document says", () => {
    expect(JSON.parse(read("container.json"))).toEqual({ cpu: 1, memory: 3072, on_demand: true, gpu: 0 });
  });
});
