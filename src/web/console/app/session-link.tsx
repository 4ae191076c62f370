import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

export function SessionLink({ id }: { readonly id: string }): ReactNode {
  return (
    <Link
      to="/sessions/$sessionId"
      params={{ sessionId: id }}
      className="font-mono text-xs leading-5 break-all text-accent hover:underline"
    >
      {id}
    </Link>
  );
}
