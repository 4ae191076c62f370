import { execFileSync } from "node:child_process";
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findServer, homeToken } from "../../src/cli/connect.ts";
import { openTestApp, type TestApp } from "../support/app.ts";
import { makePlace } from "../support/server.ts";

/** A server on a home in which a pipe stands in the place of a file. */
function openWithPipe(name: string, environment: Readonly<Record<string, string>> = {}): Promise<TestApp> {
  const prepare = async ({ home }: { readonly home: string }): Promise<() => Promise<void>> => {
    await mkdir(home, { mode: 0o700 });
    execFileSync("mkfifo", ["-m", "600", join(home, name)]);
    return () => Promise.resolve();
  };
  return openTestApp(environment, { prepare });
}

it("a pipe in the place of the token is refused, not waited for", async () => {
  await expect(openWithPipe("token", { SALLYPORT_TOKEN: "" })).rejects.toMatchObject({
    code: "invalid_request",
    message: expect.stringContaining("token is not a regular file"),
  });
});

it("a command that looks for a server does not wait for pipes either", async () => {
  const place = await makePlace();
  const { home } = place;
  await mkdir(home);
  for (const name of ["token", "server.json"]) execFileSync("mkfifo", [join(home, name)]);
  expect([await findServer(home), homeToken(home)]).toEqual([undefined, undefined]);
  await place.remove();
});

it("a pipe in the place of the instance's mark is replaced", async () => {
  await using app = await openWithPipe("instance");
  expect((await stat(join(app.place.home, "instance"))).isFile()).toBe(true);
});
