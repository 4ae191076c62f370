import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";
import { outputText, type ToolItem } from "../../../protocol/index.ts";
import { useConnection } from "../../ui/app/connection.tsx";
import { t } from "../../ui/language/t.ts";
import { visible } from "../../ui/visible.ts";
import { FileLink, useWorkspacePlace } from "./file-link.tsx";
import { filesNamedIn, isPicture, pictureAddress } from "./file-path.ts";

/** How many pictures are shown of one call. */
const PICTURES = 4;

/** The files that a call's output names, as links to where they are looked at and downloaded; pictures are shown. */
export function NamedFiles({ item }: { readonly item: ToolItem }): ReactNode {
  const place = useWorkspacePlace();
  const text = item.type === "command_execution" ? item.aggregated_output : outputText(item.output ?? []);
  const isDone = item.status !== "in_progress";
  const paths = useMemo(() => (isDone ? filesNamedIn(text, place?.workspace) : []), [text, isDone, place?.workspace]);
  if (paths.length === 0) return null;
  return (
    <>
      <ul aria-label={t("Files in the output")} className="flex flex-wrap gap-x-3 gap-y-1 text-[13px] text-soft">
        {paths.map((path) => (
          <li key={path} className="min-w-0">
            <FileLink text={path}>
              <code className="break-all">{path}</code>
            </FileLink>
          </li>
        ))}
      </ul>
      {place !== undefined &&
        paths
          .filter(isPicture)
          .slice(0, PICTURES)
          .map((path) => <Picture key={path} sessionId={place.sessionId} path={path} />)}
    </>
  );
}

/** A picture of the workspace as it is now. Nothing where it is gone, or is no picture. */
function Picture({ sessionId, path }: { readonly sessionId: string; readonly path: string }): ReactNode {
  const { client } = useConnection();
  const { data } = useQuery({
    queryKey: ["session-file", sessionId, path],
    queryFn: () => client.reviews.file(sessionId, path),
    staleTime: 0,
    retry: false,
  });
  const address = pictureAddress(data?.base64);
  if (address === undefined) return null;
  return (
    <Link to="/sessions/$sessionId/files" params={{ sessionId }} search={{ path }} className="block w-fit max-w-full">
      <img src={address} alt={visible(path)} className="max-h-96 max-w-full rounded-lg border object-contain" />
    </Link>
  );
}
