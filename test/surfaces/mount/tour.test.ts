import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { openMountWorld } from "./world.ts";

const TOUR = resolve(import.meta.dirname, "../../../docs/user/mount-tour.sh");

it("the tour of docs/user/mount-tour.sh runs as it stands, with a shell and curl", async () => {
  await using world = await openMountWorld();
  const { serving, place } = world.app;
  const environment = {
    PATH: process.env["PATH"],
    SALLYPORT_URL: serving.url,
    SALLYPORT_TOKEN: serving.token,
  };
  const { stdout } = await promisify(execFile)("sh", [TOUR], {
    env: environment,
    cwd: join(place.home, ".."),
    timeout: 60_000,
  });
  expect(stdout).toBe(`== what is there
new
healthy
== create
== prompt, and follow until it waits for the next one
Hello from the tour.
== approve: look first, then say yes, then say no and why
echo one > tour.txt
rm tour.txt
Hello from the tour.
[Bash] echo one > tour.txt → completed
[Bash] rm tour.txt → declined
One ran, one did not.
2
== fork, and try another way
Another way.
== stop
complete
== bill (micro-USD)
0
0
`);
});
