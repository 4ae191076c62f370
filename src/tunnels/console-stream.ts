import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from "node:http2";
import { Failure, LIMITS } from "../protocol/index.ts";
import { CONSOLE_AUTHORITY } from "./serve.ts";

/** A stream of bytes to the console at the other end of a tunnel. What goes over it is TLS, which this side cannot read. */
export async function openConsoleStream(session: ClientHttp2Session): Promise<ClientHttp2Stream> {
  const stream = session.request({ ":method": "CONNECT", ":authority": CONSOLE_AUTHORITY }, { endStream: false });
  stream.on("error", () => undefined);
  const status = await new Promise<number | undefined>((resolve) => {
    stream.setTimeout(LIMITS.tunnelReadyMs, () => resolve(undefined));
    stream.once("response", (headers: IncomingHttpHeaders) => resolve(headers[":status"] as number | undefined));
    stream.once("close", () => resolve(undefined));
  });
  stream.setTimeout(0);
  if (status === 200) return stream;
  stream.close();
  throw new Failure("not_found", "the other end of the tunnel serves no console, or has no room for a connection");
}
