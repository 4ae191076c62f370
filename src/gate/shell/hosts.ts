import { LIMITS } from "../../protocol/index.ts";
import type { ShellWord } from "./words.ts";

const HOST = String.raw`(?:\[[\da-fA-F:.]+\]|[A-Za-z\d](?:[A-Za-z\d._-]*[A-Za-z\d])?)`;
const AFTER_SCHEME = new RegExp(`^(?:[^/@\\s'"]{0,200}@)?(${HOST})`);
const REMOTE_PATH = new RegExp(`^(?:[\\w.-]+@)?(${HOST}):(?!:|//)`);
const BARE = new RegExp(`^(?:[\\w.-]+@)?(${HOST})(?::\\d+)?(?:[/?].*)?$`);
const TAKES_HOSTS =
  /^(ssh|autossh|mosh|nc|ncat|netcat|telnet|ping6?|dig|host|nslookup|whois|traceroute|nmap|ftp|sftp)$/;

/** Hosts that a command's words name. */
export function hostsIn(program: string, words: readonly ShellWord[]): readonly string[] {
  const hosts = new Set<string>();
  for (const [index, word] of words.entries()) {
    if (index === 0) continue;
    for (const host of urlHosts(word.value)) hosts.add(host);
    if (/^(scp|rsync|sftp|git)$/.test(program) && !word.value.includes("://")) {
      const remote = REMOTE_PATH.exec(word.value)?.[1];
      if (remote !== undefined && !word.value.startsWith("-") && (word.value.includes("@") || program !== "git"))
        hosts.add(remote.toLowerCase());
    }
  }
  const bare = bareHost(program, words);
  if (bare !== undefined) hosts.add(bare);
  return [...hosts];
}

/** The hosts of the addresses in a text. */
function urlHosts(text: string): readonly string[] {
  return text
    .split("://", LIMITS.hostsPerCommand)
    .slice(1)
    .flatMap((rest) => AFTER_SCHEME.exec(rest.slice(0, 512))?.[1]?.toLowerCase() ?? []);
}

function bareHost(program: string, words: readonly ShellWord[]): string | undefined {
  const takes = TAKES_HOSTS.test(program);
  if (!takes && !/^(curl|wget)$/.test(program)) return undefined;
  for (const word of words.slice(1)) {
    if (!word.fixed || word.value.startsWith("-") || word.value.includes("://")) continue;
    const host = BARE.exec(word.value)?.[1];
    // A number is a port and a word without a dot an option's value, unless the program takes only hosts.
    if (host === undefined || /^\d+$/.test(host)) continue;
    if (
      host.includes(".") ||
      host === "localhost" ||
      (takes && !(words[words.indexOf(word) - 1]?.value ?? "").startsWith("-"))
    )
      return host.toLowerCase();
  }
  return undefined;
}

/** `/dev/tcp/host/port`: bash opens a connection. */
export function socketHost(path: string): string | undefined {
  return /^\/dev\/(?:tcp|udp)\/([^/]+)\//.exec(path)?.[1];
}
