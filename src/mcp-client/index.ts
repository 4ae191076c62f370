export type { ServerDefinition, ServerWay } from "./definition.ts";
export { isLoginNeeded, reasonOf } from "./failures.ts";
export { openConnection } from "./open.ts";
export { LoginFiles } from "./oauth/login-file.ts";
export { ServerLogin, type StartedLogin } from "./oauth/server-login.ts";
export type {
  ElicitationAnswer,
  ElicitationParams,
  SamplingAnswer,
  SamplingParams,
  ServerRequests,
} from "./server-requests.ts";
export { ServerClient } from "./server-client.ts";
export { promptArguments, type ServerPrompt } from "./server-prompts.ts";
