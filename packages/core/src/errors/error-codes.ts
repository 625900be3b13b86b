// More than 250 lines, because it is one table of all error codes of core.
import type { ErrorCatalogue } from "./error-catalogue.ts";

/** The error codes of core. */
export const coreErrors: ErrorCatalogue = {
  CORE_ALREADY_STARTED: {
    summary: "a route, middleware, guard, handler or feature was added after start",
    action: "register everything before start",
  },
  CORE_ALREADY_STOPPED: {
    summary: "`start` or `run` was called on an app that has stopped",
    action: "create a new `App`",
  },
  CORE_BAD_ARGUMENT: {
    summary:
      "an argument, such as a middleware, a handler or the options of a `Response`, has the wrong type or an unknown option",
    action: "pass the type that the message names",
  },
  CORE_BAD_BODY: {
    summary: "a reply's body is not text, bytes, `Blob`, form or stream",
    action: "send another value with `Response.json(value)`",
  },
  CORE_BAD_CHUNK: {
    summary: "a streamed body yielded something other than strings or bytes; the connection is closed",
    action: "yield strings or bytes",
  },
  CORE_BAD_CLOCK: {
    summary: "a virtual clock was given a time that is not a number or is in its past",
    action: "pass milliseconds of 0 or more",
  },
  CORE_BAD_CONFIG: {
    summary: "a field of a record is unknown or out of range, or an entry of `trustedProxies` is invalid",
    action: "correct the field that the message names",
  },
  CORE_BAD_CONTRACT: {
    summary: "a contract suite has no tests, or its broken adapter cannot be created",
    action: "add tests; repair `makeBroken`",
  },
  CORE_BAD_COOKIE: {
    summary: "name, value, attributes or size of a cookie are not allowed, or a reply sets more than 64",
    action: "follow the rule that the message states",
  },
  CORE_BAD_EVENT: {
    summary:
      "a server-sent event has an unknown field or a line break in `event` or `id`, or `heartbeatSecs` is out of range",
    action: "send an object as `{ data }`",
  },
  CORE_BAD_FLAG: {
    summary: "a flag has no value or an invalid one",
    action: "see `--help`",
  },
  CORE_BAD_GUARD: {
    summary: "`addGuard` was given neither a function nor an object with `check`",
    action: "pass the guard, not its result",
  },
  CORE_BAD_HEADER: {
    summary: "name or value of a header is not allowed, or there are more than 100 header lines",
    action: "encode the value",
  },
  CORE_BAD_HEALTH_CHECK: {
    summary: "a health check has a malformed or taken name, or exceeds the limit of 50",
    action: "rename it, or combine checks",
  },
  CORE_BAD_HOST: {
    summary: "`host` is not an address of this machine, or cannot be resolved",
    action: "use `127.0.0.1`, or `0.0.0.0` for every address",
  },
  CORE_BAD_INVOCATION: {
    summary: "a feature creates an invocation of the kind `http`, or opens a second scope for a request",
    action: "use another kind, or `request.scope`",
  },
  CORE_BAD_LISTENER: {
    summary:
      "a feature's listener has a malformed or taken name, another invalid option, or exceeds the limit of 16",
    action: "correct the options of the feature that the message names",
  },
  CORE_BAD_METRIC: {
    summary: "a feature publishes a metric under a malformed or taken name",
    action: "use snake case; end the names of counters in `_total`",
  },
  CORE_BAD_OPERATION_KIND: {
    summary: "a feature defines an operation kind with a malformed name",
    action: "use one to four lower-case words, separated by dots",
  },
  CORE_BAD_REDIRECT: {
    status: 400,
    summary: "a redirect's target is dangerous, or leaves the site with `sameOrigin`",
    action: "build the target from trusted parts",
  },
  CORE_BAD_REPLY: {
    summary:
      "a value cannot be sent: a function, a `bigint`, a cycle, `Response.error()`, a stream whose length differs from the declared length; under debug also a value that JSON loses, such as a `Set` or a promise",
    action: "change the value at the place that the message names",
  },
  CORE_BAD_ROUTE: {
    summary: "a route has an unknown method, no handler, an invalid or unknown option, or a taken name",
    action: "correct the route at the place that the message names",
  },
  CORE_BAD_SETTING: {
    summary: "an option of `run` or `start` or an environment variable is unknown or has an invalid value",
    action: "use one of the values that the message allows",
  },
  CORE_BAD_STATUS: {
    summary:
      "a reply's status is not from 200 to 599, a redirect's is not a redirect status, or an `HttpError`'s is not from 400 to 599",
    action: "use a status in the range",
  },
  CORE_BODY_OVER: {
    status: 400,
    summary: "the body was read after the reply was sent; clients never get this error",
    action: "read the body before the handler returns",
  },
  CORE_BODY_STREAMED: {
    summary: "the body was read after `stream()` had taken it, or before `decodeBody`",
    action: "use one of the two; call `decodeBody` first",
  },
  CORE_BODY_USED: {
    summary: "a reply's stream was already read or sent",
    action: "make a new stream, or `clone()` first",
  },
  CORE_CLIENT_DISCONNECTED: {
    status: 400,
    summary: "the client disconnected; also the reason of `request.signal`; clients never get this error",
    action: "do nothing",
  },
  CORE_CLOCK_RUNAWAY: {
    summary: "one call of a virtual clock fired more timers than its limit",
    action: "stop timers that restart themselves, or advance in smaller steps",
  },
  CORE_CONFIGURATION: {
    summary: "a `ConfigurationError` was made without problems",
    action: "pass the problems",
  },
  CORE_CONTEXT_TYPE: {
    summary: "`getContextString` found a value that is not a string",
    action: "use `getContext`",
  },
  CORE_CONTRACT_BLIND: {
    summary: "every test of a contract passed for an adapter that was broken on purpose",
    action: "add a test that fails for this adapter",
  },
  CORE_CRASH_LOOP: {
    summary: "workers keep exiting before they are ready",
    action: "see the log lines before this one",
  },
  CORE_DEBUG_EXPOSED: {
    summary: "a warning: debug shows stack traces to every client that reaches `host`",
    action: "use `--env production` or `--no-debug`",
  },
  CORE_DEBUG_IN_PRODUCTION: {
    summary: "a warning: debug in production changes the defaults to one worker and request logs",
    action: "omit `debug`",
  },
  CORE_DEPENDENCY_CYCLE: {
    summary: "dependencies form a cycle",
    action: "remove one of the injections",
  },
  CORE_DEPENDENCY_DUPLICATE: {
    summary: "a name is registered twice, or two tokens share it",
    action: "rename one",
  },
  CORE_DEPENDENCY_MISSING: {
    summary: "nothing is registered under a name",
    action: "register it; the message lists the names",
  },
  CORE_DEPENDENCY_SCOPE: {
    summary:
      "a singleton needs a dependency of scope `invocation`, or one was resolved outside an invocation",
    action: "also give the singleton the scope `invocation`, or resolve the dependency in an invocation",
  },
  CORE_DEPENDENCY_TOO_LATE: {
    summary: "a dependency was resolved after its request or app had ended",
    action: "resolve it earlier",
  },
  CORE_DEPENDS_ASYNC: {
    summary: "`Depends` names an asynchronous factory",
    action: "name it in `inject`",
  },
  CORE_DEPENDS_OUTSIDE: {
    summary: "`Depends` was called outside a handler, after its first `await`, or in a factory",
    action: "use it as a default argument",
  },
  CORE_ENABLED_TWICE: {
    summary: "an `enableX` was called twice, or two features provide the same shared state",
    action: "call it once, with all options; enable one of the features",
  },
  CORE_EXCEPTION_HANDLER_TWICE: {
    summary: "a class has two exception handlers",
    action: "keep one",
  },
  CORE_FEATURE_MISSING: {
    summary: "a feature of `App.with` needs a feature that is missing or listed after it",
    action: "use the line that the message shows",
  },
  CORE_GUARD_EMPTY: {
    summary: "`And()` or `Or()` was called without guards",
    action: "pass at least one",
  },
  CORE_GUARD_FAILED: {
    status: 403,
    summary: "a guard threw, or returned a value that guards may not return",
    action: "see the log",
  },
  CORE_GUARD_INVALID: {
    summary:
      "`And`, `Or` or `Not` was given a value that is not a guard, or `verifyGuards` a value that is not a list",
    action: "pass a function, or an object with `check`; pass `verifyGuards` a list",
  },
  CORE_LISTEN_FAILED: {
    summary: "the system cannot listen, for a reason without its own code",
    action: "see the system's error in the message",
  },
  CORE_LOOPBACK_IN_CONTAINER: {
    summary:
      "a warning: the service listens on the default `127.0.0.1`, which is reachable only from inside its container",
    action: "set `HOST=0.0.0.0`",
  },
  CORE_METHOD_MISSING: {
    summary:
      "an `enableX` was called on an app without the feature that adds it, or such an app registers a blueprint with the feature's routes",
    action: "name the feature in `App.with`; the message has the nearest method of the app",
  },
  CORE_METHOD_TAKEN: {
    summary: "a feature adds a method that the app, the blueprint or another feature already has",
    action: "compose one of them",
  },
  CORE_NEEDS_NODE: {
    summary: "files or `save` were used on a runtime without Node's modules",
    action: "run on Node 24 or newer",
  },
  CORE_NESTED_WORKERS: {
    summary: "`workers` or `reload` is set inside a worker that the program forked itself",
    action: "set `workers: 1`",
  },
  CORE_NOT_STARTED: {
    summary: "a value that start determines was read before start",
    action: "`await app.start()` first",
  },
  CORE_NO_PROGRAM: {
    summary: "workers or reload need a program in a file",
    action: "put it in a file, or set `workers: 1` and `reload: false`",
  },
  CORE_OPTION_TAKEN: {
    summary: "a feature declares a route option whose name core or another feature already uses",
    action: "compose one of them, or rename the option",
  },
  CORE_PORT_IN_USE: {
    summary: "another process listens on the port",
    action: "end that process, or use the port that the message suggests",
  },
  CORE_PORT_REFUSED: {
    summary: "this user may not listen on the port",
    action: "use a port of 1024 or above",
  },
  CORE_RELOAD_WORKERS: {
    summary: "a warning: reload runs a single worker; the setting `workers` is ignored",
    action: "choose one of them",
  },
  CORE_REPLY_MISMATCH: {
    summary: "a JSON reply does not match the schema of its status",
    action: "correct the reply at the places that the message lists",
  },
  CORE_ROUTE_BAD_PATTERN: {
    summary: "a route's path is malformed",
    action: "use the form that the message shows",
  },
  CORE_ROUTE_DUPLICATE: {
    summary: "two routes have the same method and shape",
    action: "remove one; both places are named",
  },
  CORE_RUN_TWICE: {
    summary: "`run` was called on an app that another `run` serves or has served",
    action: "create a new `App` for each `run`",
  },
  CORE_SHARED_STATE_BAD_KEY: {
    summary: "a key or channel is empty or longer than 512 characters",
    action: "shorten it",
  },
  CORE_SHARED_STATE_BAD_OPTION: {
    summary:
      "`ttlMs`, `waitMs`, `max` or an amount is not a number in its range, or a call adds to too many totals",
    action: "correct the option that the message names",
  },
  CORE_SHARED_STATE_BAD_VALUE: {
    summary: "a value is not JSON or larger than 64 KiB",
    action: "store less",
  },
  CORE_SHARED_STATE_FULL: {
    summary: "there are too many subscriptions or totals, or too many keys of a group set by `raise`",
    action: "unsubscribe; count under fewer names; raise the limit of the group",
  },
  CORE_SHARED_STATE_NOT_A_COUNTER: {
    summary: "`add` or `raise` was called on a key whose value is not a number",
    action: "use another key",
  },
  CORE_SHARED_STATE_UNAVAILABLE: {
    status: 503,
    summary: "the shared state cannot be reached; the outcome of the call is unknown",
    action: "treat the outcome as unknown; clients retry after a second",
  },
  CORE_SHORT_FILE: {
    summary: "a file was truncated while it was sent",
    action: "replace a file by renaming a new one over it",
  },
  CORE_START_ABANDONED: {
    summary: "the app was stopped while it started",
    action: "do nothing, or start a new `App`",
  },
  CORE_START_FAILED: {
    summary: "start failed with an error that is not the framework's",
    action: "see the stack below the message",
  },
  CORE_START_TASK: {
    summary: "a startup handler or task failed",
    action: "correct the error in `cause`",
  },
  CORE_TASK_TIMEOUT: {
    summary: "a start or stop task exceeded its timeout",
    action: "raise its `timeoutSecs`, or do less",
  },
  CORE_TOO_MANY_INVOCATIONS: {
    summary: "features have 100,000 scopes open",
    action: "dispose of each; limit the concurrent invocations",
  },
  CORE_TOO_MANY_TASKS: {
    summary: "1000 deferred tasks are already waiting",
    action: "use a queue outside the process",
  },
  CORE_UNKNOWN_EVENT: {
    summary: "`onEvent` was given a name other than `startup` and `shutdown`, or `once` for `shutdown`",
    action: "use `startup` or `shutdown`; use `once` for `startup` only",
  },
  CORE_UNKNOWN_FLAG: {
    summary: "`run` does not know a flag or argument",
    action: "see `--help`; put the program's own flags after `--`",
  },
};
