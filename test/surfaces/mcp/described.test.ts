import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, type TestApp } from "../../support/app.ts";
import { connect, DOORS, type Connected } from "./world.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** Places in a schema that a model reads without being told what they are for. */
function unexplained(schema: Schema, place: string): readonly string[] {
  const found: string[] = [];
  for (const [name, part] of Object.entries(schema.properties ?? {})) {
    if (part.description === undefined) found.push(`${place}.${name}`);
    found.push(...unexplained(part, `${place}.${name}`));
  }
  if (schema.items !== undefined) found.push(...unexplained(schema.items, `${place}[]`));
  for (const part of schema.anyOf ?? []) found.push(...unexplained(part, place));
  return found;
}

/** Every message as it came over the wire, before the client library makes something else of it. */
function wireOf({ client }: Connected): readonly JSONRPCMessage[] {
  const seen: JSONRPCMessage[] = [];
  const { transport } = client;
  if (transport === undefined) throw new Error("not connected");
  const { onmessage } = transport;
  const hears: Pick<typeof transport, "onmessage"> = {
    onmessage: (message, extra) => {
      seen.push(message);
      onmessage?.(message, extra);
    },
  };
  Object.assign(transport, hears);
  return seen;
}

describe.each(DOORS)("MCP over $door, in the protocol's $era form", (door) => {
  it.each(["operator", "agent", "viewer"] as const)(
    "explains every tool and every parameter to an %s",
    async (role) => {
      const { token } = await app.as(role, `${role} of ${door.door} ${door.era}`);
      const mcp = await connect(app, door, token);
      const { tools } = await mcp.client.listTools();
      expect(tools.length).toBeGreaterThan(5);
      for (const { name, title, description, inputSchema, outputSchema } of tools) {
        expect({ name, isNamed: (title ?? "") !== "" && (description ?? "").length > 20 }).toEqual({
          name,
          isNamed: true,
        });
        expect(unexplained(inputSchema as Schema, name)).toEqual([]);
        expect(Object.keys(outputSchema?.properties ?? {})).not.toEqual([]);
        expect(unexplained(outputSchema as Schema, `${name} answers`)).toEqual([]);
      }
      await mcp.close();
    },
  );

  it("refuses a resource that is not there with the code of its revision", async () => {
    const mcp = await connect(app, door);
    const wire = wireOf(mcp);
    const uri = "claude:///sessions/ses_none/status";
    await expect(mcp.client.readResource({ uri })).rejects.toThrow();
    const older = door.era === "older";
    expect(wire.at(-1)).toMatchObject({ error: { code: older ? -32_002 : -32_602, data: { uri } } });
    // What is no address of a file is a wrong parameter, whatever the revision.
    await expect(mcp.client.readResource({ uri: "claude:///../x" })).rejects.toThrow();
    expect(wire.at(-1)).toMatchObject({ error: { code: -32_602 } });
    await mcp.close();
  });
});
