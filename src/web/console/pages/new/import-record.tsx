import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Import } from "lucide-react";
import { useRef, type ReactNode } from "react";
import { Button } from "../../../ui/button.tsx";
import { useConnection } from "../../../ui/app/connection.tsx";
import { wordsOf } from "../../../ui/states.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import { t } from "../../../ui/language/t.ts";

/** A session from a record that Claude Code or Codex wrote. The file is read here; only the conversation is sent. */
export function ImportRecord(): ReactNode {
  const { client } = useConnection();
  const navigate = useNavigate();
  const tell = useTell();
  const input = useRef<HTMLInputElement>(null);
  const read = useMutation({
    mutationFn: async (file: File) => {
      const { readRecord } = await import("../../../../imports/index.ts");
      const found = readRecord(await file.text());
      if (found === undefined) throw new Error(NO_RECORD);
      return { found, session: await client.exports.import({ conversation: found.conversation }) };
    },
    onSuccess: async ({ found, session }) => {
      const { left_out } = found;
      if (left_out.length > 0) tell.warn(t("Imported. Left out: {left_out}.", { left_out: left_out.join("; ") }));
      await navigate({ to: "/sessions/$sessionId", params: { sessionId: session.id } });
    },
    onError: (error) => tell.bad(wordsOf(error)),
  });
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".jsonl"
        hidden
        aria-label={t("Record to import")}
        onChange={(event) => {
          const file = event.target.files?.[0];
          event.target.value = "";
          if (file !== undefined) read.mutate(file);
        }}
      />
      <Button size="small" busy={read.isPending} onClick={() => input.current?.click()}>
        <Import aria-hidden className="size-4" /> {t("Import")}
      </Button>
    </>
  );
}

const NO_RECORD = t(
  "This file holds no conversation of Claude Code or Codex. Their records are .jsonl files below ~/.claude/projects and ~/.codex/sessions.",
);
