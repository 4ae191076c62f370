import type { FinishMcpLogin } from "../../../../protocol/index.ts";

/** What an authorization server sent a person back with. */
export type LoginAnswer = { readonly request: FinishMcpLogin } | { readonly refusal: string };

/** Read from the address itself: the router would take a code of digits for a number. Undefined: nobody comes back. */
export function loginAnswer(search: string): LoginAnswer | undefined {
  const fields = new URLSearchParams(search);
  const [state, code, iss, error] = ["state", "code", "iss", "error"].map((name) => fields.get(name) ?? "");
  if (error !== undefined && error !== "") return { refusal: fields.get("error_description") ?? error };
  if (state === undefined || code === undefined || state === "" || code === "") return undefined;
  return { request: { state, code, ...(iss === undefined || iss === "" ? {} : { iss }) } };
}
