/** A server that dies in the very moment in which it has started its first program: `dying-at-spawn.mjs <marker> <folder>`. Prints its children. */
import { readdirSync, readFileSync, writeSync } from "node:fs";
import { openLocalSandbox, openWatchdog, ProcessMarks } from "../../dist/sandbox/index.js";

const [, , marker, folder] = process.argv;
const marks = await ProcessMarks.open(marker, Math.random);
const watchdog = openWatchdog({
  marker,
  life: marks.life,
  after: () => () => undefined,
  onLost: () => undefined,
});
const sandbox = openLocalSandbox({ sessionId: "ses_1", home: folder, marker, marks, watchdog });
const children = () =>
  readdirSync("/proc/self/task").flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, "latin1")
      .split(" ")
      .filter((pid) => pid !== ""),
  );
const before = children();
void sandbox.spawn({ argv: ["sleep", "1000"], cwd: folder, onOutput: () => undefined });
writeSync(1, JSON.stringify({ before, after: children() }));
process.kill(process.pid, "SIGKILL");
