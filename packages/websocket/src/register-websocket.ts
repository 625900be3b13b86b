import type {
  DependenciesOf,
  HttpRequest,
  InferOutput,
  InjectedValues,
  Injections,
  NoInput,
  PathParams,
  StandardSchema,
} from "@framework/core";
import type { ServerSocket } from "./server-socket.ts";
import type { WebSocketHandler, WebSocketOptions } from "./websocket-handler.ts";

type ArgumentsOf<Inject> = Inject extends Injections
  ? readonly [dependencies: InjectedValues<Inject>]
  : readonly [];

/** The path with its prefix, if any. */
type JoinPaths<Prefix extends string, P extends string> = Prefix extends "" ? P : `${Prefix}${P}`;

type MessageOf<Schema> = Schema extends StandardSchema ? InferOutput<Schema> : unknown;

/** Registers a WebSocket route. The `{name}` segments of prefix and path become typed members of `request.params`. */
export interface RegisterWebSocket<Prefix extends string, A extends object> {
  <const P extends string>(
    path: P,
    handler: WebSocketHandler<
      ServerSocket,
      HttpRequest<PathParams<JoinPaths<Prefix, NoInfer<P>>>, NoInput, A>
    >,
  ): void;
  <
    const P extends string,
    Schema extends StandardSchema | undefined = undefined,
    Inject extends Injections | undefined = undefined,
    Each extends Injections | undefined = undefined,
  >(
    path: P,
    options: WebSocketOptions<Schema, Inject, Each>,
    handler: [NonNullable<Inject>] extends [never] // two function types: with an optional parameter, `db = Depends(Db)` would not get the type of its default
      ? WebSocketHandler<
          ServerSocket<MessageOf<Schema>, ArgumentsOf<Each>>,
          HttpRequest<PathParams<JoinPaths<Prefix, NoInfer<P>>>, NoInput, A>
        >
      : WebSocketHandler<
          ServerSocket<MessageOf<Schema>, ArgumentsOf<Each>>,
          HttpRequest<PathParams<JoinPaths<Prefix, NoInfer<P>>>, NoInput, A>,
          readonly [dependencies: DependenciesOf<Inject>]
        >,
  ): void;
}
