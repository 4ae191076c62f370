import { useEffect } from "react";
import { create } from "zustand";

/** The tab's title; empty: the page has none. */
export const usePageTitle = create<{ readonly title: string }>()(() => ({ title: "" }));

/** Names the tab as long as the page is shown. */
export function useTitle(title: string): void {
  useEffect(() => {
    usePageTitle.setState({ title });
    return () => usePageTitle.setState((now) => (now.title === title ? { title: "" } : now));
  }, [title]);
}
