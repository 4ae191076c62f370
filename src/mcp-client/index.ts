export type { ServerDefinition, ServerWay } from "./definition.ts";
export { isLoginNeeded, openConnection, reasonOf } from "./connection.ts";
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
