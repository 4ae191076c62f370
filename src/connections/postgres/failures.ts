import { Failure } from "../../protocol/index.ts";

interface PostgresError {
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly position?: string | undefined;
  readonly detail?: string | undefined;
  readonly hint?: string | undefined;
}

/** Every SQLSTATE contains a digit: EPIPE and similar are network errors. */
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;

/** An error of PostgreSQL or the connection. In its own words, so that the caller can correct the statement. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const told = error as PostgresError;
  const { code = "", message = "it does not answer" } = told;
  if (!SQLSTATE.test(code))
    return new Failure("connection_failed", `the database cannot be reached: ${reasonOf(told)}`);
  const details = detailsOf(told);
  switch (code) {
    case "57014":
      return new Failure("timed_out", `${message}; select less, or ask the admin for more time`, details);
    case "55P03":
      return new Failure("timed_out", `${message}; somebody else holds it, try again`, details);
    // A statement with parameters, although none were sent.
    case "08P01":
      return new Failure("invalid_request", message, details);
    case "25006":
    case "42501":
      return new Failure("forbidden", message, details);
    default:
  }
  // Connections, logins, resources, operator actions, internal errors.
  return /^(?:08|28|3D|53|57|58|XX)/.test(code)
    ? new Failure("connection_failed", `the database says: ${message}`, details)
    : new Failure("invalid_request", message, details);
}

function detailsOf({ code, position, detail, hint }: PostgresError): Readonly<Record<string, unknown>> {
  return {
    sqlstate: code,
    // Characters of the statement, from 1.
    ...(position === undefined ? {} : { position: Number(position) }),
    ...(detail === undefined ? {} : { detail }),
    ...(hint === undefined ? {} : { hint }),
  };
}

/** Messages of the network and of the driver contain no password. */
function reasonOf({ code, message }: PostgresError): string {
  if (message?.includes("client password must be a") === true)
    return "it wants a password; name one with credential_env or credential_file";
  return message === undefined || message === "" ? (code ?? "it does not answer") : message;
}
