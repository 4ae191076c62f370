import { useQuery } from "@tanstack/react-query";
import { useConnection } from "../../ui/app/connection.tsx";
import { KEYS } from "./feed.tsx";

/** The server's engines, those that it lacks something for too. */
export function useEngines() {
  const { client } = useConnection();
  return useQuery({ queryKey: [...KEYS.engines, "list"], queryFn: async () => (await client.engines()).engines });
}
