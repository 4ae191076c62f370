import { useEffect, useRef, useState, type ReactNode } from "react";
import { LIMITS } from "../../../protocol/index.ts";
import { Button } from "../../ui/button.tsx";
import { Field, TextArea } from "../../ui/field.tsx";
import { enterSends } from "../../ui/media.ts";
import type { UnboundDecision } from "./use-decision.ts";
import { t } from "../../ui/language/t.ts";

/** The reason for a rejection, which the agent reads. Enter sends it, Escape goes back. */
export function RejectForm({
  busy,
  onBack,
  decide,
}: {
  readonly busy: boolean;
  readonly onBack: () => void;
  readonly decide: (answer: UnboundDecision) => void;
}): ReactNode {
  const [text, setText] = useState("");
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus(), []);
  const feedback = text.trim();
  const words = feedback === "" ? {} : { feedback };
  const reject = (): void => decide({ decision: "reject", ...words });
  return (
    <div
      className="space-y-2"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        // Stopped here: on the page it would stop the turn.
        event.preventDefault();
        onBack();
      }}
    >
      <Field
        label={t("Why are you rejecting this? (optional - helps Claude understand)")}
        hint={
          <span className="text-xs max-sm:sr-only">
            {t("Enter rejects, Shift+Enter starts a new line, Esc goes back.")}
          </span>
        }
      >
        {(ids) => (
          <TextArea
            {...ids}
            ref={box}
            rows={2}
            className="short:h-10"
            maxLength={LIMITS.feedbackChars}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing || !enterSends()) return;
              event.preventDefault();
              reject();
            }}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button variant="quiet" onClick={onBack}>
          {t("Back")}
        </Button>
        <Button variant="primary" busy={busy} onClick={reject}>
          {feedback === "" ? t("Reject") : t("Reject with Feedback")}
        </Button>
        <Button
          aria-disabled={busy}
          onClick={() => decide({ decision: "reject", ...words, interrupt: true, hold_queue: true })}
        >
          {t("Reject and stop the turn")}
        </Button>
      </div>
    </div>
  );
}
