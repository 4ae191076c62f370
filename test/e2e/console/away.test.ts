import { onTestFinished, beforeAll, afterAll, expect, it } from "vitest";
import type { Browser, BrowserContext, CDPSession, Worker } from "playwright-core";
import type { PushMessage } from "../../../src/protocol/index.ts";
import { describeInWholeBrowser, launchWholeBrowser, PHONE, Visitor } from "../../support/browser.ts";
import { script } from "../../support/app.ts";
import { ownPort } from "../../support/port.ts";
import { allowLoopback, makeBrowserKeys, messageIn, openPushService } from "../../support/push-service.ts";
import { makePlace, startServer, TEST_TOKEN, type ServerProcess } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { inspectPart } from "./inspection.ts";

/** What the tests use of the worker's own scope. */
interface WorkerScope {
  readonly registration: {
    getNotifications(): Promise<readonly { title: string; body: string; actions: readonly { action: string }[] }[]>;
  };
  readonly NotificationEvent: new (type: string, options: object) => Event;
  dispatchEvent(event: Event): boolean;
}

let browser: Browser;
beforeAll(async () => {
  browser = await launchWholeBrowser();
});
afterAll(() => browser.close());

async function workerOf(context: BrowserContext): Promise<Worker> {
  return context.serviceWorkers()[0] ?? context.waitForEvent("serviceworker");
}

/** A browser's push service is not there in a test: what it would bring is handed over by the browser's own tools. */
async function registrationOf(tools: CDPSession): Promise<string> {
  const known = new Promise<string>((resolve) => {
    tools.on("ServiceWorker.workerVersionUpdated", ({ versions }) => {
      const active = versions.find(({ status }) => status === "activated");
      if (active !== undefined) resolve(active.registrationId);
    });
  });
  await tools.send("ServiceWorker.enable");
  return known;
}

const shown = (worker: Worker): Promise<readonly { title: string; body: string; actions: readonly string[] }[]> =>
  worker.evaluate(async () => {
    const { registration } = globalThis as unknown as WorkerScope;
    const notes = await registration.getNotifications();
    return notes.map(({ title, body, actions }) => ({ title, body, actions: actions.map(({ action }) => action) }));
  });

/** As the browser does when somebody presses a button of the notification. */
const press = (worker: Worker, action: string): Promise<void> =>
  worker.evaluate(async (chosen) => {
    const scope = globalThis as unknown as WorkerScope;
    const [notification] = await scope.registration.getNotifications();
    const event = new scope.NotificationEvent("notificationclick", { notification, action: chosen });
    const work: Promise<unknown>[] = [];
    // Only an event of the browser's own can be waited for.
    Object.defineProperty(event, "waitUntil", { value: (one: Promise<unknown>) => work.push(one) });
    scope.dispatchEvent(event);
    await Promise.all(work);
  }, action);

const kept = (worker: Worker): Promise<readonly string[]> =>
  worker.evaluate(async () => {
    const names = await caches.keys();
    const all = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return all.flat().map(({ url }) => url);
  });

