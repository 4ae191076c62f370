import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import {
  Failure,
  isTunnelProvider,
  LIMITS,
  PROTOCOL_VERSION,
  TUNNEL_PREFIX,
  type ModelRequest,
  type ModelResponse,
} from "../../protocol/index.ts";
import { admit } from "../admission.ts";
import { sendRefusal } from "./answer.ts";
import { readBody, type BodyTaker } from "./body.ts";
import { ProxyCall } from "../call.ts";
import type { CallerRequest, CallerResponse } from "./caller.ts";
import { ProxyConnection } from "./connection.ts";
import type { KeyFinder, KeyOwner } from "../keys.ts";
import type { ApiKeyRequest, RequestContext } from "../proxy.ts";
import type { ProxyState } from "../state.ts";
import { InProcessRequest, InProcessResponse } from "./in-process.ts";
import { Relay } from "../relay.ts";
import { refusalOf } from "../refusals.ts";
import { routeOf, wireOfCaller, type Route } from "./routes.ts";

interface DoorOptions {
  /** How many connections it accepts. */
  readonly connections: number;
  /** The only keys that it accepts. */
  readonly keys: KeyFinder;
}

/** What is wrong with a request, whoever sends it. */
interface RequestRefusal {
  readonly failure: Failure;
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** Handles requests of both listeners, or of programs with API keys. */
export class Door implements BodyTaker {
  readonly #state: ProxyState;
  readonly #connections = new WeakMap<Duplex, ProxyConnection>();
  readonly #options: DoorOptions;
  #open = 0;
  #requests = 0;

  constructor(state: ProxyState, options: DoorOptions) {
    this.#state = state;
    this.#options = options;
  }

  /** Requests whose answer has not ended yet. */
  get requests(): number {
    return this.#requests;
  }

  connect(socket: Socket): void {
    this.#connect(socket);
  }

  #connect(socket: Socket): ProxyConnection {
    this.#open += 1;
    const connection = new ProxyConnection(this.#open > this.#options.connections);
    this.#connections.set(socket, connection);
    socket.once("close", () => {
      this.#open -= 1;
      connection.leave();
    });
    return connection;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    response.on("error", ignore);
    const connection = this.#connections.get(request.socket) ?? new ProxyConnection(false);
    this.#take(request, response, { connection, target: request.url ?? "/" });
  }

  /** A request that came to another server, whose connections are not known here. */
  handleBelow(request: IncomingMessage, response: ServerResponse, { prefix, refusal }: ApiKeyRequest): void {
    response.on("error", ignore);
    const connection = this.#connections.get(request.socket) ?? this.#connect(request.socket);
    const rest = (request.url ?? "").slice(prefix.length);
    const target = rest.startsWith("/") ? rest : `/${rest}`;
    this.#take(request, response, { connection, target, refusal });
  }

