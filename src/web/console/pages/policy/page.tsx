import type { ReactNode } from "react";
import { Page } from "../../ui/page.tsx";

export function PolicyPage(): ReactNode {
  return <Page title="Policy">Not yet.</Page>;
}
