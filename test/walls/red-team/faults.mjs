/** What programs do to the sandbox they are in: its helper, its sockets, its memory. It must still work, or say why not. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const MIB = 1_048_576;
/** What the request in child.mjs allows together, and what is taken between two looks at it. */
const MEMORY_MIB = 384;
const SLACK_MIB = 1_536;

/** Each answers what went wrong; undefined: it held. */
const FAULTS = {
  "process 1 is killed": async (place) => place.command("kill -9 1; kill -STOP 1; kill -TERM 1; echo alive", "alive"),
  "the helper is killed": async (place) => place.ends("kill -9 $PPID; sleep 30"),
  "the helper gets every signal": async (place) =>
    place.survives(
      "for s in HUP USR1 USR2 PIPE ALRM CHLD CONT URG WINCH IO; do kill -$s $PPID; done; sleep 0.2; echo alive",
    ),
  "the helper's debugger": async (place) =>
    place.command(
      "kill -USR1 $PPID; sleep 0.5; (exec 3<>/dev/tcp/127.0.0.1/9229) 2>/dev/null && echo open || echo shut",
      "shut",
    ),
  "the helper is stopped": async (place) => {
    // It may be over before its start was reported.
    const ended = async () => {
      const running = await place.start(["/bin/bash", "-c", "kill -STOP $PPID; echo stopped; sleep 30"]);
      await running.said(/stopped/);
      // As a tool does when its time is over.
      await running.kill();
      return (await running.ended).exit.reason ?? "it ended without a reason";
    };
    const reason = await ended().catch((error) => error.message);
    return /did not answer in time/.test(reason) ? place.works() : reason;
  },
  "the helper's requests are read by others": async (place) => {
    const running = await place.start(["/bin/bash", "-c", "echo reading; timeout 2 cat /proc/$PPID/fd/0 > stolen"]);
    await running.said(/reading/);
    await place.run("true").catch(() => undefined);
    await running.kill();
    return place.works();
  },
  "forged reports": async (place) => {
    const lines = [
      '{"type":"started","id":1,"pid":1}',
      '{"type":"ended","id":1}',
      '{"type":"exited","id":9999,"code":0,"signal":null}',
      "[]",
      "nonsense",
      '{"type":"exited","id":-1}',
    ];
    return place.survives(
      `for i in 1 2 3; do printf '%s\\n' '${lines.join("' '")}' > /proc/$PPID/fd/1; done; echo alive`,
    );
  },
  "a report without an end": async (place) => {
    const { stdout, exit } = await place.run(
      "(head -c 6000000 /dev/zero > /proc/$PPID/fd/1) 2>/dev/null || { echo refused; exit; }; sleep 30",
    );
    if (stdout.trim() !== "refused" && !/its sandbox ended/.test(exit.reason ?? ""))
      return `it ended with ${JSON.stringify(exit)}`;
    return place.works();
  },
  "ten thousand connections to the streams": async (place) => {
    const flood = await place.start([...place.hog("connections"), "10000", join(place.folder, "streams")]);
    await flood.said(/10000/);
    const wrong = await place.command("echo alive", "alive");
    await flood.kill();
    return wrong;
  },
  "a fork bomb": async (place) => {
    const bomb = await place.start(["/bin/bash", "-c", "f() { f | f & }; f; sleep 3"]);
    await pause(1_500);
    await bomb.kill();
    return place.works();
  },
  "a fork bomb that leaves nothing to know it by": async (place) => {
    await place.run(
      "cat > bomb.sh <<'END'\nwhile :; do env -i setsid /bin/sh bomb.sh & done 2>/dev/null\nEND\n(env -i setsid /bin/sh bomb.sh >/dev/null 2>&1 &) ; sleep 1",
    );
    return place.works();
  },
  "processes to the limit": async (place) => {
    await place.run(`${place.hog("processes").join(" ")} 400`).catch(() => undefined);
    return place.works();
  },
  ...Object.fromEntries(
    ["own", "/dev/shm", "/dev", "/tmp", "System V", "memfd", "pipes"].map((kind) => [
      `memory: ${kind}`,
      async (place) => {
        const { stdout } = await place
          .run(`${place.hog(kind).join(" ")} ${4_096 * MIB} 2>/dev/null`)
          .catch(() => ({ stdout: "" }));
        const taken = Math.max(0, ...stdout.trim().split("\n").map(Number)) / MIB;
        if (taken > MEMORY_MIB + SLACK_MIB) return `${taken} MiB were taken`;
        return place.works();
      },
    ]),
  ),
  "open files": async (place) => {
    const { stdout } = await place.run(`${place.hog("descriptors").join(" ")} 2>/dev/null`);
    return Number(stdout) > 5_000 ? `${stdout.trim()} files` : place.works();
  },
  "watches on files": async (place) => {
    await place.run(`${place.hog("inotify").join(" ")} 2>/dev/null`);
    return place.works();
  },
  "a file without end": async (place) =>
    place.command("truncate -s 1T big 2>/dev/null; stat -c %s big 2>/dev/null || echo 0; rm -f big", "0"),
  "processor hogs": async (place) => {
    const hog = await place.start(["/bin/bash", "-c", "for i in 1 2 3 4 5 6; do (while :; do :; done) & done; wait"]);
    const wrong = await place.works();
    await hog.kill();
    return wrong;
  },
};

