import { Lock } from "lucide-react";
import type { ReactNode } from "react";
import { useConnection } from "../app/connection.tsx";
import { Empty } from "./states.tsx";

/** For a page that the caller's role may not see. */
export function NotPermitted({ what, roles }: { readonly what: string; readonly roles: string }): ReactNode {
  const { me } = useConnection();
  return (
    <Empty icon={Lock} title={`${what} cannot be seen with the role ${me.role}`}>
      It needs {roles}. Ask an admin for a token of that role, then sign in with it.
    </Empty>
  );
}
