import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";

/**
 * Ways in which a command leaves a process behind that has nothing of its session left: neither environment, process group,
 * session, parent nor name. Each writes its number to the file and stays for a quarter of an hour.
 */
export const ESCAPES: Readonly<Record<string, (file: string) => string>> = {
  "an empty environment and a session of its own": (file) => awaited(`env -i setsid sh -c ${stay(file)} &`, file),
  "nohup and disown": (file) => awaited(`nohup env -i setsid sh -c ${stay(file)} >/dev/null 2>&1 & disown -a`, file),
  "a double fork": (file) => awaited(`env -i setsid sh -c '(sh -c "$0" &) &' ${stay(file)} &`, file),
  "another name": (file) =>
    awaited(
      `env -i setsid bash -c 'echo $$ > ${file}.part; mv ${file}.part ${file}; exec -a [kworker/0:1] sleep 900' &`,
      file,
    ),
  "closed files and another folder": (file) =>
    awaited(`env -i setsid sh -c 'cd /; exec <&- >&- 2>&-; sh -c "$0"' ${stay(file)} &`, file),
  "a limit lowered as far as it goes": (file) => awaited(`(ulimit -n 64; env -i setsid sh -c ${stay(file)} &)`, file),
};

const stay = (file: string): string => `'echo $$ > ${file}.part; mv ${file}.part ${file}; exec sleep 900'`;

const awaited = (command: string, file: string): string =>
  `${command} >/dev/null 2>&1; until [ -s ${file} ]; do sleep 0.01; done`.replace(
    "& >/dev/null 2>&1;",
    ">/dev/null 2>&1 &",
  );

/** The number that an escaped process wrote down. */
export async function escaped(file: string): Promise<number> {
  return Number(await readFile(file, "utf8"));
}

/** One that has ended and only waits for its parent to take notice is not alive. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !["Z", "X"].includes(stat.charAt(stat.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}
