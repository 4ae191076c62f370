import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import type { SessionView, ShareCreated, ShareView } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field, Input, Select } from "../../../ui/field.tsx";
import { Note, Skeleton, Trouble, wordsOf } from "../../../ui/states.tsx";
import { Ago } from "../../../ui/words.tsx";
import { KEYS } from "../../app/feed.tsx";
import { locale, rich, t } from "../../../ui/language/t.ts";

const HOUR_S = 3_600;
const LIFETIMES = [
  { seconds: HOUR_S, label: t("1 hour") },
  { seconds: 24 * HOUR_S, label: t("1 day") },
  { seconds: 7 * 24 * HOUR_S, label: t("7 days") },
  { seconds: 30 * 24 * HOUR_S, label: t("30 days") },
] as const;
const USUAL = LIFETIMES[2].seconds;

const PARTS = [
  { name: "tools", label: t("What tools ran and returned") },
  { name: "thoughts", label: t("The model’s thoughts") },
  { name: "costs", label: t("Costs") },
] as const;
type PartName = (typeof PARTS)[number]["name"];

/** Links to this session for people without a token. */
export function ShareDialog({
  session,
  onClose,
}: {
  readonly session: SessionView;
  readonly onClose: () => void;
}): ReactNode {
  const [made, setMade] = useState<ShareCreated>();
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("Share a read-only link")}
      description={t("Anyone who has the link and can reach this server sees the conversation as it is now.")}
    >
      <div className="space-y-5">
        {made === undefined ? <ShareForm session={session} onMade={setMade} /> : <NewLink share={made} />}
        <Shares session={session} />
      </div>
    </Dialog>
  );
}

function ShareForm({
  session,
  onMade,
}: {
  readonly session: SessionView;
  readonly onMade: (share: ShareCreated) => void;
}): ReactNode {
  const { client } = useConnection();
  const queries = useQueryClient();
  const [seconds, setSeconds] = useState<number>(USUAL);
  const [shown, setShown] = useState<ReadonlySet<PartName>>(new Set());
  const create = useMutation({
    mutationFn: () =>
      client.exports.share(session.id, {
        expires_in_s: seconds,
        ...Object.fromEntries([...shown].map((name) => [name, true])),
      }),
    onSuccess: async (share) => {
      onMade(share);
      await queries.invalidateQueries({ queryKey: KEYS.shares(session.id) });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate();
  };
  const toggle = (name: PartName): void =>
    setShown((before) => new Set(before.has(name) ? [...before].filter((part) => part !== name) : [...before, name]));
  return (
    <form onSubmit={submit} className="space-y-4">
      <fieldset className="space-y-2">
        <legend className="text-sm font-medium">{t("Besides prompts and answers, show")}</legend>
        {PARTS.map(({ name, label }) => (
          <label key={name} className="flex min-h-8 items-center gap-2 text-sm">
            <input type="checkbox" checked={shown.has(name)} onChange={() => toggle(name)} className="size-4" /> {label}
          </label>
        ))}
      </fieldset>
      <Field label={t("The link works for")} hint={t("You can end it at any time.")}>
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
      <Note tone="warn">
        {t(
          "Known secrets and the folder’s path are removed. What somebody typed, or a file contained, may still be private: open the link yourself first.",
        )}
      </Note>
      {create.error !== null && <Note tone="bad">{wordsOf(create.error)}</Note>}
      <div className="flex justify-end">
        <Button type="submit" variant="primary" busy={create.isPending}>
          {t("Create link")}
        </Button>
      </div>
    </form>
  );
}

function NewLink({ share }: { readonly share: ShareCreated }): ReactNode {
  const address = globalThis.location.origin + share.path;
  return (
    <div className="space-y-3">
      <Field label={t("Your link")} hint={t("Copy it now: it is not shown again.")}>
        {(ids) => (
          <span className="flex items-center gap-2">
            <Input {...ids} readOnly value={address} onFocus={(event) => event.target.select()} />
            <CopyButton text={address} label={t("Copy link")} />
          </span>
        )}
      </Field>
      <a
        href={address}
        target="_blank"
        rel="noreferrer"
        className="inline-block text-sm font-medium text-accent underline underline-offset-2"
      >
        {t("Open it in a new tab")}
      </a>
    </div>
  );
}

function Shares({ session }: { readonly session: SessionView }): ReactNode {
  const { client } = useConnection();
  const shares = useQuery({
    queryKey: KEYS.shares(session.id),
    queryFn: () => client.exports.shares(session.id),
    staleTime: 0,
  });
  if (shares.isPending) return <Skeleton className="h-10" />;
  if (shares.error !== null)
    return (
      <Trouble title={t("Your links could not be listed")} error={shares.error} onRetry={() => void shares.refetch()} />
    );
  if (shares.data.shares.length === 0) return null;
  return (
    <section aria-labelledby="share-links" className="border-t pt-4">
      <h3 id="share-links" className="text-sm font-medium">
        {t("Links that work")}
      </h3>
      <ul className="mt-2 divide-y">
        {shares.data.shares.map((share) => (
          <ShareRow key={share.id} share={share} />
        ))}
      </ul>
    </section>
  );
}

function ShareRow({ share }: { readonly share: ShareView }): ReactNode {
  const { client } = useConnection();
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => client.exports.revoke(share.session_id, share.id),
    onSuccess: () => queries.invalidateQueries({ queryKey: KEYS.shares(share.session_id) }),
  });
  const parts = PARTS.filter(({ name }) => share[name] === true).map(({ label }) => label.toLocaleLowerCase(locale));
  return (
    <li className="flex items-center justify-between gap-3 py-2 text-sm">
      <span className="min-w-0">
        <span className="block">{rich("Expires {ago}", { ago: <Ago at={share.expires_at} /> })}</span>
        <span className="block text-soft">
          {parts.length === 0 ? t("Prompts and answers") : t("With {parts}", { parts: parts.join(", ") })} ·{" "}
          {t("by {name}", { name: share.created_by.name })}
        </span>
        {revoke.error !== null && <span className="block text-bad">{wordsOf(revoke.error)}</span>}
      </span>
      <Button size="small" busy={revoke.isPending} onClick={() => revoke.mutate()}>
        {t("End link")}
      </Button>
    </li>
  );
}
