// For authors of features: the plugin interface, configuration records, insight, bodies, and state that workers share.
// The declarations use Node's types: this line loads them, so that a program's tsconfig.json need not name them.
/// <reference types="node" preserve="true" />
export { OriginAllowed } from "./request/origin-allowed.ts";
export { isOwnOrigin } from "./request/own-origin.ts";
export {
  recordIdentitySource,
  type IdentitySource,
  reauthenticate,
  keepIdentitySources,
} from "./invocation/identity-sources.ts";
export { SingleUse } from "./invocation/single-use.ts";
export { keepPrivate, makePrivate, SharedReply } from "./response/keep-private.ts";
export { type MetadataInput, toMetadata } from "./invocation/metadata.ts";
export type { OpenScope } from "./dependencies/invocation-scope.ts";
export { createInvocation, type InvocationParts } from "./invocation/invocation.ts";
export {
  ApiKeyName,
  type Claims,
  JwtClaims,
  type Principal,
  principalOf,
  SessionId,
  UnreadSessionId,
  User,
} from "./invocation/principal.ts";
export { FailedWith, Trace, type TraceIds } from "./invocation/trace-keys.ts";
export type { ErrorCatalogue, ErrorEntry } from "./errors/error-catalogue.ts";
export { coreErrors } from "./errors/error-codes.ts";
export { hidesReason } from "./errors/hides-reason.ts";
export { readMultipart } from "./body/multipart.ts";
export type { Exemption, ExemptOption } from "./routes/exemption.ts";
export type { ProgramRouteOption } from "./routes/program-route.ts";
export { type ListNames, listNamesOf } from "./validation/list-names.ts";
export { isStandardSchema } from "./validation/standard-schema.ts";
export { validate, type ValidationPlace } from "./validation/validate.ts";
export { validateNamed } from "./validation/validate-named.ts";
export type {
  AnyFeature,
  Feature,
  FeatureRequirement,
  InstalledMethods,
  MethodsOf,
  SatisfiedFeatures,
} from "./feature/feature.ts";
export type {
  AppOf,
  InstalledRoutes,
  NeedsMethods,
  PrefixOf,
  RouteFeature,
} from "./feature/route-feature.ts";
export type { Authenticator } from "./feature/authenticator.ts";
export type { DeploymentFacts, FindAdvice } from "./feature/deployment.ts";
export type {
  DrainOptions,
  Host,
  HostEntries,
  HostHttp,
  HostInsight,
  HostLife,
  HostState,
} from "./feature/host.ts";
export type {
  EntryPoint,
  EntryProtection,
  EntryStage,
  ProtectedEntry,
  ProtectEntryPoint,
} from "./feature/entry-point.ts";
export { markHandled } from "./middleware/mark-handled.ts";
export { describeInvalid } from "./middleware/describe-invalid.ts";
export {
  compose,
  isPromise,
  mapAwaitable,
  mapOutput,
  type MiddlewareObject,
  type Rescue,
} from "./middleware/middleware.ts";
export { explainedBy } from "./middleware/explained-by.ts";
export { waitsOnce } from "./middleware/waiting-once.ts";
export { failureStatuses, isFailureOfCallee, statusOf } from "./middleware/outcome.ts";
export { givenFields } from "./config/given-fields.ts";
export { isOptions, isPlainObject } from "./config/wrong-value.ts";
export {
  type ConfigInput,
  type ConfigRecord,
  configRecord,
  type FieldRule,
  type ReadResult,
  unknownFields,
  unusedFields,
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
  secret,
  text,
} from "./config/field-rules.ts";
export type { InnerStage, OuterStage, Stage } from "./feature/stages.ts";
export type { FieldUse } from "./insight/field-use.ts";
export type { ImpliedField, ImpliedReply } from "./insight/implied-reply.ts";
export type { FieldUses, ImpliedReplies } from "./routes/implied-replies.ts";
export type { AddsRouteOptions, OptionCheck, RouteOption } from "./routes/route-option.ts";
export type { AuthDescription, SecurityScheme } from "./insight/auth-description.ts";
export { mergeSchemes } from "./insight/merge-schemes.ts";
export type { CurrentTrace, ReadTrace } from "./insight/current-trace.ts";
export type { HealthCheck, HealthGroup } from "./insight/health-check.ts";
export type {
  Histogram,
  HistogramDefinition,
  HistogramLabels,
  HistogramOptions,
  HistogramRecorder,
  RecordObservation,
} from "./insight/histogram.ts";
export type { Metric, Sample } from "./insight/metric.ts";
export type {
  Panel,
  PanelAction,
  PanelCell,
  PanelContent,
  PanelField,
  PanelRow,
  PanelTable,
} from "./insight/panel.ts";
export type { DecisionReasons, RequestStep, RequestTrace, StepInfo } from "./insight/request-steps.ts";
export {
  redactSecrets,
  isSecretName,
  type Redaction,
  redactionFor,
  type SentValues,
} from "./insight/redaction.ts";
export { methodAttribute, methodInSpanName } from "./insight/method-names.ts";
export { type StepReport, stepReports } from "./insight/step-reports.ts";
export { operationsWithoutApp } from "./insight/app-operations.ts";
export type { ContextStore, OperationListener } from "./insight/operation-listener.ts";
export type { OutgoingCall, OutgoingCallObserver } from "./insight/outgoing-calls.ts";
export type { OperationControl, Operations } from "./insight/operations.ts";
export type {
  Attributes,
  AttributeValue,
  OperationDefinition,
  OperationRole,
  OperationStart,
  TracedOperation,
} from "./insight/traced-operation.ts";
export type { FeatureListener, HttpListener, ListenerOptions, SocketListener } from "./lifecycle/listener.ts";
export type { DrainListener } from "./lifecycle/drain-listeners.ts";
export type { Task } from "./lifecycle/tasks.ts";
export { BodyStream, type Payload, payloadLength } from "./exchange/payload.ts";
export { payloadBytes } from "./response/readable-stream.ts";
export { toBodyStream } from "./response/byte-stream.ts";
export { type BodyEnd, onBodyEnd } from "./response/body-end.ts";
export { addVary } from "./response/vary.ts";
export { ResponseHeaders } from "./response/response-headers.ts";
export { jsonWriter } from "./response/json/json-writer.ts";
export type { JsonReport } from "./response/json/json-inspector.ts";
export { closeWhenDropped } from "./response/dropped-files.ts";
export { readyBody } from "./response/ready-body.ts";
export { replyOf } from "./response/reply-of.ts";
export { parseContentType } from "./body/content-type.ts";
export { canonicalise, encodePath, isUnder, pathSegments } from "./routing/canonical-path.ts";
export { canonicalPrefix, coversPath, pathPrefixes, prefixProblem } from "./routing/path-prefix.ts";
export type { SharedState, SharedStateFactories } from "./shared-state/shared-state.ts";
export { SharedStateUnavailableError } from "./shared-state/unavailable-error.ts";
export type {
  AddResult,
  AddOptions,
  Json,
  PublishOptions,
  RaiseOptions,
  SetOptions,
  SharedValues,
  SubscribeOptions,
} from "./shared-state/values/shared-values.ts";
export type {
  PermitResult,
  PermitLease,
  PermitRequest,
  PermitRule,
  Permits,
  PermitStore,
  SpendResult,
} from "./shared-state/permits/permits.ts";
export { inProcessPermits, type InProcessPermitsOptions } from "./shared-state/permits/in-process-permits.ts";
export type { Total, Totals } from "./shared-state/totals/totals.ts";
export {
  checkAddition,
  checkKey,
  checkPublication,
  checkRaise,
  checkTtl,
  toText,
} from "./shared-state/values/state-bounds.ts";
export { checkPermits } from "./shared-state/permits/permit-bounds.ts";
export { checkPosition, checkTotals, TOTALS_PAGE_SIZE } from "./shared-state/totals/total-table.ts";
export { withTimeout } from "./shared-state/values/with-timeout.ts";
export { Subscriptions, type SubscriptionsOptions } from "./shared-state/values/subscriptions.ts";
export { keepAliveDuring } from "./lifecycle/keep-alive-during.ts";
export { aborted } from "./runtime/aborted.ts";
export { type Clock, isClock, systemClock } from "./runtime/clock.ts";
export { keepAlive } from "./runtime/keep-alive.ts";
export { toError } from "./errors/to-error.ts";
export { failsafeLog } from "./log/failsafe-log.ts";
export { memberOf, messageOf, textOf } from "./log/value-text.ts";
export { throttledLog, type ThrottledLogOptions } from "./log/throttled-log.ts";
export { type DescribedRequest, exchangeFields } from "./exchange/request-fields.ts";
export type { RequestSource } from "./exchange/request-source.ts";
export { nearest } from "./errors/nearest.ts";
export { guardName } from "./guards/evaluate-guards.ts";
// Protocols other than HTTP/1.1: their registration, and the parts that all transports share.
export type { BodyGraceListener, OpenConnection } from "./exchange/open-connection.ts";
export type { Reply } from "./exchange/reply.ts";
export type {
  ConnectionProtocol,
  ProtocolHost,
  TransportOptions,
  TransportTls,
} from "./exchange/transport.ts";
export type { Socket } from "./exchange/socket.ts";
export { awaitLateReply, type LateReply } from "./request/late-reply.ts";
export { type BodyWait, bodyWait } from "./request/body-wait.ts";
export { arrivedOverSocket } from "./request/http-request.ts";
export { clientDisconnected } from "./errors/client-disconnected.ts";
export { fieldValue } from "./http/field-values.ts";
export { knownMethods } from "./http/methods.ts";
export { headerName, headerValue } from "./response/header-rules.ts";
export { type BodyReadable, StreamBody, type StreamBodyEvents } from "./transport/wire/stream-body.ts";
export { type MemoryPayload, toWriterBody } from "./transport/wire/memory-payload.ts";
export { readTarget, type RequestTarget } from "./http/request-target.ts";
export { BodyRate } from "./transport/wire/body-rate.ts";
export { type BodySink, BodyWriter, type BodyWriterEvents } from "./transport/wire/body-writer.ts";
export {
  type ReceivingExchange,
  discardReply,
  type EndListener,
  type Exchange,
  type ExchangeHost,
  listenForEnd,
  logUnwritableReply,
  logStreamFailure,
  logAbandonedBodyError,
  notifyEnd,
  passToApp,
} from "./transport/wire/exchange.ts";
export {
  isConnectionField,
  allowsBody,
  prepareReply,
  type ReplyHead,
  hasConnectionClose,
} from "./transport/wire/reply-head.ts";
export { type RawHead, readHead, type RequestHead } from "./transport/wire/request-head.ts";
export { type WriteCounters, WriteWatch } from "./transport/hub/write-watch.ts";
