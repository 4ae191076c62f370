import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { request, type Dispatcher } from "undici";
import { WebSocketServer } from "ws";
import {
  LINK_BOUNDS,
  openRequests,
  serveRequests,
  TunnelAcceptor,
  TunnelDialer,
  TunnelDispatcher,
  type AcceptedTunnel,
  type AnswerTunnelRequest,
  type LinkBounds,
  type LinkCredential,
  type TunnelLink,
} from "../../src/tunnels/index.ts";
import { openBadNetwork, type BadNetwork } from "./bad-network.ts";

/** Nobody has to prove anything. */
const OPEN: AcceptedTunnel["authenticator"] = {
  issue: () => ({ ok: false, message: "there is no challenge" }),
  verify: () => Promise.resolve({ ok: false, message: "there is no challenge" }),
  admitLocal: () => ({ ok: true, value: { kind: "none" } }),
  forget: () => undefined,
};
const NO_CREDENTIAL: LinkCredential = {
  answer: () => Promise.resolve({ ok: false, message: "no credential" }),
  isProof: () => true,
};
/** Notices silence at once. On a busy machine it also takes pauses for silence, so only tests of silence have it. */
export const QUICK: LinkBounds = { ...LINK_BOUNDS, pingMs: 50, silenceMs: 400, resumeMs: 20_000 };

export interface TunnelWorld {
  readonly network: BadNetwork;
  readonly dispatcher: TunnelDispatcher;
  readonly links: readonly TunnelLink[];
  /** Messages that arrived at home. */
  readonly messages: readonly string[];
  readonly states: readonly string[];
  link(): TunnelLink;
  get(path: string, options?: Partial<Dispatcher.RequestOptions>): Promise<Dispatcher.ResponseData>;
  close(): Promise<void>;
}

interface WorldOptions {
  readonly answer: AnswerTunnelRequest;
  readonly bounds?: LinkBounds | undefined;
  readonly tunnel?: Partial<AcceptedTunnel> | undefined;
  readonly credential?: LinkCredential | undefined;
}

/** A home that listens, a gateway that dials it, and a network that can fail in between. */
export async function openTunnelWorld({ answer, bounds, tunnel, credential }: WorldOptions): Promise<TunnelWorld> {
  const links: TunnelLink[] = [];
  const messages: string[] = [];
  const states: string[] = [];
  const acceptor = new TunnelAcceptor({
    bounds,
    find: (id, role) =>
      id !== "home" || role !== "gateway"
        ? undefined
        : {
            authenticator: OPEN,
            needsProof: false,
            open: (link, { isPlain }) => {
              links.push(link);
              if (!isPlain) serveRequests(link, { answer, console: () => undefined });
              return { message: (text) => messages.push(text), cut: () => undefined, closed: () => undefined };
            },
            ...tunnel,
          },
  });
  const http = createServer();
  const upgrader = new WebSocketServer({ server: http });
  upgrader.on("connection", (socket, { socket: { remoteAddress }, url = "" }) => {
    const named = /^\/tunnel\/([\w.-]+)$/.exec(url)?.[1];
    void acceptor.accept(socket, { address: remoteAddress, tunnel_id: named });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const network = await openBadNetwork(() => (http.address() as AddressInfo).port);
  let current: { readonly link: TunnelLink; readonly session: ReturnType<typeof openRequests> } | undefined;
  let wake: (() => void)[] = [];
  const dialer = new TunnelDialer({
    url: `ws://127.0.0.1:${network.port}/tunnel`,
    tunnel_id: "home",
    role: "gateway",
    credential: credential ?? NO_CREDENTIAL,
    bounds,
    random: () => 0.2,
    changed: (state) => states.push(state),
    open: (link) => {
      current = { link, session: openRequests(link) };
      for (const next of wake) next();
      wake = [];
      return {
        message: (text) => messages.push(text),
        cut: () => undefined,
        closed: () => {
          if (current?.link === link) current = undefined;
        },
      };
    },
  });
  dialer.start();
  const dispatcher = new TunnelDispatcher(async () => {
    for (;;) {
      const session = current?.session;
      if (session !== undefined) return session;
      await new Promise<void>((resolve) => wake.push(resolve));
    }
  });
  return {
    network,
    dispatcher,
    links,
    messages,
    states,
    link: () => {
      if (current === undefined) throw new Error("there is no link");
      return current.link;
    },
    get: (path, options) => request(`http://tunnel${path}`, { dispatcher, ...options }),
    close: async () => {
      dialer.close();
      acceptor.closeAll("the test is over");
      upgrader.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
      await network.close();
    },
  };
}
