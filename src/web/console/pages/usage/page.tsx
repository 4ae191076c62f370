import type { ReactNode } from "react";
import { Page } from "../../ui/page.tsx";

export function UsagePage(): ReactNode {
  return <Page title="Usage">Not yet.</Page>;
}
