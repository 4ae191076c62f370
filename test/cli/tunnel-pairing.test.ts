import { expect, it, test } from "vitest";
import { addedTunnel } from "../../src/cli/commands/tunnel-pairing.ts";
import { qrLines } from "../../src/cli/terminal/qr.ts";
import { openTestApp } from "../support/app.ts";
import { Place } from "./place.ts";

test("`tunnel add` takes a link, or id, address and code", () => {
  expect(addedTunnel("wss://a.example/claude?tunnel=work#k7q2m4xtpb", {})).toEqual({
    id: "work",
    url: "wss://a.example/claude",
    code: "K7Q2M-4XTPB",
  });
  expect(addedTunnel("work", { url: "wss://a.example/", code: "k7q2m 4xtpb" })).toEqual({
    id: "work",
    url: "wss://a.example/",
    code: "K7Q2M-4XTPB",
  });
  expect(addedTunnel("work", {})).toEqual({ id: "work" });
  for (const refused of [
    () => addedTunnel("wss://a.example/claude", {}),
    () => addedTunnel("wss://a.example/?tunnel=work#K7Q2M-4XTPB", { code: "K7Q2M-4XTPB" }),
    () => addedTunnel("work", { code: "12" }),
  ])
    expect(refused).toThrow(/pairing/);
});

test("a QR code is drawn in lines of one width, and left out where it does not fit", async () => {
  const link = "wss://abc123.ngrok.app/claude?tunnel=work#K7Q2M-4XTPB";
  const lines = await qrLines(link, 80);
  expect(lines.length).toBeGreaterThan(10);
  expect(new Set(lines.map((line) => line.length)).size).toBe(1);
  expect(await qrLines(link, 20)).toEqual([]);
});

it("pairs two servers from the command line", async () => {
  await using home = await openTestApp();
  await using gateway = await openTestApp();
  await using place = new Place();
  const at = ({ serving }: typeof home) => ({ SALLYPORT_URL: serving.url, SALLYPORT_TOKEN: serving.token });
  await home.client.tunnels.offer({ id: "work", auth: "psk" });
  const url = `${home.serving.url.replace(/^http/, "ws")}/tunnel`;
  const wrong = await place.run(["tunnel", "add", "work", url, "--code", "00000-00000"], at(gateway));
  expect(wrong.code).not.toBe(0);
  expect(wrong.stderr).toContain("the pairing code is wrong, was used");
  const { code } = await home.client.tunnels.offerCode("work");
  const paired = await place.run(["tunnel", "add", `${url}?tunnel=work#${code}`], at(gateway));
  expect([paired.code, paired.stdout]).toEqual([0, expect.stringContaining("sessions name it as tunnel:work")]);
  expect((await place.run(["tunnel", "test", "work"], at(gateway))).code).toBe(0);

  // The other way round: the gateway shows the code.
  const shown = await place.run(["tunnel", "add", "attic", "--pair"], at(gateway));
  const shownCode = /^[0-9A-Z]{5}-[0-9A-Z]{5}$/m.exec(shown.stdout)?.[0] ?? "";
  expect([shown.code, shown.stderr]).toEqual([0, expect.stringContaining("counts once, for 10 minutes")]);
  await home.client.tunnels.offer({
    id: "attic",
    auth: "psk",
    dial: `${gateway.serving.url.replace(/^http/, "ws")}/tunnel`,
  });
  expect(await home.client.tunnels.pairOffer("attic", { code: shownCode })).toMatchObject({ id: "attic" });
});
