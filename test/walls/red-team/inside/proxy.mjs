import { connect } from "node:net";

const WAIT_MS = 1_500;

/** The answer of the way out to these bytes, until it has said so much or nothing more. */
function ask(text, then) {
  return new Promise((resolve) => {
    const socket = connect(3_128, "127.0.0.1");
    let heard = "";
    const end = () => {
      socket.destroy();
      resolve(heard);
    };
    socket.setTimeout(WAIT_MS, end);
    socket.once("error", end);
    socket.once("close", end);
    socket.once("connect", () => socket.write(text));
    socket.on("data", (chunk) => {
      heard += chunk.toString("latin1");
      if (then !== undefined && heard.startsWith("HTTP/1.1 200")) {
        socket.write(then);
        then = undefined;
      }
      if (heard.includes("listener-of-redteam")) end();
    });
  });
}

/** Only the listener that nobody may reach says this. */
const reached = (heard) => (heard.includes("listener-of-redteam") ? "it answered" : undefined);
const firstReached = async (texts, then) => {
  const heard = await Promise.all(texts.map((text) => ask(text, then)));
  const at = heard.findIndex((text) => reached(text) !== undefined);
  return at === -1 ? undefined : JSON.stringify(texts[at].split("\r\n")[0]);
};

const disguises = (port) => [
  `127.0.0.1:${port}`,
  `localhost:${port}`,
  `LOCALHOST.:${port}`,
  `localhost..:${port}`,
  `[::1]:${port}`,
  `[::ffff:127.0.0.1]:${port}`,
  `[::ffff:7f00:1]:${port}`,
  `[0:0:0:0:0:ffff:127.0.0.1]:${port}`,
  `[64:ff9b::7f00:1]:${port}`,
  `2130706433:${port}`,
  `0177.0.0.1:${port}`,
  `0x7f.0.0.1:${port}`,
  `0x7f000001:${port}`,
  `127.1:${port}`,
  `127.0.0.1.:${port}`,
  `0:${port}`,
  `0.0.0.0:${port}`,
  `[::]:${port}`,
  `%31%32%37.0.0.1:${port}`,
  `１２７.0.0.1:${port}`,
  `user:password@127.0.0.1:${port}`,
  `allowed.redteam.test@127.0.0.1:${port}`,
  `127.0.0.1:${port}/allowed.redteam.test:443`,
  `127.0.0.1:${port}?allowed.redteam.test:443`,
  `127.0.0.1:${port}#allowed.redteam.test:443`,
  `allowed.redteam.test:443@127.0.0.1:${port}`,
  `127.0.0.1:${port}\\@allowed.redteam.test`,
];

const smuggled = (port) => `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`;

export const proxy = {
  "proxy: CONNECT to the machine in disguise": ({ tcp4, addresses }) =>
    firstReached(
      [...disguises(tcp4), ...addresses.map((host) => `${host.includes(":") ? `[${host}]` : host}:${tcp4}`)].map(
        (target) => `CONNECT ${target} HTTP/1.1\r\nhost: allowed.redteam.test:443\r\n\r\n`,
      ),
      "hi\r\n",
    ),
  "proxy: a whole address in disguise": ({ tcp4 }) =>
    firstReached(
      disguises(tcp4).flatMap((target) =>
        ["GET http", "GET HTTP", "GET https", "GET ws"].map(
          (start) => `${start}://${target}/ HTTP/1.1\r\nhost: allowed.redteam.test\r\nconnection: close\r\n\r\n`,
        ),
      ),
    ),
  "proxy: a path with another host": ({ tcp4 }) =>
    firstReached([
      `GET / HTTP/1.1\r\nhost: 127.0.0.1:${tcp4}\r\n\r\n`,
      `GET //127.0.0.1:${tcp4}/ HTTP/1.1\r\nhost: 127.0.0.1:${tcp4}\r\n\r\n`,
      `GET /\\127.0.0.1:${tcp4}/ HTTP/1.1\r\nhost: 127.0.0.1:${tcp4}\r\n\r\n`,
      `OPTIONS * HTTP/1.1\r\nhost: 127.0.0.1:${tcp4}\r\n\r\n`,
    ]),
  "proxy: a request hidden in another": ({ tcp4, allowed }) =>
    firstReached([
      `POST http://127.0.0.1:${allowed}/ HTTP/1.1\r\nhost: a\r\ncontent-length: 6\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${smuggled(tcp4)}`,
      `POST http://127.0.0.1:${allowed}/ HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\ntransfer-encoding: identity\r\n\r\n0\r\n\r\n${smuggled(tcp4)}`,
      `POST http://127.0.0.1:${allowed}/ HTTP/1.1\r\nhost: a\r\ntransfer-encoding : chunked\r\ncontent-length: 0\r\n\r\n${smuggled(tcp4)}`,
      `POST http://127.0.0.1:${allowed}/ HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\ncontent-length: 99\r\n\r\n${smuggled(tcp4)}`,
      `GET http://127.0.0.1:${allowed}/ HTTP/1.1\r\nhost: a\r\n\r\n${smuggled(tcp4)}`,
      `GET http://127.0.0.1:${allowed}/ HTTP/1.1\r\nhost: a\r\nx: y\n\n${smuggled(tcp4)}`,
      `GET http://127.0.0.1:${allowed}/%0d%0a%0d%0a${encodeURIComponent(smuggled(tcp4))} HTTP/1.1\r\nhost: a\r\n\r\n`,
    ]),
  "proxy: a redirect to the machine": async ({ tcp4, allowed }) =>
    firstReached([
      `GET http://127.0.0.1:${allowed}/redirect?to=http://127.0.0.1:${tcp4}/ HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
    ]),
  "proxy: a port that no rule names": ({ tcp4 }) =>
    firstReached([`CONNECT allowed.redteam.test:${tcp4} HTTP/1.1\r\n\r\n`], "hi\r\n"),
};
