import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { VENDOR_PROGRAMS, type VendorProgramName } from "../../src/engines/vendor/programs.ts";
import { PROGRAMS_FOLDER, vendorProgram } from "../support/vendor-programs.ts";
import { Place } from "./place.ts";

interface Published {
  readonly name: string;
  readonly version: string;
  /** Beside package.json: by path, with the text of each. */
  readonly files: Readonly<Record<string, string>>;
  readonly manifest: object;
}

/** npm's registry on the loopback, with packages of the test: the real npm installs them. */
class Registry {
  readonly #folder = mkdtempSync(join(tmpdir(), "sallyport-registry-"));
  readonly #server: Server;
  readonly #packuments = new Map<string, { readonly versions: Record<string, object> }>();
  readonly #tarballs = new Map<string, Buffer>();
  /** A program that was published here runs, and asked for `/started`. */
  readonly started: Promise<void>;

  private constructor() {
    let heard = (): void => undefined;
    this.started = new Promise((resolve) => {
      heard = resolve;
    });
    this.#server = createServer((request, response) => {
      const path = decodeURIComponent(request.url ?? "").slice(1);
      if (path === "started") heard();
      const tarball = this.#tarballs.get(path);
      const packument = this.#packuments.get(path);
      if (tarball !== undefined) response.end(tarball);
      else if (packument === undefined) response.writeHead(404, { "content-type": "application/json" }).end("{}");
      else response.setHeader("content-type", "application/json").end(JSON.stringify(packument));
    });
  }

  static async open(): Promise<Registry> {
    const registry = new Registry();
    await new Promise<void>((resolve) => registry.#server.listen(0, "127.0.0.1", resolve));
    return registry;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What points npm here, and nowhere else. */
  get environment(): Readonly<Record<string, string>> {
    return { npm_config_registry: `${this.url}/`, npm_config_fetch_retries: "0", no_proxy: "127.0.0.1" };
  }

  publish({ name, version, files, manifest }: Published): void {
    const folder = mkdtempSync(join(this.#folder, "package-"));
    const whole = { name, version, ...manifest };
    for (const [path, text] of Object.entries({ ...files, "package.json": JSON.stringify(whole) })) {
      const file = join(folder, "package", path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      chmodSync(file, 0o755);
    }
    const path = `${name}/-/${version}.tgz`;
    this.#tarballs.set(path, execFileSync("tar", ["-cz", "-C", folder, "package"]));
    const { versions } = this.#packuments.get(name) ?? { versions: {} };
    const dist = { tarball: `${this.url}/${path}` };
    this.#packuments.set(name, { versions: { ...versions, [version]: { ...whole, dist } } });
  }

  /** A program that tells its version, and has a script that must not run. */
  publishProgram(name: VendorProgramName, version: string = VENDOR_PROGRAMS[name].version): void {
    const { package: npmPackage, command } = VENDOR_PROGRAMS[name];
    this.publish({
      name: npmPackage,
      version,
      files: { "cli.js": `#!/usr/bin/env node\nconsole.log("${version}");\n` },
      manifest: { bin: { [command]: "cli.js" }, scripts: { postinstall: "echo ran > ../../../ran" } },
    });
  }

  [Symbol.dispose](): void {
    this.#server.closeAllConnections();
    this.#server.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const PROGRAMS = ".sallyport/programs";

/** Of a place whose PATH has no vendor's program but what the system has. */
async function listed(place: Place, environment: Readonly<Record<string, string>> = {}) {
  const { stdout } = await place.run(["engine", "list", "--json"], environment);
  const { programs } = JSON.parse(stdout) as { programs: readonly { readonly name: string }[] };
  return programs.find(({ name }) => name === "qwen");
}

describe("engine install", () => {
  test("installs the tested version with npm, privately, runs no script, and is found; remove takes it away", async () => {
    using registry = await Registry.open();
    registry.publishProgram("qwen");
    await using place = new Place();
    const { version } = VENDOR_PROGRAMS.qwen;
    const { code, stdout, stderr } = await place.run(["engine", "install", "qwen"], registry.environment);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `installing @qwen-code/qwen-code@${version} …\nsee which engines work now: sallyport engine list\n`,
    });
    const folder = join(place.folder, PROGRAMS);
    const path = join(folder, "qwen/node_modules/@qwen-code/qwen-code/cli.js");
    expect(stdout).toBe(`Qwen Code ${version} is at ${path}\n`);
    expect(readdirSync(folder)).toEqual(["qwen"]);
    expect(statSync(join(folder, "qwen")).mode & 0o777).toBe(0o700);
    expect(existsSync(join(folder, "qwen/ran"))).toBe(false);
    expect(await listed(place)).toEqual({
      name: "qwen",
      title: "Qwen Code",
      package: "@qwen-code/qwen-code",
      tested: version,
      path,
      from: "installed",
      version,
    });
    const removed = await place.run(["engine", "remove", "qwen"]);
    expect(removed).toEqual({ code: 0, stdout: `Qwen Code is gone from ${folder}\n`, stderr: "" });
    expect(await listed(place)).toMatchObject({ name: "qwen", install: "sallyport engine install qwen" });
    expect(readdirSync(folder)).toEqual([]);
    expect(await place.run(["engine", "remove", "qwen"])).toMatchObject({ code: 2 });
  });

  test("another version is named, takes the place of the first, and is said to be untested", async () => {
    using registry = await Registry.open();
    registry.publishProgram("qwen");
    registry.publishProgram("qwen", "0.99.0");
    await using place = new Place();
    await place.run(["engine", "install", "qwen"], registry.environment);
    const { code, stderr } = await place.run(["engine", "install", "qwen@0.99.0"], registry.environment);
    expect(code).toBe(0);
    expect(stderr).toContain(`! Sallyport was tested with ${VENDOR_PROGRAMS.qwen.version}`);
    expect(await listed(place)).toMatchObject({
      version: "0.99.0",
      from: "installed",
      install: "sallyport engine install qwen",
    });
    expect(readdirSync(join(place.folder, PROGRAMS))).toEqual(["qwen"]);
    const doctor = await place.run(["doctor"]);
    expect(doctor.stdout).toMatch(/ok {3}qwen +0\.99\.0 at .*; tested was 0\.15\.10: sallyport engine install qwen/);
  });

  test("a package whose script would put the program of this machine into place works without that script", async () => {
    using registry = await Registry.open();
    const { package: npmPackage, version } = VENDOR_PROGRAMS.opencode;
    registry.publish({
      name: "opencode-here",
      version,
      files: { "bin/opencode": `#!/bin/sh\necho ${version}\n` },
      manifest: {},
    });
    registry.publish({
      name: npmPackage,
      version,
      files: { "bin/opencode.exe": "#!/bin/sh\necho postinstall was not run >&2\nexit 1\n" },
      manifest: { bin: { opencode: "bin/opencode.exe" }, optionalDependencies: { "opencode-here": version } },
    });
    await using place = new Place();
    expect(await place.run(["engine", "install", "opencode"], registry.environment)).toMatchObject({ code: 0 });
    const program = join(place.folder, PROGRAMS, "opencode/node_modules/.bin/opencode");
    expect(execFileSync(program, ["--version"], { encoding: "utf8" })).toBe(`${version}\n`);
  });

  test("a failure changes nothing and says what to do", async () => {
    using registry = await Registry.open();
    registry.publishProgram("qwen");
    const { package: npmPackage, command } = VENDOR_PROGRAMS.gemini;
    registry.publish({
      name: npmPackage,
      version: VENDOR_PROGRAMS.gemini.version,
      files: { "cli.js": "#!/usr/bin/env node\nprocess.exit(1);\n" },
      manifest: { bin: { [command]: "cli.js" } },
    });
    await using place = new Place();
    await place.run(["engine", "install", "qwen"], registry.environment);
    const before = await listed(place);
    const closed = { ...registry.environment, npm_config_registry: "http://127.0.0.1:1/" };
    const cases: readonly (readonly [string, Readonly<Record<string, string>>, RegExp])[] = [
      ["qwen@9.9.9", registry.environment, /npm's registry has no @qwen-code\/qwen-code@9\.9\.9/],
      ["codex", registry.environment, /npm's registry has no @openai\/codex@/],
      ["qwen", closed, /npm cannot reach its registry \(ECONNREFUSED\): check the network/],
      ["qwen", { PATH: "/nowhere" }, /npm was not found: it comes with Node\.js .* programs: \{qwen: /],
      ["gemini", registry.environment, /has no program that starts on this machine, and was not kept/],
      ["quen", {}, /no program quen can be installed; did you mean qwen\?/],
      ["qwen@latest", {}, /latest is not an exact version: write it as qwen@0\.15\.10/],
      ["qwen@1.0.0;id", {}, /is not an exact version/],
    ];
    for (const [words, environment, message] of cases) {
      const { code, stdout, stderr } = await place.run(["engine", "install", words], environment);
      expect({ code: code === 0, stdout }).toEqual({ code: false, stdout: "" });
      expect(stderr).toMatch(message);
    }
    expect(await listed(place)).toEqual(before);
    expect(readdirSync(join(place.folder, PROGRAMS))).toEqual(["qwen"]);
  });

  test("is refused into a folder that others can change, and for another server", async () => {
    await using place = new Place();
    const shared = join(place.folder, "shared");
    mkdirSync(shared);
    chmodSync(shared, 0o777);
    const open = await place.run(["engine", "install", "qwen"], { SALLYPORT_PROGRAMS_FOLDER: shared });
    expect(open).toMatchObject({ code: 2, stderr: expect.stringContaining("can be changed by every user") as string });
    const remote = await place.run(["--server", "http://127.0.0.1:1", "engine", "install", "qwen"]);
    expect(remote).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("run it where the server runs") as string,
    });
  });

  test("a person who stops it gets what was there before", async () => {
    using registry = await Registry.open();
    const { package: npmPackage, version } = VENDOR_PROGRAMS.qwen;
    registry.publish({
      name: npmPackage,
      version,
      // Says that it runs, and does not end.
      files: {
        "cli.js": `#!/usr/bin/env node
fetch("${registry.url}/started");
setInterval(() => {}, 1e6);
`,
      },
      manifest: { bin: { qwen: "cli.js" } },
    });
    await using place = new Place();
    const running = place.startHere(["engine", "install", "qwen"], registry.environment);
    const folder = join(place.folder, PROGRAMS);
    await registry.started;
    running.signal("SIGINT");
    expect(await running.ended).toMatchObject({ code: 130, stdout: "" });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("programs of one's own", () => {
  test("one on the PATH is used, one in sallyport.yaml before it; a version that is in no package is asked for", async () => {
    await using place = new Place();
    const bin = join(place.folder, "bin");
    mkdirSync(bin);
    mkdirSync(join(place.folder, ".sallyport"), { mode: 0o700 });
    for (const [name, told] of [
      ["qwen", "qwen version 7.1.0-beta.2"],
      ["mine", "nothing to tell"],
    ] as const) {
      writeFileSync(join(bin, name), `#!/bin/sh\necho "${told}"\n`);
      chmodSync(join(bin, name), 0o755);
    }
    const environment = { PATH: `${bin}:${process.env["PATH"] ?? ""}` };
    expect(await listed(place, environment)).toMatchObject({
      path: join(bin, "qwen"),
      from: "path",
      version: "7.1.0-beta.2",
    });
    place.write(".sallyport/sallyport.yaml", `programs:\n  qwen: ${join(bin, "mine")}\n`);
    const own = await listed(place, environment);
    expect(own).toMatchObject({ path: join(bin, "mine"), from: "settings" });
    expect(own).not.toHaveProperty("version");
    const { stdout } = await place.run(["engine", "list"], environment);
    expect(stdout).toMatch(/qwen +\? +0\.15\.10 +sallyport\.yaml +\S+\/bin\/mine/);
    expect(stdout).toMatch(/loop +yes/);
  });
});

test("the version of the package of a test's cache is that of the table", () => {
  for (const name of ["codex", "opencode", "gemini", "qwen"] as const) {
    if (vendorProgram(name) === undefined) continue;
    const { package: npmPackage, version } = VENDOR_PROGRAMS[name];
    const file = join(PROGRAMS_FOLDER, name, "node_modules", npmPackage, "package.json");
    expect((JSON.parse(readFileSync(file, "utf8")) as { version: string }).version).toBe(version);
  }
});
