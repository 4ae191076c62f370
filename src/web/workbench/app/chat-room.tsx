import { useEffect, useMemo, type ReactNode } from "react";
import { useShownTheme } from "../../ui/app/theme.ts";
import { download } from "../../ui/download.ts";
import { WorkbenchChat, type ChatProps } from "../agent/chat.tsx";
import { Databases } from "../agent/databases.ts";
import { useBench } from "./context.tsx";
import { useServer } from "./server.tsx";

const saveCsv = (name: string, text: string): void => download(name, text, "text/csv");

/** The chat and what it works on. */
export function ChatRoom({ close }: { readonly close: () => void }): ReactNode {
  const { workbench, sql, queries, gridLooks, opening } = useBench();
  const { client, live } = useServer();
  const theme = useShownTheme();
  const databases = useMemo(
    () =>
      new Databases({
        client,
        pageSql: () => Promise.resolve(sql),
        hasTables: () => workbench.views.length > 0,
        similar: (connectionId, prompt) => queries.similar(connectionId, prompt),
      }),
    [client, workbench, sql, queries],
  );
  const page = useMemo(
    (): ChatProps["page"] => ({
      addTable: (table) => opening.add(table, "agent"),
      readAddress: (address, signal) => opening.readAddress(address, { signal }),
      download: saveCsv,
      sort: (viewId, keys) => gridLooks.sort(viewId, keys, "agent"),
    }),
    [opening, gridLooks],
  );
  useEffect(() => {
    // Without the server there are only the page's own tables; the panel says that it is away.
    databases.refresh().catch(() => undefined);
  }, [databases]);
  return (
    <WorkbenchChat
      workbench={workbench}
      databases={databases}
      client={client}
      live={live}
      theme={theme}
      page={page}
      close={close}
    />
  );
}
