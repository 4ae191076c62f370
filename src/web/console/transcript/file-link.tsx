import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useMay } from "../../ui/app/connection.tsx";
import { filePathIn } from "./file-path.ts";

/** Code in a text that names a file of the workspace leads to it. */
export function FileLink({ text, children }: { readonly text: string; readonly children: ReactNode }): ReactNode {
  const { sessionId } = useParams({ strict: false });
  const may = useMay("workspace.open");
  const path = may && sessionId !== undefined ? filePathIn(text) : undefined;
  if (path === undefined || sessionId === undefined) return children;
  return (
    <Link
      to="/sessions/$sessionId/files"
      params={{ sessionId }}
      search={{ path }}
      className="underline decoration-dotted underline-offset-2 hover:text-accent"
    >
      {children}
    </Link>
  );
}
