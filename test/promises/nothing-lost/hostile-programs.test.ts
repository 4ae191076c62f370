import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { untilTurnEnds } from "../../support/app.ts";
import { ATTACKS } from "../../support/hostile/attacks.mjs";
import { isFullRun } from "../../support/sample.ts";
import { makePlace, startServer, type Place, type ServerProcess } from "../../support/server.ts";

const MIB = 1_048_576;
/** Of the server's objects: a heap that grows beyond it ends the server. */
const HEAP_MIB = 384;
const PROGRAM = resolve(import.meta.dirname, "../../support/hostile/program.mjs");
const ENGINES = [
  { engine: "codex", kind: "codex" },
  { engine: "acp:hostile", kind: "acp" },
  { engine: "opencode", kind: "opencode" },
] as const;
/** These take as long as a silent program is waited for, or write very much. */
const LONG = /reads the answers|million|hundred thousand (?:messages|parts)|long warnings/;

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
  server = await startServer(place, { NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` });
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
  const attacks = Object.keys(ATTACKS[kind]).filter((name) => isFullRun || !LONG.test(name));
  test.each(attacks)("%s: the turn ends, the server stays small and answers", { timeout: 600_000 }, async (attack) => {
    const { client } = server;
    const { id } = await client.createSession({ engine, prompt: { text: `attack <${attack}>` } });
    const ended = untilTurnEnds(client, id, {
      // The turn may be over by then.
      answer: ({ id: approval, input_hash }) =>
        client.decide(approval, { decision: "reject", input_hash }).catch(() => undefined),
    });
    const died = server.exited.then(({ code, signal }) => {
      throw new Error(`the server ended: ${code ?? signal} ${server.log().slice(-2_000)}`);
    });
    const end = (await Promise.race([ended, died])).at(-1);
    if (end?.type === "turn.failed") expect(["engine_failed", "max_turns", "model_error"]).toContain(end.error.code);
    else expect(end?.type).toBe("turn.completed");
    await client.control(id, "close");
    expect(await client.health()).toMatchObject({ status: "ok" });
    expect(await peak()).toBeLessThan(768);
    // No figure that is none has become one.
    const { usage } = await client.session(id);
    for (const figure of Object.values(usage)) expect(figure).toSatisfy(Number.isSafeInteger);
  });
});
