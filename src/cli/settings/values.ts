import { Failure, LIMITS } from "../../protocol/index.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export function nonEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

export function numberOf(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new Failure("invalid_request", `${text} is not a whole number above 0`);
  return value;
}

export function switchOf(variable: string, environment: Environment): boolean | undefined {
  const text = nonEmpty(environment[variable]);
  if (text === undefined) return undefined;
  if (["1", "true", "on"].includes(text)) return true;
  if (["0", "false", "off"].includes(text)) return false;
  throw new Failure("invalid_request", `${variable} must be on or off`);
}

export function secondsOf(variable: string, environment: Environment): number | undefined {
  return countOf(variable, environment, { least: 0, most: LIMITS.drainMaxSeconds });
}

export function countOf(
  variable: string,
  environment: Environment,
  { least, most }: { readonly least: number; readonly most: number },
): number | undefined {
  const text = nonEmpty(environment[variable]);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < least || value > most)
    throw new Failure("invalid_request", `${variable} must be a whole number from ${least} to ${most}`);
  return value;
}

export function portOf(variable: string, environment: Environment): number | undefined {
  const text = environment[variable];
  if (text === undefined || text === "") return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535)
    throw new Failure("invalid_request", `${variable}=${text} is not a port`);
  return value;
}
