/** People and agents have `policy.read`: these files reveal nothing about others. */
export const ANYBODY = { needs: "policy.read" } as const;
export const ADMIN = { needs: "policy.write" } as const;
