import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

/** A call of gh or glab, as the program saw it. */
interface ForgeCall {
  readonly words: readonly string[];
  readonly input: string;
  /** The settings of the repository that it ran in. */
  readonly config: string;
}

export interface ForgePrograms extends Disposable {
  /** With these programs first. */
  readonly path: string;
  calls(): readonly ForgeCall[];
}

const SCRIPT = `#!/bin/sh
at=$(mktemp -d FOLDER/call-XXXXXX)
for word in "$@"; do printf '%s\\0' "$word" >> "$at/words"; done
cat > "$at/input"
cat .git/config > "$at/config"
case "$*" in *refused*) echo "no: https://person:hunter2@HOST/x is closed" >&2; exit 1;; esac
echo "Creating a request"
echo "https://HOST/org/app/pull/7"
`;

/** Small programs in the place of gh and glab, which are not needed here: they note how they are called, and answer like them. */
export function forgePrograms(): ForgePrograms {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-forge-"));
  for (const [name, host] of [
    ["gh", "github.com"],
    ["glab", "gitlab.example"],
  ] as const)
    writeFileSync(join(folder, name), SCRIPT.replaceAll("FOLDER", folder).replaceAll("HOST", host), { mode: 0o755 });
  return {
    path: `${folder}${delimiter}${process.env["PATH"] ?? ""}`,
    calls: () =>
      readdirSync(folder)
        .filter((name) => name.startsWith("call-"))
        .map((name) => {
          const read = (file: string): string => readFileSync(join(folder, name, file), "utf8");
          return { words: read("words").split("\0").slice(0, -1), input: read("input"), config: read("config") };
        }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
