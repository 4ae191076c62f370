import type { ReactNode } from "react";
import { Page } from "../../ui/page.tsx";

export function AuditPage(): ReactNode {
  return <Page title="Audit">Not yet.</Page>;
}
