import { useMutation } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import { pairingLink, type TunnelPairingCode } from "../../../../protocol/index.ts";
import { Button } from "../../../ui/button.tsx";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { TextField } from "../../../ui/field.tsx";
import { QrCode } from "../../app/qr.tsx";
import { Loading, Note, Trouble } from "../../../ui/states.tsx";
import { locale, rich, t } from "../../../ui/language/t.ts";

/** Makes a pairing code, and shows it this once. */
export function PairingDialog({
  id,
  address,
  show,
  onClose,
}: {
  readonly id: string;
  /** Where the other side connects to. Absent: it knows that already. */
  readonly address?: string;
  readonly show: () => Promise<TunnelPairingCode>;
  readonly onClose: () => void;
}): ReactNode {
  const made = useMutation({ mutationFn: show });
  const { mutate } = made;
  useEffect(() => mutate(), [mutate]);
  return (
    <Dialog open onClose={onClose} title={t("Pair {id}", { id })}>
      {made.error !== null && <Trouble title={t("There is no code")} error={made.error} onRetry={() => mutate()} />}
      {made.isPending && <Loading label={t("Making a code")} />}
      {made.data !== undefined && (
        <PairingView code={made.data} {...(address === undefined ? {} : { address })} onClose={onClose} />
      )}
    </Dialog>
  );
}

/** The code, and as a link and QR code what the other side needs. */
export function PairingView({
  code: { id, code, expires_at },
  address,
  onClose,
}: {
  readonly code: TunnelPairingCode;
  readonly address?: string;
  readonly onClose: () => void;
}): ReactNode {
  const until = new Date(expires_at).toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit" });
  return (
    <div className="space-y-4">
      <div className="flex items-center gap-1">
        <output aria-label={t("Pairing code")} className="font-mono text-3xl tracking-wider select-all">
          {code}
        </output>
        <CopyButton text={code} label={t("Copy the code")} />
      </div>
      <Note>
        {t("It counts once, until {until}. A key that was paired before is worth nothing from then on.", { until })}
      </Note>
      {address === undefined ? (
        <p className="text-sm text-soft">
          {rich("On the other machine: {code}", {
            code: (
              <code className="text-xs break-words">
                sallyport tunnel serve {id} --dial wss://…/tunnel --code {code}
              </code>
            ),
          })}
        </p>
      ) : (
        <LinkPart id={id} code={code} first={address} />
      )}
      <div className="flex justify-end">
        <Button onClick={onClose}>{t("Done")}</Button>
      </div>
    </div>
  );
}

function LinkPart({
  id,
  code,
  first,
}: {
  readonly id: string;
  readonly code: string;
  readonly first: string;
}): ReactNode {
  const [address, setAddress] = useState(first);
  const isAddress = /^wss?:\/\/./.test(address) && URL.canParse(address);
  const link = isAddress ? pairingLink({ url: address, id, code }) : undefined;
  return (
    <>
      <TextField
        label={t("Address of this machine")}
        hint={t("As the gateway reaches it: of your ngrok, Cloudflare Tunnel or reverse proxy.")}
        error={isAddress ? undefined : t("Write an address that begins with wss:// or ws://.")}
        value={address}
        spellCheck={false}
        onChange={setAddress}
      />
      {link !== undefined && (
        <div className="flex flex-wrap items-start gap-4">
          <QrCode text={link} label={t("The pairing link as a QR code")} />
          <div className="min-w-0 flex-1 basis-48 space-y-1 text-sm">
            <p className="text-soft">{t("On the gateway, paste this link under Tunnels, or run:")}</p>
            <div className="flex items-start gap-1">
              <code className="min-w-0 flex-1 text-xs break-all">sallyport tunnel add &quot;{link}&quot;</code>
              <CopyButton text={link} label={t("Copy the link")} />
            </div>
          </div>
        </div>
      )}
    </>
  );
}
