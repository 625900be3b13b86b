import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Attributes, HostInsight, OperationControl, Operations } from "@framework/core/feature";
import { recordSetter } from "../propagation/carriers.ts";
import { methodOf } from "../redaction/method.ts";
import { redactUrl } from "../redaction/redact.ts";
import { addressOf } from "../spans/request-attributes.ts";
import { isSuppressed, type Tracing } from "../tracing/tracing.ts";

/** The members in use of the request that undici's channels publish. */
interface UndiciRequest {
  readonly origin: string | URL;
  readonly method: string;
  readonly path: string;
  readonly headers: string | readonly string[];
  addHeader(name: string, value: string): unknown;
}

/** Publishes calls of `fetch` and undici as operations of the kind `http.client`, and sends the current trace with them. */
export const outgoingOperations = (insight: HostInsight): Operations<UndiciRequest> =>
  insight.operation<UndiciRequest>({
    kind: "http.client",
    role: "client",
    describe: ({ method, origin, path }) => {
      const { hostname, port, protocol } = new URL(String(origin));
      const known = methodOf(method);
      return {
        name: known === "_OTHER" ? "HTTP" : known,
        attributes: {
          "http.request.method": known,
          "url.full": redactUrl(`${String(origin)}${path}`),
          "server.address": addressOf(hostname),
          "server.port": port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
        },
      };
    },
  });

/** Apps that watch outgoing calls. Only the first one records them: a call belongs to no app, and would get a span from each. */
const watching: object[] = [];

/** Watches outgoing calls until the returned function is called. */
export const watchOutgoing = (tracing: Tracing, operations: Operations<UndiciRequest>): (() => void) => {
  const self = {};
  const open = new WeakMap<object, OperationControl>();
  const created = ({ request }: { readonly request: UndiciRequest }): void => {
    if (watching[0] !== self || isSuppressed(tracing.contexts.active())) return;
    if (tracing.own === null && namesOf(request).has("traceparent")) return; // the program's own instrumentation has made the span
    const operation = operations.begin(request);
    if (operation === null) return;
    open.set(request, operation);
    operation.within(() => addFields(tracing, request));
  };
  const answered = (event: {
    readonly request: object;
    readonly response: { readonly statusCode: number };
  }): void => {
    const { statusCode: status } = event.response;
    if (status < 200 && status !== 101) return; // an interim reply, such as 103: undici publishes the fields of each
    open.get(event.request)?.end(outcome(status));
    open.delete(event.request);
  };
  const failed = ({ request, error }: { readonly request: object; readonly error: unknown }): void => {
    open.get(request)?.fail(error);
    open.get(request)?.end();
    open.delete(request);
  };
  const listeners = [
    ["undici:request:create", created],
    ["undici:request:headers", answered],
    ["undici:request:error", failed],
  ] as const;
  watching.push(self);
  for (const [name, listener] of listeners) subscribe(name, listener as (message: unknown) => void);
  return () => {
    watching.splice(watching.indexOf(self), 1);
    for (const [name, listener] of listeners) unsubscribe(name, listener as (message: unknown) => void);
  };
};

/** Adds the fields of the trace, except those that the program has set. */
const addFields = ({ contexts, propagator }: Tracing, request: UndiciRequest): void => {
  const fields: Record<string, string> = {};
  propagator.inject(contexts.active(), fields, recordSetter);
  const present = namesOf(request);
  for (const [name, value] of Object.entries(fields)) if (!present.has(name)) request.addHeader(name, value);
};

/** Names of the fields that a request has, in lower case. */
const namesOf = ({ headers }: UndiciRequest): ReadonlySet<string | undefined> => {
  const lines = typeof headers === "string" ? headers.split("\r\n") : headers;
  return new Set(lines.map((line) => line.split(":", 1)[0]?.toLowerCase()));
};

const outcome = (status: number): Attributes => ({
  "http.response.status_code": status,
  ...(status >= 400 && { "error.type": String(status) }),
});
