import { createContext, use, useEffect, useMemo, type ReactNode } from "react";
import type { LiveConnection, SallyportClient } from "../../../client/index.ts";
import { connect } from "../../console/app/connection.tsx";

/** The way to the server. It may be away: whoever uses it shows that. */
export interface Server {
  readonly token: string;
  readonly client: SallyportClient;
  readonly live: LiveConnection;
  /** Another token, after the server has refused this one. */
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
  const server = useMemo(() => ({ ...connection, token, onToken }), [connection, token, onToken]);
  return <Context value={server}>{children}</Context>;
}

export function useServer(): Server {
  const server = use(Context);
  if (server === undefined) throw new Error("no server around this component");
  return server;
}
