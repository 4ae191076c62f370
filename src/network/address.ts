import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import picomatch from "picomatch";

/** Networks that are not the open internet, including those that lead to another address (6to4, NAT64, Teredo). */
const PRIVATE_4 = blockList([
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
]);
/** The open internet is 2000::/3, without these parts of it. Elsewhere are local networks, overlays and multicast. */
const PRIVATE_6 = blockList([
  ["::", 3],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
  ["4000::", 2],
  ["8000::", 1],
]);

function blockList(networks: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of networks) list.addSubnet(network, prefix, isIP(network) === 6 ? "ipv6" : "ipv4");
  return list;
}

export function isPrivateAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 0) return true;
  if (version === 4) return PRIVATE_4.check(address, "ipv4");
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return PRIVATE_4.check(mapped, "ipv4");
  // A hexadecimal IPv4-mapped IPv6 address is never needed.
  return /^::ffff:/i.test(address) || PRIVATE_6.check(address, "ipv6");
}

/** A host as rules write it: lower case, no last dot, no brackets around IPv6. */
export function hostName(url: URL): string {
  return url.hostname
    .toLowerCase()
    .replace(/\.$/, "")
    .replace(/^\[(.*)\]$/, "$1");
}

const NAME = /^(?=.{4,253}$)(?:[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d])?\.)+[a-z\d-]{2,63}$/;
/** Endings that no public name has. */
const LOCAL_NAME = /\.(?:localhost|local|internal|lan|home\.arpa)$/;

/** Whether a host may be on the open internet, as far as it can be told without asking DNS. */
export function looksPublic(host: string): boolean {
  return isIP(host) === 0 ? NAME.test(host) && !LOCAL_NAME.test(host) : !isPrivateAddress(host);
}

/** `named`: a rule names exactly this host, so it may also be on the local network. */
export function hostRule(host: string, rules: readonly string[]): "none" | "matched" | "named" {
  if (rules.some((rule) => rule.toLowerCase() === host)) return "named";
  return rules.some((rule) => picomatch.isMatch(host, rule.toLowerCase(), { dot: true, nonegate: true }))
    ? "matched"
    : "none";
}

export interface IpAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Why a host cannot be reached, in words for the model. */
interface UnreachableHost {
  readonly refused: string;
}

/** The address to connect to; the connection must use it, because a second DNS answer could lead elsewhere. */
export async function publicAddress(
  host: string,
  rule: "matched" | "named",
  setting = "web_hosts of the policy's profile",
): Promise<IpAddress | UnreachableHost> {
  try {
    const found = await lookup(host, { all: true });
    const [first] = found;
    if (first === undefined) return { refused: `The host ${host} has no address.` };
    if (rule !== "named" && found.some(({ address }) => isPrivateAddress(address)))
      return {
        refused:
          `The host ${host} has the address ${first.address}, which is not on the open internet. ` +
          `An admin can allow it by naming exactly this host in ${setting}.`,
      };
    return { address: first.address, family: first.family === 6 ? 6 : 4 };
  } catch (error) {
    return { refused: `The host ${host} was not found: ${error instanceof Error ? error.message : String(error)}` };
  }
}
