import { useQuery } from "@tanstack/react-query";
import { useConnection } from "../../ui/app/connection.tsx";
import { KEYS } from "./feed.tsx";

/** What sessions can have, including what is not available. */
function useCatalog() {
  const { client } = useConnection();
  return { queryKey: [...KEYS.engines, "list"], queryFn: () => client.engines() };
}

export function useEngines() {
  return useQuery({ ...useCatalog(), select: ({ engines }) => engines });
}

export function useSandboxes() {
  return useQuery({ ...useCatalog(), select: ({ sandboxes }) => sandboxes });
}
