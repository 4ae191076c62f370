import { createHash, X509Certificate } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { request, type RequestOptions } from "node:https";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { openTestApp, runScript, script, type TestApp } from "../../support/app.ts";
import { describeInBrowser } from "../../support/browser.ts";
import { launchBrowser, PHONE, Visitor } from "../../support/chromium.ts";
import { openBadNetwork, type BadNetwork } from "../../tunnels/bad-network.ts";
import { keepSecret } from "../../tunnels/two-servers.ts";

const HOST = "home.example.test";
/** Stands in a conversation at home. */
const CANARY = "canary-in-the-conversation";

let home: TestApp;
let relay: TestApp;
/** Between a phone and the relay, and between the relay and home. */
let [outside, inside]: BadNetwork[] = [];
let address = "";
let certificate = "";

beforeAll(async () => {
  home = await openTestApp();
  relay = await openTestApp(
    {},
    {
      prepare: async (place) => {
        await mkdir(place.home, { recursive: true, mode: 0o700 });
        await writeFile(join(place.home, "sallyport.yaml"), "console_relay: { port: 0 }\n", { mode: 0o600 });
        return () => Promise.resolve();
      },
    },
  );
  outside = await openBadNetwork(() => relay.serving.consoleRelayPort ?? 0);
  inside = await openBadNetwork(() => Number(new URL(home.serving.url).port));
  address = `${HOST}:${outside.port}`;
  await offer();
  certificate = await readFile(join(home.place.home, "console-tls", `${HOST}.crt`), "utf8");
});
afterAll(async () => {
  await relay[Symbol.asyncDispose]();
  await outside?.close();
  await inside?.close();
  await home[Symbol.asyncDispose]();
});

async function offer(): Promise<void> {
  const { secret = "" } = await home.client.tunnels.offer({ id: "home", auth: "psk", console: address });
  await keepSecret(relay.place.home, "home", secret);
  const url = `ws://127.0.0.1:${inside?.port ?? 0}/tunnel`;
  await relay.client.tunnels.save("home", { url, auth: { type: "psk", secret_path: "tunnels/home" } });
  await relay.client.tunnels.test("home");
}

const place = (): RequestOptions => ({
  host: "127.0.0.1",
  port: outside?.port,
  servername: HOST,
  ca: certificate,
  agent: false,
});

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
  readonly fingerprint: string;
}

function get(path: string, token: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { host: address, authorization: `Bearer ${token}` };
    const asked = request({ ...place(), path, headers }, (response) => {
      const { fingerprint256 } = (response.socket as TLSSocket).getPeerCertificate();
      let body = "";
      response.setEncoding("utf8").on("data", (piece: string) => (body += piece));
      response.on("end", () => resolve({ status: response.statusCode, body, fingerprint: fingerprint256 }));
    });
    asked.on("error", reject);
    asked.end();
  });
}

/** How a connection with this name ends before TLS stands. */
function refusal(servername: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port: outside?.port ?? 0, servername, rejectUnauthorized: false });
    socket.once("secureConnect", () => resolve("connected"));
    socket.once("error", ({ message }) => resolve(message));
  });
}

describe("a console at home", () => {
  test("is reached through the relay with TLS that ends at home, by its own token, until that or the offer is revoked", async () => {
    const { session } = await runScript(home.client, { prompt: { text: script({ say: CANARY }) } });
    const { token, id } = await home.client.createToken({ role: "viewer", name: "phone", expires_in_s: 3_600 });
    const captures = [outside?.capture(), inside?.capture()];
    const answer = await get(`/api/sessions/${session.id}/events`, token);
    expect(answer).toMatchObject({ status: 200, body: expect.stringContaining(CANARY) });
    const [served] = (await home.client.tunnels.offers()).offers;
    expect(served).toMatchObject({ console: address, console_fingerprint: answer.fingerprint });

    const url = `wss://127.0.0.1:${outside?.port ?? 0}/api/ws?token=${token}`;
    const options = { servername: HOST, ca: certificate, headers: { host: address } };
    const socket = new WebSocket(url, options);
    onTestFinished(() => socket.terminate());
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));

    // What the relay could see: the name that was asked for, and nothing of what was said.
    const [first, second] = captures.map((captured) => captured?.() ?? Buffer.alloc(0));
    expect(first?.includes(HOST)).toBe(true);
    for (const captured of [first, second])
      for (const secret of [CANARY, token, session.id, "HTTP/1.1 200"]) expect(captured?.includes(secret)).toBe(false);
    expect(second?.length).toBeGreaterThan(answer.body.length);

    // A stranger's token, a name that no tunnel has, and something that is not TLS.
    expect((await get("/api/sessions", "x".repeat(43))).status).toBe(401);
    expect(await refusal("attic.example.test")).toMatch(/disconnected|reset|hang up/);
    const ended = new Promise((resolve) => socket.once("close", resolve));
    await home.client.deleteToken(id);
    await ended;
    expect((await get("/api/sessions", token)).status).toBe(401);

    await home.client.tunnels.revoke("home");
    await expect(get("/api/sessions", token)).rejects.toThrow();
    await relay.client.tunnels.remove("home");
    await offer();
  });
});

describeInBrowser("A phone", () => {
  test("opens the console at home through the relay with the link that home shows", async () => {
    const key = new X509Certificate(certificate).publicKey.export({ type: "spki", format: "der" });
    const browser = await launchBrowser([
      `--host-resolver-rules=MAP ${HOST} 127.0.0.1`,
      `--ignore-certificate-errors-spki-list=${createHash("sha256").update(key).digest("base64")}`,
    ]);
    onTestFinished(() => browser.close());
    const phone = await Visitor.arrive(browser, PHONE);
    const page = await phone.newPage();
    const { code } = await home.client.notifications.pair({ name: "My phone", role: "operator", expires_in_s: 3_600 });
    await page.goto(`https://${address}/#pair=${code}`);
    await page.getByText("Do as told.").first().click();
    await page.getByText(CANARY).first().waitFor();
    const { tokens } = await home.client.tokens();
    expect(tokens.find(({ name }) => name === "My phone")).toMatchObject({
      role: "operator",
      expires_at: expect.any(String),
    });
    expect(phone.troubles).toEqual([]);
  });
});
