import { type Guard, type Invocation, isGuard } from "@framework/core";
import {
  type Authenticator,
  checked,
  type Clock,
  type ConfigInput,
  type ConfigRecord,
  configRecord,
  flag,
  givenFields,
  integer,
  isClock,
  isPlainObject,
  list,
  optional,
} from "@framework/core/feature";
import type { CallMiddleware } from "../call/call-runner.ts";
import { parseAddress } from "./grpc-address.ts";
import { type GrpcTls, isGrpcTls } from "./grpc-tls.ts";

/** Options of `enableGrpc`. */
export interface GrpcConfig {
  /** Address of the gRPC port: host and port, IPv6 in brackets; port 0 lets the system choose. @default "[::]:50051" */
  readonly address: string;
  /** Whether clients can list and describe the services (grpc.reflection.v1 and v1alpha). @default false */
  readonly reflection: boolean;
  /** Whether browsers can call the services by gRPC-Web on the app's own port. @default false */
  readonly enableWeb: boolean;
  /** Largest message in bytes, after inflating; a larger one ends the call with RESOURCE_EXHAUSTED. @default 4194304 */
  readonly maxMessageSize: number;
  /** Seconds between PINGs to each client, also while data arrives; without a response for 20 s the connection is closed. @default 60 */
  readonly keepaliveSecs: number;
  /** Maximum concurrent calls of a connection; further calls wait in the client. @default 100 */
  readonly concurrencyLimit: number;
  /** Calls that a connection may cancel in a burst, including expired deadlines; above it the connection is closed. `resetsPerSec` refills it. @default 10000 */
  readonly resetBurst: number;
  /** Calls that a connection may cancel per second, on average. @default 1000 */
  readonly resetsPerSec: number;
  /** Largest request headers of a call in bytes, with path and metadata, as HTTP/2 counts them; over gRPC-Web only the metadata counts. @default 8192 */
  readonly maxMetadataBytes: number;
  /** Maximum duration of a call in seconds, regardless of the client's deadline; 0 for no limit. Methods can set their own. @default 300 */
  readonly maxCallSecs: number;
  /** Certificates of the port. @default none: plain text */
  readonly tls: GrpcTls | undefined;
  /** Identifies callers by their metadata, such as `new JwtAuth(…)`: the same object as for HTTP. @default none */
  readonly auth: Authenticator | undefined;
  /** Guards of every call; they run before the guards of services and methods. @default [] */
  readonly guards: readonly Guard<Invocation>[];
  /** Middleware around every call, outermost first. @default [] */
  readonly use: readonly CallMiddleware[];
  /** Clock and timers, for tests. @default the system clock */
  readonly clock: Clock | undefined;
}

/** Checks `GrpcConfig`, and has two presets. */
export interface GrpcConfigRecord extends ConfigRecord<GrpcConfig> {
  /** For development: reflection and gRPC-Web. */
  local(input?: ConfigInput<GrpcConfig>): Readonly<GrpcConfig>;
  /** For many callers: PINGs every 120 s, 1000 concurrent calls per connection. */
  production(input?: ConfigInput<GrpcConfig>): Readonly<GrpcConfig>;
}

const isAuthenticator = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "identify" in value && typeof value.identify === "function";

const record: ConfigRecord<GrpcConfig> = configRecord("GrpcConfig", {
  address: checked(
    "[::]:50051",
    "a host and a port such as 127.0.0.1:50051 or [::]:50051",
    (value) => typeof value === "string" && parseAddress(value) !== null,
  ),
  reflection: flag(false),
  enableWeb: flag(false),
  maxMessageSize: integer(4_194_304, { min: 1, max: 1_073_741_824 }),
  keepaliveSecs: integer(60, { min: 10, max: 86_400 }),
  concurrencyLimit: integer(100, { min: 1, max: 1_000_000 }),
  resetBurst: integer(10_000, { min: 1, max: 1_000_000 }),
  resetsPerSec: integer(1000, { min: 1, max: 1_000_000 }),
  maxMetadataBytes: integer(8192, { min: 256, max: 65_536 }),
  maxCallSecs: integer(300, { min: 0, max: 86_400 }),
  tls: optional(
    checked<GrpcTls | null>(
      null,
      "an object with `load`, and `reloadSecs` of at least 1, `requireClientCert` or `minVersion`",
      isGrpcTls,
    ),
  ) as ReturnType<typeof optional<GrpcTls>>,
  auth: optional(
    checked<Authenticator | null>(null, "an authentication with `identify`", isAuthenticator),
  ) as ReturnType<typeof optional<Authenticator>>,
  guards: list<Guard<Invocation>>([], "guards: functions, or objects with check", isGuard),
  use: list<CallMiddleware>([], "middleware: functions", (item) => typeof item === "function"),
  clock: optional(
    checked<Clock | null>(null, "a clock with now, date, after and every", isClock),
  ) as ReturnType<typeof optional<Clock>>,
});

/** Returns the configuration of a preset with the given fields; `undefined` counts as not given. */
const preset =
  (fields: ConfigInput<GrpcConfig>) =>
  (input: ConfigInput<GrpcConfig> = {}): Readonly<GrpcConfig> => {
    if (!isPlainObject(input)) return record.of(input); // reports the mistake
    return record.of({ ...fields, ...givenFields(input) });
  };

export const GrpcConfig: GrpcConfigRecord = {
  ...record,
  local: preset({ reflection: true, enableWeb: true }),
  production: preset({ keepaliveSecs: 120, concurrencyLimit: 1000 }),
};
