import { Link } from "@tanstack/react-router";
import { Gauge, Plus, ScrollText, ShieldCheck, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { useConnection, useMay } from "../../ui/app/connection.tsx";
import { TemplateCards } from "../pages/new/template-cards.tsx";
import { Mark } from "../../ui/mark.tsx";
import { AddKey, Examples, useDemo } from "./demo.tsx";

const PROMISES: readonly { readonly icon: LucideIcon; readonly title: string; readonly text: string }[] = [
  {
    icon: ShieldCheck,
    title: "You decide",
    text: "Every change waits for your approval, with the diff or command in front of you. On your phone too.",
  },
  {
    icon: Gauge,
    title: "You set the limit",
    text: "Each request is checked against its budget before it is sent. No session overspends.",
  },
  {
    icon: ScrollText,
    title: "Nothing gets lost",
    text: "Every event is saved before you see it. Sessions resume after a restart.",
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
          Start agents, watch them, decide what they may do
        </h1>
        <p className="mt-2 max-w-xl text-balance text-soft">
          Sallyport runs coding agents in your folders. Follow their work here.
        </p>
        {may ? (
          <Link
            to="/new"
            className="mt-6 inline-flex h-12 items-center gap-2 rounded-xl bg-accent px-6 font-medium text-accent-ink hover:brightness-110"
          >
            <Plus aria-hidden className="size-5" /> Start a session
          </Link>
        ) : (
          <p className="mt-6 rounded-lg bg-sunken px-4 py-2.5 text-sm text-soft">
            There are no sessions yet. Your role, {me.role}, sees them as soon as someone starts one.
          </p>
        )}
      </header>
      {may && <TemplateCards />}
      {demo === true && (
        <section className="space-y-3 rounded-xl border bg-panel p-4 text-sm text-soft">
          <h2 className="font-semibold text-ink">No API key is set, so the demo model answers</h2>
          <p>It is a scripted demo, not a real model. Tools, approvals, diffs and the journal are real. Try one:</p>
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
