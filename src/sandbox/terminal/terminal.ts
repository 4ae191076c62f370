import { once } from "node:events";
import type { Running, Sandbox } from "../sandbox.ts";
import { terminalCommand } from "./programs.ts";

interface TerminalSize {
  readonly rows: number;
  readonly columns: number;
}

/** A shell in a pseudo-terminal, for a person. Its output must be read. */
export interface SandboxTerminal extends Pick<Running, "exit" | "kill"> {
  readonly output: AsyncIterable<Buffer>;
  /** Resolves when there is room for more. */
  type(text: string): Promise<void>;
  resize(size: TerminalSize): Promise<void>;
}

/** Opens a terminal among the processes of a session, behind the same walls. */
export async function openTerminal(
  sandbox: Pick<Sandbox, "open">,
  { cwd, size }: { readonly cwd: string; readonly size: TerminalSize },
): Promise<SandboxTerminal> {
  const env = { TERM: "xterm-256color", LANG: "C.UTF-8" };
  const process = await sandbox.open({ argv: terminalCommand(size), cwd, env, beside: true });
  const { stdin, stdout, stderr, exit } = process;
  // The shell's own complaints come through the terminal.
  stderr.resume();
  stdin.on("error", () => undefined);
  const tell = async (line: string): Promise<void> => {
    if (!stdin.writable || stdin.write(`${line}\n`)) return;
    await Promise.race([once(stdin, "drain").catch(() => undefined), exit]);
  };
  return {
    exit,
    kill: (options) => process.kill(options),
    output: stdout as AsyncIterable<Buffer>,
    type: (text) => tell(`d ${Buffer.from(text).toString("base64")}`),
    resize: ({ rows, columns }) => tell(`r ${rows} ${columns}`),
  };
}
