import { failureIn } from "../protocol/failure.ts";

/** What the server refused, as it says it. */
export async function refusalOf(response: Response): Promise<Error> {
  const failure = failureIn(await response.json().catch(() => undefined));
  return failure ?? new Error(`the server answered ${response.status}`);
}
