import { Sparkles, X } from "lucide-react";
import type { ReactNode } from "react";
import { AddKey, Examples, useDemo } from "./demo.tsx";
import { useSeen } from "./seen.ts";

/** No key is set: what answers instead, what to try with it, and how to get a real model. Goes away for good when told to. */
export function DemoNote(): ReactNode {
  const demo = useDemo();
  const { demoNote: seen, dismissDemoNote: dismiss } = useSeen();
  if (!demo || seen) return undefined;
  return (
    <section aria-label="Demo model" className="rounded-xl border bg-panel p-4 text-sm">
      <div className="flex items-start gap-3">
        <Sparkles aria-hidden className="mt-0.5 size-4 shrink-0 text-accent" />
        <div className="min-w-0 flex-1 space-y-3">
          <p className="text-soft">
            <strong className="font-semibold text-ink">No key is set, so the demo model answers.</strong> It is
            scripted, no real AI, but tools, questions, diffs and the journal are real. It understands plain requests
            such as these:
          </p>
          <Examples />
          <div className="text-soft">
            <AddKey />
          </div>
        </div>
        <button
          type="button"
          aria-label="Dismiss this note"
          onClick={dismiss}
          className="-mt-1 -mr-1 rounded p-1.5 text-faint hover:bg-sunken hover:text-ink"
        >
          <X aria-hidden className="size-4" />
        </button>
      </div>
    </section>
  );
}
