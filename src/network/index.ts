export { hostName, hostRule, isPrivateAddress, publicAddress, type IpAddress } from "./address.ts";
export { openEgressProxy, type EgressProxy, type EgressRefusal, type HostCredential } from "./egress.ts";
