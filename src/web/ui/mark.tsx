import type { ReactNode } from "react";

/** The sign of the product: a gate. */
export function Mark({ className }: { readonly className?: string }): ReactNode {
  return (
    <svg aria-hidden viewBox="5 3 22 24" fill="currentColor" className={className}>
      <path d="M7 26V14a9 9 0 0 1 18 0v12h-5V14a4 4 0 0 0-8 0v12z" />
      <circle cx="16" cy="20" r="2" />
    </svg>
  );
}
