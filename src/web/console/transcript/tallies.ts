interface ChangeTally {
  added: number;
  removed: number;
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/** Added and removed lines of a unified diff by file; a deleted file under its old name. */
export function talliesOf(diff: string): ReadonlyMap<string, Readonly<ChangeTally>> {
  const tallies = new Map<string, ChangeTally>();
  let current: ChangeTally = { added: 0, removed: 0 };
  let old = "";
  // Remaining lines of the hunk: a removed line that begins with `--` is no header.
  let left = { old: 0, fresh: 0 };
  for (const line of diff.split("\n")) {
    const hunk = left.old <= 0 && left.fresh <= 0 ? HUNK.exec(line) : null;
    if (hunk !== null) left = { old: Number(hunk[1] ?? 1), fresh: Number(hunk[2] ?? 1) };
    else if (left.old > 0 && line.startsWith("-")) {
      current.removed += 1;
      left.old -= 1;
    } else if (left.fresh > 0 && line.startsWith("+")) {
      current.added += 1;
      left.fresh -= 1;
    } else if (left.old > 0 && left.fresh > 0 && !line.startsWith("\\")) {
      left.old -= 1;
      left.fresh -= 1;
    } else if (line.startsWith("--- ")) old = nameOf(line, "a/");
    else if (line.startsWith("+++ ")) {
      const name = nameOf(line, "b/");
      const path = name === "/dev/null" ? old : name;
      current = tallies.get(path) ?? { added: 0, removed: 0 };
      tallies.set(path, current);
    }
  }
  return tallies;
}

function nameOf(header: string, prefix: string): string {
  const name = header.slice(4).split("\t")[0] ?? "";
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}
