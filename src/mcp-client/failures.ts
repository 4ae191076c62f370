/** The server wants a login that only a person can give. */
export class LoginNeeded extends Error {
  constructor(name: string) {
    super(`it wants a login; an admin can give it with: sallyport mcp login ${name}`);
    this.name = "LoginNeeded";
  }
}

const CAUSES = 4;

/** Whether it, or one of its causes, is that a person has to log in. */
export function isLoginNeeded(error: unknown): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < CAUSES; cause = cause.cause, depth += 1)
    if (cause instanceof LoginNeeded) return true;
  return false;
}

/** What an error says, and what its causes say: the innermost one often says it best. */
export function reasonOf(error: unknown): string {
  const said: string[] = [];
  for (let cause = error; cause instanceof Error && said.length < CAUSES; cause = cause.cause)
    if (cause.message !== "" && !said.some((words) => words.includes(cause.message))) said.push(cause.message);
  return said.length === 0 ? String(error) : said.join(": ");
}
