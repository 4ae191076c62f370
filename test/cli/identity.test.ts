import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Place } from "./place.ts";

const NSEC = "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5";
const NPUB = "npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg";

test("identity: shown, replaced only on request, imported from standard input, never printed", async () => {
  await using place = new Place();
  const first = await place.run(["identity", "show"]);
  expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^npub1[a-z0-9]{58}\n$/) as string });
  expect((await place.run(["identity", "show"])).stdout).toBe(first.stdout);
  expect(await place.run(["identity", "new"])).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("add --yes to replace it") as string,
  });
  expect((await place.run(["identity", "new", "--yes"])).stdout).not.toBe(first.stdout);
  const importing = (text: string, ...flags: readonly string[]) => {
    const running = place.startHere(["identity", "import", "--yes", ...flags]);
    running.types(`${text}\n`);
    return running.ended;
  };
  const imported = await importing(NSEC, "--json");
  expect(JSON.parse(imported.stdout)).toEqual({
    npub: NPUB,
    pubkey: "7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e",
  });
  expect(imported.stdout + imported.stderr).not.toContain("nsec");
  expect((await importing("nonsense")).stderr).toContain("this is no secret key");
  expect((await place.run(["identity", "show"])).stdout).toBe(`${NPUB}\n`);
  const folder = join(place.folder, ".sallyport", "identities");
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
});
