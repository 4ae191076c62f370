import { createContext, use, useSyncExternalStore, type ReactNode } from "react";
import {
  LiveConnection,
  SallyportClient,
  ShellConnection,
  type LiveStatus,
  type ShellRequest,
} from "../../../client/index.ts";
import type { Me } from "../../../protocol/index.ts";

/** All that a page needs to talk to the server. */
export interface ConsoleConnection {
  readonly client: SallyportClient;
  readonly live: LiveConnection;
  /** Opens a terminal in a session's sandbox. */
  readonly openShell: (request: Omit<ShellRequest, "url" | "token">) => ShellConnection;
  readonly me: Me;
  readonly signOut: () => void;
}

const Context = createContext<ConsoleConnection | undefined>(undefined);

export function ConnectionProvider({
  connection,
  children,
}: {
  readonly connection: ConsoleConnection;
  readonly children: ReactNode;
}): ReactNode {
  return <Context value={connection}>{children}</Context>;
}

export function connect(token: string): Pick<ConsoleConnection, "client" | "live" | "openShell"> {
  const url = globalThis.location.origin;
  return {
    client: new SallyportClient({ url, token }),
    live: new LiveConnection({ url, token }),
    openShell: (request) => new ShellConnection({ url, token, ...request }),
  };
}

export function useConnection(): ConsoleConnection {
  const connection = use(Context);
  if (connection === undefined) throw new Error("no connection around this component");
  return connection;
}

/** Whether the caller has a right, such as `approval.decide`. */
export function useMay(right: string): boolean {
  return useConnection().me.rights[right] !== undefined;
}

export function useLiveStatus(): LiveStatus {
  const { live } = useConnection();
  return useSyncExternalStore(
    (changed) => live.onStatus(changed),
    () => live.status,
  );
}
