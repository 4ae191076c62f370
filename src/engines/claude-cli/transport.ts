import { setTimeout as pause } from "node:timers/promises";
import { LIMITS } from "../../protocol/index.ts";
import { environmentOf } from "../claude/environment.ts";
import type { Launch, VendorTransport, ProcessListener } from "../claude/transport.ts";
import { ProcessOutput } from "../claude/output.ts";
import { readMessage } from "../claude/wire.ts";
import { argumentsOf } from "./arguments.ts";
import { ControlChannel } from "./control.ts";

/** Starts `claude -p` for one prompt, and speaks its control protocol. */
export async function openCliTransport(launch: Launch, listener: ProcessListener): Promise<VendorTransport> {
  const { host, settings } = launch;
  const process = await host.sandbox.open({
    argv: argumentsOf(launch),
    cwd: settings.workspace,
    env: environmentOf(launch),
  });
  const control = new ControlChannel(launch, listener, (line) => {
    if (process.stdin.writable) process.stdin.write(line);
  });
  const output = new ProcessOutput(process, {
    allowance: launch.allowance,
    onMessage: (message) => {
      if (!control.take(message)) listener.heard(readMessage(message));
    },
    onNoise: (line) => listener.noise(line),
    drained: () => listener.drained(),
  });
  const reading = output.end.then((end) => listener.ended(end));
  const initialized = control.initialize(launch);
  const kill = async (): Promise<void> => {
    await process.kill({ graceMs: LIMITS.engineKillMs });
    await reading;
  };
  return {
    ready: initialized.catch(() => new Promise<never>(() => undefined)),
    setServers: (servers, changed) => control.setServers(servers, changed),
    send: (message) => {
      output.begin();
      control.send(message);
    },
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
