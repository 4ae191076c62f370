import { Link } from "@tanstack/react-router";
import { Gauge, Plus, ScrollText, ShieldCheck, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { useConnection, useMay } from "../../ui/app/connection.tsx";
import { TemplateCards } from "../pages/new/template-cards.tsx";
import { Mark } from "../../ui/mark.tsx";
import { AddKey, Examples, useDemo } from "./demo.tsx";
import { t } from "../../ui/language/t.ts";

const PROMISES: readonly { readonly icon: LucideIcon; readonly title: string; readonly text: string }[] = [
  {
    icon: ShieldCheck,
    title: t("You decide"),
    text: t("Every change waits for your approval, with the diff or command in front of you. On your phone too."),
  },
  {
    icon: Gauge,
    title: t("You set the limit"),
    text: t("Each request is checked against its budget before it is sent. No session overspends."),
  },
  {
    icon: ScrollText,
    title: t("Nothing gets lost"),
    text: t("Every event is saved before you see it. Sessions resume after a restart."),
  },
];

/** The first visit: what this is, and the one thing to do. */
export function Welcome(): ReactNode {
  const may = useMay("session.create");
  const { me } = useConnection();
  const demo = useDemo();
  return (
    <div className="mx-auto w-full max-w-4xl space-y-8 px-4 py-8 md:px-8 md:py-14">
      <header className="flex flex-col items-center text-center">
        <Mark className="size-12 text-accent" />
        <h1 className="mt-4 text-2xl font-semibold tracking-tight text-balance">
          {t("Start agents, watch them, decide what they may do")}
        </h1>
        <p className="mt-2 max-w-xl text-balance text-soft">
          {t("Sallyport runs coding agents in your folders. Follow their work here.")}
        </p>
        {may ? (
          <Link
            to="/new"
            className="mt-6 inline-flex h-12 items-center gap-2 rounded-xl bg-accent px-6 font-medium text-accent-ink hover:brightness-110"
          >
            <Plus aria-hidden className="size-5" /> {t("Start a session")}
          </Link>
        ) : (
          <p className="mt-6 rounded-lg bg-sunken px-4 py-2.5 text-sm text-soft">
            {t("There are no sessions yet. Your role, {role}, sees them as soon as someone starts one.", {
              role: me.role,
            })}
          </p>
        )}
      </header>
      {may && <TemplateCards />}
      {demo === true && (
        <section className="space-y-3 rounded-xl border bg-panel p-4 text-sm text-soft">
          <h2 className="font-semibold text-ink">{t("No API key is set, so the demo model answers")}</h2>
          <p>
            {t("It is a scripted demo, not a real model. Tools, approvals, diffs and the journal are real. Try one:")}
          </p>
          <Examples />
          <AddKey />
        </section>
      )}
      <ul className="grid grid-cols-1 gap-4 sm:grid-cols-3">
        {PROMISES.map(({ icon: Icon, title, text }) => (
          <li key={title} className="text-sm">
            <Icon aria-hidden className="size-5 text-accent" />
            <h2 className="mt-2 font-semibold">{title}</h2>
            <p className="mt-1 text-soft">{text}</p>
          </li>
        ))}
      </ul>
    </div>
  );
}
