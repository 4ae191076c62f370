import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { SallyportClient } from "../../src/client/index.ts";
import { openTestApp } from "../support/app.ts";
import { ownPort } from "../support/port.ts";

const root = resolve(import.meta.dirname, "../..");
const TRIES = 600;
const TRY_MS = 50;

function papers(): readonly string[] {
  const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" });
  return ["README.md", "SECURITY.md", ...docs.filter((name) => name.endsWith(".md")).map((name) => join("docs", name))];
}

describe("the guides", () => {
  it("hand no token of an operator or admin to a page", () => {
    const wrong = papers().flatMap((name) => {
      const text = readFileSync(join(root, name), "utf8");
      const scripts = [...text.matchAll(/```(?:html|tsx|jsx)\n([^]*?)```/g)].map(([, code = ""]) => code);
      const inPages = scripts.filter((code) =>
        /token: (?:TOKEN|"|`|token\b(?!,|\s*=>))|role: ?"(?:operator|admin)"/.test(code),
      );
      const advice = /[^.\n]*\bpage\b[^.\n]*token of the role `(?:operator|admin|agent)`[^.\n]*/i.exec(text)?.[0];
      return [...inPages, ...(advice === undefined ? [] : [advice])].map((found) => `${name}: ${found}`);
    });
    expect(wrong).toEqual([]);
  });
});

it("the token endpoint of the guide gives each visitor a token of their own", async () => {
  const [, code = ""] =
    /```js\n(\/\/ token-endpoint\.mjs\n[^]*?)```/.exec(readFileSync(join(root, "docs/user/tokens.md"), "utf8")) ?? [];
  const folder = mkdtempSync(join(tmpdir(), "sallyport-guide-"));
  writeFileSync(join(folder, "token-endpoint.mjs"), code);
  await using app = await openTestApp();
  const issuer = await app.client.createToken({ role: "issuer", name: "shop", max_cost_microusd: 200_000_000 });
  const port = await ownPort();
  const child = spawn(process.execPath, [join(folder, "token-endpoint.mjs")], {
    stdio: "ignore",
    env: { SALLYPORT_URL: app.serving.url, SALLYPORT_ISSUER_TOKEN: issuer.token, PORT: String(port) },
  });
  const ended = once(child, "exit");
  try {
    const ask = (visitor: string | undefined): Promise<Response> =>
      fetch(`http://127.0.0.1:${port}/my/token`, {
        headers: visitor === undefined ? {} : { cookie: `visitor=${visitor}` },
      });
    let isUp = false;
    for (let tries = 0; !isUp && tries < TRIES; tries += 1) {
      isUp = await ask(undefined).then(
        ({ status }) => status === 404,
        () => false,
      );
      if (!isUp) await new Promise((resume) => setTimeout(resume, TRY_MS));
    }
    const as = async (visitor: string): Promise<SallyportClient> => {
      const { token } = (await (await ask(visitor)).json()) as { token: string };
      return new SallyportClient({ url: app.serving.url, token });
    };
    const [ann, ben, again] = [
      await as("ann-0123456789abcdef"),
      await as("ben-0123456789abcdef"),
      await as("ann-0123456789abcdef"),
    ];
    const { id } = await ann.createSession({});
    expect([(await again.session(id)).id, (await ben.sessions()).sessions]).toEqual([id, []]);
    expect(await ann.me()).toMatchObject({
      role: "visitor",
      bounds: { profile: "visitor", max_cost_microusd: 200_000 },
    });
  } finally {
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
});
