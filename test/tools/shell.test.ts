import { readFile, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../src/protocol/index.ts";
import { OutputLog } from "../../src/tools/shell/log.ts";
import { bench, onlyText, type Bench } from "./fixture.ts";

describe("Bash", () => {
  test.each([
    ["stdout", "echo hello", { text: "hello", exit_code: 0 }],
    ["both streams", "echo out; echo err >&2", { text: "out\nerr", exit_code: 0 }],
    ["nothing", "true", { text: "(no output)", exit_code: 0 }],
    ["blank lines inside and before stay", "printf '\\n a\\n\\nb\\n\\n'", { text: "\n a\n\nb", exit_code: 0 }],
    ["an error", "echo out; echo err >&2; exit 3", { text: "Exit code 3\nout\nerr", exit_code: 3 }],
    ["an error without words", "exit 1", { text: "Exit code 1", exit_code: 1 }],
    [
      "not found",
      "no-such-command-4711",
      { text: /^Exit code 127\n.*no-such-command-4711: command not found$/, exit_code: 127 },
    ],
    ["a signal", "kill -KILL $$", { text: "Exit code 137", exit_code: 137 }],
    ["the workspace is where it starts", "pwd -P", { text: "DIR", exit_code: 0 }],
    ["bash, not sh", "[[ a == a ]] && echo ${BASH_VERSION:+bash}", { text: "bash", exit_code: 0 }],
    ["standard input is empty", "cat; read x; echo done", { text: "done", exit_code: 0 }],
    ["bytes that are no text", "printf 'a\\xff\\xfeb\\0c'", { text: "a\u{FFFD}\u{FFFD}b\0c", exit_code: 0 }],
    ["a character in two pieces", "printf '\\xe2\\x82'; sleep 0.1; printf '\\xac'", { text: "€", exit_code: 0 }],
  ])("%s", async (_name, command, { text, exit_code }) => {
    const tools = await bench();
    const result = await tools.run("Bash", { command, description: "test" });
    if (typeof text === "string") expect(onlyText(result)).toBe(text.replace("DIR", tools.workspace));
    else expect(onlyText(result)).toMatch(text);
    expect(result).toMatchObject({ exit_code, is_error: exit_code !== 0 });
  });

  test.each([
    [{ command: "echo", timeout: 600_001 }, "timeout may be at most 600000, or 7200000 with run_in_background"],
    [
      { command: "echo", timeout: 7_200_001, run_in_background: true },
      "timeout may be at most 600000, or 7200000 with run_in_background",
    ],
    [{ command: "echo", timeout: 0 }, "timeout: Too small: expected number to be >=1"],
    [
      { command: "echo", dangerouslyDisableSandbox: true },
      "dangerouslyDisableSandbox must stay false: commands always run in the session's sandbox",
    ],
    [{ command: "a\0b" }, "command contains a NUL character"],
    [{}, "command is required"],
    [{ command: "x", shell: "zsh" }, 'unknown argument "shell"'],
  ])("%j is refused", async (input, expected) => {
    const tools = await bench();
    expect(await tools.error("Bash", input)).toBe(`Invalid input for Bash: ${expected}`);
  });

  test("dangerouslyDisableSandbox false is harmless", async () => {
    const tools = await bench();
    expect(await tools.text("Bash", { command: "echo x", dangerouslyDisableSandbox: false })).toBe("x");
  });

  test("a timeout ends everything, and what was written is kept", async () => {
    const tools = await bench();
    const command = "echo begin; setsid sleep 4711 & sleep 4711";
    expect(await tools.error("Bash", { command, timeout: 500 })).toBe("Command timed out after 0.5s\nbegin");
    expect(await tools.left()).toEqual([]);
  });

  test("interrupted: all is over at once, also what ignores SIGTERM", async () => {
    const tools = await bench();
    const controller = new AbortController();
    const result = tools.error(
      "Bash",
      { command: "trap '' TERM; echo ready; setsid sleep 4711 & while :; do sleep 0.01; done" },
      { signal: controller.signal, onOutput: (text) => void (text.includes("ready") && controller.abort()) },
    );
    expect(await result).toBe("The command was interrupted.\nready");
    expect(await tools.error("Bash", { command: "touch x" }, { signal: controller.signal })).toBe(
      "The command was interrupted before it began.",
    );
    expect(await readdir(tools.workspace)).toEqual([]);
    await tools.session.sandbox.close();
    expect(await tools.left()).toEqual([]);
  });

  test("what is left running does not hold up the answer, and ends with the session", async () => {
    const tools = await bench();
    expect(
      await tools.text("Bash", { command: "sleep 4711 & nohup setsid sleep 4711 > /dev/null 2>&1 & echo started" }),
    ).toBe("started");
    expect((await tools.left()).length).toBeGreaterThan(0);
    await tools.toolbox.close();
    await tools.session.sandbox.close();
    expect(await tools.left()).toEqual([]);
  });

  test("output comes while it runs", async () => {
    const tools = await bench();
    await tools.text("Bash", { command: "for i in 1 2 3; do echo $i; done" });
    expect(tools.streamed.join("")).toBe("1\n2\n3\n");
  });

  test("long output: its start and end are shown, all of it is kept", async () => {
    const tools = await bench();
    const text = await tools.text("Bash", { command: "seq 1 20000" });
    const whole = `${Array.from({ length: 20_000 }, (_, index) => index + 1).join("\n")}\n`;
    const [file = ""] = await readdir(tools.session.outputFolder);
    const path = join(tools.session.outputFolder, file);
    const half = LIMITS.bashOutputChars / 2;
    const note = `... (${whole.length - 2 * half} characters were cut out here; the whole output is in ${path}) ...`;
    expect(text).toBe(`${whole.slice(0, half)}\n\n${note}\n\n${whole.slice(-half)}`.trimEnd());
    expect(await readFile(path, "utf8")).toBe(whole);
    expect(await tools.text("Read", { file_path: path, offset: 15_000, limit: 1 })).toBe(" 15000\t15000");
  });

  test("long output of both streams, with an exit code", async () => {
    const tools = await bench();
    const text = await tools.error("Bash", { command: "yes out | head -c 50000; yes err | head -c 50000 >&2; exit 2" });
    expect(text.length).toBeLessThan(LIMITS.bashOutputChars + 1_000);
    expect(text.startsWith("Exit code 2\nout\nout\n")).toBe(true);
    expect(text.endsWith("err\nerr")).toBe(true);
    expect(text.match(/characters were cut out here/g)).toHaveLength(2);
  });

  test("endless output has its bounds in memory, on disk and live", async () => {
    const tools = await bench();
    const text = await tools.error("Bash", { command: "yes 0123456789abcdef", timeout: 400 });
    expect(text).toMatch(/^Command timed out after 0\.4s\n/);
    expect(text.length).toBeLessThan(LIMITS.bashOutputChars + 1_000);
    const [file = ""] = await readdir(tools.session.outputFolder);
    const kept = await readFile(join(tools.session.outputFolder, file));
    expect(kept.length).toBeLessThanOrEqual(LIMITS.keptOutputBytes);
    const live = tools.streamed.join("");
    expect(live.length).toBeLessThan(LIMITS.bashStreamedChars + 100);
    if (live.length > LIMITS.bashStreamedChars) expect(live.endsWith("(More output is not shown live.)\n")).toBe(true);
  });

  test("a workspace that is gone", async () => {
    const tools = await bench();
    await rm(tools.workspace, { recursive: true });
    expect(await tools.error("Bash", { command: "true" })).toBe(
      `Error executing command: The working folder ${tools.workspace} does not exist.`,
    );
  });
});

async function background(tools: Bench, command: string, more: object = {}): Promise<string> {
  const text = await tools.text("Bash", { command, run_in_background: true, ...more });
  const id = /bash_id: (\S+)/.exec(text)?.[1] ?? "";
  expect(text).toBe(
    `Command runs in the background with bash_id: ${id}\nRead its output with BashOutput, end it with KillShell.`,
  );
  return id;
}

describe("background", () => {
  test("output comes line by line, each once, under both names", async () => {
    const tools = await bench();
    const id = await background(
      tools,
      "echo one; echo two >&2; printf part; while [ ! -e go ]; do sleep 0.01; done; echo ial; exit 4",
    );
    const seen: string[] = [];
    while (!seen.includes("two")) {
      const [status, ...lines] = (await tools.text("TaskOutput", { task_id: id, timeout: 10 })).split("\n");
      expect(status).toBe("Status: running");
      seen.push(...lines.filter((line) => line !== "(no new output)"));
    }
    expect(seen).toEqual(["one", "two"]);
    expect(await tools.text("BashOutput", { bash_id: id })).toBe("Status: running\n(no new output)");
    await tools.put("go", "");
    const end = await tools.run("TaskOutput", { task_id: id });
    expect(end).toEqual({
      content: [{ type: "text", text: "Status: failed (exit code 4)\npartial" }],
      is_error: false,
      exit_code: 4,
    });
    expect(await tools.text("BashOutput", { bash_id: id })).toBe("Status: failed (exit code 4)\n(no new output)");
  });

  test("a filter shows what matches and uses up the rest", async () => {
    const tools = await bench();
    const id = await background(tools, "printf 'a1\\nb2\\na3\\nb4\\nlast'");
    await tools.session.shells.find(id)?.wait(10_000, new AbortController().signal);
    expect(await tools.error("BashOutput", { bash_id: id, filter: "(" })).toMatch(
      /^The filter is not a valid regular expression/,
    );
    expect(await tools.text("BashOutput", { bash_id: id, filter: "^a" })).toBe(
      "Status: completed (exit code 0)\na1\na3",
    );
    expect(await tools.text("BashOutput", { bash_id: id })).toBe("Status: completed (exit code 0)\n(no new output)");
  });

  test("much output comes in parts", async () => {
    const tools = await bench();
    const id = await background(tools, "seq 1 30000");
    await tools.session.shells.find(id)?.wait(10_000, new AbortController().signal);
    const numbers: string[] = [];
    for (let look = 0; look < 20; look += 1) {
      const [, ...lines] = (await tools.text("BashOutput", { bash_id: id })).split("\n");
      if (lines[0] === "(no new output)") break;
      expect(lines.join("\n").length).toBeLessThan(LIMITS.bashOutputChars + 100);
      numbers.push(...lines.filter((line) => /^\d+$/.test(line)));
    }
    expect(numbers).toEqual(Array.from({ length: 30_000 }, (_, index) => String(index + 1)));
  });

  test.each([
    ["KillShell", (id: string) => ({ shell_id: id })],
    ["TaskStop", (id: string) => ({ task_id: id })],
    ["TaskStop", (id: string) => ({ shell_id: id })],
  ])("%s ends it and everything below it", async (tool, input) => {
    const tools = await bench();
    const command = "setsid sleep 4711 & sleep 4711";
    const id = await background(tools, command);
    expect(await tools.text(tool, input(id))).toBe(`Killed shell ${id}: ${command}`);
    expect(await tools.left()).toEqual([]);
    expect(await tools.text("BashOutput", { bash_id: id })).toBe("Status: killed\n(no new output)");
    expect(await tools.error(tool, input(id))).toBe(`Shell ${id} is not running: killed.`);
  });

  test("its time is bounded too", async () => {
    const tools = await bench();
    const id = await background(tools, "sleep 4711", { timeout: 50 });
    expect(await tools.text("TaskOutput", { task_id: id })).toBe("Status: timed out\n(no new output)");
  });

  test("waiting ends with its time, or when interrupted", async () => {
    const tools = await bench();
    const id = await background(tools, "sleep 4711");
    expect(await tools.text("TaskOutput", { task_id: id, timeout: 30 })).toBe("Status: running\n(no new output)");
    expect(await tools.text("TaskOutput", { task_id: id, block: false })).toBe("Status: running\n(no new output)");
    const signal = AbortSignal.timeout(30);
    expect(await tools.text("TaskOutput", { task_id: id, timeout: 600_000 }, { signal })).toBe(
      "Status: running\n(no new output)",
    );
  });

  test.each([
    ["BashOutput", { bash_id: "sh_none" }, "No shell found with ID: sh_none"],
    ["TaskOutput", { task_id: "sh_none" }, "No shell found with ID: sh_none"],
    ["KillShell", { shell_id: "sh_none" }, "No shell found with ID: sh_none"],
    ["TaskStop", { task_id: "sh_none" }, "No shell found with ID: sh_none"],
    ["TaskStop", {}, "Invalid input for TaskStop: task_id is required"],
    [
      "TaskOutput",
      { task_id: "x", timeout: 600_001 },
      "Invalid input for TaskOutput: timeout: Too big: expected number to be <=600000",
    ],
  ])("%s %j", async (tool, input, expected) => {
    const tools = await bench();
    expect(await tools.error(tool, input)).toBe(expected);
  });

  test("no more than so many at once; those that ended are forgotten in time", async () => {
    const tools = await bench();
    const start = { command: "sleep", argv: ["sleep", "4711"] as const, cwd: tools.workspace, timeout: 60_000 };
    const many = await Promise.all(
      Array.from({ length: LIMITS.backgroundShellsPerSession + 1 }, () => tools.session.shells.start(start)),
    );
    expect(many.filter((shell) => "refused" in shell)).toEqual([
      { refused: "32 commands run in the background already. End one with KillShell first." },
    ]);
    await tools.toolbox.close();
    expect(await tools.left()).toEqual([]);
    expect(await readdir(tools.session.outputFolder)).toEqual([]);
    const signal = new AbortController().signal;
    const ids: string[] = [];
    for (let count = 0; count < LIMITS.endedShellsPerSession + 2; count += 1) {
      const shell = await tools.session.shells.start({ ...start, argv: ["true"] });
      if ("refused" in shell) throw new Error(shell.refused);
      await shell.wait(10_000, signal);
      ids.push(shell.id);
    }
    expect(ids.filter((id) => tools.session.shells.find(id) === undefined)).toEqual(ids.slice(0, 2));
    expect(await readdir(tools.session.outputFolder)).toHaveLength(LIMITS.endedShellsPerSession);
  });

  test("the session's end ends them and their files", async () => {
    const tools = await bench();
    await background(tools, "echo x; setsid sleep 4711");
    await tools.toolbox.close();
    expect(await tools.left()).toEqual([]);
    expect(await readdir(tools.session.outputFolder)).toEqual([]);
    expect(await tools.error("Bash", { command: "true" })).toBe(
      "The session is closed: no tool can run in it any more.",
    );
  });
});

describe("OutputLog", () => {
  test("keeps the newest output in bounded files and says what is gone", async () => {
    const tools = await bench();
    const log = new OutputLog(join(tools.outside, "x.log"));
    const chunk = Buffer.alloc(1_048_576);
    const chunks = 40;
    for (let index = 0; index < chunks; index += 1) log.append(chunk.fill(index));
    expect(log.end).toBe(chunks * chunk.length);
    const oldest = log.read(0, 10);
    expect(oldest.start).toBeGreaterThan(0);
    expect(oldest.bytes).toEqual(Buffer.alloc(10, oldest.start / chunk.length));
    let place = oldest.start;
    while (place < log.end) {
      const piece = log.read(place, chunk.length);
      expect([piece.start, piece.bytes.length]).toEqual([place, chunk.length]);
      expect(piece.bytes[0]).toBe(place / chunk.length);
      place += piece.bytes.length;
    }
    expect(log.end - oldest.start).toBeLessThanOrEqual(LIMITS.keptOutputBytes);
    expect(log.read(log.end, 10)).toEqual({ bytes: Buffer.alloc(0), start: log.end });
    log.remove();
    expect(await readdir(tools.outside)).toEqual([]);
    log.append(chunk);
  });
});