describeInWholeBrowser("away from the console", () => {
  it("a push shows the command, and its approval counts after kill -9; the shell opens without a server", async () => {
    const place = await makePlace();
    const port = String(await ownPort());
    await allowLoopback(place);
    const service = await openPushService();
    const start = (): Promise<ServerProcess> => startServer(place, { SALLYPORT_PORT: port });
    let server = await start();
    onTestFinished(async () => {
      await server.kill();
      await service[Symbol.asyncDispose]();
      await place.remove();
    });
    const visitor = await Visitor.open(browser, {
      url: server.url,
      token: TEST_TOKEN,
      path: "/approvals",
      options: { serviceWorkers: "allow", permissions: ["notifications"] },
    });
    onTestFinished(() => visitor.close());
    const { page, context } = visitor;
    await page.getByText("Nothing is waiting").waitFor();
    const worker = await workerOf(context);
    const tools = await context.newCDPSession(page);
    const registrationId = await registrationOf(tools);

    const keys = makeBrowserKeys();
    const endpoint = `${service.url}/send/1`;
    await server.client.notifications.add({ kind: "push", endpoint, keys: { ...keys.keys }, answers: "direct" });
    await server.client.createSession({
      ask_reads: true,
      prompt: { text: script({ tool: "Bash", input: { command: "echo hello" } }) },
    });
    await until(() => service.received.length > 0);
    const [post] = service.received;
    if (post === undefined) throw new Error("nothing came");
    const message: PushMessage = messageIn(post, keys);
    // Whoever looks at the console needs no notification.
    await page.goto("about:blank");
    const data = JSON.stringify(message);
    await tools.send("ServiceWorker.deliverPushMessage", { origin: `${server.url}/`, registrationId, data });
    await expect
      .poll(() => shown(worker), { timeout: 60_000 })
      .toEqual([
        { title: "Run this command?", body: expect.stringMatching(/^echo hello\n/), actions: ["approve", "reject"] },
      ]);

    await server.kill();
    await page.goto(`${server.url}/approvals`);
    await page.getByText("The server is not answering yet").waitFor();
    expect((await kept(worker)).filter((url) => !/\/(assets\/[\w.-]+)?$/.test(url))).toEqual([]);
    server = await start();

    await press(worker, "approve");
    const id = message.answer?.approval_id ?? "";
    expect(await server.client.approval(id)).toMatchObject({
      status: "approved",
      resolved_by: { name: "first admin" },
    });
    await expect.poll(() => shown(worker), { timeout: 60_000 }).toMatchObject([{ title: "Approved" }]);
    expect(visitor.troubles).toEqual([]);
  });

  it("a phone scans the code and is signed in with a token of its own; the menu's windows are accessible", async () => {
    const place = await makePlace();
    const server = await startServer(place);
    onTestFinished(async () => {
      await server.kill();
      await place.remove();
    });
    const desktop = await Visitor.open(browser, {
      url: server.url,
      token: TEST_TOKEN,
      path: "/approvals",
      options: { permissions: ["notifications"] },
    });
    onTestFinished(() => desktop.close());
    const { page } = desktop;
    await page.getByRole("button", { name: /first admin/ }).click();
    await page.getByRole("menuitem", { name: "Notifications" }).click();
    await page.getByRole("button", { name: "Turn on for this device" }).waitFor();
    await page.getByRole("button", { name: /^Add ntfy/ }).click();
    await page.getByLabel("Topic address").fill("http://10.0.0.1/topic");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("must begin with https://").waitFor();
    expect(await inspectPart(page, '[role="dialog"]')).toEqual([]);
    await page.keyboard.press("Escape");

    await page.getByRole("button", { name: /first admin/ }).click();
    await page.getByRole("menuitem", { name: "Connect a phone" }).click();
    const made = page.waitForResponse((response) => response.url().endsWith("/api/pairings"));
    await page.getByRole("button", { name: "Show the code" }).click();
    const { code } = (await (await made).json()) as { readonly code: string };
    await page.getByRole("img", { name: "Code for your phone’s camera" }).waitFor();
    expect(await inspectPart(page, '[role="dialog"]')).toEqual([]);

    const phone = await Visitor.arrive(browser, PHONE);
    onTestFinished(() => phone.close());
    const tab = await phone.newPage();
    const asked: string[] = [];
    tab.on("request", (request) => asked.push(request.url()));
    await tab.goto(`${server.url}/#pair=${code}`);
    // A server that nobody has used yet.
    await tab.getByRole("heading", { level: 1, name: "Start agents, watch them, decide what they may do" }).waitFor();
    expect(asked.filter((url) => url.includes(code))).toEqual([]);
    expect(tab.url()).not.toContain(code);
    await page.getByText("Your phone is connected").waitFor();
    const { tokens } = await server.client.tokens();
    expect(tokens.map(({ name, role }) => [name, role])).toContainEqual(["My phone", "operator"]);
    expect(server.log()).not.toContain(code);
    expect([...desktop.troubles, ...phone.troubles]).toEqual([]);
  });
});
