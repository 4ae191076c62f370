import type { ReactNode } from "react";
import { Page } from "../../ui/page.tsx";

export function SessionPage(): ReactNode {
  return <Page title="Session">Not yet.</Page>;
}
