import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure } from "../../protocol/index.ts";
import type { Environment } from "../settings/settings.ts";

/** Lets a person change a text; returns the new text. `name` tells the editor what kind of text it is. */
export type EditText = (text: string, name: string) => Promise<string>;

/** The editor of `$VISUAL` or `$EDITOR`, on a private copy of the text. */
export function editorOf(environment: Environment): EditText {
  const program =
    [environment["VISUAL"], environment["EDITOR"]].find((name) => name !== undefined && name !== "") ?? "vi";
  return async (text, name) => {
    const folder = await mkdtemp(join(tmpdir(), "sallyport-edit-"));
    const path = join(folder, name.replaceAll(/[^\w.-]/g, "_").slice(-100) || "text");
    try {
      await writeFile(path, text, { mode: 0o600 });
      await runEditor(program, path);
      return await readFile(path, "utf8");
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

/** Through a shell, because `$EDITOR` may contain arguments. */
function runEditor(program: string, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", `${program} "$1"`, "sh", path], { stdio: "inherit" });
    child.once("error", reject);
    child.once("exit", (code) => {
      if (code === 0) resolve();
      else
        reject(
          new Failure(
            "invalid_request",
            `${program} ended with ${code ?? "a signal"}; set EDITOR to an editor that works here`,
          ),
        );
    });
  });
}
