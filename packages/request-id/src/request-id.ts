import {
  explainedBy,
  checked,
  type ConfigInput,
  type ConfigRecord,
  configRecord,
  describeInvalid,
  type Feature,
  type FieldUse,
  flag,
  mapOutput,
  waitsOnce,
} from "@framework/core/feature";
import { type HttpRequest, type Middleware, RequestId, type Response } from "@framework/core";
import { withReasons } from "./id-reasons.ts";
import { isSafeId } from "./safe-id.ts";
import { uuids } from "./uuid.ts";

/** Options of `enableRequestId`. */
export interface RequestIdConfig {
  /** Header field of the id in requests and replies; outgoing calls have `X-Request-ID`, or the field passed to `withRequestId`. @default "X-Request-ID" */
  readonly headerName: string;
  /** Whether a safe incoming id is kept; otherwise every request gets a new one. @default true */
  readonly keepIncoming: boolean;
  /** Creates an id, with the characters and length that an incoming id may have. @default a UUID v4 from the system's random source */
  readonly createId: () => string;
}

/** Shared by all apps; created with the first id. */
let source: (() => string) | null = null;

const randomId = (): string => (source ??= uuids())();

export const RequestIdConfig: ConfigRecord<RequestIdConfig> = configRecord("RequestIdConfig", {
  headerName: checked(
    "X-Request-ID",
    "a header field name of 1 to 100 letters, digits or dashes",
    (value) => typeof value === "string" && /^[A-Za-z0-9-]{1,100}$/.test(value),
  ),
  keepIncoming: flag(true),
  createId: checked(randomId, "a function without arguments", (value) => typeof value === "function"),
});

/** The methods that the feature adds to an app. */
export interface RequestIds {
  /** Gives every request an id, in its context and on its reply. @throws CORE_BAD_CONFIG at start, together with all other configuration errors */
  enableRequestId(config?: ConfigInput<RequestIdConfig>): this;
}

/**
 * Gives every request an id: a safe incoming one, otherwise a new UUID v4 (RFC 9562). The id is `request.requestId`, and is in the log lines of the
 * framework and of the logging feature and on every reply, error replies included.
 *
 * @example
 * const app = new (App.with(requestId))().enableRequestId();
 */
export const requestId: Feature<RequestIds> = {
  name: "request-id",
  install: (host) => ({
    enableRequestId(config) {
      const warn = (error: unknown): void =>
        host.life.settings.log.warn("request id: createId failed; using a UUID", { error });
      const settings = host.configure(RequestIdConfig, config);
      const identifying = identify(settings, warn);
      host.http.usesFields(() => idFields(settings));
      const { reasons } = host.insight;
      host.http.use(
        "request-id",
        explainedBy(waitsOnce(identifying), withReasons(identifying, settings, reasons)),
      );
      return this;
    },
  }),
};

/** Returns the fields for the API document and for CORS, which lets pages of other origins use them. */
const idFields = ({ headerName, keepIncoming }: RequestIdConfig): readonly FieldUse[] => {
  const field = { name: headerName, type: "string" } as const;
  const own: FieldUse = { ...field, in: "reply", description: "Id of the request, also in log lines." };
  if (!keepIncoming) return [own];
  return [{ ...field, in: "request", description: "Id of the request, by default a new one." }, own];
};

const identify = (
  { headerName, keepIncoming, createId }: RequestIdConfig,
  warn: (error: unknown) => void,
): Middleware<HttpRequest, Response> => {
  const field = headerName.toLowerCase();
  const newId = withFallback(createId, warn);
  return function identify(request, next) {
    const incoming = keepIncoming ? request.getHeader(field) : null;
    const id = incoming !== null && isSafeId(incoming) ? incoming : newId();
    request.context.set(RequestId, id);
    return mapOutput(next(request), (reply) => reply.setHeader(field, id), null);
  };
};

/** Falls back to a UUID when `createId` throws or returns an unsafe id; only the first failure is logged. */
const withFallback = (createId: () => string, warn: (error: unknown) => void): (() => string) => {
  if (createId === randomId) return randomId;
  let hasWarned = false;
  const fallback = (error: unknown): string => {
    if (!hasWarned) warn(error);
    hasWarned = true;
    return randomId();
  };
  return () => {
    try {
      const id: unknown = createId();
      if (typeof id === "string" && isSafeId(id)) return id;
      const isText = typeof id === "string" && id !== "";
      return fallback(`createId returned ${isText ? id.slice(0, 100) : describeInvalid(id)}`);
    } catch (error) {
      return fallback(error);
    }
  };
};
