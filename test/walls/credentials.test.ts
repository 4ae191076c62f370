import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { isToolItem, outputText } from "../../src/protocol/index.ts";
import { runScript, script } from "../support/app.ts";
import { gitBackend, openTarget, type LoopbackTarget } from "../support/egress-targets.ts";
import { makePlace, startServer, type Place, type ServerProcess } from "../support/server.ts";
import { describeWithWalls } from "../support/walls.ts";

/** Programs inside go directly to 127.0.0.1, so the server outside has another address of the loopback. */
const ADDRESS = "127.0.0.2";
const TOKEN = "tok-4711-of-the-forge-that-nobody-inside-sees";
const BASIC = Buffer.from(`x-access-token:${TOKEN}`).toString("base64");

let place: Place;
let forge: LoopbackTarget;
let server: ServerProcess;
const seenHeaders: (string | undefined)[] = [];

beforeAll(async () => {
  place = await makePlace();
  const root = join(place.home, "..", "forge");
  await mkdir(root);
  await mkdir(place.home, { mode: 0o700 });
  const [key, cert] = [join(root, "key.pem"), join(root, "cert.pem")];
  const names = ["-subj", "/CN=forge", "-addext", `subjectAltName=IP:${ADDRESS}`];
  const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", cert, ...names];
  execFileSync("openssl", made, { stdio: "ignore" });
  execFileSync("git", ["init", "-q", "--bare", "-b", "main", join(root, "one.git")]);
  const backend = gitBackend(root, ({ headers }) => headers.authorization === `Basic ${BASIC}`);
  forge = await openTarget(
    (request, response) => {
      seenHeaders.push(request.headers.authorization);
      const { url = "" } = request;
      if (!url.startsWith("/moved.git")) return backend(request, response);
      const location = `https://${ADDRESS}:${forge.port}${url.replace("/moved.git", "/one.git")}`;
      response.writeHead(301, { location }).end();
    },
    { address: ADDRESS, secure: { key: await readFile(key, "utf8"), cert: await readFile(cert, "utf8") } },
  );
  const credential = { host: `${ADDRESS}:${forge.port}`, user: "x-access-token", credential_env: "FORGE_TOKEN" };
  await writeFile(join(place.home, "sallyport.yaml"), JSON.stringify({ egress_credentials: [credential] }));
  const profile = { allow: ["Bash"], egress_hosts: [`${ADDRESS}:${forge.port}`] };
  await writeFile(
    join(place.home, "policy.yaml"),
    JSON.stringify({ default_profile: "net", profiles: { net: profile } }),
  );
  server = await startServer(place, { SALLYPORT_SANDBOX: "auto", FORGE_TOKEN: TOKEN, NODE_EXTRA_CA_CERTS: cert });
});
afterAll(async () => {
  await server.stop();
  await forge.close();
  await place.remove();
});

async function output(...commands: readonly string[]): Promise<{ readonly text: string; readonly journal: string }> {
  const steps = commands.map((command) => ({ tool: "Bash", input: { command } }));
  const { events } = await runScript(server.client, { prompt: { text: script(...steps, { say: "Done." }) } });
  const text = events
    .flatMap((event) => (event.type === "item.completed" && isToolItem(event.item) ? [event.item] : []))
    .map((item) => outputText(item.output ?? []))
    .join("\n");
  return { text, journal: JSON.stringify(events) };
}

/** Counts the places inside that hold the token or what is sent of it. Its words are put together there, so that no command holds them. */
const SEARCH = `
const { readdirSync, readFileSync, lstatSync } = require("node:fs");
const words = [["tok-4711", "of-the-forge-that-nobody-inside-sees"].join("-"), "planted" + "-canary"];
words.push(Buffer.from("x-access-token:" + words[0]).toString("base64"));
const found = words.map(() => 0);
const look = (path) => {
  let text = "";
  try { text = readFileSync(path, "latin1"); } catch { return; }
  words.forEach((word, index) => { if (text.includes(word)) found[index] += 1; });
};
const walk = (folder) => {
  let names = [];
  try { names = readdirSync(folder); } catch { return; }
  for (const name of names) {
    const path = folder + "/" + name;
    try {
      const stats = lstatSync(path);
      if (stats.isDirectory()) walk(path);
      else if (stats.isFile() && stats.size < 10_000_000) look(path);
    } catch {}
  }
};
for (const id of readdirSync("/proc")) if (/^\\d+$/.test(id)) for (const name of ["environ", "cmdline"]) look("/proc/" + id + "/" + name);
for (const folder of [process.cwd(), process.env.HOME, "/tmp", "/etc", "/run", "/var"]) walk(folder);
console.log("found", JSON.stringify(found));`;

describeWithWalls("a credential for a host", () => {
  it("lets git push over https without a token inside", async () => {
    const url = `https://${ADDRESS}:${forge.port}/one.git`;
    const { text } = await output(
      "git init -q -b main pushed && cd pushed && echo done > work.txt && git add . && git -c user.name=a -c user.email=a@example.org commit -qm one",
      `git -C pushed push ${url} main 2>&1 && echo pushed`,
      `git clone -q ${url} again && cat again/work.txt`,
      `git clone -q ${url.replace("one.git", "moved.git")} moved && echo moved: $(cat moved/work.txt)`,
    );
    expect(text).toContain("pushed");
    expect(text).toContain("done");
    expect(text).toContain("moved: done");
    expect(execFileSync("git", ["-C", join(place.home, "../forge/one.git"), "log", "--format=%s"]).toString()).toBe(
      "one\n",
    );
    expect(new Set(seenHeaders)).toEqual(new Set([`Basic ${BASIC}`]));
  });

  it("is nowhere inside, nor in what the server stores", async () => {
    await writeFile(join(place.workspace, "search.cjs"), SEARCH);
    await writeFile(join(place.workspace, "planted.txt"), "planted-canary\n");
    const url = `http://${ADDRESS}:${forge.port}/one.git/info/refs?service=git-upload-pack`;
    const { text, journal } = await output(`curl -sS ${url} -o refs.bin; env; ls -la; node search.cjs`);
    expect(text).toMatch(/found \[0,[1-9]\d*,0\]/);
    for (const word of [TOKEN, BASIC]) expect(journal).not.toContain(word);
    for (const name of await readdir(place.home)) {
      const content = await readFile(join(place.home, name), "latin1").catch(() => "");
      for (const word of [TOKEN, BASIC]) expect([name, content.includes(word)]).toEqual([name, false]);
    }
  });

  it("is not sent to another port, nor to a host that speaks for itself", async () => {
    const before = seenHeaders.length;
    const { text } = await output(
      `curl -sSk -o /dev/null -w '%{http_code}' https://${ADDRESS}:${forge.port}/one.git/info/refs?service=git-upload-pack`,
      `curl -sS http://${ADDRESS}:${forge.port === 65_535 ? 1_024 : forge.port + 1}/`,
    );
    // Through a tunnel the program's own words arrive, and it has no token.
    expect(text).toContain("401");
    expect(seenHeaders.slice(before)).toEqual([undefined]);
    expect(text).toContain("may not connect");
  });
});
