// For applications: the App, requests and replies, errors, guards, dependencies, and running an app.
// The declarations use Node's types: this line loads them, so that a program's tsconfig.json need not name them.
/// <reference types="node" preserve="true" />
export { App, type EventOptions } from "./app.ts";
export type { ProgramValues } from "./shared-state/program-values.ts";
export { Blueprint, type BlueprintClass, type BlueprintFor, type BlueprintOptions } from "./blueprint.ts";
export type { EarlyHints } from "./request/early-hints.ts";
export { HttpRequest, type NoInput, type RequestInput } from "./request/http-request.ts";
export { isHttpRequest } from "./request/is-http-request.ts";
export { Context } from "./invocation/context.ts";
export { type Key, key } from "./invocation/key.ts";
export type { Metadata } from "./invocation/metadata.ts";
export type { Invocation, InvocationKind } from "./invocation/invocation.ts";
export { RequestId } from "./invocation/trace-keys.ts";
export { Response } from "./response/response.ts";
export type {
  JsonReplyOptions,
  ProblemDetails,
  RedirectOptions,
  ResponseOptions,
  SseReplyOptions,
  StreamReplyOptions,
  XmlReplyOptions,
} from "./response/response-options.ts";
export type { CookieOptions } from "./response/set-cookie.ts";
export type { DownloadOptions, FileOptions, RangeRequest } from "./response/file-reply.ts";
export type { ServerSentEvent } from "./response/sse.ts";
export { toBoolean, toFloat, toInt } from "./request/typed-values.ts";
export { Depends } from "./dependencies/depends.ts";
export {
  type DependenciesOf,
  dependency,
  type InjectedValues,
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
} from "./guards/guard.ts";
export { verifyGuards } from "./guards/verify-guards.ts";
export type { GuardOptions } from "./guards/evaluate-guards.ts";
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
export type { ErrorClass, ExceptionHandler } from "./pipeline/exception-handlers.ts";
export type { ErrorStatus } from "./http/reason-phrase.ts";
export type { Cookies } from "./http/cookies.ts";
export type { Form, ParsedForm } from "./body/form-data.ts";
export type { JsonBodyOptions } from "./body/json-body.ts";
export { MultipartLimits } from "./body/multipart-limits.ts";
export type { Query } from "./request/query.ts";
export { RequestHeaders } from "./request/request-headers.ts";
export type { SaveOptions, UploadedFile } from "./body/uploaded-file.ts";
export type { PathParams } from "./routes/path-params.ts";
export type { NeedsRouteOptions, RouteOptionsOf } from "./routes/route-option.ts";
export type { Endpoint, Method, ResponseSchemas, RouteInfo, RouteOptions } from "./routes/route.ts";
export type { RegisterRoute, RegisterRoutes, RouteMethodsOption } from "./routes/route-methods.ts";
export type { InferInput, InferOutput, StandardSchema } from "./validation/standard-schema.ts";
export { ClusterConfig } from "./config/cluster-config.ts";
export { LimitsConfig } from "./config/limits-config.ts";
export { TimeoutConfig } from "./config/timeout-config.ts";
export type { TlsConfig } from "./run/settings/tls-config.ts";
export type { Running, RunOptions, TransportName } from "./run/settings/run-options.ts";
export type { AppSettings, Environment } from "./lifecycle/app-settings.ts";
export type { StopOptions } from "./lifecycle/stop-options.ts";
export type { HttpMiddleware, HttpMiddlewareObject } from "./feature/http-middleware.ts";
export type { Awaitable, Handler, Middleware } from "./middleware/middleware.ts";
export { type AttemptFailure, retry, type RetryOptions } from "./middleware/retry.ts";
export { retryDelayMs, type RetryPolicy, retryPolicy } from "./middleware/retry-policy.ts";
export { timeout, type TimeoutOptions } from "./middleware/timeout.ts";
export type { Logger } from "./log/logger.ts";
export type { ExchangeEnd } from "./exchange/request-source.ts";
export type { UpgradeHandler, UpgradedConnection } from "./exchange/upgrade.ts";
export type { Upgrade } from "./request/upgrade.ts";
