import type { ReactNode } from "react";
import { Page } from "../../ui/page.tsx";

export function NewSessionPage(): ReactNode {
  return <Page title="New session">Not yet.</Page>;
}
