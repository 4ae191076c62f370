// Loaded before a program (`node --import`): kills it just before one of the calls by which it changes files or starts a program.
// SALLYPORT_TEST_KILL names a file: as long as it is there, such calls are counted. It holds the number of the call that is the last
// one; 0: none is, and the file `<it>.count` tells how many there were.
import childProcess from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const { existsSync, readFileSync, writeFileSync } = fs;
const plan = process.env["SALLYPORT_TEST_KILL"];
let calls = 0;

function count() {
  if (plan === undefined || !existsSync(plan)) return;
  calls += 1;
  const last = Number(readFileSync(plan, "utf8"));
  if (last === calls) process.kill(process.pid, "SIGKILL");
  if (last === 0) writeFileSync(`${plan}.count`, String(calls));
}

function watch(holder, names) {
  for (const name of names) {
    const real = holder[name];
    holder[name] = (...words) => {
      count();
      return real.apply(holder, words);
    };
  }
}

const CHANGES = ["appendFile", "chmod", "copyFile", "link", "mkdir", "rename", "rm", "rmdir", "symlink", "truncate"];
const MORE = ["unlink", "writeFile"];
watch(fs.promises, [...CHANGES, ...MORE]);
watch(
  fs,
  [...CHANGES, ...MORE].map((name) => `${name}Sync`),
);
watch(childProcess, ["spawn", "execFile"]);
syncBuiltinESMExports();
