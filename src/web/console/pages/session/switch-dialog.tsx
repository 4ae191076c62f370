import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import type { ConfigureSession, SessionView } from "../../../../protocol/index.ts";
import { freshKey } from "../../app/fresh-key.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { KEYS } from "../../app/feed.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field, Input, Select } from "../../../ui/field.tsx";
import { Trouble } from "../../../ui/states.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import { modeWords } from "../../transcript/mode-words.ts";
import { t } from "../../../ui/language/t.ts";

const SAME = "";

/** Another model or another mode, from the next turn on. The policy still decides what is allowed. */
export function SwitchDialog({
  session,
  onClose,
}: {
  readonly session: SessionView;
  readonly onClose: () => void;
}): ReactNode {
  const { client } = useConnection();
  const tell = useTell();
  const queries = useQueryClient();
  const [model, setModel] = useState(session.settings.model);
  const [mode, setMode] = useState<string>(SAME);
  const change: ConfigureSession = {
    ...(model.trim() === "" || model === session.settings.model ? {} : { model: model.trim() }),
    ...(mode === SAME ? {} : { permission_mode: mode as NonNullable<ConfigureSession["permission_mode"]> }),
  };
  const save = useMutation({
    mutationFn: () => client.configure(session.id, change, { key: freshKey() }),
    onSuccess: (changed) => {
      queries.setQueryData(KEYS.session(session.id), changed);
      tell.ok(t("Saved. Applies from the next turn."));
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("Change model or mode")}
      description={t("Applies from the next turn, within the policy.")}
    >
      <form onSubmit={submit} className="space-y-4">
        <Field label={t("Model")}>
          {(ids) => <Input {...ids} autoFocus value={model} onChange={(event) => setModel(event.target.value)} />}
        </Field>
        <Field label={t("Permission mode")}>
          {(ids) => (
            <Select {...ids} value={mode} onChange={(event) => setMode(event.target.value)}>
              <option value={SAME}>
                {t("Unchanged ({mode})", {
                  mode: modeWords(session.settings),
                })}
              </option>
              <option value="sdk">{t("Ask before changes")}</option>
              <option value="acceptEdits">{t("Accept edits: change workspace files without asking")}</option>
              <option value="bypassPermissions">{t("Auto Execute: run without asking")}</option>
              <option value="plan">{t("Plan: read-only tools")}</option>
            </Select>
          )}
        </Field>
        {save.error !== null && <Trouble title={t("Not changed")} error={save.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t("Cancel")}</Button>
          <Button type="submit" variant="primary" busy={save.isPending} disabled={Object.keys(change).length === 0}>
            {t("Change")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
