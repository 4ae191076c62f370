import { execFileSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { lookup, Resolver } from "node:dns/promises";
import { lstatSync, readFileSync } from "node:fs";
import { connect } from "node:net";

const WAIT_MS = 400;

/** What the other side says to a greeting; undefined: nothing. */
function hear(where) {
  return new Promise((resolve) => {
    const socket = connect(where);
    const end = (text) => {
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(WAIT_MS, () => end(undefined));
    socket.once("error", () => end(undefined));
    socket.once("connect", () => socket.write("from-inside\n"));
    socket.once("data", (chunk) => end(String(chunk)));
  });
}

function askUdp(type, port, host) {
  return new Promise((resolve) => {
    const socket = createSocket(type);
    const end = (text) => {
      clearTimeout(timer);
      socket.close();
      resolve(text);
    };
    const timer = setTimeout(() => end(undefined), WAIT_MS);
    socket.on("error", () => end(undefined));
    socket.once("message", (chunk) => end(String(chunk)));
    socket.send("from-inside", port, host, (error) => error && end(undefined));
  });
}

const firstOf = async (tries) => (await Promise.all(tries)).find((answer) => answer !== undefined);
const tcp = (hosts, port) => firstOf(hosts.map((host) => hear({ host, port })));

export const egress = {
  "TCP to the loopback": ({ tcp4 }) => tcp(["127.0.0.1", "127.1.2.3", "0.0.0.0"], tcp4),
  "TCP to addresses of the machine": ({ tcp4, addresses }) =>
    tcp(
      addresses.filter((host) => !host.includes(":")),
      tcp4,
    ),
  "TCP over IPv6": ({ tcp6, addresses }) => tcp(["::1", "::", ...addresses.filter((host) => host.includes(":"))], tcp6),
  "IPv4 in IPv6": ({ tcp4 }) => tcp(["::ffff:127.0.0.1"], tcp4),
  UDP: ({ udp4, addresses }) =>
    firstOf(
      ["127.0.0.1", ...addresses.filter((host) => !host.includes(":"))].map((host) => askUdp("udp4", udp4, host)),
    ),
  "UDP over IPv6": ({ udp6 }) => askUdp("udp6", udp6, "::1"),
  "names by the system's resolver": async () => {
    const found = await lookup("leak-0123456789.redteam.test").catch(() => undefined);
    return found?.address;
  },
  "names by a server of its own": async ({ dns, addresses }) => {
    const hosts = ["127.0.0.1", ...addresses.filter((host) => !host.includes(":"))];
    return firstOf(
      hosts.map(async (host) => {
        const resolver = new Resolver({ timeout: WAIT_MS, tries: 1 });
        resolver.setServers([`${host}:${dns}`]);
        const found = await resolver.resolve4("leak.redteam.test").catch(() => undefined);
        return found?.[0];
      }),
    );
  },
  "servers in resolv.conf": () => {
    try {
      return /^nameserver\s+(\S+)/m.exec(readFileSync("/etc/resolv.conf", "utf8"))?.[1];
    } catch {
      return undefined;
    }
  },
  "bash's own sockets": ({ tcp4, udp4 }) => {
    try {
      return String(
        execFileSync(
          "/bin/bash",
          ["-c", `exec 3<>/dev/tcp/127.0.0.1/${tcp4}; echo hi >&3; head -c 5 <&3; echo > /dev/udp/127.0.0.1/${udp4}`],
          {
            stdio: ["ignore", "pipe", "ignore"],
            timeout: 2_000,
          },
        ),
      );
    } catch {
      return undefined;
    }
  },
  "a unix socket by its path": ({ pathSocket }) => hear({ path: pathSocket }),
  "sockets of services": () =>
    [
      "/var/run/docker.sock",
      "/run/docker.sock",
      "/run/podman/podman.sock",
      "/run/dbus/system_bus_socket",
      "/run/systemd/private",
      "/run/containerd/containerd.sock",
    ].find((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined),
  "interfaces and routes": () => {
    const names = readFileSync("/proc/net/dev", "utf8")
      .split("\n")
      .slice(2)
      .map((line) => line.split(":")[0].trim())
      // The kernel gives each network these, without a way out.
      .filter(
        (name) =>
          name !== "" && name !== "lo" && !/^(tunl|gre|gretap|erspan|ip_vti|ip6_vti|sit|ip6tnl|ip6gre)\d/.test(name),
      );
    const routes = readFileSync("/proc/net/route", "utf8").trim().split("\n").length - 1;
    return names.length + routes === 0 ? undefined : `${names.join(", ")}; ${routes} routes`;
  },
};
