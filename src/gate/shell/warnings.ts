import { LIMITS, textWarnings, type CommandPart, type Warning } from "../../protocol/index.ts";
import { readGit } from "./git.ts";
import { DANGEROUS, DELETES, NETWORK, NETWORK_SUBCOMMANDS, RAISES } from "./programs.ts";
import type { Note } from "./look.ts";
import type { UnwrappedCommand, Unwrapped } from "./unwrap.ts";

type WarningKind = Warning["kind"];

/** Collects warnings: each once, in the order of the line. */
class WarningList {
  readonly list: Warning[] = [];

  add(kind: WarningKind, message: string): void {
    if (this.list.length >= LIMITS.warningsPerCommand) return;
    if (!this.list.some((warning) => warning.kind === kind && warning.message === message))
      this.list.push({ kind, message });
  }
}

/** What a person should know about a command before approving it, in plain words. */
export function warningsFor(source: string, unwrapped: Unwrapped, parts: readonly CommandPart[]): readonly Warning[] {
  const warnings = new WarningList();
  for (const message of textWarnings("The command", source, "command")) warnings.add("dangerous", message);
  if (unwrapped.error !== undefined) {
    warnings.add("unparseable", `Cannot be parsed (${unwrapped.error}), so nothing can be said about what it does.`);
    return warnings.list;
  }
  for (const [index, part] of unwrapped.parts.entries()) {
    const seen = parts[index];
    if (seen !== undefined) judge(part, seen, warnings);
  }
  for (const note of unwrapped.notes) warnings.add(kindOf(note), sentence(note.message));
  pipelines(unwrapped, warnings);
  return warnings.list;
}

function judge(part: UnwrappedCommand, seen: CommandPart, warnings: WarningList): void {
  const chain = [...seen.wrappers, seen.program];
  for (const program of chain)
    if (RAISES.has(program)) warnings.add("sudo", `Runs with another user's rights: ${program}.`);
  deletions(part, seen, warnings);
  redirections(part, warnings);
  network(seen, chain, warnings);
  for (const { word, inside } of seen.paths) {
    if (!inside) warnings.add("outside_workspace", `Names a path outside of the workspace: ${word}`);
  }
  for (const note of part.notes) warnings.add(kindOf(note), sentence(note.message));
  if (part.command.background) warnings.add("background", `Keeps running in the background: ${seen.text}`);
  dangers(part, seen, warnings);
}

function kindOf(note: Note): WarningKind {
  return note.kind === "environment" ? "dangerous" : "dynamic_command";
}

/** A program's name keeps its case at the start of a sentence. */
const VERBS =
  /^(a|the|this|what|which|runs|setting|calculates|starts|stops|changes|ends|loads|leaves|binds|gives|commands)\b/;

function sentence(message: string): string {
  const start = VERBS.test(message) ? message.charAt(0).toUpperCase() + message.slice(1) : message;
  return /[.:…]$/.test(start) ? start : `${start}.`;
}

function deletions(part: UnwrappedCommand, { program, argv, text }: CommandPart, warnings: WarningList): void {
  const verb =
    program === "git" ? readGit(part.layers.at(-1)?.words ?? [], part.bindings).subcommand?.value : undefined;
  const git = verb === "clean" || verb === "rm";
  const hard = (verb === "reset" && argv.includes("--hard")) || (verb === "branch" && argv.includes("-D"));
  const finds = program === "find" && argv.includes("-delete");
  const moved = program === "rsync" && argv.some((word) => word.startsWith("--delete"));
  if (DELETES.has(program) || git || finds || moved) warnings.add("delete", `Deletes files: ${text}`);
  if (hard) warnings.add("delete", `Throws changes away: ${text}`);
}

function redirections(part: UnwrappedCommand, warnings: WarningList): void {
  for (const { operator, target, access } of part.redirects) {
    if (access === "descriptor" || access === "feed" || target === undefined) continue;
    if (target.value === "/dev/null") continue;
    if (access === "read") warnings.add("redirect", `Reads its input from ${target.text}.`);
    else warnings.add("redirect", `${operator.includes(">>") ? "Appends to" : "Overwrites"} ${target.text}.`);
    if (/^\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|disk|dm-|loop|mem|kmem|port)/.test(target.value)) {
      warnings.add("dangerous", `Writes to the device ${target.value}.`);
    }
  }
}

