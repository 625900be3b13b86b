import { type Awaitable, HttpError, type HttpRequest, type Logger } from "@framework/core";
import { isPromise, keepIdentitySources } from "@framework/core/feature";
import type { ServerSocket } from "@framework/websocket";
import type { ExecutionResult, GraphQLError, GraphQLFormattedError } from "graphql";
import { type Context, makeServer, type Server } from "graphql-ws";
import type { Documents, OperationParams, PreparedOperation } from "../documents/documents.ts";
import { refusalError } from "../documents/refusal-error.ts";
import type { Caller } from "../execution/caller.ts";
import type { DeliveredParts, Events, Executor } from "../execution/executor.ts";
import type { PresentError } from "../execution/present-error.ts";
import { presentPart } from "../execution/present-part.ts";
import { failure } from "../execution/failure.ts";
import { mapOutcome } from "../execution/map-outcome.ts";
import type { ResultPart } from "../graphql-js/in-parts.ts";
import { untilAborted } from "../graphql-js/until-aborted.ts";
import type { Admit } from "./admission.ts";
import { Outbox } from "./outbox.ts";
import { RunningOperations } from "./running-operations.ts";

/** The sub-protocol of graphql-ws. */
export const PROTOCOL = "graphql-transport-ws";

/** Options of connections. */
export interface SocketOptions {
  readonly initSecs: number;
  readonly maxSubscriptions: number;
  readonly connect:
    | ((payload: Readonly<Record<string, unknown>>, request: HttpRequest) => unknown)
    | undefined;
  readonly incremental: boolean;
}

/** Dependencies of the WebSocket endpoint. */
export interface SocketEndpointParts {
  readonly config: SocketOptions;
  readonly documents: Documents;
  readonly executor: Executor;
  readonly present: PresentError;
  readonly admit: Admit;
  /** Called for an operation that exceeds `maxSubscriptions`. */
  readonly onRefused: () => void;
  readonly log: Logger;
}

/** One connection; graphql-ws passes it to the callbacks as `extra`. */
interface Connection {
  readonly socket: ServerSocket;
  readonly request: HttpRequest;
  readonly running: RunningOperations;
}

type ConnectionContext = Context<Record<string, unknown> | undefined, Connection>;

/** An accepted operation, passed through graphql-ws as the context value of its arguments. */
interface AcceptedOperation {
  readonly prepared: PreparedOperation;
  readonly caller: Caller;
}

/** The endpoint over WebSocket with the protocol graphql-transport-ws: all kinds of operations, with the limits of HTTP. */
export class SocketEndpoint {
  private readonly parts: SocketEndpointParts;
  private readonly server: Server<Connection>;

  constructor(parts: SocketEndpointParts) {
    this.parts = parts;
    const { executor, present, config } = parts;
    this.server = makeServer<Record<string, unknown> | undefined, Connection>({
      connectionInitWaitTimeout: config.initSecs * 1000,
      onConnect: (context) => this.connect(context),
      onSubscribe: (context, id, payload) => this.subscribe(context, id, payload as OperationParams),
      execute: ({ contextValue }) => resultOf(() => this.execute(...acceptedOf(contextValue))),
      subscribe: ({ contextValue }) => resultOf(() => executor.subscribe(...acceptedOf(contextValue))),
      onNext: (_context, _id, _payload, _args, result) => {
        if ("hasNext" in result) return presentPart(result as unknown as ResultPart, present) as never;
        if (result.errors === undefined) return undefined;
        return { ...result, errors: (result.errors as readonly Error[]).map(present) } as never; // the types of graphql-ws allow graphql 15
      },
      // After the end of the connection every send fails; those errors are not logged as errors of resolvers.
      onError: ({ extra }, _id, _payload, errors): readonly GraphQLFormattedError[] =>
        extra.socket.connected ? (errors as readonly Error[]).map(present) : [],
    });
  }

  private async execute(prepared: PreparedOperation, caller: Caller): Promise<ExecutionResult | Events> {
    const { executor, config } = this.parts;
    if (!config.incremental) return executor.execute(prepared, caller);
    const result = await executor.executeInParts(prepared, caller, "draft");
    return "first" in result ? inOrder(result) : result;
  }

  /** Serves one connection until it ends. */
  async serve(socket: ServerSocket, request: HttpRequest): Promise<void> {
    const running = new RunningOperations();
    const outbox = new Outbox(socket);
    let receive: (text: string) => Promise<void> = () => Promise.resolve();
    const closed = this.server.opened(
      {
        protocol: socket.protocol,
        send: (text) => outbox.send(text),
        close: (code, reason) => void socket.close(code, reason),
        onMessage: (callback) => void (receive = callback),
      },
      { socket, request, running },
    );
    try {
      for await (const message of socket) {
        if (message.isBinary) return await socket.close(4400, "Invalid message received");
        // graphql-ws frees the id of an operation before the operation has finished, and may free it again while the next operation uses it.
        const freed = running.endUnwanted();
        if (freed !== null) await untilEnd(freed, socket.signal);
        const handled = receive(message.text);
        running.follow(this.reportFailure(handled, running.begunId, { socket, outbox }));
        const completed = running.endUnwanted();
        if (completed !== null) await untilEnd(completed, socket.signal);
        const room = outbox.room();
        if (room !== null) await untilEnd(room, socket.signal);
      }
    } finally {
      running.abortAll();
      await closed(socket.closed?.code ?? 1000, socket.closed?.reason ?? "");
    }
  }

