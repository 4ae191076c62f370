import { useMutation } from "@tanstack/react-query";
import { Braces, FileCode, FileText, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import type { ExportFormat, SessionView } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { download } from "../../../ui/download.ts";
import { Note, wordsOf } from "../../../ui/states.tsx";
import { t } from "../../../ui/language/t.ts";

const FORMATS: readonly {
  readonly format: ExportFormat;
  readonly label: string;
  readonly hint: string;
  readonly extension: string;
  readonly icon: LucideIcon;
}[] = [
  { format: "markdown", label: "Markdown", hint: t("To read, edit or paste"), extension: "md", icon: FileText },
  { format: "html", label: t("Web page"), hint: t("One file that works offline"), extension: "html", icon: FileCode },
  { format: "json", label: "JSON", hint: t("Every event, for programs"), extension: "json", icon: Braces },
];

/** The whole session as a file. */
export function ExportDialog({
  session,
  onClose,
}: {
  readonly session: SessionView;
  readonly onClose: () => void;
}): ReactNode {
  const { client } = useConnection();
  const save = useMutation({
    mutationFn: async ({ format, extension }: { format: ExportFormat; extension: string }) => {
      const file = await client.exports.file(session.id, format);
      const type = file.headers.get("content-type") ?? "text/plain";
      download(`${session.id}.${extension}`, await file.text(), type);
    },
    onSuccess: onClose,
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("Export this session")}
      description={t("Everything up to now: prompts, answers, thoughts, and what tools ran and returned.")}
    >
      <ul className="space-y-2">
        {FORMATS.map(({ format, label, hint, extension, icon: Icon }) => (
          <li key={format}>
            <Button
              className="h-auto! w-full justify-start gap-3 py-2.5 text-start"
              busy={save.isPending && save.variables.format === format}
              disabled={save.isPending}
              onClick={() => save.mutate({ format, extension })}
            >
              <Icon aria-hidden className="size-5 shrink-0 text-faint" />
              <span>
                <span className="block font-medium">{label}</span>
                <span className="block text-sm font-normal text-soft">{hint}</span>
              </span>
            </Button>
          </li>
        ))}
      </ul>
      {save.error !== null && (
        <div className="mt-4">
          <Note tone="bad">{t("The file could not be made: {words}", { words: wordsOf(save.error) })}</Note>
        </div>
      )}
    </Dialog>
  );
}
