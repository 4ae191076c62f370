import type { ReactNode } from "react";

export function SqlPane(): ReactNode {
  return undefined;
}
