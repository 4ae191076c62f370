import { Paperclip } from "lucide-react";
import { useRef, type ReactNode } from "react";
import { Button } from "./button.tsx";
import { t } from "./language/t.ts";

/** Lets a person choose files. `compact`: the icon alone. */
export function FilePicker({
  onFiles,
  compact = false,
}: {
  readonly onFiles: (files: readonly File[]) => void;
  readonly compact?: boolean;
}): ReactNode {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label={t("Files to attach")}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
      <Button
        size="small"
        variant={compact ? "quiet" : "secondary"}
        aria-label={t("Attach files")}
        onClick={() => picker.current?.click()}
      >
        <Paperclip aria-hidden className="size-4" /> {!compact && t("Attach files")}
      </Button>
    </>
  );
}
