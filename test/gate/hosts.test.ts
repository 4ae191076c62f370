import { expect, test } from "vitest";
import { hostGrant, ruleOnHost, type PolicyContext } from "../../src/gate/index.ts";
import type { Effect, Profile } from "../../src/protocol/index.ts";
import { context } from "./stand.ts";

const WEB = { host: "example.com", port: 443 };

test.each<[string, Profile, Partial<PolicyContext>, Effect]>([
  ["supervised asks", {}, {}, "ask"],
  ["acceptEdits asks", {}, { acceptEdits: true }, "ask"],
  ["full does not ask", {}, { autonomy: "full" }, "deny"],
  ["restricted does not ask", {}, { autonomy: "restricted" }, "deny"],
  ["read_only does not ask", {}, { autonomy: "read_only" }, "deny"],
  ["dontAsk does not ask", {}, { neverAsk: true }, "deny"],
  ["plan does not ask", {}, { plans: true }, "deny"],
  ["a grant opens it", {}, { grants: ["Network(example.com)"] }, "allow"],
  ["a grant stays when the autonomy changes", {}, { autonomy: "full", grants: ["Network(example.com)"] }, "allow"],
  ["a grant opens nothing in read_only", {}, { autonomy: "read_only", grants: ["Network(example.com)"] }, "deny"],
  ["another host's grant", {}, { grants: ["Network(xexample.com)", "Network(*)", "Network"] }, "ask"],
  ["another port's grant", {}, { grants: ["Network(example.com:8443)"] }, "ask"],
  ["a deny rule", { deny: ["Network"] }, {}, "deny"],
  ["a deny rule for everything", { deny: ["*"] }, {}, "deny"],
  ["a deny rule for this host and port", { deny: ['Network({"host":"example.com","port":443})'] }, {}, "deny"],
  ["a deny rule wins over a grant", { deny: ["Network"] }, { grants: ["Network(example.com)"] }, "deny"],
  ["ask_only_listed without it", { ask_only_listed: true, ask: ["Bash"] }, {}, "deny"],
  ["ask_only_listed with it", { ask_only_listed: true, ask: ["Bash", "Network"] }, {}, "ask"],
  ["ask_only_listed in a mode that reviews", { ask_only_listed: true, ask: ["Bash"] }, { reviews: true }, "ask"],
  ["allow rules are about tools", { allow: ["Network"] }, {}, "ask"],
])("%s", (_, profile, more, effect) => {
  expect(ruleOnHost(WEB, context(profile, more))).toBe(effect);
});

test.each([
  ["example.com", 443, "Network(example.com)"],
  ["example.com", 80, "Network(example.com)"],
  ["example.com", 8443, "Network(example.com:8443)"],
  ["2606:4700::1111", 443, "Network([2606:4700::1111])"],
  ["2606:4700::1111", 22, "Network([2606:4700::1111]:22)"],
])("%s and %i are granted as %s", (host, port, rule) => {
  expect(hostGrant({ host, port })).toBe(rule);
});
