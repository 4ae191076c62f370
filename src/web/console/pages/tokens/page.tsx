import type { ReactNode } from "react";
import { Page } from "../../ui/page.tsx";

export function TokensPage(): ReactNode {
  return <Page title="Tokens">Not yet.</Page>;
}
