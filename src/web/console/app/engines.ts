import { useQuery } from "@tanstack/react-query";
import { useConnection } from "../../ui/app/connection.tsx";
import { KEYS } from "./feed.tsx";

/** The server's engines, including those that are not available. */
export function useEngines() {
  const { client } = useConnection();
  return useQuery({ queryKey: [...KEYS.engines, "list"], queryFn: async () => (await client.engines()).engines });
}
