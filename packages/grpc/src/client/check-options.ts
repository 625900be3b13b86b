import { ConfigurationError, type Middleware } from "@framework/core";
import {
  checked,
  type ConfigInput,
  type ConfigRecord,
  configRecord,
  decimal,
  integer,
  list,
  optional,
  secret,
} from "@framework/core/feature";
import { metadataProblem } from "../metadata/metadata-rules.ts";
import { isRecord } from "../schema/is-record.ts";
import { GrpcStatus, type GrpcStatusName } from "../status/grpc-status.ts";
import type {
  GrpcCallOptions,
  GrpcClientOptions,
  GrpcClientTls,
  GrpcRetry,
  OutgoingCall,
} from "./client-config.ts";

/** Checked options of a client, with the defaults. */
export type CheckedClientOptions = Readonly<Required<Omit<GrpcClientOptions, "retry">>> & {
  readonly retry: Readonly<Required<GrpcRetry>> | null;
};

const DAY_MS = 86_400_000;

const isText = (value: unknown): boolean => typeof value === "string" || value instanceof Uint8Array;

/** A member that is `undefined` counts as not given. */
const isTls = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return typeof value === "boolean";
  const { cert, key } = value as GrpcClientTls;
  const isValid = ([name, pem]: [string, unknown]): boolean =>
    ["ca", "cert", "key"].includes(name) && (pem === undefined || isText(pem));
  return Object.entries(value).every(isValid) && (cert === undefined) === (key === undefined);
};

/** False for a `Map` and for `Headers`, whose values would not be sent. */
const isMetadata = (value: unknown): boolean =>
  isRecord(value) &&
  Object.entries(value).every(([name, each]) => metadataProblem(name.toLowerCase(), each as string) === null);

/** Checks the members instead of the class: the signal may come from another realm. */
const isSignal = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "aborted" in value && "addEventListener" in value;

const isCall = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  "deadlineMs" in value &&
  (value.deadlineMs === null || Number.isFinite(value.deadlineMs)) &&
  "signal" in value &&
  isSignal(value.signal);

const METADATA = "metadata: strings of printable ASCII, and bytes for names that end in -bin";
const timeoutBounds = { min: 0, max: DAY_MS };

const callRecord: ConfigRecord<{
  readonly [Name in keyof Required<GrpcCallOptions>]: GrpcCallOptions[Name];
}> = configRecord("GrpcCallOptions", {
  signal: optional<AbortSignal>(checked(undefined, "an AbortSignal", isSignal)),
  timeoutMs: optional<number>(integer(0, timeoutBounds)),
  metadata: secret(optional<NonNullable<GrpcCallOptions["metadata"]>>(checked({}, METADATA, isMetadata))),
  within: optional<NonNullable<GrpcCallOptions["within"]>>(
    checked(undefined, "the call that is being served", isCall),
  ),
});

/** Checks the options of one call. @throws ConfigurationError with every mistake */
export const checkCallOptions = (options: GrpcCallOptions): void => void callRecord.of(options);

const clientRecord: ConfigRecord<Required<Omit<GrpcClientOptions, "retry">> & { retry: object | null }> =
  configRecord("GrpcClientOptions", {
    tls: checked<boolean | GrpcClientTls>(
      false,
      "true, false or an object with ca, cert and key in PEM",
      isTls,
    ),
    timeoutMs: integer(30_000, timeoutBounds),
    keepaliveSecs: decimal(300, { min: 0, max: 86_400 }),
    keepaliveTimeoutSecs: decimal(10, { min: 0.01, max: 86_400 }),
    retry: checked<object | null>(null, "an object", (value) => typeof value === "object" && value !== null),
    use: list<Middleware<OutgoingCall, unknown>>(
      [],
      "middleware: functions",
      (item) => typeof item === "function",
    ),
    maxMessageSize: integer(4_194_304, { min: 1, max: 1_073_741_824 }),
    metadata: secret(checked({}, METADATA, isMetadata)),
  });

const isStatus = (value: unknown): boolean =>
  typeof value === "string" && value !== "OK" && Object.hasOwn(GrpcStatus, value);

const retryRecord: ConfigRecord<Required<GrpcRetry>> = configRecord("GrpcRetry", {
  maxAttempts: integer(2, { min: 2, max: 5 }),
  initialDelayMs: integer(100, { min: 1, max: DAY_MS }),
  maxDelayMs: integer(2000, { min: 1, max: DAY_MS }),
  statuses: checked<readonly Exclude<GrpcStatusName, "OK">[]>(
    ["UNAVAILABLE"],
    "a list of at least one status such as UNAVAILABLE, without OK",
    (value) => Array.isArray(value) && value.length > 0 && value.every(isStatus),
  ),
});

/** Returns options with their defaults. @throws ConfigurationError with every mistake */
export const checkOptions = (options: GrpcClientOptions): CheckedClientOptions => {
  const client = clientRecord.read(options);
  const retry =
    client.value.retry === null ? null : retryRecord.read(options.retry as ConfigInput<GrpcRetry>);
  const problems = [...client.problems, ...(retry === null ? [] : retry.problems)];
  if (problems.length > 0)
    throw new ConfigurationError(problems.map((message) => ({ code: "CORE_BAD_CONFIG", message })));
  return { ...client.value, retry: retry === null ? null : retry.value };
};
