import { knownMethods } from "../http/methods.ts";
import { hasBuiltin, nodeBuiltin } from "../runtime/node-builtins.ts";
import { operationChannels } from "./operation-channels.ts";
import type { OperationControl, Operations } from "./operations.ts";
import type { Attributes, OperationDefinition } from "./traced-operation.ts";

/** A call of `fetch` or undici that is about to be sent, as undici's diagnostics channels publish it. */
export interface OutgoingCall {
  /** Scheme, host and port. */
  readonly origin: string | URL;
  /** Method as it is sent. */
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Header fields: the lines of HTTP/1.1, or a list of names and values. */
  readonly headers: string | readonly string[];
  /** Adds a header field to the call. */
  addHeader(name: string, value: string): unknown;
}

/** A feature's part in the outgoing calls of its app. */
export interface OutgoingCallObserver {
  /** Returns `false` for calls that are not published, such as those of an exporter. @default all are published */
  readonly accepts?: (call: OutgoingCall) => boolean;
  /** Returns attributes in addition to method, server and port. @default none */
  readonly attributes?: (call: OutgoingCall) => Attributes;
  /** Runs in the asynchronous context of the operation before the call is sent; it may add header fields. */
  readonly started?: (call: OutgoingCall) => void;
}

type CreateOperations = (definition: OperationDefinition<OutgoingCall>) => Operations<OutgoingCall>;

/** Publishes the outgoing calls of one app as operations of the kind `http.client` while a feature observes them. */
export class OutgoingCalls {
  readonly app: object;
  readonly operations: Operations<OutgoingCall>;
  readonly observers: Set<OutgoingCallObserver> = new Set();

  constructor(app: object, createOperations: CreateOperations) {
    this.app = app;
    this.operations = createOperations({
      kind: "http.client",
      role: "client",
      describe: (call) => ({ name: nameOf(call), attributes: this.attributesOf(call) }),
    });
  }

  /** Returns a function that ends the observation. */
  observe(observer: OutgoingCallObserver): () => void {
    if (!hasBuiltin("node:diagnostics_channel")) return () => {}; // no undici either
    this.observers.add(observer);
    addApp(this);
    return () => {
      if (this.observers.delete(observer) && this.observers.size === 0) removeApp(this);
    };
  }

  private attributesOf(call: OutgoingCall): Attributes {
    const { hostname, port, protocol } = new URL(String(call.origin));
    const attributes = {
      "http.request.method": knownMethods.has(call.method) ? call.method : "_OTHER",
      "server.address": hostname.startsWith("[") ? hostname.slice(1, -1) : hostname,
      "server.port": port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
    };
    for (const observer of this.observers) Object.assign(attributes, observer.attributes?.(call));
    return attributes;
  }
}

const nameOf = ({ method }: OutgoingCall): string => (knownMethods.has(method) ? method : "HTTP");

/** The observed apps of this process. A call belongs to the app of the current operation; outside an operation to the last one started, because several would count it twice. */
const apps: OutgoingCalls[] = [];

const addApp = (calls: OutgoingCalls): void => {
  if (apps.includes(calls) || apps.push(calls) > 1) return;
  const { subscribe } = nodeBuiltin("node:diagnostics_channel");
  for (const [name, listener] of listeners) subscribe(name, listener);
};

const removeApp = (calls: OutgoingCalls): void => {
  apps.splice(apps.indexOf(calls), 1);
  if (apps.length > 0) return;
  const { unsubscribe } = nodeBuiltin("node:diagnostics_channel");
  for (const [name, listener] of listeners) unsubscribe(name, listener);
};

const isAccepted = (call: OutgoingCall): boolean =>
  apps.every(({ observers }) => [...observers].every(({ accepts }) => accepts?.(call) ?? true));

const open = new WeakMap<object, OperationControl>();

const begin = ({ request }: { readonly request: OutgoingCall }): void => {
  if (!isAccepted(request)) return;
  const current = operationChannels().current()?.app;
  const calls = apps.find(({ app }) => app === current) ?? apps.at(-1);
  const operation = calls?.operations.begin(request) ?? null;
  if (calls === undefined || operation === null) return;
  open.set(request, operation);
  operation.within(() => {
    for (const { started } of calls.observers) started?.(request);
  });
};

const end = (event: {
  readonly request: object;
  readonly response: { readonly statusCode: number };
}): void => {
  const { statusCode: status } = event.response;
  if (status < 200 && status !== 101) return; // an interim reply, such as 103: undici publishes the header fields of each
  const failure = status >= 400 && { "error.type": String(status) };
  open.get(event.request)?.end({ "http.response.status_code": status, ...failure });
  open.delete(event.request);
};

const fail = ({ request, error }: { readonly request: object; readonly error: unknown }): void => {
  const operation = open.get(request);
  operation?.fail(error);
  operation?.end();
  open.delete(request);
};

const listeners = [
  ["undici:request:create", begin],
  ["undici:request:headers", end],
  ["undici:request:error", fail],
] as readonly unknown[] as readonly (readonly [name: string, listener: (event: unknown) => void])[];
