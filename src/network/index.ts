export { hostName, hostRule, isPrivateAddress, looksPublic, publicAddress, type IpAddress } from "./address.ts";
export { readClientHello } from "./client-hello.ts";
export {
  hostAndPort,
  notAllowed,
  openEgressProxy,
  placeOf,
  targetRule,
  type EgressProxy,
  type EgressRefusal,
  type EgressSetup,
  type EgressTarget,
  type HostAnswer,
  type HostCredential,
  type RefusalReason,
} from "./egress.ts";
