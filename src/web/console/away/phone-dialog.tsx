import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import { Failure, type PairingCreated, type Role } from "../../../protocol/index.ts";
import { useConnection } from "../../ui/app/connection.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, Input, Select } from "../../ui/field.tsx";
import { Note, Trouble } from "../../ui/states.tsx";
import { KEYS } from "../app/feed.tsx";
import { isOnlyHere, pairingLink } from "./pairing-link.ts";
import { QrCode } from "./qr-code.tsx";
import { t } from "../../ui/language/t.ts";

const DAY_S = 86_400;
const LIFETIMES = [
  { seconds: DAY_S, label: t("1 day") },
  { seconds: 7 * DAY_S, label: t("7 days") },
  { seconds: 30 * DAY_S, label: t("30 days") },
  { seconds: 90 * DAY_S, label: t("90 days") },
] as const;

const PHONE_ROLES: readonly { readonly role: Role; readonly label: string }[] = [
  { role: "operator", label: t("Answer questions and run sessions") },
  { role: "viewer", label: t("Only watch") },
];

/** Hands a phone a token of its own, by a code that its camera reads. */
export function PhoneDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [made, setMade] = useState<{ readonly code: PairingCreated; readonly origin: string }>();
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("Connect a phone")}
      description={t("The phone gets a token of its own, which you can revoke on the Tokens page.")}
    >
      {made === undefined ? (
        <PhoneForm onMade={setMade} />
      ) : (
        <Code {...made} onClose={onClose} onAgain={() => setMade(undefined)} />
      )}
    </Dialog>
  );
}

function PhoneForm({
  onMade,
}: {
  readonly onMade: (made: { readonly code: PairingCreated; readonly origin: string }) => void;
}): ReactNode {
  const { client } = useConnection();
  const [name, setName] = useState(t("My phone"));
  const [role, setRole] = useState<Role>("operator");
  const [seconds, setSeconds] = useState<number>(LIFETIMES[1].seconds);
  const [address, setAddress] = useState(globalThis.location.origin);
  const make = useMutation({
    mutationFn: () => client.notifications.pair({ name: name.trim(), role, expires_in_s: seconds }),
    onSuccess: (code) => onMade({ code, origin: new URL(address).origin }),
  });
  const isAddress = URL.canParse(address) && /^https?:/.test(address);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isAddress && name.trim() !== "") make.mutate();
  };
  return (
    <form onSubmit={submit} className="space-y-4">
      <Field label={t("Name")}>
        {(ids) => (
          <Input {...ids} required maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
        )}
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t("It may")}>
          {(ids) => (
            <Select {...ids} value={role} onChange={(event) => setRole(event.target.value as Role)}>
              {PHONE_ROLES.map((one) => (
                <option key={one.role} value={one.role}>
                  {one.label}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label={t("For")}>
          {(ids) => (
            <Select {...ids} value={seconds} onChange={(event) => setSeconds(Number(event.target.value))}>
              {LIFETIMES.map(({ seconds: value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      <Field
        label={t("Address of this console")}
        hint={t("As the phone reaches it.")}
        error={isAddress ? undefined : t("An address begins with https:// or http://.")}
      >
        {(ids) => (
          <Input
            {...ids}
            required
            inputMode="url"
            value={address}
            onChange={(event) => setAddress(event.target.value)}
          />
        )}
      </Field>
      {isAddress && isOnlyHere(address) && (
        <Note tone="warn">
          {t(
            "This address works only on this machine. Put a proxy with TLS in front of the server, or let it listen on your network, and enter that address.",
          )}
        </Note>
      )}
      {make.error !== null && <Trouble title={t("No code was made")} error={make.error} />}
      <div className="flex justify-end">
        <Button type="submit" variant="primary" busy={make.isPending} disabled={!isAddress || name.trim() === ""}>
          {t("Show the code")}
        </Button>
      </div>
    </form>
  );
}

const CHECK_MS = 2_000;

function Code({
  code,
  origin,
  onClose,
  onAgain,
}: {
  readonly code: PairingCreated;
  readonly origin: string;
  readonly onClose: () => void;
  readonly onAgain: () => void;
}): ReactNode {
  const { client } = useConnection();
  const queries = useQueryClient();
  const { data, error } = useQuery({
    queryKey: ["pairing", code.id],
    queryFn: async () => {
      const pairing = await client.notifications.pairing(code.id);
      if (pairing.state === "used") void queries.invalidateQueries({ queryKey: KEYS.tokens });
      return pairing;
    },
    refetchInterval: ({ state }) => ((state.data?.state ?? "waiting") === "waiting" ? CHECK_MS : false),
  });
  const link = pairingLink(origin, code.code);
  if (data?.state === "used")
    return (
      <div className="space-y-4">
        <Note tone="ok" role="status">
          {t("Your phone is connected. Turn on notifications there in its menu.")}
        </Note>
        <div className="flex justify-end">
          <Button variant="primary" onClick={onClose}>
            {t("Done")}
          </Button>
        </div>
      </div>
    );
  // A server that was restarted knows no codes from before.
  if (data?.state === "ended" || error instanceof Failure)
    return (
      <div className="space-y-4">
        <Note tone="warn" role="status">
          {t("The code has expired.")}
        </Note>
        <div className="flex justify-end">
          <Button variant="primary" onClick={onAgain}>
            {t("Make another")}
          </Button>
        </div>
      </div>
    );
  return (
    <div className="space-y-3 text-center">
      <QrCode text={link} label={t("Code for your phone’s camera")} />
      <p className="text-sm text-soft">
        {t(
          "Scan it with your phone’s camera within five minutes. It works once. Whoever scans it gets access: show it to nobody else.",
        )}
      </p>
      <p className="flex items-center justify-center gap-2 text-sm">
        {t("Or copy the link")} <CopyButton text={link} label={t("Copy the link")} />
      </p>
      <p role="status" className="text-sm text-faint">
        {t("Waiting for your phone …")}
      </p>
    </div>
  );
}
