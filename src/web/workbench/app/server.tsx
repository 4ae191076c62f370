import { createContext, use, useEffect, useMemo, useState, type ReactNode } from "react";
import type { LiveConnection, SallyportClient } from "../../../client/index.ts";
import { Failure } from "../../../protocol/index.ts";
import { connect } from "../../ui/app/connection.tsx";

/** The connection to the server. It may be down; its users show that. */
export interface Server {
  readonly token: string;
  readonly client: SallyportClient;
  readonly live: LiveConnection;
  /** The server no longer accepts this token. */
  readonly isRefused: boolean;
  /** Signs in with another one. */
  readonly onToken: (token: string) => void;
}

const Context = createContext<Server | undefined>(undefined);

export function ServerProvider({
  token,
  onToken,
  children,
}: {
  readonly token: string;
  readonly onToken: (token: string) => void;
  readonly children: ReactNode;
}): ReactNode {
  const connection = useMemo(() => connect(token), [token]);
  useEffect(() => () => connection.live.close(), [connection]);
  const [isRefused, setRefused] = useState(false);
  useEffect(() => {
    connection.client.me().catch((error: unknown) => {
      // A server that cannot be reached has refused nothing: the page works without it until it is back.
      if (error instanceof Failure && error.code === "unauthenticated") setRefused(true);
    });
  }, [connection]);
  const server = useMemo(() => ({ ...connection, token, isRefused, onToken }), [connection, token, isRefused, onToken]);
  return <Context value={server}>{children}</Context>;
}

export function useServer(): Server {
  const server = use(Context);
  if (server === undefined) throw new Error("no server around this component");
  return server;
}
