import type { ReactNode } from "react";
import { NotificationEvent } from "../../../protocol/index.ts";
import { t } from "../../ui/language/t.ts";

const WORDS: Readonly<Record<NotificationEvent, string>> = {
  question: t("Questions and calls that need approval"),
  budget: t("Reached budgets"),
  ended: t("Finished and failed turns"),
};

/** What somebody wants to hear of. */
export function EventChoice({
  events,
  onChange,
}: {
  readonly events: readonly NotificationEvent[];
  readonly onChange: (events: readonly NotificationEvent[]) => void;
}): ReactNode {
  return (
    <fieldset>
      <legend className="sr-only">{t("Tell me about")}</legend>
      {NotificationEvent.options.map((event) => (
        <label key={event} className="flex min-h-8 items-center gap-2 text-sm">
          <input
            type="checkbox"
            className="size-4"
            checked={events.includes(event)}
            onChange={({ target }) =>
              onChange(target.checked ? [...events, event] : events.filter((known) => known !== event))
            }
          />
          {WORDS[event]}
        </label>
      ))}
    </fieldset>
  );
}
