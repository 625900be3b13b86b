import { hasBuiltin, nodeBuiltin } from "../runtime/node-builtins.ts";
import { methodAttribute, methodInSpanName } from "./method-names.ts";
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
  readonly onError: (error: unknown) => void;

  /** @param onError receives the errors of observers: thrown in a diagnostics channel, they would end the process */
  constructor(app: object, createOperations: CreateOperations, onError: (error: unknown) => void) {
    this.app = app;
    this.onError = onError;
    this.operations = createOperations({
      kind: "http.client",
      role: "client",
      describe: (call) => ({ name: methodInSpanName(call.method), attributes: this.attributesOf(call) }),
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
      "http.request.method": methodAttribute(call.method),
      "server.address": hostname.startsWith("[") ? hostname.slice(1, -1) : hostname,
      "server.port": port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
    };
    for (const observer of this.observers) Object.assign(attributes, observer.attributes?.(call));
    return attributes;
  }
}

/**
 * The observed apps of this process. A call belongs to the app of the current operation if that is observed, otherwise to the app observed last: more than one
 * would count it twice.
 */
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

const onCreate = ({ request }: { readonly request: OutgoingCall }): void => {
  const current = operationChannels().current()?.app;
  const calls = apps.find(({ app }) => app === current) ?? apps.at(-1);
  try {
    if (calls !== undefined && isAccepted(request)) begin(calls, request);
  } catch (error) {
    calls?.onError(error);
  }
};

const begin = ({ operations, observers }: OutgoingCalls, call: OutgoingCall): void => {
  const operation = operations.begin(call);
  if (operation === null) return;
  open.set(call, operation);
  operation.within(() => {
    for (const { started } of observers) started?.(call);
  });
};

const onHeaders = (event: {
  readonly request: object;
  readonly response: { readonly statusCode: number };
}): void => {
  const { statusCode: status } = event.response;
  if (status < 200 && status !== 101) return; // an interim reply, such as 103: undici publishes the header fields of each
  const failure = status >= 400 && { "error.type": String(status) };
  open.get(event.request)?.end({ "http.response.status_code": status, ...failure });
  open.delete(event.request);
};

const onError = ({ request, error }: { readonly request: object; readonly error: unknown }): void => {
  const operation = open.get(request);
  operation?.fail(error);
  operation?.end();
  open.delete(request);
};

const listeners = [
  ["undici:request:create", onCreate],
  ["undici:request:headers", onHeaders],
  ["undici:request:error", onError],
] as readonly unknown[] as readonly (readonly [name: string, listener: (event: unknown) => void])[];
