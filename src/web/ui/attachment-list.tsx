import { FileText, X } from "lucide-react";
import type { ReactNode } from "react";
import { bytesWords, type Attached } from "./attachments.ts";
import { t } from "./language/t.ts";

/** What goes with a prompt, each with a way to take it off again. */
export function AttachmentList({
  attached,
  onRemove,
}: {
  readonly attached: readonly Attached[];
  readonly onRemove: (id: number) => void;
}): ReactNode {
  if (attached.length === 0) return undefined;
  return (
    <ul aria-label={t("Attachments")} className="flex flex-wrap gap-2">
      {attached.map(({ id, name, bytes, attachment }) => (
        <li key={id} className="flex items-center gap-2 rounded-lg border bg-panel py-1 pe-1 ps-1.5 text-sm">
          {attachment.type === "image" ? (
            <img
              src={`data:${attachment.media_type};base64,${attachment.data}`}
              alt=""
              className="size-8 rounded object-cover"
            />
          ) : (
            <FileText aria-hidden className="m-1.5 size-5 text-faint" />
          )}
          <span className="max-w-44 min-w-0">
            <span className="block truncate leading-tight" title={name}>
              {name}
            </span>
            <span className="block text-xs text-faint">{bytesWords(bytes)}</span>
          </span>
          <button
            type="button"
            aria-label={t("Remove {name}", { name })}
            className="rounded p-1.5 text-faint hover:bg-sunken hover:text-ink"
            onClick={() => onRemove(id)}
          >
            <X aria-hidden className="size-4" />
          </button>
        </li>
      ))}
    </ul>
  );
}
