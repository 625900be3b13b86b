import type * as grpc from "@grpc/grpc-js";
import { ConfigurationError } from "@framework/core";
import {
  badServiceName,
  type GrpcMethod,
  type GrpcService,
  isServiceName,
  type MethodShape,
  type MethodShapes,
} from "../service/grpc-service.ts";
import { GrpcStatus } from "../status/grpc-status.ts";
import { CallSender } from "./call-sender.ts";
import { type CheckedClientOptions, checkOptions } from "./check-options.ts";
import type { GrpcCallOptions, GrpcClientOptions, GrpcClientTls, GrpcRetry } from "./client-config.ts";
import { grpcJs } from "../libraries.ts";

type RequestOf<Shape extends MethodShape> = Shape["requestStream"] extends true
  ? AsyncIterable<Shape["sent"]> | Iterable<Shape["sent"]>
  : Shape["sent"];

type ResponseOf<Shape extends MethodShape> = Shape["responseStream"] extends true
  ? AsyncIterable<Shape["received"]>
  : Promise<Shape["received"]>;

/** The methods of a service, as a client calls them. */
export type ClientMethods<Methods extends MethodShapes> = {
  readonly [Name in keyof Methods]: (
    request: RequestOf<Methods[Name]>,
    options?: GrpcCallOptions,
  ) => ResponseOf<Methods[Name]>;
};

/** A client of one service. */
export type GrpcClient<Methods extends MethodShapes> = ClientMethods<Methods> & {
  /** Closes the connection; calls in progress and later calls end with CANCELLED. It hides a method of the service that is also named `close`. */
  close(): void;
  [Symbol.dispose](): void;
};

/**
 * Returns a typed client of a service. It connects at the first call, and again after a lost connection.
 *
 * Calls reject with a `GrpcError`. A call starts when its method is called; ending the iteration of a stream early cancels it, even before the first message.
 *
 * @param target `host:port`
 * @throws ConfigurationError with every mistake in the options, or for a service with mistakes
 * @example
 * using client = grpcClient(catalog, "127.0.0.1:50051", { retry: { maxAttempts: 3 } });
 * const book = await client.GetBook({ id: 1 }, { timeoutMs: 500 });
 */
export const grpcClient = <Methods extends MethodShapes>(
  service: GrpcService<Methods>,
  target: string,
  options: GrpcClientOptions = {},
): GrpcClient<Methods> => {
  const checked = checkOptions(options);
  if (!isServiceName(service.name)) throw new ConfigurationError([badServiceName(service.name)]);
  const { methods } = service.resolve({ recorded: false });
  const connection = new (grpcJs().Client)(
    target,
    credentialsOf(checked.tls),
    channelOptions(service.name, checked),
  );
  const sender = new CallSender(connection, checked);
  const close = (): void => sender.close();
  const callers = methods.map((method): [string, unknown] => [
    method.name,
    callerOf(sender, service.name, method),
  ]);
  // The object has the methods of the definition, so the type is correct.
  return { ...Object.fromEntries(callers), close, [Symbol.dispose]: close } as GrpcClient<Methods>;
};

const callerOf =
  (sender: CallSender, service: string, method: GrpcMethod) =>
  (request: unknown, options: GrpcCallOptions = {}): unknown =>
    sender.send({ name: `${service}/${method.name}`, method, request, options });

const credentialsOf = (tls: boolean | GrpcClientTls): grpc.ChannelCredentials => {
  if (tls === false) return grpcJs().credentials.createInsecure();
  const { ca, cert, key } = tls === true ? {} : tls;
  return grpcJs().credentials.createSsl(pem(ca), pem(key), pem(cert));
};

const pem = (value: string | Uint8Array | undefined): Buffer | null =>
  value === undefined ? null : Buffer.from(value as Uint8Array); // also accepts a string

const channelOptions = (
  service: string,
  { retry, maxMessageSize, keepaliveSecs, keepaliveTimeoutSecs }: CheckedClientOptions,
): grpc.ChannelOptions => ({
  "grpc.max_receive_message_length": maxMessageSize,
  "grpc.max_send_message_length": -1,
  "grpc.enable_channelz": 0,
  ...(keepaliveSecs > 0 && {
    "grpc.keepalive_time_ms": Math.ceil(keepaliveSecs * 1000),
    "grpc.keepalive_timeout_ms": Math.ceil(keepaliveTimeoutSecs * 1000),
  }),
  ...(retry !== null && { "grpc.service_config": JSON.stringify(serviceConfig(service, retry)) }),
});

const serviceConfig = (
  service: string,
  { maxAttempts, initialDelayMs, maxDelayMs, statuses }: Required<GrpcRetry>,
): object => ({
  methodConfig: [
    {
      name: [{ service }],
      retryPolicy: {
        maxAttempts,
        initialBackoff: `${Math.min(initialDelayMs, maxDelayMs) / 1000}s`,
        maxBackoff: `${maxDelayMs / 1000}s`,
        backoffMultiplier: 2,
        retryableStatusCodes: statuses.map((status) => GrpcStatus[status]),
      },
    },
  ],
});
