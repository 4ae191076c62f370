import { useState, type FormEvent, type ReactNode } from "react";
import { parsePairingCode, parsePairingLink } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { TextField } from "../../../ui/field.tsx";
import { Note, wordsOf } from "../../../ui/states.tsx";
import { KEYS } from "../../app/feed.tsx";
import { useAct } from "../../app/use-act.ts";
import { t } from "../../../ui/language/t.ts";

interface AddFields {
  readonly id: string;
  readonly url: string;
  readonly code: string;
}

/** Pairs with a machine that shows a code. A pasted link fills everything in. */
export function AddTunnel({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { client } = useConnection();
  const { perform, isActing } = useAct(KEYS.tunnels);
  const [fields, setFields] = useState<AddFields>({ id: "", url: "", code: "" });
  const [failure, setFailure] = useState<string>();
  const isWhole = fields.id !== "" && fields.url !== "" && parsePairingCode(fields.code) !== undefined;
  const set = (name: keyof AddFields, value: string): void => {
    setFailure(undefined);
    setFields((before) => ({ ...before, ...(parsePairingLink(value) ?? { [name]: value }) }));
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isWhole || isActing) return;
    const { id, url, code } = fields;
    const run = () => client.tunnels.pair(id, { url, code });
    perform({ run, done: t("Paired with {id}. Sessions name it as tunnel:{id}.", { id }) }).then(
      onClose,
      (error: unknown) => setFailure(wordsOf(error)),
    );
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("Add a tunnel")}
      description={t(
        "The other machine shows a pairing code: sallyport tunnel serve <name> --pair, or Pair on its Tunnels page.",
      )}
    >
      <form onSubmit={submit} className="space-y-4">
        <TextField
          label={t("Address or pairing link")}
          hint={t("A link fills in the rest.")}
          autoFocus
          required
          spellCheck={false}
          value={fields.url}
          placeholder="wss://abc.ngrok.app/claude"
          onChange={(text) => set("url", text)}
        />
        <TextField
          label={t("Name")}
          hint={t("What both sides call it.")}
          required
          maxLength={100}
          value={fields.id}
          placeholder="work"
          onChange={(text) => set("id", text)}
        />
        <TextField
          label={t("Pairing code")}
          hint={t("Ten letters and digits; it counts once.")}
          required
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
          value={fields.code}
          placeholder="K7Q2M-4XTPB"
          onChange={(text) => set("code", text)}
        />
        {failure !== undefined && (
          <Note tone="bad" role="alert">
            {failure}
          </Note>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t("Cancel")}</Button>
          <Button type="submit" variant="primary" busy={isActing} disabled={!isWhole}>
            {t("Pair")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
