import type { ReactNode } from "react";

interface Fact {
  readonly label: string;
  /** Empty: it is left out. */
  readonly value: ReactNode;
}

/** Names and values, one below the other. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }): ReactNode {
  return (
    <dl className="grid grid-cols-[7.5rem_minmax(0,1fr)] gap-x-3 gap-y-1 text-sm">
      {facts
        .filter(({ value }) => value !== "")
        .map(({ label, value }) => (
          <div key={label} className="contents">
            <dt className="text-soft">{label}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
    </dl>
  );
}
