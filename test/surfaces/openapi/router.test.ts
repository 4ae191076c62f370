import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApp, type App } from "../../../src/cli/app.ts";
import { openLog } from "../../../src/cli/log.ts";
import { readSettings } from "../../../src/cli/settings/settings.ts";
import { makeRedactor } from "../../../src/protocol/index.ts";
import { createApp } from "../../../src/surfaces/app.ts";
import { Guard } from "../../../src/surfaces/guard.ts";
import { openApiDocument } from "../../../src/surfaces/openapi/document.ts";
import type { HttpApp, SurfaceOptions } from "../../../src/surfaces/surface.ts";
import { isOpen } from "../../../src/surfaces/web-pages.ts";
import { openTestApp } from "../../support/app.ts";
import { makePlace, TEST_TOKEN, type Place } from "../../support/server.ts";
import { Files } from "../mount/world.ts";
import type { OpenApi } from "./contract.ts";

let place: Place;
let opened: App;
let app: HttpApp;
let document: OpenApi;

beforeAll(async () => {
  place = await makePlace();
  const redact = makeRedactor([]);
  const environment = {
    PATH: process.env["PATH"],
    HOME: place.home,
    SALLYPORT_TOKEN: TEST_TOKEN,
    SALLYPORT_SANDBOX: "local",
  };
  const log = openLog("silent", redact);
  opened = await openApp({
    settings: readSettings({ home: place.home, workspace: place.workspace, port: 0 }, environment, place.workspace),
    environment,
    version: "0.0.0-test",
    log,
    redact,
    reach: () => undefined,
    onFatal: (error) => {
      throw error;
    },
  });
  const options: SurfaceOptions = {
    gateway: opened.gateway,
    log,
    version: "0.0.0-test",
    allowedHosts: () => [],
    requestsPerMinute: 1,
    describe: () => ({ demo: true, default_provider: "sim", default_workspace: place.workspace }),
  };
  app = createApp(options, new Guard(options));
  document = openApiDocument(app, options)() as OpenApi;
});
afterAll(async () => {
  await opened.close();
  await place.remove();
});

const HELLO = { role: "user", content: "Hello" };

const isFile = (path: string): boolean => /^\/(claude|containers|compute|identity)(\/|$)/.test(path);

describe("the document and the router", () => {
  it("have the same routes", () => {
    const routed = app.routes
      // Middleware, files (below) and pages, which are for people.
      .filter(({ method, path }) => method !== "ALL" && !(method === "GET" && isOpen(path)))
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      isFile(path) ? [] : Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect([...new Set(routed)].toSorted()).toEqual(described.toSorted());
    expect(described.length).toBeGreaterThan(50);
  });

  it("have the same files", async () => {
    await using served = await openTestApp();
    const { url, token } = served.serving;
    const files = new Files(url, token);
    const session = await files.create({});
    const { session_id } = await files.call("/containers/new", { commands: ["true"] });
    const { job_id } = await files.call("/compute/new", { model: "sim", input: { messages: [HELLO] } });
    const found = new Set<string>();
    const walk = async (folder: string): Promise<void> => {
      found.add(
        folder
          .replace(/(sessions|jobs)\/[^/]+/, "$1/{id}")
          .replace(/providers\/(?!tunnel)[^/]+/, "providers/{provider}")
          .replace(/workers\/[^/]+/, "workers/{worker}"),
      );
      if (!(await files.mount.stat(folder)).is_dir) return;
      // One session of each tree has all files.
      const known = new Set([session.split("/").at(-1), session_id, job_id]);
      const isOther = (name: string): boolean => name.startsWith("ses_") && !known.has(name);
      for (const { name } of await files.mount.list(folder)) if (!isOther(name)) await walk(`${folder}/${name}`);
    };
    for (const tree of ["/claude", "/containers", "/compute", "/identity"]) await walk(tree);
    const described = Object.keys(document.paths).filter(isFile);
    expect([...found].toSorted()).toEqual(described.toSorted());
  });
});
