import { createServer } from "node:net";
import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { JournalEvent } from "../../src/protocol/index.ts";
import { ownPort } from "../support/port.ts";
import { Place, script, type Running } from "./place.ts";

const WRITE = { tool: "Write", input: { file_path: "a.txt", content: "hello\n" } };

async function startServer(place: Place, port = 0): Promise<{ server: Running; link: URL }> {
  const server = place.start(["serve", "--port", String(port)]);
  await server.reads("First task");
  return { server, link: new URL(server.stdout.trim()) };
}

describe("sallyport serve", () => {
  test("prints one link and what to do with it; stops cleanly", async () => {
    await using place = new Place();
    const { server, link } = await startServer(place);
    expect(server.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=sp_[\w-]{43}\n$/);
    expect(server.stderr.split("\n")).toEqual([
      "The demo model answers (scripted, no real AI). For a real one: export ANTHROPIC_API_KEY=… and start again.",
      "Agents run with your own rights (sandbox local): it was chosen.",
      'First task: open the link in a browser, or in another terminal in this folder: sallyport run "create hello.txt with hello world"',
      "",
    ]);
    expect((await fetch(link)).status).toBe(200);
    const mode = (name: string): string => (statSync(join(place.folder, ".sallyport", name)).mode & 0o777).toString(8);
    expect([mode("."), mode("token"), mode("server.json")]).toEqual(["700", "600", "600"]);
    server.signal("SIGTERM");
    expect((await server.ended).code).toBe(0);
    expect(place.read(".sallyport/server.json")).toBeUndefined();
  });

  test("without its provider's key it says so at the start, and no other model answers", async () => {
    await using place = new Place();
    const server = place.start(["serve", "--port", "0"], { SALLYPORT_PROVIDER: "cloud" });
    await server.reads("ANTHROPIC_API_KEY not set: set it and start the server again");
    const { code, stderr } = await place.run(["run", "hello"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("ANTHROPIC_API_KEY not set")]);
  });

  test("commands find it by its home, by its link, and by the environment", async () => {
    await using place = new Place();
    await using elsewhere = new Place();
    const link = await place.serve();
    const token = link.searchParams.get("token") ?? "";
    const run = await place.start(["run", script([{ say: "Here." }])]).ended;
    expect([run.code, run.stdout]).toEqual([0, "Here.\n"]);
    const list = await elsewhere.run(["--server", link.href, "sessions", "--json"]);
    const { sessions } = JSON.parse(list.stdout) as { sessions: { id: string; settings: { workspace: string } }[] };
    expect(sessions.map(({ settings }) => settings.workspace)).toEqual([place.folder]);
    const environment = { SALLYPORT_URL: link.origin, SALLYPORT_TOKEN: token };
    const shown = await elsewhere.run(["sessions", "show", sessions[0]?.id ?? ""], environment);
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining(`workspace    ${place.folder}\n`)]);
    const there = await elsewhere.run(["--server", link.href, "run", script([WRITE]), "--autonomy", "full"]);
    expect([there.code, elsewhere.read("a.txt"), place.read("a.txt")]).toEqual([0, "hello\n", undefined]);
  });

  test("refusals say what to do", async () => {
    await using place = new Place();
    await using elsewhere = new Place();
    const link = await place.serve();
    const without = await elsewhere.run(["--server", link.origin, "sessions"]);
    expect([without.code, without.stderr]).toEqual([
      2,
      `error: no token for ${link.origin}: pass --token or set SALLYPORT_TOKEN\n  pass --token or set SALLYPORT_TOKEN; the first token of a home is in <home>/token\n`,
    ]);
    const wrong = await place.run(["--token", "sp_wrong", "sessions"]);
    expect([wrong.code, wrong.stderr.split("\n")[1]]).toEqual([
      2,
      "  pass --token or set SALLYPORT_TOKEN; the first token of a home is in <home>/token",
    ]);
    const agent = (await place.run(["token", "create", "--role", "agent", "--name", "bot"])).stdout.trim();
    const denied = await place.run(["--token", agent, "token", "list"]);
    expect([denied.code, denied.stderr]).toEqual([
      2,
      expect.stringContaining("error: the role agent may not token.issue\n"),
    ]);
    const unknown = await place.run(["sessions", "show", "ses_none"]);
    expect([unknown.code, unknown.stderr]).toEqual([
      2,
      "error: there is no session ses_none\n  `sallyport sessions` lists them\n",
    ]);
    const second = await place.run(["serve", "--port", "0"]);
    expect([second.code, second.stderr]).toEqual([
      2,
      expect.stringMatching(
        /^error: a server has this home open already \(pid \d+\): http:\/\/127\.0\.0\.1:\d+\/\?token=sp_/,
      ),
    ]);
  });

  test("a port that is taken, and a server that is not there", async () => {
    await using place = new Place();
    const taken = createServer();
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, "127.0.0.1", () => resolve((taken.address() as { port: number }).port));
    });
    const { code, stdout, stderr } = await place.start(["serve", "--port", String(port)]).ended;
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: "",
      stderr: `error: port ${port} is in use\n  stop what uses it, or choose another with --port (0 takes any free one)\n`,
    });
    taken.close();
    const gone = await place.run(["--server", "http://127.0.0.1:9", "sessions"]);
    expect([gone.code, gone.stderr.split("\n")[0]]).toEqual([
      1,
      "error: no Sallyport server answers at http://127.0.0.1:9",
    ]);
    const nonsense = await place.run(["--server", "somewhere", "sessions"]);
    expect([nonsense.code, nonsense.stderr]).toEqual([
      2,
      "error: somewhere is not the address of a server; write it as http://127.0.0.1:5353\n",
    ]);
  });

  test("tokens are made, listed and deleted", async () => {
    await using place = new Place();
    await place.serve();
    const created = await place.run(["token", "create", "--role", "operator", "--name", "anna"]);
    expect(created.stdout).toMatch(/^sp_[\w-]{43}\n$/);
    const id = /tok_\w+/.exec(created.stderr)?.[0] ?? "";
    const list = await place.run(["token", "list"]);
    expect(list.stdout).toMatch(new RegExp(`^${id} +operator +\\S+ +never +never +anna`, "m"));
    expect((await place.run(["token", "delete", id])).stdout).toBe(`${id} is gone\n`);
    expect((await place.run(["--token", created.stdout.trim(), "sessions"])).code).toBe(2);
  });

  test("attach takes up a lost connection and says so; nothing is missed", async () => {
    await using place = new Place();
    const port = await ownPort();
    const first = await startServer(place, port);
    const run = await place.run(["run", script([{ say: "One." }])]);
    const id = /ses_\w+/.exec(run.stderr)?.[0] ?? "";
    const attached = place.start(["attach", id, "--json"]);
    await attached.reads('"turn.completed"');
    first.server.signal("SIGTERM");
    await first.server.ended;
    await attached.reads("! the connection was lost; attempt 1 to take it up again in");
    await startServer(place, port);
    await place.run(["run", script([{ say: "Two." }]), "--resume", id]);
    await attached.reads("Two.");
    await place.run(["sessions", "close", id]);
    const { code, stdout } = await attached.ended;
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as JournalEvent);
    expect(code).toBe(0);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.filter(({ type }) => type === "turn.completed").length).toBe(2);
  });

  test("attach leaves with Ctrl-C, and the session goes on", async () => {
    await using place = new Place();
    await place.serve();
    const running = place.start(["run", script([WRITE, { say: "End." }])]);
    await running.reads("approve apr_");
    const [session] = (JSON.parse((await place.run(["sessions", "--json"])).stdout) as { sessions: { id: string }[] })
      .sessions;
    const attached = place.start(["attach", session?.id ?? ""]);
    await attached.reads("❯ sim: ");
    await attached.reads("approve apr_");
    attached.signal("SIGINT");
    expect((await attached.ended).code).toBe(130);
    await place.run(["approve", /apr_\w+/.exec(running.text)?.[0] ?? ""]);
    expect((await running.ended).code).toBe(0);
  });

  test("sessions are paused, resumed, forked, interrupted and closed", async () => {
    await using place = new Place();
    await place.serve();
    const id = /ses_\w+/.exec((await place.run(["run", script([{ say: "One." }])])).stderr)?.[0] ?? "";
    const said: string[] = [];
    for (const verb of ["pause", "resume", "interrupt"]) said.push((await place.run(["sessions", verb, id])).stdout);
    const fork = (await place.run(["sessions", "fork", id])).stdout.trim();
    said.push((await place.run(["sessions", "close", id])).stdout);
    expect(said).toEqual([`${id} is paused\n`, `${id} is idle\n`, `${id} is idle\n`, `${id} is complete\n`]);
    const closed = await place.run(["run", "more", "--resume", id]);
    expect([closed.code, closed.stderr.split("\n")[1]]).toEqual([
      2,
      "  `sallyport sessions fork <id>` makes a session that continues from it",
    ]);
    const list = await place.run(["sessions", "--status", "complete"]);
    expect(list.stdout).toMatch(new RegExp(`^SESSION .*\n${id} +complete .*\n$`));
    expect(fork).toMatch(/^ses_\w+$/);
  });
});
