import type { ReactNode } from "react";
import { Page } from "../../ui/page.tsx";

export function ProvidersPage(): ReactNode {
  return <Page title="Providers">Not yet.</Page>;
}
