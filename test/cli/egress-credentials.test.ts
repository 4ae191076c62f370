import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openEgressCredentials } from "../../src/cli/wiring/egress-credentials.ts";
import { parseSettings } from "../../src/cli/settings/file.ts";
import { keyFilesOf } from "../../src/cli/home/trusted-files.ts";
import { makeRedactor } from "../../src/protocol/index.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sallyport-test-"));
  await writeFile(join(folder, "token"), "from-a-file-0123456789\n", { mode: 0o600 });
});
afterAll(() => rm(folder, { recursive: true }));

const environment = { FORGE_TOKEN: "from-a-variable-0123456789" };
const parsed = (...entries: readonly object[]) =>
  parseSettings(JSON.stringify({ egress_credentials: entries }), { path: join(folder, "sallyport.yaml"), environment });

function opened(...entries: readonly object[]) {
  const redact = makeRedactor([]);
  const value = parsed(...entries).egress_credentials ?? [];
  const warnings: string[] = [];
  const log = { warn: (_: object, message: string) => warnings.push(message) };
  const credentials = openEgressCredentials(
    { egressCredentials: { value, origin: "file" } },
    { environment, redact, now: () => 0, signal: new AbortController().signal, log },
  );
  return { credentials, redact, warnings };
}

describe("egress_credentials", () => {
  test.each([
    [{ credential_env: "FORGE_TOKEN" }, "authorization", "Bearer from-a-variable-0123456789"],
    [
      { credential_env: "FORGE_TOKEN", user: "git" },
      "authorization",
      `Basic ${Buffer.from("git:from-a-variable-0123456789").toString("base64")}`,
    ],
    [{ credential_file: "token", header: "PRIVATE-TOKEN" }, "PRIVATE-TOKEN", "from-a-file-0123456789"],
    [
      { credential_command: ["echo", "from-a-command-0123456789"] },
      "authorization",
      "Bearer from-a-command-0123456789",
    ],
  ])("%j is %s: %s, and is hidden from then on", async (setting, header, value) => {
    const { credentials, redact } = opened({ host: "git.example.com", ...setting });
    expect(credentials).toMatchObject([{ host: "git.example.com", port: 443, header }]);
    expect(await credentials[0]?.value()).toBe(value);
    const secret = value.split(" ").at(-1) ?? "";
    expect(redact(`it is ${secret}.`)).not.toContain(secret);
  });

  test("a port is part of the place", () => {
    expect(opened({ host: "git.example.com:8443", credential_env: "FORGE_TOKEN" }).credentials).toMatchObject([
      { host: "git.example.com", port: 8443 },
    ]);
  });

  test("a secret that cannot be read is said in the log, and not used", async () => {
    await writeFile(join(folder, "open"), "readable-by-all-0123456789\n");
    await chmod(join(folder, "open"), 0o644);
    for (const setting of [{ credential_file: "open" }, { credential_env: "UNSET" }]) {
      const { credentials, warnings } = opened({ host: "git.example.com", ...setting });
      await expect(credentials[0]?.value()).rejects.toThrow(/git\.example\.com/);
      expect(warnings[0]).toBe("a credential for sandboxes cannot be read");
    }
  });

  test("files with secrets are trusted files", () => {
    const value = parsed({ host: "a.example", credential_file: "token" }).egress_credentials ?? [];
    const settings = {
      providers: { value: {}, origin: "default" },
      egressCredentials: { value, origin: "file" },
    } as const;
    expect(keyFilesOf(settings)).toEqual([{ path: join(folder, "token"), rule: "unchanged" }]);
  });

  test.each([
    [{ host: "git.example.com" }, "exactly one of"],
    [{ host: "git.example.com", credential_env: "A", credential_file: "b" }, "exactly one of"],
    [{ host: "*.example.com", credential_env: "A" }, "one host in lower case"],
    [{ host: "https://example.com", credential_env: "A" }, "one host in lower case"],
    [{ host: "example.com", credential_env: "ghp_not-a-name" }, "does not belong into this file"],
    [{ host: "example.com", credential_env: "A", header: "Host" }, "cannot be set"],
    [{ host: "example.com", credential_env: "A", header: "Proxy-Authorization" }, "cannot be set"],
    [{ host: "example.com", credential_env: "A", header: "a\r\nb" }, "name of a header"],
    [{ host: "example.com", credential_env: "A", header: "X-Key", user: "me" }, "goes with the header authorization"],
    [{ host: "example.com", credential_env: "A", token: "x" }, "token"],
  ])("%j is refused: %s", (entry, words) => {
    expect(() => parsed(entry)).toThrow(words);
  });
});