  /** A request that came over a tunnel, of a key that is known by it. Each has a connection of its own. */
  handleFor(owner: KeyOwner | undefined, request: CallerRequest, response: CallerResponse): void {
    response.on("error", ignore);
    this.#open += 1;
    const connection = new ProxyConnection(this.#open > this.#options.connections);
    response.once("close", () => {
      this.#open -= 1;
      connection.leave();
    });
    const refusal = owner === undefined ? { failure: this.#options.keys.unknown } : undefined;
    this.#take(request, response, { connection, target: request.url ?? "/", refusal, owner });
  }

  /** A request from this process: no socket, but judged, reserved and metered like any other. */
  async post(request: ModelRequest, signal: AbortSignal): Promise<ModelResponse> {
    if (signal.aborted) throw GONE;
    this.#open += 1;
    const connection = new ProxyConnection(this.#open > this.#options.connections);
    return new Promise((answered, failed) => {
      const response = new InProcessResponse(connection, { answered, failed });
      const leave = (): void => void response.destroy();
      signal.addEventListener("abort", leave, { once: true });
      response.once("close", () => {
        this.#open -= 1;
        signal.removeEventListener("abort", leave);
      });
      const asked = new InProcessRequest(request);
      this.#take(asked, response, { connection, target: asked.url });
    });
  }

  #take(
    request: CallerRequest,
    response: CallerResponse,
    from: {
      readonly connection: ProxyConnection;
      readonly target: string;
      readonly refusal?: RequestRefusal | undefined;
      /** Absent: its headers tell. */
      readonly owner?: KeyOwner | undefined;
    },
  ): void {
    const { connection, target } = from;
    const route = routeOf(target);
    this.#requests += 1;
    response.once("close", () => {
      this.#requests -= 1;
    });
    const refusal = this.#refusalFor(request, connection) ?? from.refusal;
    connection.answer = response;
    if (refusal !== undefined) {
      this.#refuse(request, response, route, refusal);
      return;
    }
    if (route?.name === "root" && route.methods.includes(request.method ?? "")) {
      sendRoot(response);
      return;
    }
    const { keys } = this.#options;
    const owner = from.owner ?? keys.find(request.headers);
    if (owner === undefined) {
      this.#refuse(request, response, route, { failure: keys.unknown });
      return;
    }
    owner.open.add(connection);
    response.once("close", () => owner.open.delete(connection));
    const wire = route?.wire ?? wireOfCaller(request.headers);
    this.#enter(new ProxyCall(this.#state, { request, response, connection, owner, route, target, wire }));
  }

  /**
   * The input of a connection can no longer be read. `free`: it waits for an error answer. `busy`: another answer is
   * under way. `given up`: this was reported before.
   */
  giveUp(socket: Duplex, { code }: Failure, status: number): "free" | "busy" | "given up" {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return "free";
    if (connection.isGivenUp) return "given up";
    const { answer, awaited } = connection;
    if (answer !== undefined && !answer.writableEnded) {
      if (answer.headersSent || !(awaited instanceof ProxyCall) || awaited.request.complete) return "busy";
      awaited.drop(code, status);
    } else if (answer?.shouldKeepAlive === false) return "given up";
    connection.isGivenUp = true;
    return "free";
  }

  /** What is wrong with a request, whoever sends it. */
  #refusalFor(request: CallerRequest, connection: ProxyConnection): RequestRefusal | undefined {
    if (this.#state.closing) return { failure: new Failure("shutting_down", "the server is stopping") };
    if (connection.isSurplus) {
      return { failure: new Failure("limit_reached", "too many connections: close some, or try again in a moment") };
    }
    if (connection.answer?.writableEnded === false) {
      return {
        failure: new Failure("invalid_request", "a connection takes one request at a time: wait for the answer"),
      };
    }
    if (request.headers.origin !== undefined) {
      return { failure: new Failure("forbidden", "requests of web pages are not taken: this address is for agents") };
    }
    if (request.rawHeaders.length > LIMITS.proxyHeaders * 2) {
      return {
        failure: new Failure("invalid_request", `a request may have ${LIMITS.proxyHeaders} headers at most`),
        status: 431,
      };
    }
    return undefined;
  }

  #refuse(
    request: CallerRequest,
    response: CallerResponse,
    route: Route | undefined,
    { failure, status, retryAfterMs }: RequestRefusal,
  ): void {
    const wire = route?.wire ?? wireOfCaller(request.headers);
    const id = this.#state.options.newId("req");
    sendRefusal(request, response, refusalOf(failure, { wire, id, status, retryAfterMs }));
  }

  #enter(call: ProxyCall): void {
    const { request, route } = call;
    if (route === undefined) {
      call.refuse({
        failure: new Failure("not_found", `there is nothing at this address: the model proxy has ${OFFERED}`),
      });
      return;
    }
    if (!route.methods.includes(request.method ?? "")) {
      const failure = new Failure("invalid_request", `${route.path} takes ${route.methods.join(" or ")} only`);
      call.refuse({ failure, status: 405 });
      return;
    }
    if (request.method === "GET") void this.#run(call, route, undefined);
    else readBody(call, this);
  }

  taken(call: ProxyCall, body: Buffer): void {
    call.requestBytes = body.length;
    if (call.route !== undefined && !call.isGone && !call.isOver) void this.#run(call, call.route, body);
  }

  refused(call: ProxyCall, failure: Failure): void {
    call.refuse({ failure, retryAfterMs: failure.code === "limit_reached" ? RETRY_MS : undefined });
  }

  /** The models and prices behind a tunnel come from its other side. Undefined: the request goes through none. */
  #tunnelReady(context: RequestContext | Failure): Promise<void> | undefined {
    if (context instanceof Failure || !isTunnelProvider(context.provider)) return undefined;
    return this.#state.options.tunnels?.ready(context.provider.slice(TUNNEL_PREFIX.length));
  }

  async #run(call: ProxyCall, route: Route, body: Buffer | undefined): Promise<void> {
    try {
      const { holder } = call.owner;
      const waits = holder.begin?.(call.id);
      if (waits !== undefined) await waits;
      let context = holder.context();
      const ready = this.#tunnelReady(context);
      if (ready !== undefined) {
        await ready;
        context = holder.context();
      }
      const admitted = await admit(call, { route, body, context });
      if ("failure" in admitted) call.refuse(admitted);
      else if (call.isGone || call.isOver) admitted.reserved?.reservation.release();
      else new Relay(call, admitted).start();
    } catch (error) {
      this.#state.options.log.error({ error, request: call.id }, "a model request failed in the proxy itself");
      call.refuse({ failure: new Failure("internal", "something went wrong here") });
    }
  }
}

function ignore(): void {
  // Nothing can be written to a disconnected caller; the disconnect is handled elsewhere.
}

const GONE = new Error("the caller is gone");
/** When there may be room again. */
const RETRY_MS = 1_000;
const OFFERED =
  "/v1/messages, /v1/messages/count_tokens, /v1/responses, /v1/chat/completions and /v1/models; batches and files are not offered";
const ROOT = JSON.stringify({ service: "sallyport model proxy", protocol: PROTOCOL_VERSION });

function sendRoot(response: CallerResponse): void {
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(ROOT) });
  response.end(ROOT);
}
