import { spawnSync } from "node:child_process";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expanded } from "../../src/gate/reading/expand.ts";
import { simpleCommands } from "../../src/gate/reading/simple-line.ts";
import { unwrap } from "../../src/gate/shell/unwrap.ts";
import { readableFiles } from "../../src/tools/shell/reading.ts";
import { git, readingWorld } from "../gate/reading-lines/world.ts";
import { UNASKED } from "../gate/reading-lines/unasked.ts";
import { Dice } from "../support/money/dice.ts";
import { isFullRun } from "../support/sample.ts";
import { bench } from "./fixture.ts";

/** Lines that are proven, and really run. */
const RUNS = isFullRun ? 10_000 : 80;
/** How many are run between two looks at the files. */
const BATCH = 50;
const SEED = 20_261;

const PROGRAMS =
  "ls cat head tail wc sort uniq cut tr grep egrep find diff cmp comm join nl tac rev od hexdump base64 file stat du sed jq column paste fold fmt expand date echo printf test [ realpath readlink basename pwd seq sha256sum md5sum cksum git".split(
    " ",
  );
/** Also what writes, runs and leaves: most of it must be refused, and what is not must do no harm. */
const OPTIONS =
  "-a -l -la -R -r -n -i -c -u -o -T -f -F -L -H -e -E -v -w -x -z -s -d -k -t -b -5 -n5 -o=x -oz -ro -nuo --output=x --output --out --outp=x --files0-from=a.txt --compress-program=./evil.sh -delete -fprint -fls -exec -print -name -type -newer -maxdepth -follow --follow --recursive --dereference --no-index --cached --stat -p --textconv --ext-diff -O --color=always --count -C -M --help --version --check -i.bak --in-place -- - --".split(
    " ",
  );
const OPERANDS =
  "a.txt b.txt src src/a.ts docs . ./ .. / /etc/passwd ../outside/secret.txt outlink outdir outdir/secret.txt indir indir/a.ts mixed mixed/* * *.ts src/* src/*.ts s* .* .e* .env server.pem keys/id_rsa keys secretlink opts opts/* ./opts/n.txt pipe '*' '-delete' '--output=x' 'a b' \"x y\" foo 1p 1,5p 'w x' . .a '.[0]' env x y new out.txt HEAD HEAD~1 HEAD:a.txt HEAD:.env main ':(top).env' f d 1 2 +1 +%F {} \\; \\( ! '%s' '%n' PATH {a,b} ~ $HOME $(id) .git .git/config /dev/null /dev/zero -5".split(
    " ",
  );
const SUBCOMMANDS =
  "status diff log show branch tag remote stash rev-parse ls-files blame describe shortlog cat-file grep reflog show-ref ls-tree rev-list config add commit checkout clean gc".split(
    " ",
  );
const JOINTS = [" | ", " && ", " || ", "; ", "\n", " | ", " & ", " |& "];
const ENDS = ["", "", "", "", " 2>/dev/null", " >/dev/null", " 2>&1", " > out.txt", " >> a.txt", " < a.txt", " &"];

function line(dice: Dice): string {
  if (dice.chance(0.2)) return dice.of(UNASKED).replaceAll("/WORKSPACE", ".");
  return Array.from({ length: dice.chance(0.6) ? 1 : dice.between(2, 3) }, () => simple(dice)).reduce(
    (left, right) => left + dice.of(JOINTS) + right,
  );
}

function simple(dice: Dice): string {
  const program = dice.chance(0.25) ? "git" : dice.of(PROGRAMS);
  const words = program === "git" ? [program, dice.of(SUBCOMMANDS)] : [program];
  for (let left = dice.between(0, 3); left > 0; left--) words.push(dice.of(dice.chance(0.45) ? OPTIONS : OPERANDS));
  if (program === "[") words.push("]");
  return words.join(" ") + dice.of(ENDS);
}

/** Every file with its content, kind and times: what reading leaves as it is. */
function snapshot(folder: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, name);
    const { mode, size, mtimeMs, ino } = lstatSync(path);
    const kind = mode & 0o170000;
    const content = kind === 0o100000 ? readFileSync(path, "latin1") : kind === 0o120000 ? readlinkSync(path) : "";
    found.set(name, `${mode} ${kind === 0o040000 ? "" : `${size} ${ino}`} ${mtimeMs} ${content}`);
  }
  return found;
}

