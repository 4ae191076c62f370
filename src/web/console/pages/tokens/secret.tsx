import type { ReactNode } from "react";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { Field, Input } from "../../../ui/field.tsx";

/** A text to copy, which is shown this once. */
export function Secret({
  label,
  text,
  hint,
  copy,
}: {
  readonly label: string;
  readonly text: string;
  readonly hint: string;
  /** The name of its copy button. */
  readonly copy: string;
}): ReactNode {
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <div className="flex items-center gap-1">
          <Input
            {...ids}
            readOnly
            className="font-mono text-xs"
            value={text}
            onFocus={(event) => event.currentTarget.select()}
          />
          <CopyButton text={text} label={copy} />
        </div>
      )}
    </Field>
  );
}
