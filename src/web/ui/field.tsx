import { useId, type ComponentProps, type ReactNode } from "react";
import { classes } from "./classes.ts";

const BOX =
  "w-full rounded-lg border border-line-strong/60 bg-raised px-3 text-sm text-ink placeholder:text-faint disabled:opacity-60 aria-invalid:border-bad";

export function Input({ className, ...rest }: ComponentProps<"input">): ReactNode {
  return <input {...rest} className={classes(BOX, "h-10", className)} />;
}

export function TextArea({ className, ...rest }: ComponentProps<"textarea">): ReactNode {
  return <textarea {...rest} className={classes(BOX, "py-2", className)} />;
}

/** The browser's own list: works with every keyboard, screen reader and phone. */
export function Select({ className, ...rest }: ComponentProps<"select">): ReactNode {
  return <select {...rest} className={classes(BOX, "h-10", className)} />;
}

interface FieldWords {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
}

type Control<Element extends "input" | "select"> = FieldWords &
  Omit<ComponentProps<Element>, "id" | "onChange"> & { readonly onChange: (value: string) => void };

/** A line of text with its label. */
export function TextField({ label, hint, error, onChange, ...rest }: Control<"input">): ReactNode {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => <Input {...ids} {...rest} onChange={(event) => onChange(event.target.value)} />}
    </Field>
  );
}

/** A choice with its label; its children are the options. */
export function SelectField({ label, hint, error, onChange, ...rest }: Control<"select">): ReactNode {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => <Select {...ids} {...rest} onChange={(event) => onChange(event.target.value)} />}
    </Field>
  );
}

/** A label, what it labels, and words that help or say what is wrong. */
export function Field({
  label,
  hint,
  error,
  children,
  className,
}: FieldWords & {
  /** Gets the id for the label, the id of the hint for `aria-describedby`, and whether something is wrong. */
  readonly children: (ids: {
    readonly id: string;
    readonly "aria-describedby": string;
    readonly "aria-invalid": boolean;
  }) => ReactNode;
  readonly className?: string;
}): ReactNode {
  const id = useId();
  const described = `${id}-hint`;
  return (
    <div className={classes("space-y-1.5", className)}>
      <label htmlFor={id} className="block text-sm font-medium">
        {label}
      </label>
      {children({ id, "aria-describedby": described, "aria-invalid": error !== undefined })}
      <div id={described} className={classes("text-sm", error === undefined ? "text-faint" : "text-bad")}>
        {error ?? hint}
      </div>
    </div>
  );
}
