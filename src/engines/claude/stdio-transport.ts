import { setTimeout as pause } from "node:timers/promises";
import { LIMITS } from "../../protocol/index.ts";
import type { Piped } from "../../sandbox/sandbox.ts";
import { ControlChannel } from "./control.ts";
import { ProcessOutput } from "../vendor/output.ts";
import type { Launch, ProcessListener, VendorTransport } from "./transport.ts";
import { readMessage } from "./wire.ts";

/** Speaks the control protocol of a process of ours: one that was just started, or one that a dead server left in the middle of a turn. */
export function joinProcess(process: Piped, launch: Launch, listener: ProcessListener): VendorTransport {
  const { held } = process;
  const control = new ControlChannel(launch, listener, process);
  const output = new ProcessOutput(process, {
    allowance: launch.allowance,
    onMessage: (message) => {
      if (!control.take(message)) listener.heard(readMessage(message));
    },
    onNoise: (line) => listener.noise(line),
    drained: () => listener.drained(),
  });
  const reading = output.end.then((end) => listener.ended(end));
  const initialized = held?.left === undefined ? control.initialize(launch) : Promise.resolve();
  const kill = async (): Promise<void> => {
    await process.kill({ graceMs: LIMITS.engineKillMs });
    await reading;
  };
  return {
    ready: initialized.catch(() => new Promise<never>(() => undefined)),
    setServers: (servers, changed) => control.setServers(servers, changed),
    send: (message, turn_id) => {
      output.begin();
      control.send(message, turn_id);
    },
    held: held && { salt: launch.salt, forfeit: () => held.forfeit(), leave: () => held.leave() },
    interrupt: () => {
      process.signal("SIGINT");
    },
    finish: async () => {
      process.stdin.end();
      const over = new AbortController();
      const patience = pause(LIMITS.engineExitMs, undefined, { signal: over.signal }).catch(() => undefined);
      await Promise.race([process.exit, patience]);
      over.abort();
      await kill();
    },
    kill,
  };
}
