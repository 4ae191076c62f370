import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { containerOptionsOf, containerSettingsOf } from "../../src/cli/settings/container.ts";

const VARIABLES = {
  SALLYPORT_CONTAINER_IMAGE: "registry.example.org/agent:1",
  SALLYPORT_CONTAINER_COMMAND: "claude",
  SALLYPORT_CONTAINER_RUNTIME: "podman",
  SALLYPORT_CONTAINER_PROCESSES: "64",
  SALLYPORT_CONTAINER_PROXY_URL: "http://127.0.0.1:3128",
  SALLYPORT_CONTAINER_EMULATION: "1",
};

describe("the settings of containers", () => {
  it("come from the environment first, then from the file", () => {
    expect(containerSettingsOf({}, undefined)).toEqual({});
    const container = { runtime: "crun", executable_workspace: true } as const;
    expect(containerSettingsOf({}, container)).toEqual({ container });
    expect(containerSettingsOf({ ...VARIABLES, SALLYPORT_CONTAINER_IMAGE: "" }, { runtime: "crun" })).toEqual({
      container: {
        command: "claude",
        runtime: "podman",
        processes: 64,
        proxy_url: "http://127.0.0.1:3128",
        emulation: true,
      },
    });
  });

  it.each([
    ["SALLYPORT_CONTAINER_RUNTIME", "lxc"],
    ["SALLYPORT_CONTAINER_PROCESSES", "5"],
    ["SALLYPORT_CONTAINER_PROXY_URL", "file:///etc/passwd"],
    ["SALLYPORT_CONTAINER_EMULATION", "yes"],
    ["SALLYPORT_CONTAINER_KERNEL", "vmlinuz"],
  ])("%s=%s is refused by name", (variable, value) => {
    expect(() => containerSettingsOf({ [variable]: value }, undefined)).toThrow(variable);
  });

  it("are the drivers' options", () => {
    const folder =
      process.getuid?.() === 0 && process.platform === "linux"
        ? "/run/sallyport/0123456789ab"
        : join("/h", "containers");
    const { container } = containerSettingsOf(VARIABLES, undefined);
    expect(containerOptionsOf(container, { home: "/h", marker: "0123456789abcdef" })).toEqual({
      folder,
      image: "registry.example.org/agent:1",
      command: "claude",
      runtime: "podman",
      processes: 64,
      proxyUrl: "http://127.0.0.1:3128",
      emulation: { marker: "0123456789abcdef" },
    });
  });
});
