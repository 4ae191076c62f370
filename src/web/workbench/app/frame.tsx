import type { ReactNode } from "react";
import { SignIn } from "../../ui/app/sign-in.tsx";
import { TopBar } from "./bar/top-bar.tsx";
import { ViewBar } from "./bar/view-bar.tsx";
import { Chat } from "./chat.tsx";
import { useCurrent, useViews } from "./context.tsx";
import { Dialogs } from "./dialogs.tsx";
import { DockArea } from "./dock/dock-area.tsx";
import { DropAnywhere } from "./start/drop.tsx";
import { ReadingNote } from "./start/reading-note.tsx";
import { StartPage } from "./start/start-page.tsx";
import { FilePickerProvider } from "./start/file-picker.tsx";
import { ProjectLinks } from "./projects/project-links.tsx";
import { PropertySheet } from "./sheet/property-sheet.tsx";
import { useWorkbenchKeys } from "./keys.ts";
import { useServer } from "./server.tsx";
import { Sql } from "./sql.tsx";

/** The page: bars at the top, the dock, the panes beside it, a status line. */
export function Frame(): ReactNode {
  const { isRefused, onToken } = useServer();
  const isEmpty = useViews().length === 0;
  // With tables open the page stays as it is; the chat asks for another token.
  if (isRefused && isEmpty) return <SignIn onToken={onToken} why="wrong" />;
  return (
    <FilePickerProvider>
      <Page />
    </FilePickerProvider>
  );
}

function Page(): ReactNode {
  const view = useCurrent();
  useWorkbenchKeys();
  return (
    <div data-fills-window className="flex h-dvh flex-col overflow-hidden bg-panel">
      <a
        href="#table"
        className="absolute top-2 left-2 z-50 -translate-y-20 rounded bg-accent px-3 py-2 text-accent-ink focus:translate-y-0"
      >
        Skip to the table
      </a>
      <TopBar />
      {view !== undefined && <ViewBar view={view} />}
      <div className="relative flex min-h-0 flex-1">
        <main id="table" tabIndex={-1} className="relative flex min-w-0 flex-1 flex-col outline-none">
          {view !== undefined && <h1 className="sr-only">Workbench: {view.table.name}</h1>}
          <ReadingNote />
          {view === undefined ? <StartPage /> : <DockArea key={view.id} view={view} />}
          <Sql />
        </main>
        {view !== undefined && <PropertySheet view={view} />}
        <Chat />
      </div>
      <Dialogs />
      <ProjectLinks />
      <DropAnywhere />
    </div>
  );
}
