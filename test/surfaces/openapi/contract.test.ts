import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestApp } from "../../support/app.ts";
import { forgePrograms } from "../../support/forge-programs.ts";
import { openOauthMcpServer, type OauthMcpServer } from "../../support/oauth-mcp-server.ts";
import { openWith } from "../mcp-client/world.ts";
import { Contract, type OpenApi, type Operation } from "./contract.ts";
import { tourOfFiles } from "./tour-of-files.ts";
import { tourOfJobs } from "./tour-of-jobs.ts";
import { tourOfNotifications } from "./tour-of-notifications.ts";
import { tourOfPairing } from "./tour-of-pairing.ts";
import { tourOfUnattended } from "./tour-of-unattended.ts";
import {
  tourOfChanges,
  tourOfConnections,
  tourOfLiveStream,
  tourOfMcp,
  tourOfMcpLogins,
  tourOfServer,
  tourOfSessions,
  tourOfSockets,
  type Tour,
} from "./tour.ts";

let app: TestApp;
let document: OpenApi;
let contract: Contract;
let remote: OauthMcpServer;
const forge = forgePrograms();

beforeAll(async () => {
  remote = await openOauthMcpServer();
  const settings = {
    mcp_servers: { far: { type: "http", url: remote.url, oauth: true } },
    notification_hosts: ["127.0.0.1"],
  };
  app = await openWith({ settings }, { PATH: forge.path, SALLYPORT_RECORD_FILES: "on" });
  const response = await fetch(`${app.serving.url}/openapi.json`, {
    headers: { authorization: `Bearer ${app.serving.token}` },
  });
  document = (await response.json()) as OpenApi;
  contract = new Contract(document, app.serving);
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await remote[Symbol.asyncDispose]();
  forge[Symbol.dispose]();
});

/** What nothing can be written to yet: no tunnels are set here, and no provider that takes a key (provider-keys.test.ts has one). */
const NEVER_SUCCEEDS = /^((send|write)ClaudeAuth(Challenge|Tunnels)|setProviderKey)$/;

const hasJsonBody = ({ requestBody }: Operation): boolean => requestBody?.content["application/json"] !== undefined;
const fit = (): void => expect(contract.faults.splice(0)).toEqual([]);

describe("every answer is as the OpenAPI document says", () => {
  it.each<[string, (tour: Tour) => Promise<void>]>([
    ["the server's own operations", tourOfServer],
    ["sessions and approvals", tourOfSessions],
    ["what sessions changed", tourOfChanges],
    ["a live stream", tourOfLiveStream],
    ["connections", tourOfConnections],
    ["document 003's files", tourOfFiles],
    ["jobs and their files", tourOfJobs],
    ["long runs, schedules and webhooks", tourOfUnattended],
    ["notifications and phones", tourOfNotifications],
    ["tunnels that are paired", tourOfPairing],
    ["the Model Context Protocol", tourOfMcp],
    ["sockets", tourOfSockets],
  ])("for %s", async (_, tour) => {
    await tour({ contract, app });
    fit();
  });

  it("where somebody comes without a token", async () => {
    for (const [operationId, { security, path }] of contract.operations) {
      const { status } = await contract.send(operationId, { token: null });
      // A share link needs no token, but it must be one.
      // A delivery is signed instead.
      // A notification's answer and a phone's code say who comes in their body.
      const inBody = operationId === "answerNotification" || operationId === "redeemPairing";
      const open = path.includes("{secret}") ? 404 : path.startsWith("/hooks/") ? 401 : inBody ? 400 : 200;
      expect({ operationId, status }).toEqual({ operationId, status: security === undefined ? 401 : open });
    }
    fit();
  });

  it("where a role may do less than the operation needs", async () => {
    const { token } = await app.as("viewer");
    for (const [operationId, operation] of contract.operations) {
      if (operation.method === "get") continue;
      const { status } = await contract.send(operationId, { token, ...(hasJsonBody(operation) ? { body: {} } : {}) });
      expect({ operationId, isRefused: status >= 400 && status < 500 }).toEqual({ operationId, isRefused: true });
    }
    fit();
  });

  it("where the body is wrong, or the thing is not there", async () => {
    for (const [operationId, operation] of contract.operations) {
      if (!operation.path.includes("{") && !hasJsonBody(operation)) continue;
      const body = hasJsonBody(operation) ? { body: { no_such_field: 1 } } : {};
      const { status } = await contract.send(operationId, body);
      expect({ operationId, isRefused: status >= 400 && status < 500 }).toEqual({ operationId, isRefused: true });
    }
    fit();
  });

  it("of logins at MCP servers", async () => {
    await tourOfMcpLogins(contract, (url) => remote.agree(url));
  });

  it("and no operation was left out", () => {
    const lacking = [...contract.operations.keys()].filter((operationId) => {
      const statuses = [...(contract.seen.get(operationId) ?? [])];
      const isDone = statuses.some((status) => status < 300) || NEVER_SUCCEEDS.test(operationId);
      const isOpen = contract.operations.get(operationId)?.security !== undefined;
      return !isDone || (!isOpen && !statuses.some((status) => status >= 400));
    });
    expect(lacking).toEqual([]);
  });
});

describe("the OpenAPI document", () => {
  it("names, groups and explains every operation", () => {
    const all = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    expect(contract.operations.size).toBe(all.length);
    for (const { operationId, summary, description, tags } of all) {
      expect(operationId).toMatch(/^[a-z]+[A-Z][A-Za-z]+$/);
      expect([summary, description].map((text) => (text ?? "") !== "")).toEqual([true, true]);
      expect(tags).toHaveLength(1);
    }
  });

  it("has only exact statuses, and a type for each event and item", () => {
    const statuses = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ responses }) => Object.keys(responses)),
    );
    expect(statuses.filter((status) => !/^\d{3}$/.test(status))).toEqual([]);
    expect(document.components.schemas["Event"]).toMatchObject({
      discriminator: { propertyName: "type", mapping: { "turn.started": "#/components/schemas/TurnStartedEvent" } },
    });
    expect(document.components.schemas["Item"]).toMatchObject({ discriminator: { propertyName: "type" } });
  });
});