function network({ program, argv, hosts }: CommandPart, chain: readonly string[], warnings: WarningList): void {
  const verbs = Object.hasOwn(NETWORK_SUBCOMMANDS, program) ? NETWORK_SUBCOMMANDS[program] : undefined;
  const verb = verbs === undefined ? undefined : argv.slice(1).find((word) => verbs.has(word));
  if (hosts.length > 0)
    warnings.add("network", `Reaches ${hosts.join(", ")} with ${program === "" ? "a redirection" : program}.`);
  else if (chain.some((name) => NETWORK.has(name))) warnings.add("network", `Reaches the network: ${program}.`);
  else if (verb !== undefined) warnings.add("network", `Reaches the network: ${program} ${verb}.`);
}

function dangers(part: UnwrappedCommand, { program, argv, text }: CommandPart, warnings: WarningList): void {
  const known = Object.hasOwn(DANGEROUS, program)
    ? DANGEROUS[program]
    : program.startsWith("mkfs.")
      ? DANGEROUS["mkfs"]
      : undefined;
  if (known !== undefined) warnings.add("dangerous", sentence(known));
  if (
    program === "rm" &&
    recursive(argv) &&
    argv.some((word) =>
      /^(\/|~|\/\*|\.|\.\.|\*|\/(bin|boot|dev|etc|home|lib|opt|root|sbin|usr|var)\/?\*?)\/?$/.test(word),
    )
  ) {
    warnings.add("dangerous", `Deletes whole folders: ${text}`);
  }
  if (program === "chmod" && argv.some((word) => /^(0?777|a\+rwx|\+rwx|u?go\+rwx)$/.test(word))) {
    warnings.add(
      "dangerous",
      `Lets everybody read, change and run${recursive(argv) ? " everything below" : ""}: ${argv.at(-1) ?? ""}`,
    );
  }
  if (/^(chown|chgrp)$/.test(program) && recursive(argv))
    warnings.add("dangerous", `Changes the owner of whole folders: ${text}`);
  if (
    program === "git" &&
    argv.includes("push") &&
    argv.some((word) => /^(-f|--force|--force-with-lease|--mirror|--delete)/.test(word))
  ) {
    warnings.add("dangerous", "Overwrites or deletes what others have in the remote repository.");
  }
  if (
    part.layers.some((layer) =>
      layer.words.some((word) => word.fixed && /^\/dev\/(sd|hd|vd|nvme|mmcblk)/.test(word.value.replace(/^of=/, ""))),
    )
  ) {
    warnings.add("dangerous", "Works on a disk itself.");
  }
}

function recursive(argv: readonly string[]): boolean {
  return argv.some((word) => word === "--recursive" || /^-[a-zA-Z]*[rR]/.test(word));
}

function pipelines(unwrapped: Unwrapped, warnings: WarningList): void {
  const { parts, readings } = unwrapped;
  if (parts.some((part) => part.command.writesPipe))
    warnings.add("pipe", "Feeds the output of one command into another.");
  const fetches = parts.some(
    ({ layers, command }) => command.writesPipe && layers.some(({ program }) => /^(curl|wget|nc|ncat)$/.test(program)),
  );
  const runs = parts.some(
    ({ notes, command }) => command.readsPipe && notes.some(({ message }) => message.includes("piped into it")),
  );
  if (fetches && runs) warnings.add("dangerous", "Runs what it downloads, unseen.");
  for (const reading of readings) {
    const bomb = reading.functions.find((name) => {
      const calls = reading.commands.filter((command) => command.words[0]?.value === name);
      return calls.some((command) => command.background || command.writesPipe) && calls.length > 1;
    });
    if (bomb !== undefined)
      warnings.add("dangerous", `The function ${bomb} starts itself again and again: a fork bomb.`);
  }
}
