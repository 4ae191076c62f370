import { spawn } from "node:child_process";
import { LIMITS } from "../protocol/index.ts";

/** Runs a program of the system to its end, without the server's environment. One that cannot be started, or takes too long, has no code. */
export function ended(
  program: string,
  words: readonly string[],
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve) => {
    const child = spawn(program, words, {
      cwd: "/",
      env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: LIMITS.sandboxProbeMs,
      killSignal: "SIGKILL",
    });
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (chunk: string) => {
        said[name] = (said[name] + chunk).slice(0, LIMITS.engineStderrChars);
      });
    child.once("error", (error) => resolve({ code: null, stdout: "", stderr: error.message }));
    child.once("close", (code) => resolve({ code, ...said }));
  });
}
