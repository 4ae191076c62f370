import { useState, type ReactNode } from "react";
import { parsePairingCode, parsePairingLink } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { Field, Input } from "../../../ui/field.tsx";
import { FormDialog } from "../../../ui/form-dialog.tsx";
import { KEYS } from "../../app/feed.tsx";
import { useAct } from "../../app/use-act.ts";

interface AddFields {
  readonly id: string;
  readonly url: string;
  readonly code: string;
}

/** Pairs with a machine that shows a code. A pasted link fills everything in. */
export function AddTunnel({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { client } = useConnection();
  const { perform } = useAct(KEYS.tunnels);
  const [fields, setFields] = useState<AddFields>({ id: "", url: "", code: "" });
  const { id, url, code } = fields;
  const set = (name: keyof AddFields, value: string): void =>
    setFields({ ...fields, ...(parsePairingLink(value) ?? { [name]: value }) });
  return (
    <FormDialog
      title="Add a tunnel"
      description="The other machine shows a pairing code: sallyport tunnel serve <name> --pair, or Pair on its Tunnels page."
      verb="Pair"
      trouble="Not paired"
      isWhole={id !== "" && url !== "" && parsePairingCode(code) !== undefined}
      send={() =>
        perform({
          run: () => client.tunnels.pair(id, { url, code }),
          done: `Paired with ${id}. Sessions name it as tunnel:${id}.`,
        })
      }
      onClose={onClose}
    >
      <Field label="Address or pairing link" hint="A link fills in the rest.">
        {(ids) => (
          <Input
            {...ids}
            autoFocus
            required
            spellCheck={false}
            value={fields.url}
            placeholder="wss://abc.ngrok.app/claude"
            onChange={(event) => set("url", event.target.value)}
          />
        )}
      </Field>
      <Field label="Name" hint="What both sides call it.">
        {(ids) => (
          <Input
            {...ids}
            required
            maxLength={100}
            value={fields.id}
            placeholder="work"
            onChange={(event) => set("id", event.target.value)}
          />
        )}
      </Field>
      <Field label="Pairing code" hint="Ten letters and digits; it counts once.">
        {(ids) => (
          <Input
            {...ids}
            required
            autoComplete="off"
            spellCheck={false}
            className="font-mono"
            value={fields.code}
            placeholder="K7Q2M-4XTPB"
            onChange={(event) => set("code", event.target.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}
