import type { AttackTable } from "./table.ts";

/** A star stands for the commands that are listed: no plugin, no newer command, and none that changes settings. */
export const ATTACKS_ON_STAR: readonly AttackTable[] = [
  {
    profile: {
      allow: [
        "Bash(npm *)",
        "Bash(pnpm *)",
        "Bash(pip *)",
        "Bash(dotnet *)",
        "Bash(cargo *)",
        "Bash(go *)",
        "Bash(ruff *)",
      ],
    },
    autonomy: "supervised",
    lines: [
      "npm set registry=http://evil",
      "npm edit x",
      "npm explore x -- sh",
      "npm some-new-command",
      "pnpm set registry http://evil",
      "pnpm c set registry http://evil",
      "pip config set global.index-url http://evil",
      "dotnet nuget add source http://evil",
      "dotnet tool install x",
      "cargo config get",
      "cargo some-plugin",
      "go work use ../x",
      "ruff server",
    ],
  },
];