/** Ways to outlive the sandbox. Each has the workspace among its words, by which it would be found. */
export const STRAYS = (workspace) => `
stay='trap "" TERM HUP INT; while :; do sleep 1; done'
env -i setsid sh -c "$stay" a ${workspace} >/dev/null 2>&1 &
(setsid sh -c "(sh -c '$stay' b ${workspace} &) &" >/dev/null 2>&1 &)
nohup env -i setsid bash -c "exec -a [kworker] bash -c '$stay' c ${workspace}" >/dev/null 2>&1 &
env -i setsid sh -c 'kill -STOP $$' d ${workspace} >/dev/null 2>&1 &
env -i setsid bash -c 'again() { bash -c "$0" "$0" ${workspace} & }; trap again EXIT TERM; sleep 100' 'sleep 100' ${workspace} >/dev/null 2>&1 &
sleep 0.5; echo alive $(grep -l -a ${workspace} /proc/[0-9]*/cmdline 2>/dev/null | wc -l)`;

/** `mayEnd`: a fault may end the whole sandbox, with all that is inside; the next command must work. */
export async function runFaults({ say, faults, sandbox, run, start, workspace, folder, mayEnd = false }) {
  const shell = (text) => run(["/bin/bash", "-c", text]);
  const place = {
    folder,
    start,
    run: shell,
    hog: (kind) => [process.execPath, join(workspace, "redteam", "hogs.mjs"), kind.includes(" ") ? `'${kind}'` : kind],
    command: async (text, wanted) => {
      const { stdout, exit } = await shell(text);
      if (mayEnd && /its sandbox ended/.test(exit.reason ?? "")) return place.works();
      return stdout.trim() === wanted
        ? undefined
        : `it said ${JSON.stringify(stdout.slice(0, 200))} and ended with ${JSON.stringify(exit)}`;
    },
    /** The command is cut off with a reason, and the next one works. */
    ends: async (text) => {
      const reason = await shell(text).then(
        ({ exit }) => exit.reason ?? `it ended with ${JSON.stringify(exit)}`,
        // It may be over before its streams have come.
        (error) => error.message,
      );
      return /its sandbox ended/.test(reason) ? place.works() : reason;
    },
    survives: async (text) => {
      await shell(text).catch(() => undefined);
      return place.works();
    },
    works: () =>
      place.command("echo alive", "alive").catch((error) => `the next command did not run: ${error.message}`),
  };
  for (const attack of faults.includes("all") ? Object.keys(FAULTS) : faults) {
    const started = Date.now();
    const first = await FAULTS[attack](place).catch((error) => `${error.message}`);
    const wrong = mayEnd && /its sandbox ended/.test(first ?? "") ? await place.works() : first;
    say({ attack, escaped: wrong !== undefined, detail: wrong ?? "", ms: Date.now() - started });
    // Whatever it left, the next one begins with an empty sandbox.
    await shell("kill -9 $PPID").catch(() => undefined);
  }
  if (faults.length > 0 && sandbox.kind !== "local") {
    await place.works();
    const bwrap = childrenOf(process.pid).find((pid) => nameOf(pid) === "bwrap");
    if (bwrap !== undefined) {
      const held = place.ends("sleep 30");
      await pause(200);
      process.kill(bwrap, "SIGKILL");
      const wrong = await held;
      say({ attack: "the sandbox is killed from outside", escaped: wrong !== undefined, detail: wrong ?? "" });
    }
  }
}

function childrenOf(pid) {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim().split(" ").filter(Boolean).map(Number);
}

function nameOf(pid) {
  return readFileSync(`/proc/${pid}/comm`, "latin1").trim();
}

/** Processes of this machine that have the workspace among their words, apart from this one. */
export function leftIn(workspace) {
  return readdirSync("/proc").filter(
    (pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid && wordsOf(pid).includes(workspace),
  );
}

function wordsOf(pid) {
  try {
    const isZombie = /\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
    return isZombie ? "" : readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}
