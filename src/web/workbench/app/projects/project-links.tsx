import { useEffect, useState } from "react";
import { useTell } from "../../../ui/toasts.tsx";
import { useBench } from "../context.tsx";
import { useServer } from "../server.tsx";
import { useCurrentProject } from "./current-project.ts";
import { openProject } from "./project-content.ts";

const MARK = "#project=";

/** The address that opens a project, for everybody who may use this server. */
export function projectLink(id: string): string {
  const link = new URL(globalThis.location.href);
  link.hash = `${MARK.slice(1)}${encodeURIComponent(id)}`;
  return link.href;
}

/** Opens the project that the address of the page names, once: after a reload its tables are there anyway. */
export function ProjectLinks(): undefined {
  const bench = useBench();
  const { client } = useServer();
  const tell = useTell();
  const { set } = useCurrentProject();
  const [hash, setHash] = useState(() => globalThis.location.hash);
  useEffect(() => {
    const changed = (): void => setHash(globalThis.location.hash);
    globalThis.addEventListener("hashchange", changed);
    return () => globalThis.removeEventListener("hashchange", changed);
  }, []);
  useEffect(() => {
    if (!hash.startsWith(MARK)) return;
    const address = new URL(globalThis.location.href);
    address.hash = "";
    globalThis.history.replaceState(globalThis.history.state, "", address);
    setHash("");
    const open = async (): Promise<void> => {
      await bench.started;
      const project = await client.projects.get(decodeURIComponent(hash.slice(MARK.length)));
      await openProject(project, bench);
      set({ id: project.id, revision: project.revision });
    };
    open().catch((error: unknown) =>
      tell.bad(`The project cannot be opened: ${error instanceof Error ? error.message : String(error)}`),
    );
  }, [bench, client, hash, set, tell]);
  return undefined;
}
