import { useEffect } from "react";
import { create } from "zustand";

/** What the tab is called; empty: the page has no name of its own. */
export const usePageTitle = create<{ readonly title: string }>()(() => ({ title: "" }));

/** Names the tab as long as the page is shown. */
export function useTitle(title: string): void {
  useEffect(() => {
    usePageTitle.setState({ title });
    return () => usePageTitle.setState((now) => (now.title === title ? { title: "" } : now));
  }, [title]);
}
