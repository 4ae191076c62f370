import { Sparkles, X } from "lucide-react";
import type { ReactNode } from "react";
import { useMay } from "../../ui/app/connection.tsx";
import { AddKey, Examples, useDemo } from "./demo.tsx";
import { useSeen } from "./seen.ts";
import { t } from "../../ui/language/t.ts";

/** No key is set: what answers instead, what to try, and how to get a real model. Can be dismissed for good. */
export function DemoNote(): ReactNode {
  const demo = useDemo();
  const { demoNote: seen, dismissDemoNote: dismiss } = useSeen();
  const mayTry = useMay("session.create");
  if (demo !== true || seen) return undefined;
  return (
    <section
      aria-label={t("Demo model")}
      className="flex items-start gap-3 rounded-xl border bg-panel p-3.5 text-sm text-soft"
    >
      <Sparkles aria-hidden className="mt-0.5 size-4 shrink-0 text-accent max-sm:hidden" />
      <div className="min-w-0 flex-1 space-y-2.5">
        <p>
          <strong className="font-semibold text-ink">{t("No API key is set, so the demo model answers.")}</strong>{" "}
          {t("It is a scripted demo, not a real model. Tools, approvals, diffs and the journal are real.")}{" "}
          {mayTry && t("Try one:")}
        </p>
        <Examples brief />
        <details>
          <summary className="w-fit cursor-pointer py-0.5 underline decoration-line-strong underline-offset-2">
            {t("How to add a key")}
          </summary>
          <div className="pt-1.5">
            <AddKey />
          </div>
        </details>
      </div>
      <button
        type="button"
        aria-label={t("Dismiss this note")}
        onClick={dismiss}
        className="-mt-1 -me-1 rounded p-1.5 text-faint hover:bg-sunken hover:text-ink"
      >
        <X aria-hidden className="size-4" />
      </button>
    </section>
  );
}
