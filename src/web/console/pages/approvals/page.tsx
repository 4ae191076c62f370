import type { ReactNode } from "react";
import { Page } from "../../ui/page.tsx";

export function ApprovalsPage(): ReactNode {
  return <Page title="Approvals">Not yet.</Page>;
}
