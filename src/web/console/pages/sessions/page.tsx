import type { ReactNode } from "react";
import { Page } from "../../ui/page.tsx";

export function SessionsPage(): ReactNode {
  return <Page title="Sessions">Not yet.</Page>;
}