  /**
   * Reports the failure of a message, unless the client has disconnected: as the error of the operation that it began, such as a result that JSON cannot
   * express; otherwise it is logged, and the connection is closed.
   */
  private async reportFailure(
    handled: Promise<void>,
    id: string | null,
    { socket, outbox }: { readonly socket: ServerSocket; readonly outbox: Outbox },
  ): Promise<void> {
    const { present, log } = this.parts;
    try {
      await handled;
    } catch (error) {
      if (!socket.connected) return;
      if (id === null) {
        log.error("graphql: a WebSocket connection failed", { error });
        return await socket.close(1011, "internal error");
      }
      const message = { id, type: "error", payload: [present(failure(error))] };
      await outbox.send(JSON.stringify(message)).catch(() => {}); // the client has disconnected
    }
  }

  private async connect({ connectionParams, extra }: ConnectionContext): Promise<boolean> {
    const { connect } = this.parts.config;
    if (connect === undefined) return true;
    keepIdentitySources(extra.request.context);
    try {
      return (await connect(connectionParams ?? {}, extra.request)) !== false;
    } catch (error) {
      if (!HttpError.is(error) || error.status === 500) throw error; // clients do not see the detail of a 500
      void extra.socket.close(error.status === 401 ? 4401 : 4403, error.detail);
      return false;
    }
  }

  /** Registers the operation synchronously, so that `serve` knows which operation a message began. */
  private subscribe(context: ConnectionContext, id: string, payload: OperationParams): Promise<never> {
    const { extra } = context;
    const signal = extra.running.begin(id, () => id in context.subscriptions);
    return this.accept(extra, signal, payload) as Promise<never>; // arguments without a schema: our `execute` does not need it
  }

  private async accept(
    { request, running }: Connection,
    signal: AbortSignal,
    payload: OperationParams,
  ): Promise<readonly GraphQLError[] | object> {
    const { maxSubscriptions } = this.parts.config;
    if (running.size > maxSubscriptions) {
      this.parts.onRefused();
      return [
        refusalError(`A connection has at most ${maxSubscriptions} concurrent operations`, {
          limit: "maxSubscriptions",
        }),
      ];
    }
    const refusal = this.refusalOf(request, signal);
    const denial = isPromise(refusal) ? await refusal : refusal;
    if (denial !== null) return [denial];
    const prepared = await this.prepare(payload, signal);
    if (!("document" in prepared)) return prepared;
    const contextValue: AcceptedOperation = { prepared, caller: { request, signal } };
    return { document: prepared.document, operationName: prepared.params.operationName, contextValue };
  }

  /** Returns the error if the caller may not start an operation, otherwise `null`; the connection stays open. */
  private refusalOf(request: HttpRequest, signal: AbortSignal): Awaitable<GraphQLError | null> {
    return mapOutcome<unknown, GraphQLError | null>(
      () => {
        const admitted = this.parts.admit(request);
        return isPromise(admitted) ? untilAborted(admitted, signal) : admitted;
      },
      () => null,
      failure,
    );
  }

  /** Prepares an operation. A failure of the function `documents` refuses the operation, and the connection stays open. */
  private async prepare(
    payload: OperationParams,
    signal: AbortSignal,
  ): Promise<PreparedOperation | readonly GraphQLError[]> {
    try {
      const prepared = this.parts.documents.prepare(payload);
      return isPromise(prepared) ? await untilAborted(prepared, signal) : prepared;
    } catch (error) {
      return [failure(error)];
    }
  }
}

/** Waits for a promise or for the end of the connection. Never rejects. */
const untilEnd = async (promise: Promise<unknown>, signal: AbortSignal): Promise<void> => {
  try {
    await untilAborted(promise, signal);
  } catch {
    // the connection has ended; `serve` aborts its operations
  }
};

const acceptedOf = (contextValue: unknown): [PreparedOperation, Caller] => {
  const { prepared, caller } = contextValue as AcceptedOperation; // set by `accept`
  return [prepared, caller];
};

/** Yields the parts of a result, as messages of one operation. */
async function* inOrder({ first, others }: DeliveredParts): Events {
  yield first;
  yield* others;
}

/** Returns the result of `work`. A failure outside of resolvers, such as an error of `context`, becomes a result with its error, and the connection stays open. */
const resultOf = (work: () => Awaitable<ExecutionResult | Events>): Awaitable<ExecutionResult | Events> =>
  mapOutcome<ExecutionResult | Events, ExecutionResult | Events>(
    work,
    (result) => result,
    (error) => ({ errors: [failure(error)] }),
  );
