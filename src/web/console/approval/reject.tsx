import { useEffect, useRef, useState, type ReactNode } from "react";
import { LIMITS } from "../../../protocol/index.ts";
import { Button } from "../ui/button.tsx";
import { Field, TextArea } from "../ui/field.tsx";
import type { Answer } from "./use-decision.ts";

export const SAY_NO = "bg-bad! text-paper! border-transparent!";

/** Why not: words that the agent reads. Escape goes back. */
export function RejectForm({
  busy,
  onBack,
  decide,
}: {
  readonly busy: boolean;
  readonly onBack: () => void;
  readonly decide: (answer: Answer) => void;
}): ReactNode {
  const [text, setText] = useState("");
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus(), []);
  const feedback = text.trim();
  const words = feedback === "" ? {} : { feedback };
  return (
    <div className="space-y-2" onKeyDown={(event) => event.key === "Escape" && onBack()}>
      <Field label="Why are you rejecting this? (optional - helps Claude understand)">
        {(ids) => (
          <TextArea
            {...ids}
            ref={box}
            rows={3}
            maxLength={LIMITS.feedbackChars}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button variant="quiet" onClick={onBack}>
          Back
        </Button>
        <Button
          variant="danger"
          className={SAY_NO}
          busy={busy}
          onClick={() => decide({ decision: "reject", ...words })}
        >
          {feedback === "" ? "Reject" : "Reject with Feedback"}
        </Button>
        <Button
          variant="danger"
          disabled={busy}
          onClick={() => decide({ decision: "reject", ...words, interrupt: true })}
        >
          Reject and stop the turn
        </Button>
      </div>
    </div>
  );
}
