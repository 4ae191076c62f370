import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { untilTurnEnds } from "../../support/app.ts";
import { ATTACKS } from "../../support/hostile/attacks.mjs";
import { makePlace, startServer, type Place, type ServerProcess } from "../../support/server.ts";

const MIB = 1_048_576;
const PROGRAM = resolve(import.meta.dirname, "../../support/hostile/program.mjs");
const ENGINES = [
  { engine: "codex", kind: "codex" },
  { engine: "acp:hostile", kind: "acp" },
  { engine: "opencode", kind: "opencode" },
] as const;

let place: Place;
let server: ServerProcess;
beforeAll(async () => {
  place = await makePlace();
  await mkdir(place.home, { mode: 0o700 });
  const wrapped = async (kind: string): Promise<string> => {
    const path = join(place.home, kind);
    await writeFile(path, `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" ${kind} "$@"\n`);
    await chmod(path, 0o755);
    return path;
  };
  const nobody = {
    base_url: "http://127.0.0.1:9",
    wire: "openai",
    openai_api: "responses",
    auth: "none",
    default_model: "nobody",
    free: true,
  };
  const settings = {
    programs: { codex: await wrapped("codex"), opencode: await wrapped("opencode") },
    provider: "nobody",
    providers: { nobody },
    acp_agents: { hostile: { command: [await wrapped("acp")], unmetered: true } },
  };
  await writeFile(join(place.home, "sallyport.yaml"), JSON.stringify(settings));
  const policy = { default_profile: "open", profiles: { open: { allow_unmetered: true } } };
  await writeFile(join(place.home, "policy.yaml"), JSON.stringify(policy));
  server = await startServer(place);
});
afterAll(async () => {
  await server.stop();
  await place.remove();
});

/** The most memory that the server ever had, in MiB. */
async function peak(): Promise<number> {
  const status = await readFile(`/proc/${server.child.pid}/status`, "utf8");
  return (Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) * 1_024) / MIB;
}

describe.each(ENGINES)("$engine", ({ engine, kind }) => {
  test.each(Object.keys(ATTACKS[kind]))("%s", { timeout: 240_000 }, async (attack) => {
    const begun = performance.now();
    const { client } = server;
    const { id } = await client.createSession({ engine, prompt: { text: `attack <${attack}>` } });
    const events = await untilTurnEnds(client, id, {
      answer: ({ id: approval, input_hash }) =>
        client.decide(approval, { decision: "reject", input_hash }).catch(() => undefined),
    });
    const end = events.at(-1);
    console.log(
      engine,
      attack,
      Math.round(performance.now() - begun),
      Math.round(await peak()),
      JSON.stringify(end?.type === "turn.failed" ? end.error : end?.type).slice(0, 200),
      events.length,
    );
    await client.control(id, "close");
    expect(await client.health()).toMatchObject({ status: "ok" });
  });
});
