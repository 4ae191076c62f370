import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openTestApp, runScript, script } from "../../support/app.ts";
import { TEST_TOKEN } from "../../support/server.ts";

/** Prints the admin's token in two pieces, amid more output than is shown. */
const [front, back] = [TEST_TOKEN.slice(0, 12), TEST_TOKEN.slice(12)];
const leak = `seq 20000; printf '%s' ${front}; sleep 0.2; printf '%s\\n' ${back}; printf '\\377\\376\\n'; seq 20000`;

it("output that is kept in a file holds no known secret, is private, and goes with the session", async () => {
  await using app = await openTestApp();
  const { session } = await runScript(app.client, {
    autonomy: "full",
    prompt: {
      text: script(
        { tool: "Bash", input: { command: leak } },
        { tool: "Bash", input: { command: `${leak}; touch over`, run_in_background: true } },
        { tool: "Bash", input: { command: "until [ -e over ]; do sleep 0.01; done" } },
        { say: "ok" },
      ),
    },
  });
  const folder = join(app.place.home, "output", session.id);
  const files = (await readdir(folder)).filter((name) => name.endsWith(".log"));
  expect(files.length).toBe(2);
  for (const name of files) {
    const bytes = await readFile(join(folder, name));
    expect(bytes.includes(TEST_TOKEN)).toBe(false);
    expect([bytes.includes("[redacted]"), bytes.includes(Buffer.from([0xff, 0xfe]))]).toEqual([true, true]);
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  }
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  await app.client.control(session.id, "close");
  await expect(readdir(folder)).rejects.toMatchObject({ code: "ENOENT" });
});
