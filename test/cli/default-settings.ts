/** Of what neither file nor environment names in settings.test.ts. */
export const DEFAULTS = {
  acpAgents: { value: {}, origin: "default" },
  allowedOrigins: { value: [], origin: "default" },
  notificationHosts: { value: [], origin: "default" },
  browser: { value: "auto", origin: "default" },
  programs: { value: {}, origin: "default" },
  searchCode: { value: true, origin: "default" },
  recordFiles: { value: true, origin: "default" },
  idempotencySeconds: { value: 3_600, origin: "default" },
  clientSessions: { value: 200, origin: "default" },
  challengeSeconds: { value: 300, origin: "default" },
} as const;
