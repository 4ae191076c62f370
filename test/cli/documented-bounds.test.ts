import { describe, expect, test } from "vitest";
import { documentedBounds } from "../../src/cli/settings/documented-bounds.ts";
import { parseSettings } from "../../src/cli/settings/file.ts";

const PLACE = { path: "/home/sallyport.yaml", environment: {} };

describe("bounds that the documents name", () => {
  test("come from the environment, then the file, then the documents", () => {
    const file = parseSettings("idempotency_seconds: 900\nclient_sessions: 1\nchallenge_seconds: 30\n", PLACE);
    const environment = { SALLYPORT_IDEMPOTENCY_SECONDS: "604800", SALLYPORT_CLIENT_SESSIONS: "" };
    expect(documentedBounds(environment, file)).toEqual({
      idempotencySeconds: { value: 604_800, origin: "environment" },
      clientSessions: { value: 1, origin: "file" },
      challengeSeconds: { value: 30, origin: "file" },
    });
    expect(documentedBounds({}, {})).toEqual({
      idempotencySeconds: { value: 3_600, origin: "default" },
      clientSessions: { value: 200, origin: "default" },
      challengeSeconds: { value: 300, origin: "default" },
    });
  });

  test.each([
    ["SALLYPORT_IDEMPOTENCY_SECONDS", "899", "from 900 to 604800"],
    ["SALLYPORT_CLIENT_SESSIONS", "2001", "from 1 to 2000"],
    ["SALLYPORT_CLIENT_SESSIONS", "1.5", "from 1 to 2000"],
    ["SALLYPORT_CHALLENGE_SECONDS", "many", "from 30 to 3600"],
  ])("%s=%s is refused", (name, value, words) =>
    expect(() => documentedBounds({ [name]: value }, {})).toThrow(`${name} must be a whole number ${words}`),
  );

  test.each(["idempotency_seconds: 899", "client_sessions: 0", "challenge_seconds: 3601"])("%s is refused", (yaml) =>
    expect(() => parseSettings(yaml, PLACE)).toThrow(yaml.split(":")[0]),
  );
});
