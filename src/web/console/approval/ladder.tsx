import { useEffect, useRef, useState, type ReactNode } from "react";
import type { Approval, OfferedRule } from "../../../protocol/index.ts";
import { Button } from "../../ui/button.tsx";
import { visibleCommand } from "../../ui/visible.ts";
import type { UnboundDecision } from "./use-decision.ts";
import { t } from "../../ui/language/t.ts";

/** The rules that can be added for the session; the first is the narrowest. */
export function offeredRules({ session_rules = [], session_rule }: Approval): readonly OfferedRule[] {
  if (session_rules.length > 0 || session_rule === undefined) return session_rules;
  return [{ rule: session_rule, reach: "exact", allows: "" }];
}

/** How far the rule for the session reaches: from this call to broader ones. Nothing is added before it is picked here. */
export function GrantForm({
  approval,
  busy,
  onBack,
  decide,
}: {
  readonly approval: Approval;
  readonly busy: boolean;
  readonly onBack: () => void;
  readonly decide: (answer: UnboundDecision) => void;
}): ReactNode {
  const rules = offeredRules(approval);
  const [picked, setPicked] = useState(rules[0]?.rule);
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const approve = (): void => {
    if (picked !== undefined) decide({ decision: "approve", scope: "session", rule: picked });
  };
  return (
    <div
      className="space-y-2"
      onKeyDown={(event) => {
        const isPicking = event.target instanceof HTMLInputElement;
        if (event.key !== "Escape" && !(event.key === "Enter" && isPicking)) return;
        // Stopped here: on the page it would stop the turn.
        event.preventDefault();
        if (event.key === "Enter") approve();
        else onBack();
      }}
    >
      <fieldset className="max-h-[32dvh] space-y-1 overflow-y-auto short:max-h-24">
        <legend className="pb-1 text-sm font-medium">{t("Don’t ask again in this session for")}</legend>
        {rules.map(({ rule, allows }, index) => (
          <label
            key={rule}
            className="flex cursor-pointer items-start gap-2.5 rounded-lg border px-3 py-2 has-checked:border-accent has-checked:bg-accent-soft"
          >
            <input
              ref={index === 0 ? first : undefined}
              type="radio"
              name={`rule-${approval.id}`}
              className="mt-1 size-4 shrink-0 accent-accent"
              checked={picked === rule}
              onChange={() => setPicked(rule)}
            />
            <span className="min-w-0">
              <code className="block text-sm text-ink [overflow-wrap:anywhere]">{visibleCommand(rule)}</code>
              <span dir="auto" className="block text-xs text-soft rtl:text-right">
                {visibleCommand(allows)}
              </span>
            </span>
          </label>
        ))}
      </fieldset>
      <div className="flex flex-wrap gap-2">
        <Button variant="quiet" onClick={onBack}>
          {t("Back")}
        </Button>
        <Button variant="primary" busy={busy} onClick={approve}>
          {t("Approve and add this rule")}
        </Button>
      </div>
    </div>
  );
}
