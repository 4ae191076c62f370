import { Lock } from "lucide-react";
import type { ReactNode } from "react";
import { useConnection } from "./app/connection.tsx";
import { Empty } from "./states.tsx";
import { t } from "./language/t.ts";

/** For a page that the caller's role may not see. */
export function NotPermitted({ what, roles }: { readonly what: string; readonly roles: string }): ReactNode {
  const { me } = useConnection();
  return (
    <Empty icon={Lock} title={t("{what} cannot be seen with the role {role}", { what, role: me.role })}>
      {t("That needs the role {roles}. Ask an admin for such a token and sign in with it.", { roles })}
    </Empty>
  );
}
