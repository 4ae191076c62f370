import type { RateLimit } from "../../../../protocol/index.ts";

interface Common {
  readonly label: string;
  readonly hint: string;
  /** What absence means. */
  readonly absent: string;
}
interface TextField extends Common {
  readonly kind: "text";
}
interface ChoiceField extends Common {
  readonly kind: "choice";
  readonly options: readonly { readonly value: string; readonly label: string }[];
}
interface ListField extends Common {
  readonly kind: "list";
  readonly example: string;
  /** An empty list is something else than none: nothing at all. */
  readonly emptyCounts?: true;
}
interface HooksField extends Common {
  readonly kind: "hooks";
}
interface AmountField extends Common {
  /** Micro-USD, written in dollars. */
  readonly kind: "dollars";
}
interface CountField extends Common {
  readonly kind: "count";
}
interface TimeField extends Common {
  /** Milliseconds, written in seconds. */
  readonly kind: "seconds";
}
interface SwitchField extends Common {
  readonly kind: "switch";
}
interface RateField extends Common {
  readonly kind: "rate";
}
export type FieldSpec =
  | TextField
  | ChoiceField
  | ListField
  | HooksField
  | AmountField
  | CountField
  | TimeField
  | SwitchField
  | RateField;

/** Which kinds of field can hold a value of this type: a wrong kind does not compile. */
export type SpecFor<Value> = Value extends readonly "guarded"[]
  ? HooksField
  : Value extends readonly string[]
    ? ListField
    : Value extends number
      ? AmountField | CountField | TimeField
      : Value extends boolean
        ? SwitchField
        : Value extends RateLimit
          ? RateField
          : TextField | ChoiceField;
