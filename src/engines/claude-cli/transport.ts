import { environmentOf } from "../claude/environment.ts";
import { joinProcess } from "../claude/stdio-transport.ts";
import { holdRequest, type Launch, type VendorTransport, type ProcessListener } from "../claude/transport.ts";
import { argumentsOf } from "./arguments.ts";

/** Starts `claude -p` for one prompt, and speaks its control protocol. */
export async function openCliTransport(launch: Launch, listener: ProcessListener): Promise<VendorTransport> {
  const { host, settings } = launch;
  const process = await host.sandbox.open({
    argv: argumentsOf(launch),
    cwd: settings.workspace,
    env: environmentOf(launch),
    hold: holdRequest(launch),
  });
  return joinProcess(process, launch, listener);
}
