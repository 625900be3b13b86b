import type { LogLine } from "./collected-logs.ts";
import { callback, duration, flag, headerFields, type Rule, size } from "./check-arguments.ts";
import { type CookieJar, cookieJar } from "./cookie-jar.ts";
import { testingError } from "./errors.ts";
import { inTime, unlessAborted } from "./in-time.ts";
import { withAbortableBody, cancelReply } from "./reply-body.ts";
import { checkPath, type PreparedRequest, prepareRequest, type TestInit } from "./request-init.ts";
import { readReply, type TestReply } from "./test-reply.ts";

/** Sends one request and resolves with the whole reply. */
export type SendRequest = (path: string, init?: TestInit) => Promise<TestReply>;

/**
 * Client of one application, in this process over `fetch` or a socket, or in another process.
 *
 * Redirects are not followed and bodies are not decompressed: a test sees what the application sent. Disposing of the client aborts requests in flight.
 */
export interface TestClient extends AsyncDisposable {
  /** Sends a GET request. */
  readonly get: SendRequest;
  /** Sends a HEAD request. */
  readonly head: SendRequest;
  /** Sends a POST request. */
  readonly post: SendRequest;
  /** Sends a PUT request. */
  readonly put: SendRequest;
  /** Sends a PATCH request. */
  readonly patch: SendRequest;
  /** Sends a DELETE request. */
  readonly delete: SendRequest;
  /** Sends an OPTIONS request. */
  readonly options: SendRequest;
  /** Sends a request with any method. @throws TESTING_TIMEOUT, TESTING_CLIENT_CLOSED, TESTING_BAD_OPTION, TESTING_REPLY_TOO_LARGE, the reason of `init.signal`, the app's start error */
  readonly request: (method: string, path: string, init?: TestInit) => Promise<TestReply>;
  /** Resolves with the head of the reply and a streaming body, for event streams and long downloads; `timeoutMs` applies until the head arrives. */
  readonly stream: (method: string, path: string, init?: TestInit) => Promise<Response>;
  /** Absolute URL of a path, for clients of another protocol. With `socketClient`, makes the app listen first. @throws TESTING_BAD_OPTION, TESTING_CLIENT_CLOSED, the app's start error */
  readonly url: (path?: string) => Promise<string>;
  /**
   * The last 1000 log lines of the app that this client started, oldest first: lines of the framework, with the cause of each 500, and lines of `enableLogging`
   * that would be written to standard output or error. Nothing is printed. With the option `log`, that logger also gets the framework's lines, and `enableLogging` writes
   * its lines to its usual output instead. Always empty for `clientFor`.
   */
  readonly logs: readonly LogLine[];
}

/** Options of a client. */
export interface ClientOptions {
  /** Header fields sent with every request; a request's own fields take precedence. */
  readonly headers?: TestInit["headers"];
  /** Stores cookies of replies and sends them back, whatever their `Domain` and `Secure`: the host of a test is not that of production. @default false */
  readonly cookies?: boolean;
  /** Timeout of a request in milliseconds, its body included. @default 60_000 */
  readonly timeoutMs?: number;
  /** Maximum bytes of a buffered reply. @default 64 MiB */
  readonly maxReplyBytes?: number;
  /** Returns the current time in Unix ms, for the expiry of cookies. @default Date.now */
  readonly now?: () => number;
}

/** Rules of a client's options. */
export const clientRules: Readonly<Record<keyof ClientOptions, Rule>> = {
  headers: headerFields,
  cookies: flag,
  timeoutMs: duration,
  maxReplyBytes: size,
  now: callback,
};

/** Connection of a client to an application. */
export interface Connection {
  send(request: PreparedRequest, signal: AbortSignal): Promise<Response>;
  /** Scheme and authority, once the application is reachable. */
  origin(): Promise<string>;
  close(): Promise<void>;
}

/** A client over a connection, which it closes when disposed; `logs` is filled by the application. */
export const createClient = (
  connection: Connection,
  options: ClientOptions,
  logs: readonly LogLine[] = [],
): TestClient => {
  const { timeoutMs = 60_000, maxReplyBytes = 64 * 1024 * 1024 } = options;
  const closing = new AbortController();
  const open = opener(connection, options, closing.signal);
  let closed: Promise<void> | undefined;

  const request: TestClient["request"] = (method, path, init = {}) => {
    const title = `${method} ${path}`;
    return inTime(
      timeoutMs,
      createTimeoutError(title, timeoutMs, "got no complete reply"),
      async (deadline) => readReply(await open(method, path, init, deadline), title, maxReplyBytes),
    );
  };
  const sending =
    (method: string): SendRequest =>
    (path, init) =>
      request(method, path, init);

  return {
    request,
    get: sending("GET"),
    head: sending("HEAD"),
    post: sending("POST"),
    put: sending("PUT"),
    patch: sending("PATCH"),
    delete: sending("DELETE"),
    options: sending("OPTIONS"),
    stream: (method, path, init = {}) =>
      inTime(timeoutMs, createTimeoutError(`${method} ${path}`, timeoutMs, "got no reply"), (deadline) =>
        open(method, path, init, deadline),
      ),
    logs,
    url: async (path = "/") => {
      closing.signal.throwIfAborted();
      checkPath(path);
      return `${await connection.origin()}${path}`;
    },
    async [Symbol.asyncDispose]() {
      closing.abort(testingError("TESTING_CLIENT_CLOSED", "the client was disposed of"));
      closed ??= connection.close();
      await closed;
    },
  };
};

const createTimeoutError = (title: string, timeoutMs: number, problem: string) => () =>
  testingError("TESTING_TIMEOUT", `${title} ${problem} within ${timeoutMs} ms`);

type Open = (method: string, path: string, init: TestInit, deadline: AbortSignal) => Promise<Response>;

const opener = (
  connection: Connection,
  { headers, cookies = false, now }: ClientOptions,
  closing: AbortSignal,
): Open => {
  const jar = cookies ? cookieJar(now) : null;
  return async (method, path, init, deadline) => {
    const signal = AbortSignal.any([closing, deadline, ...(init.signal === undefined ? [] : [init.signal])]);
    signal.throwIfAborted();
    const prepared = await prepareRequest(method, path, init, headers);
    if (jar !== null) addCookies(jar, prepared, cookieNames(init.headers));
    const reply = connection.send(prepared, signal);
    const response = await unlessAborted(reply, signal).catch((error: unknown) => {
      cancelReply(reply);
      throw error;
    });
    jar?.store(response.headers, prepared.target);
    return withAbortableBody(signal, response);
  };
};

const addCookies = (
  jar: CookieJar,
  { headers, target }: PreparedRequest,
  replaced: ReadonlySet<string>,
): void => {
  const fields = [jar.fieldFor(target, replaced), headers.get("cookie")].filter((field) => field !== null);
  if (fields.length > 0) headers.set("cookie", fields.join("; "));
};

/** Returns the names of the cookies that a request itself sends; they replace kept ones. */
const cookieNames = (headers: TestInit["headers"]): ReadonlySet<string> =>
  new Set(
    new Headers(headers)
      .get("cookie")
      ?.split(";")
      .map((pair) => (pair.split("=", 1)[0] ?? "").trim()),
  );
