import type { ReactNode } from "react";
import { NetworkMode, type SandboxKind, type SandboxView } from "../../../../protocol/index.ts";
import { Field, Select } from "../../../ui/field.tsx";
import { useSandboxes } from "../../app/engines.ts";
import type { PartProps } from "./parts.tsx";
import { t } from "../../../ui/language/t.ts";

const SANDBOXES: Readonly<Record<SandboxKind, string>> = {
  local: t("no walls: the agent’s programs run as the server’s user"),
  seatbelt: t("a profile of macOS; not tried on a Mac yet"),
  bubblewrap: t("Linux namespaces, starts at once"),
  container: t("docker, podman or an OCI runtime"),
  gvisor: t("a container with a kernel of its own"),
  firecracker: t("a virtual machine"),
};

const NETWORKS: Readonly<Record<NetworkMode, string>> = {
  host: t("host: whatever the server can reach"),
  proxy_only: t("proxy only: models, and the hosts that the policy allows"),
  none: t("none: models alone"),
};

/** Where the agent’s programs run, and what they can reach. */
export function SandboxField({ draft, change, problems }: PartProps): ReactNode {
  const { data: sandboxes = [] } = useSandboxes();
  const usual = sandboxes.find((sandbox) => sandbox.default === true);
  const chosen = draft.sandbox === "" ? usual?.id : draft.sandbox;
  return (
    <>
      <Field label={t("Sandbox")} error={problems.sandbox}>
        {(ids) => (
          <Select {...ids} value={draft.sandbox} onChange={(event) => change({ sandbox: event.target.value })}>
            <option value="">
              {usual === undefined ? t("The server’s default") : t("Default: {id}", { id: usual.id })}
            </option>
            {sandboxes.map((sandbox) => (
              <option key={sandbox.id} value={sandbox.id} disabled={!sandbox.available}>
                {wordsFor(sandbox)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {chosen !== undefined && chosen !== "local" && (
        <Field label={t("Network")} error={problems.network}>
          {(ids) => (
            <Select {...ids} value={draft.network} onChange={(event) => change({ network: event.target.value })}>
              <option value="">{t("As the profile says")}</option>
              {NetworkMode.options
                .filter((mode) => mode !== "host")
                .map((mode) => (
                  <option key={mode} value={mode}>
                    {NETWORKS[mode]}
                  </option>
                ))}
            </Select>
          )}
        </Field>
      )}
    </>
  );
}

function wordsFor({ id, available }: SandboxView): string {
  return available ? `${id}: ${SANDBOXES[id]}` : t("{id}: not available on this machine", { id });
}
