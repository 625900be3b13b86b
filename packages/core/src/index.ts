// For applications.
export { App, type LifecycleEvent } from "./app.ts";
export { Blueprint, type BlueprintOptions } from "./routing/blueprint.ts";
export { HttpRequest, type NoInput, type RequestInput } from "./request/http-request.ts";
export { Context, CsrfTokens, type Key, key, OriginAllowed, RequestId } from "./request/context.ts";
export { Response } from "./response/response.ts";
export type {
  JsonReplyOptions,
  ProblemDetails,
  RedirectOptions,
  ResponseOptions,
  SseReplyOptions,
  XmlReplyOptions,
} from "./response/response-options.ts";
export type { CookieOptions } from "./response/set-cookie.ts";
export type { DownloadOptions, FileOptions } from "./response/file-reply.ts";
export type { ServerSentEvent } from "./response/sse.ts";
export { toBoolean, toFloat, toInt } from "./request/typed-values.ts";
export { Depends } from "./dependencies/depends.ts";
export {
  dependency,
  type Injected,
  type Injections,
  type Provider,
  type Scope,
  type Token,
} from "./dependencies/token.ts";
export { And, Not, Or } from "./guards/combinators.ts";
export {
  type Guard,
  type GuardFunction,
  type GuardObject,
  type GuardVerdict,
  isGuard,
  verifyGuards,
} from "./guards/guard.ts";
export type { GuardOptions } from "./guards/judge.ts";
export { ConfigurationError, type Problem } from "./errors/configuration-error.ts";
export { FrameworkError } from "./errors/framework-error.ts";
export { HttpError, type HttpErrorOptions } from "./errors/http-error.ts";
export {
  CircuitOpenError,
  ForbiddenError,
  GuardError,
  HandlerTimeoutError,
  MethodNotAllowedError,
  NotFoundError,
  PayloadTooLargeError,
  RateLimitError,
  UnauthorizedError,
  UnsupportedMediaTypeError,
  ValidationError,
  type ValidationIssue,
  ValueError,
} from "./errors/http-errors.ts";
export type { ErrorClass, ExceptionHandler } from "./errors/exception-handlers.ts";
export type { Cookies } from "./request/cookies.ts";
export type { Form, ParsedForm } from "./request/form-data.ts";
export type { JsonBodyOptions } from "./request/json-body.ts";
export { readMultipart } from "./request/multipart.ts";
export { MultipartLimits } from "./request/multipart-limits.ts";
export type { Query } from "./request/query.ts";
export { RequestHeaders } from "./request/request-headers.ts";
export type { SaveOptions, UploadedFile } from "./request/uploaded-file.ts";
export type { PathParams } from "./routing/path-params.ts";
export type {
  BuiltIn,
  FeatureOptions,
  RouteCache,
  RouteCircuit,
  RouteLimit,
} from "./routing/feature-options.ts";
export type { Endpoint, Method, RouteInfo, RouteOptions } from "./routing/route.ts";
export type { RegisterRoute, RegisterRoutes } from "./routing/route-methods.ts";
export type { InferInput, InferOutput, StandardSchema } from "./validation/standard-schema.ts";
export { ClusterConfig } from "./config/cluster-config.ts";
export { LimitsConfig } from "./config/limits-config.ts";
export { TimeoutConfig } from "./config/timeout-config.ts";
export type { TlsConfig } from "./run/tls-config.ts";
export type { Running, RunOptions, TransportName } from "./run/run-options.ts";
export type { AppSettings, Environment } from "./lifecycle/app-settings.ts";

// For feature packages.
export type { AnyFeature, Feature, Host, Installed, MethodsOf, Satisfied } from "./feature.ts";
export {
  type Awaitable,
  compose,
  type Handler,
  isPromise,
  mapAwaitable,
  type Middleware,
  type MiddlewareObject,
  type Rescue,
} from "./middleware.ts";
export {
  type ConfigInput,
  type ConfigRecord,
  configRecord,
  type FieldRule,
  type ReadRecord,
} from "./config/config-record.ts";
export {
  type Bounds,
  checked,
  decimal,
  flag,
  integer,
  list,
  oneOf,
  optional,
  text,
} from "./config/field-rules.ts";
export type { RequestEnded, RequestFailed, RequestStarted } from "./kernel/tracing.ts";
export type { InnerStage, OuterStage, Stage } from "./kernel/stages.ts";
export type { OptionCheck } from "./kernel/route-problems.ts";
export type { AuthDescription, SecurityScheme } from "./insight/auth-description.ts";
export type { HealthCheck, HealthGroup } from "./insight/health-check.ts";
export type { Measure, Sample } from "./insight/measure.ts";
export type { Task } from "./lifecycle/tasks.ts";
export type { Logger } from "./lifecycle/logger.ts";
export { BodyStream, type Payload, payloadLength } from "./response/payload.ts";
export { payloadBytes } from "./response/readable-stream.ts";
export { toBodyStream } from "./response/byte-stream.ts";
export { type BodyEnd, onBodyEnd } from "./response/body-end.ts";
export { addVary } from "./response/vary.ts";
export { ResponseHeaders } from "./response/response-headers.ts";
export { type ByteRange, byteRanges, type RequestedRanges } from "./response/byte-ranges.ts";
export { mediaTypeOf } from "./response/media-type-of.ts";
export { replyOf } from "./response/reply-of.ts";
export { accepts, namesType, preferred } from "./request/accept.ts";
export { negotiateEncoding } from "./request/accept-encoding.ts";
export { isJsonType, type MediaType, parseContentType } from "./request/content-type.ts";
export {
  type EntityTag,
  isEntityTag,
  matchesStrongly,
  matchesWeakly,
  parseTagList,
  type TagList,
  weakened,
} from "./request/entity-tags.ts";
export { formatHttpDate, parseHttpDate } from "./request/http-date.ts";
export {
  type ConditionalRequest,
  ifRangeHolds,
  type Precondition,
  precondition,
  type Validators,
} from "./request/preconditions.ts";
export { parseCookies } from "./request/cookies.ts";
export { encodePath, isUnder, pathSegments } from "./routing/canonical-path.ts";
export type { Added, AddOptions, Json, SharedState, Tally } from "./shared-state/shared-state.ts";
export type { PermitAsk, PermitRule, Permits } from "./shared-state/permits.ts";
// For adapters of the shared state in other packages.
export { checkAddition, checkKey, checkTtl, toText } from "./shared-state/state-bounds.ts";
export { checkPermits } from "./shared-state/permit-bounds.ts";
export { checkTallies } from "./shared-state/tally-table.ts";
export { Subscriptions, type SubscriptionsOptions } from "./shared-state/subscriptions.ts";
export type { ExchangeEnd, RequestSource } from "./transport/request-source.ts";
export type { BeginUpgraded, UpgradedConnection, UpgradeDoor } from "./transport/upgrade-door.ts";
export { nearest } from "./nearest.ts";
