import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";

const PACKAGE = resolve(import.meta.dirname, "../../../integrations/datagrok");
const read = (path: string): string => readFileSync(resolve(PACKAGE, path), "utf8");

describe("the package's papers", () => {
  it("the files stand where the document has them", () => {
    const container = ["Dockerfile", "container.json", "relay.mjs"];
    expect(readdirSync(resolve(PACKAGE, "dockerfiles/claude-runtime"))).toEqual(expect.arrayContaining(container));
    // Manifest, server and bridge to the page come in the package that `pack-runtime` puts there.
    expect(read("dockerfiles/claude-runtime/Dockerfile")).toContain("COPY sallyport.tgz sallyport.json ./\n");
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    expect(scripts).toHaveProperty("pack-runtime");
    const client = ["claude-runtime-client.ts", "claude-panel.ts", "tool-registry.ts"];
    expect(readdirSync(resolve(PACKAGE, "src/claude-code"))).toEqual(expect.arrayContaining(client));
  });

  it("the property that switches it on is that of the document", () => {
    const { properties, name } = JSON.parse(read("package.json")) as { properties: unknown; name: string };
    expect(name.replace(/^@.*\//, "")).toBe("sallyport");
    expect(properties).toEqual([
      {
        name: "claudeRuntimeEnabled",
        propertyType: "bool",
        description: "Enable Claude Code runtime Docker container integration",
        defaultValue: false,
        nullable: false,
      },
    ]);
  });

  it("its functions carry the platform's annotations", () => {
    const source = read("src/package.ts");
    expect(source).toContain(
      "//name: setupClaudeRuntime\n//description: Initializes Claude Code runtime integration\n//meta.autostartImmediate: true\nexport async function setupClaudeRuntime()",
    );
    expect(source).toMatch(
      /\/\/name: claudeResponseStream\n(?:\/\/.*\n)*\/\/output: observable stream\nexport function/,
    );
    expect(read("src/package-test.ts")).toMatch(/\/\/name: test\n(?:\/\/input: .*\n){3}\/\/output: dataframe result\n/);
  });

  it("the container is that of the document", () => {
    expect(JSON.parse(read("dockerfiles/claude-runtime/container.json"))).toEqual({
      cpu: 1,
      memory: 3072,
      on_demand: true,
      gpu: 0,
    });
    const dockerfile = read("dockerfiles/claude-runtime/Dockerfile");
    for (const line of [
      "EXPOSE 5353",
      "USER 1001:2001",
      "groupadd --gid 2001 grok",
      "HEALTHCHECK --interval=5s --timeout=3s --start-period=10s --retries=3",
      "wget --spider http://127.0.0.1:5353/health",
    ])
      expect(dockerfile).toContain(line);
    expect(dockerfile).not.toMatch(/ANTHROPIC_API_KEY=|SALLYPORT_TOKEN=/);
  });
});