test(
  "whatever runs unasked changes no file and shows no secret",
  async () => {
    const world = await readingWorld();
    git(world, "tag", "v1");
    await world.put("evil.sh", `#!/bin/sh\ntouch ${world.outside}/ran\n`, 0o755);
    const before = [snapshot(world.workspace), snapshot(world.outside)];
    const dice = new Dice(SEED);
    const signal = new AbortController().signal;
    let batch: string[] = [];
    let tried = 0;
    for (let run = 0; run < RUNS;) {
      const command = line(dice);
      tried += 1;
      if ((await world.toolbox.onlyReads("Bash", { command })) === undefined) continue;
      run += 1;
      batch.push(command);
      const permission = { judged: new Map<string, string>(), onlyReads: true } as const;
      const input = { command, timeout: 20_000 };
      const { content } = await world.toolbox.run("Bash", input, { permission, signal, onOutput: () => undefined });
      const text = JSON.stringify(content);
      expect(/CANARY|root:x:0|timed out|no longer certain/.test(text) ? [command, text] : "").toBe("");
      if (batch.length < BATCH && run < RUNS) continue;
      expect([batch, snapshot(world.workspace), snapshot(world.outside)]).toEqual([batch, ...before]);
      batch = [];
    }
    // The grammar makes mostly lines that must be asked about.
    expect(tried).toBeGreaterThan(RUNS * 2);
  },
  isFullRun ? 3_600_000 : 120_000,
);

/** Pieces of shell patterns, also those that are easily read differently. */
const PATTERN_PIECES =
  "* ? [ ] ! ^ - a b c ab .. . / \\] \\[ \\* \\\\ \"]\" ']' 'a' \"b\" [a] [!a] [^a] [a-c] []a] [!]a] [^]a] [[] [[:alpha:]] [a/b] [-a] [a-] [.] [.a] ** d/ d/* ./ */".split(
    " ",
  );
const NAMES = [
  "a",
  "b",
  "ab",
  "]a",
  "[a",
  "*",
  "?",
  ".a",
  "-a",
  "!a",
  "^",
  "a]",
  "d/a",
  "d/]",
  "d/.b",
  "é",
  "a b",
  "[a]b",
];

test("no name that the shell finds for a pattern is missed", async () => {
  const world = await bench();
  for (const name of NAMES) await world.put(name, "");
  const dice = new Dice(SEED);
  const folder = { cwd: world.workspace, workspace: world.workspace };
  const missed: unknown[] = [];
  for (let left = isFullRun ? 5_000 : 150; left > 0; left--) {
    const pattern = Array.from({ length: dice.between(1, 5) }, () => dice.of(PATTERN_PIECES)).join("");
    const commands = simpleCommands(`ls ${pattern}`, unwrap(`ls ${pattern}`));
    if (typeof commands === "string") continue;
    const found = new Set<string>();
    let isAsked = false;
    for (const word of commands.flatMap(({ words }) => words.slice(1))) {
      const becomes = await expanded(word, folder, readableFiles(world.session));
      if (typeof becomes === "string") isAsked = true;
      else for (const { value } of becomes) found.add(value);
    }
    if (isAsked) continue;
    const { stdout } = spawnSync("/bin/bash", ["--norc", "-c", `printf '%s\\0' ${pattern}`], {
      cwd: world.workspace,
      encoding: "utf8",
      env: { LC_ALL: "C.UTF-8", PATH: "/usr/bin:/bin" },
    });
    const real = stdout.split("\0").slice(0, -1);
    if (!real.every((name) => found.has(name))) missed.push([pattern, real, [...found]]);
  }
  expect(missed).toEqual([]);
}, 120_000);

const QUOTING_PIECES = [
  ...'a b - -- = ~ ~/ : # ! % ^ @ , . / { } {a,b} {a..c} $ $x $\' $" ` \' " \\ \\\\ \\\' \\" \\$ \\a \\~ \'a\' "b" \'a"b\' "a\'b" "\\$x" "\\\\" "\\a" é \u00a0 \u2003 \u3000 \u200b x=~ a=~/b a:~'.split(
    " ",
  ),
  " ",
  "  ",
  "\t",
  "\\ ",
  "\\\n",
  "\r",
  "' '",
  '" "',
  "\u000b",
];

test("words are what the shell makes of them", () => {
  const dice = new Dice(SEED);
  const wrong: unknown[] = [];
  let compared = 0;
  for (let left = isFullRun ? 20_000 : 700; left > 0; left--) {
    const rest = Array.from({ length: dice.between(1, 7) }, () => dice.of(QUOTING_PIECES)).join("");
    const commands = simpleCommands(`ls ${rest}`, unwrap(`ls ${rest}`));
    const [only, ...more] = typeof commands === "string" ? [] : commands;
    if (only === undefined || more.length > 0 || only.words.some(({ fixed }) => !fixed)) continue;
    compared += 1;
    const { stdout } = spawnSync("/bin/bash", ["--norc", "-c", `printf '<%s>\\0' ls ${rest}`], {
      encoding: "utf8",
      env: { LC_ALL: "C.UTF-8", HOME: "/home/x" },
    });
    const words = only.words.map(({ value }) => `<${value}>\0`).join("");
    if (words !== stdout) wrong.push([rest, words, stdout]);
  }
  expect(wrong).toEqual([]);
  expect(compared).toBeGreaterThan(isFullRun ? 1_000 : 50);
}, 300_000);
