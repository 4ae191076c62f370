import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readSettings, type Flags } from "../../src/cli/settings.ts";
import { Failure } from "../../src/protocol/index.ts";

const root = mkdtempSync(join(tmpdir(), "sallyport-settings-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function homeWith(yaml: string | undefined): string {
  const home = mkdtempSync(join(root, "home-"));
  if (yaml !== undefined) writeFileSync(join(home, "sallyport.yaml"), yaml);
  return home;
}

const FILE = `host: 10.0.0.1
port: 4000
workspace: from-file
model: model-of-file
provider: sim
allowed_hosts: [file.example]
roots: [/srv]
requests_per_minute: 7
`;

const ENVIRONMENT = {
  SALLYPORT_HOST: "10.0.0.2",
  SALLYPORT_PORT: "4001",
  SALLYPORT_WORKSPACE: "from-environment",
  SALLYPORT_MODEL: "model-of-environment",
  SALLYPORT_PROVIDER: "cloud",
  SALLYPORT_ALLOWED_HOSTS: "one.example,two.example",
  SALLYPORT_REQUESTS_PER_MINUTE: "8",
  SALLYPORT_TOKEN: "token-of-environment",
  ANTHROPIC_API_KEY: "key",
  ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
};

const FLAGS: Flags = {
  host: "10.0.0.3",
  port: 4002,
  workspace: "from-flag",
  model: "model-of-flag",
  provider: "sim",
  allowedHost: ["flag.example"],
};

describe("settings", () => {
  test("flags win over the environment, the environment over the file, the file over what ships", () => {
    const home = homeWith(FILE);
    const none = homeWith(undefined);
    expect(readSettings({ ...FLAGS, home }, ENVIRONMENT, "/project")).toEqual({
      home: { value: home, origin: "flag" },
      host: { value: "10.0.0.3", origin: "flag" },
      port: { value: 4002, origin: "flag" },
      workspace: { value: "/project/from-flag", origin: "flag" },
      provider: { value: "sim", origin: "flag" },
      model: { value: "model-of-flag", origin: "flag" },
      allowedHosts: { value: ["flag.example"], origin: "flag" },
      roots: { value: ["/srv"], origin: "file" },
      requestsPerMinute: { value: 8, origin: "environment" },
      token: { value: "token-of-environment", origin: "environment" },
      apiKey: { value: "key", origin: "environment" },
      apiUrl: { value: "http://127.0.0.1:1", origin: "environment" },
    });
    expect(readSettings({}, { ...ENVIRONMENT, SALLYPORT_HOME: home }, "/project")).toEqual({
      home: { value: home, origin: "environment" },
      host: { value: "10.0.0.2", origin: "environment" },
      port: { value: 4001, origin: "environment" },
      workspace: { value: "/project/from-environment", origin: "environment" },
      provider: { value: "cloud", origin: "environment" },
      model: { value: "model-of-environment", origin: "environment" },
      allowedHosts: { value: ["one.example", "two.example"], origin: "environment" },
      roots: { value: ["/srv"], origin: "file" },
      requestsPerMinute: { value: 8, origin: "environment" },
      token: { value: "token-of-environment", origin: "environment" },
      apiKey: { value: "key", origin: "environment" },
      apiUrl: { value: "http://127.0.0.1:1", origin: "environment" },
    });
    expect(readSettings({ home }, {}, "/project")).toEqual({
      home: { value: home, origin: "flag" },
      host: { value: "10.0.0.1", origin: "file" },
      port: { value: 4000, origin: "file" },
      workspace: { value: "/project/from-file", origin: "file" },
      provider: { value: "sim", origin: "file" },
      model: { value: "model-of-file", origin: "file" },
      allowedHosts: { value: ["file.example"], origin: "file" },
      roots: { value: ["/srv"], origin: "file" },
      requestsPerMinute: { value: 7, origin: "file" },
      token: { value: undefined, origin: "default" },
      apiKey: { value: undefined, origin: "default" },
      apiUrl: { value: "https://api.anthropic.com", origin: "default" },
    });
    expect(readSettings({ home: none }, {}, "/project")).toEqual({
      home: { value: none, origin: "flag" },
      host: { value: "127.0.0.1", origin: "default" },
      port: { value: 5353, origin: "default" },
      workspace: { value: "/project", origin: "default" },
      provider: { value: "sim", origin: "default" },
      model: { value: undefined, origin: "default" },
      allowedHosts: { value: [], origin: "default" },
      roots: { value: ["/project"], origin: "default" },
      requestsPerMinute: { value: 6_000, origin: "default" },
      token: { value: undefined, origin: "default" },
      apiKey: { value: undefined, origin: "default" },
      apiUrl: { value: "https://api.anthropic.com", origin: "default" },
    });
  });

  test("an empty variable counts as not set, and a key chooses the cloud", () => {
    const home = homeWith(undefined);
    const settings = readSettings({ home }, { SALLYPORT_PORT: "", ANTHROPIC_API_KEY: "key" }, "/project");
    expect([settings.port, settings.provider]).toEqual([
      { value: 5353, origin: "default" },
      { value: "cloud", origin: "default" },
    ]);
    expect(readSettings({ home }, { ANTHROPIC_API_KEY: "" }, "/project").provider.value).toBe("sim");
  });

  test.each([
    ["an unknown provider", { provider: "elsewhere" }, {}, undefined, "there is no provider elsewhere"],
    ["a port that is none", {}, { SALLYPORT_PORT: "70000" }, undefined, "SALLYPORT_PORT=70000 is not a port"],
    ["a rate that is none", {}, { SALLYPORT_REQUESTS_PER_MINUTE: "many" }, undefined, "many is not a whole number"],
    ["a file that is not YAML", {}, {}, "port: [", "is not valid YAML"],
    ["a setting that does not exist", {}, {}, "prot: 1", "Unrecognized key"],
    ["a setting of the wrong kind", {}, {}, "port: soon", "port "],
  ])("refuses %s", (_what, flags, environment, yaml, words) => {
    const home = homeWith(yaml);
    const read = (): unknown => readSettings({ ...flags, home }, environment, "/project");
    expect(read).toThrow(Failure);
    expect(read).toThrow(words);
  });
});
