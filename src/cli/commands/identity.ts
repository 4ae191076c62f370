import type { Command } from "commander";
import { GATEWAY_IDENTITY, type Identity, type IdentityKeys } from "../../identity/index.ts";
import { Failure, LIMITS } from "../../protocol/index.ts";
import { print, printJson, type CommandContext } from "../context.ts";
import { EXIT } from "../exit.ts";
import { identityKeys } from "../wiring/identity.ts";
import { ownHome } from "../serving.ts";

const HELP = `
With this key the gateway introduces itself to tunnels of other machines. It is a file in the home folder, and nothing
shows it. Its owner adds your public key to the tunnel's allowed_agents.

Example:
  $ sallyport identity show`;

const IMPORT_HELP = `
The key is read from standard input, never from the command line: there others on this machine could see it.

Example:
  $ sallyport identity import < key.txt`;

export function addIdentity(program: Command, context: CommandContext): void {
  const identity = program
    .command("identity")
    .description("who this gateway is to tunnels: its public key")
    .helpCommand(false)
    .addHelpText("after", HELP);
  identity
    .command("show")
    .description("print the public key; a new one is made if there is none")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  $ sallyport identity show --json")
    .action(async ({ json }: { json?: boolean }, command: Command) => {
      show(context, await (await keysOf(context, command)).identity(GATEWAY_IDENTITY), { json });
    });
  identity
    .command("new")
    .description("make another key; tunnels that know the old one refuse this gateway until they know the new one")
    .option("--yes", "replace the key that there is")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  $ sallyport identity new --yes")
    .action(async ({ yes, json }: { yes?: boolean; json?: boolean }, command: Command) => {
      const keys = await keysOf(context, command);
      await refuseReplacing(keys, yes);
      show(context, await keys.replace(GATEWAY_IDENTITY), { json });
    });
  identity
    .command("import")
    .description("use a key that you have: nsec or 64 hexadecimal digits, from standard input")
    .option("--yes", "replace the key that there is")
    .option("--json", "as JSON")
    .addHelpText("after", IMPORT_HELP)
    .action(async ({ yes, json }: { yes?: boolean; json?: boolean }, command: Command) => {
      const keys = await keysOf(context, command);
      await refuseReplacing(keys, yes);
      show(context, await keys.replace(GATEWAY_IDENTITY, await readLine(context)), { json });
    });
}

async function keysOf(context: CommandContext, command: Command): Promise<IdentityKeys> {
  // Nothing of it is ever printed: there is no log that would have to learn it.
  return identityKeys(await ownHome(context, command), () => undefined);
}

async function refuseReplacing(keys: IdentityKeys, yes: boolean | undefined): Promise<void> {
  if (yes === true || (await keys.existing(GATEWAY_IDENTITY)) === undefined) return;
  throw new Failure(
    "conflict",
    "this gateway has a key already: add --yes to replace it. The old one stays in the home folder",
  );
}

function show(
  context: CommandContext,
  { pubkey, npub }: Identity,
  { json }: { readonly json: boolean | undefined },
): void {
  if (json === true) printJson(context, { pubkey, npub });
  else {
    print(context, npub);
    context.screen.line(context.screen.paint.dim(`in hexadecimal: ${pubkey}`));
  }
  context.end(EXIT.done);
}

/** The first line of standard input; nothing is echoed that a terminal does not echo itself. */
async function readLine({ surroundings, screen }: CommandContext): Promise<string> {
  if (surroundings.input.isTTY === true) screen.line("paste the key and press enter:");
  let text = "";
  for await (const piece of surroundings.input) {
    text += String(piece);
    if (text.includes("\n") || text.length > LIMITS.sharedKeyMaxChars) break;
  }
  return (text.split(/\r?\n/, 1)[0] ?? "").trim();
}
